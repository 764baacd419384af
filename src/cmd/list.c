/* prof list: the events that prof record -e takes here. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/pager.h"
#include "event/spec.h"
#include "output/json.h"

struct options {
	bool json, no_pager;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "as JSON"),
	CMD_PAGER_OPTION(struct options, no_pager),
	{ .name = NULL },
};

/* Can events of this kind be opened here? Tried once, with the first of them. */
struct availability {
	char kind[32];
	char reason[400]; /* why not; "" when they can */
};

struct listing {
	struct bytes out;
	struct json json_writer;
	struct availability kinds[8];
	size_t kind_count;
	char kind[32]; /* of the last row */
	bool json, no_pager;
	size_t count;
};

static void try_kind(struct availability *a, const struct event_name *n)
{
	bool is_raw = strcmp(n->kind, "raw") == 0; /* its name stands for many */
	struct event_list list = { 0 };
	struct error err = { 0 };

	snprintf(a->kind, sizeof(a->kind), "%s", n->kind);
	if (event_parse(&list, is_raw ? "r0" : n->name, &err) < 0 ||
	    event_probe(&list.items.data[0], &err) < 0) {
		const char *why = strstr(err.text, ": "); /* after the event's name */
		snprintf(a->reason, sizeof(a->reason), "%.399s", why ? why + 2 : err.text);
	}
	event_list_release(&list);
}

static const char *reason_against(struct listing *l, const struct event_name *n)
{
	for (size_t i = 0; i < l->kind_count; i++)
		if (strcmp(l->kinds[i].kind, n->kind) == 0)
			return l->kinds[i].reason;
	if (l->kind_count == sizeof(l->kinds) / sizeof(l->kinds[0]))
		return "";
	try_kind(&l->kinds[l->kind_count], n);
	return l->kinds[l->kind_count++].reason;
}

static void add_json(struct listing *l, const struct event_name *n)
{
	const char *reason = reason_against(l, n);

	json_open_object(&l->json_writer, NULL);
	json_string(&l->json_writer, "name", n->name);
	json_string(&l->json_writer, "kind", n->kind);
	json_string(&l->json_writer, "description", n->description ? n->description : "");
	json_bool(&l->json_writer, "available", !*reason);
	if (*reason)
		json_string(&l->json_writer, "reason", reason);
	json_close_object(&l->json_writer);
}

static void add_heading(struct listing *l, const struct event_name *n)
{
	const char *reason = reason_against(l, n);

	if (strcmp(l->kind, n->kind) == 0)
		return;
	bytes_printf(&l->out, "%s%s:", l->count ? "\n" : "", n->kind);
	if (*reason) {
		bytes_printf(&l->out, " not available here: ");
		text_append_printable(&l->out, reason, strlen(reason));
	}
	bytes_u8(&l->out, '\n');
	snprintf(l->kind, sizeof(l->kind), "%s", n->kind);
}

static void add_text(struct listing *l, const struct event_name *n)
{
	enum { COLUMN = 36 };

	size_t before;

	add_heading(l, n);
	bytes_printf(&l->out, "  ");
	before = l->out.len;
	text_append_printable(&l->out, n->name, strlen(n->name));
	if (n->description && *n->description) {
		size_t used = l->out.len - before;
		bytes_printf(&l->out, "%*s", used < COLUMN ? (int)(COLUMN - used) : 1, "");
		text_append_printable(&l->out, n->description, strlen(n->description));
	}
	bytes_u8(&l->out, '\n');
}

static int add(void *ctx, const struct event_name *n)
{
	struct listing *l = ctx;

	if (l->json)
		add_json(l, n);
	else
		add_text(l, n);
	l->count++;
	return 0;
}

/* A kind of which nothing can be listed has no rows that its heading could stand above. */
static void add_obstacle(struct listing *l, const char *pattern)
{
	const char *obstacle = event_list_obstacle(pattern);

	if (obstacle && l->count && !l->json && strcmp(l->kind, "tracepoint") != 0)
		bytes_printf(&l->out, "\ntracepoint: not available here: %s\n", obstacle);
}

static void say_no_match(const char *pattern)
{
	const char *obstacle = event_list_obstacle(pattern);

	cmd_say(&command_list, "no event here matches '%s'%s%s", pattern ? pattern : "*",
		obstacle ? "; " : "", obstacle ? obstacle : "");
}

static int list(struct listing *l, const char *pattern)
{
	struct error err = { 0 };

	if (l->json) {
		json_begin(&l->json_writer, &l->out, 1);
		json_open_array(&l->json_writer, NULL);
	}
	if (event_list_names(pattern, add, l, &err) < 0)
		return cmd_fail(&command_list, &err, cmd_status(&err));
	if (l->json) {
		json_close_array(&l->json_writer);
		json_end(&l->json_writer);
	}
	add_obstacle(l, pattern);
	int status = cmd_write_paged(&command_list, &l->out, l->no_pager);
	if (status != EXIT_DONE || l->count)
		return status;
	say_no_match(pattern);
	return EXIT_FAILED;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct listing l = { .json = o->json, .no_pager = o->no_pager };

	if (argc > 1)
		return cmd_usage(&command_list,
				 "one pattern at a time (quote it: prof list 'sched:*')");
	int status = list(&l, argc ? argv[0] : NULL);
	bytes_release(&l.out);
	return status;
}

const struct command command_list = {
	.name = "list",
	.summary = "list the events, and which kinds can be sampled here",
	.synopsis = "prof list [--json] [PATTERN]",
	.description =
		"PATTERN is a part of the name, or a glob. One event of each kind is tried: where that fails, the "
		"heading says why. Tracepoints are listed where tracefs is mounted and can be read, which usually needs root.",
	.examples = "prof list\tAll of them.\n"
		    "prof list fault\tThose with 'fault' in the name.\n"
		    "prof list 'sched:*'\tThe scheduler's tracepoints.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
