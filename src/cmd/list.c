/* prof list: the events that prof record -e takes here. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "event/spec.h"
#include "output/json.h"

struct options {
	bool json;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "as JSON"),
	{ .name = NULL },
};

struct listing {
	struct bytes out;
	struct json json_writer;
	char kind[32]; /* of the last row */
	bool json;
	size_t count;
};

static void add_json(struct listing *l, const struct event_name *n)
{
	json_open_object(&l->json_writer, NULL);
	json_string(&l->json_writer, "name", n->name);
	json_string(&l->json_writer, "kind", n->kind);
	json_string(&l->json_writer, "description", n->description ? n->description : "");
	json_close_object(&l->json_writer);
}

static void add_text(struct listing *l, const struct event_name *n)
{
	enum { COLUMN = 36 };

	size_t before;

	if (strcmp(l->kind, n->kind) != 0)
		bytes_printf(&l->out, "%s%s:\n", l->count ? "\n" : "", n->kind);
	snprintf(l->kind, sizeof(l->kind), "%s", n->kind);
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
	int status = cmd_write_output(&command_list, &l->out, NULL);
	if (status != EXIT_DONE || l->count)
		return status;
	cmd_say(&command_list, "no event here matches '%s'", pattern ? pattern : "*");
	return EXIT_FAILED;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct listing l = { .json = o->json };

	if (argc > 1)
		return cmd_usage(&command_list,
				 "one pattern at a time (quote it: prof list 'sched:*')");
	int status = list(&l, argc ? argv[0] : NULL);
	bytes_release(&l.out);
	return status;
}

const struct command command_list = {
	.name = "list",
	.summary = "list the events that can be sampled",
	.synopsis = "prof list [--json] [PATTERN]",
	.description =
		"PATTERN is a part of the name, or a glob. Tracepoints are listed where tracefs can be read, "
		"which usually needs root.",
	.examples = "prof list\tAll of them.\n"
		    "prof list fault\tThose with 'fault' in the name.\n"
		    "prof list 'sched:*'\tThe scheduler's tracepoints.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
