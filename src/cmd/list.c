/* prof list: the events that -e takes here, and which of them can be opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
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

/* An event and what trying it said. Rows of one section have kind, PMU and reason in common. */
struct row {
	char *name, *description;
	const char *kind;	      /* a constant */
	char *pmu, *unit, *modifiers; /* NULL: none */
	const char *reason;	      /* one of the listing's; NULL: it can be opened */
	struct event_umask *umasks;
	size_t umask_count;
};

struct listing {
	VEC(struct row) items;
	VEC(char *) reasons;
	struct bytes out;
};

static char *copy_text(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

/* The reason without the event's name, so that events can share it, and without the advice to look
 * here. */
static char *cut_reason(const char *text)
{
	const char *why = strstr(text, ": ");

	why = why ? why + 2 : text;
	const char *advice = strstr(why, "; see `prof list`");
	return advice ? xstrndup(why, (size_t)(advice - why)) : xstrdup(why);
}

static const char *intern_reason(struct listing *l, const char *text)
{
	char *why = cut_reason(text);

	for (size_t i = 0; i < l->reasons.len; i++) {
		if (strcmp(l->reasons.data[i], why) != 0)
			continue;
		free(why);
		return l->reasons.data[i];
	}
	vec_push(&l->reasons, why);
	return why;
}

/* Closing a tracepoint takes the kernel 20 ms, and it asks the same of all: the first one is tried.
 */
static const char *try_tracepoint(struct listing *l, const struct event_name *n)
{
	struct error err = { 0 };

	for (size_t i = 0; i < l->items.len; i++)
		if (strcmp(l->items.data[i].kind, n->kind) == 0)
			return l->items.data[i].reason;
	return event_probe_listed(n, &err) < 0 ? intern_reason(l, err.text) : NULL;
}

static const char *try_event(struct listing *l, const struct event_name *n)
{
	struct error err = { 0 };

	if (strcmp(n->kind, "tracepoint") == 0)
		return try_tracepoint(l, n);
	return event_probe_listed(n, &err) < 0 ? intern_reason(l, err.text) : NULL;
}

static int add(void *ctx, const struct event_name *n)
{
	struct listing *l = ctx;
	struct row row = { .name = xstrdup(n->name),
			   .description = xstrdup(n->description),
			   .kind = n->kind,
			   .pmu = copy_text(n->pmu),
			   .unit = copy_text(n->unit),
			   .modifiers = copy_text(n->modifiers),
			   .umask_count = n->umask_count };

	row.umasks = xcalloc(n->umask_count ? n->umask_count : 1, sizeof(row.umasks[0]));
	for (size_t i = 0; i < n->umask_count; i++) {
		row.umasks[i].name = xstrdup(n->umasks[i].name);
		row.umasks[i].description = xstrdup(n->umasks[i].description);
	}
	row.reason = try_event(l, n);
	vec_push(&l->items, row);
	return 0;
}

static void release_row(struct row *row)
{
	for (size_t i = 0; i < row->umask_count; i++) {
		free((char *)(uintptr_t)row->umasks[i].name);
		free((char *)(uintptr_t)row->umasks[i].description);
	}
	free(row->umasks);
	free(row->name);
	free(row->description);
	free(row->pmu);
	free(row->unit);
	free(row->modifiers);
}

static void release(struct listing *l)
{
	for (size_t i = 0; i < l->items.len; i++)
		release_row(&l->items.data[i]);
	for (size_t i = 0; i < l->reasons.len; i++)
		free(l->reasons.data[i]);
	vec_release(&l->items);
	vec_release(&l->reasons);
	bytes_release(&l->out);
}

static void write_json_row(struct json *j, const struct row *row)
{
	json_open_object(j, NULL);
	json_string(j, "name", row->name);
	json_string(j, "kind", row->kind);
	json_string(j, "description", row->description);
	if (row->pmu)
		json_string(j, "pmu", row->pmu);
	if (row->unit)
		json_string(j, "unit", row->unit);
	if (row->modifiers)
		json_string(j, "modifiers", row->modifiers);
	if (row->umask_count)
		json_open_array(j, "umasks");
	for (size_t i = 0; i < row->umask_count; i++) {
		json_open_object(j, NULL);
		json_string(j, "name", row->umasks[i].name);
		json_string(j, "description", row->umasks[i].description);
		json_close_object(j);
	}
	if (row->umask_count)
		json_close_array(j);
	json_bool(j, "available", !row->reason);
	if (row->reason)
		json_string(j, "reason", row->reason);
	json_close_object(j);
}

static void write_json(struct listing *l)
{
	struct json j;

	json_begin(&j, &l->out, 1);
	json_open_array(&j, NULL);
	for (size_t i = 0; i < l->items.len; i++)
		write_json_row(&j, &l->items.data[i]);
	json_close_array(&j);
	json_end(&j);
}

static void put_printable(struct listing *l, const char *text)
{
	text_append_printable(&l->out, text, strlen(text));
}

/* Names begin in the third column and hold no space: the shells' completion reads them so. */
static void put_line(struct listing *l, unsigned indent, const char *name, const char *unit,
		     const char *description)
{
	enum { COLUMN = 38 };

	size_t begin = l->out.len;
	bytes_printf(&l->out, "%*s", (int)indent, "");
	put_printable(l, name);
	size_t used = l->out.len - begin;
	if (unit || *description)
		bytes_printf(&l->out, "%*s", used < COLUMN ? (int)(COLUMN - used) : 1, "");
	if (unit) {
		bytes_u8(&l->out, '[');
		put_printable(l, unit);
		bytes_printf(&l->out, "] ");
	}
	put_printable(l, description);
	bytes_u8(&l->out, '\n');
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_section(const struct row *a, const struct row *b)
{
	return a->reason == b->reason && strcmp(a->kind, b->kind) == 0 && same_text(a->pmu, b->pmu);
}

/* What holds for all events of the section. */
static void write_remark(struct listing *l, const struct row *row)
{
	const char *before = row->reason ? "\n " : " ";

	if (row->modifiers) {
		bytes_printf(&l->out, "%s(EVENT or EVENT:MASK, and :MODIFIER of ", before);
		put_printable(l, row->modifiers);
		bytes_u8(&l->out, ')');
	} else if (strcmp(row->kind, "tracepoint") == 0) {
		bytes_printf(&l->out, "%s(one of them was tried)", before);
	}
}

static void write_heading(struct listing *l, const struct row *row)
{
	bytes_printf(&l->out, "%s%s", l->out.len ? "\n" : "", row->kind);
	if (row->pmu) {
		bytes_u8(&l->out, ' ');
		put_printable(l, row->pmu);
	}
	bytes_u8(&l->out, ':');
	if (row->reason) {
		bytes_printf(&l->out, " not available here: ");
		put_printable(l, row->reason);
	}
	write_remark(l, row);
	bytes_u8(&l->out, '\n');
}

static void write_row(struct listing *l, const struct row *row)
{
	char mask[128];

	put_line(l, 2, row->name, row->unit, row->description);
	for (size_t i = 0; i < row->umask_count; i++) {
		snprintf(mask, sizeof(mask), ":%s", row->umasks[i].name);
		put_line(l, 6, mask, NULL, row->umasks[i].description);
	}
}

/* Section after section, in the order of their first events. */
static void write_text(struct listing *l)
{
	bool *done = xcalloc(l->items.len ? l->items.len : 1, sizeof(done[0]));

	for (size_t i = 0; i < l->items.len; i++) {
		if (done[i])
			continue;
		write_heading(l, &l->items.data[i]);
		for (size_t k = i; k < l->items.len; k++) {
			if (done[k] || !same_section(&l->items.data[i], &l->items.data[k]))
				continue;
			write_row(l, &l->items.data[k]);
			done[k] = true;
		}
	}
	free(done);
}

static bool has_kind(const struct listing *l, const char *kind)
{
	for (size_t i = 0; i < l->items.len; i++)
		if (strcmp(l->items.data[i].kind, kind) == 0)
			return true;
	return false;
}

static void write_obstacle(struct listing *l, const char *kind, const char *obstacle)
{
	if (obstacle && !has_kind(l, kind))
		bytes_printf(&l->out, "\n%s: not available here: %s\n", kind, obstacle);
}

/* Kinds of which nothing can be listed have no rows that a heading could stand above. */
static void write_obstacles(struct listing *l, const char *pattern)
{
	write_obstacle(l, "tracepoint", event_list_obstacle(pattern));
	if (!pattern) {
		write_obstacle(l, "processor", event_processor_obstacle());
		write_obstacle(l, "probe", event_probes_obstacle());
	}
}

static int say_no_match(const char *pattern)
{
	const char *obstacle = event_list_obstacle(pattern);
	char near[256];

	if (pattern && strcasecmp(pattern, "processor") == 0)
		obstacle = event_processor_obstacle();
	if (pattern && strstr(pattern, "probe") && !strchr(pattern, ':'))
		obstacle = event_probes_obstacle();
	event_list_near(pattern ? pattern : "", near, sizeof(near));
	cmd_say(&command_list, "no event here matches '%s'%s%s%s", pattern ? pattern : "*",
		obstacle ? "" : near, obstacle ? "; " : "", obstacle ? obstacle : "");
	return EXIT_FAILED;
}

static int list(struct listing *l, const struct options *o, const char *pattern)
{
	struct error err = { 0 };

	if (event_list_names(pattern, add, l, &err) < 0)
		return cmd_fail(&command_list, &err, cmd_status(&err));
	if (o->json)
		write_json(l);
	else
		write_text(l);
	if (!o->json && l->items.len)
		write_obstacles(l, pattern);
	int status = cmd_write_paged(&command_list, &l->out, o->no_pager);
	return status != EXIT_DONE || l->items.len ? status : say_no_match(pattern);
}

static int run(void *options, int argc, char **argv)
{
	struct listing l = { 0 };

	if (argc > 1)
		return cmd_usage(&command_list,
				 "one pattern at a time (quote it: prof list 'sched:*')");
	int status = list(&l, options, argc ? argv[0] : NULL);
	release(&l);
	return status;
}

const struct command command_list = {
	.name = "list",
	.summary = "list the events, and which can be opened here",
	.synopsis = "prof list [--json] [PATTERN]",
	.description =
		"PATTERN is a part of the name, a glob, or a kind (software, hardware, cache, raw, pmu, processor, "
		"tracepoint). Every event is opened for a moment: those that cannot be stand under a heading that says why. "
		"Of tracepoints, which take the kernel longer, one is tried.\n\n"
		"pmu: what PMUs tell of themselves in sysfs, those of memory controllers, power and other parts of the machine "
		"too; [unit] is what a value is shown in. PMUs that count CPUs and not processes need -a. "
		"processor: the events of this processor's manual, from libpfm4's tables, with their unit masks. "
		"Tracepoints are listed where tracefs is mounted and can be read, which usually needs root.",
	.examples = "prof list\tAll of them.\n"
		    "prof list fault\tThose with 'fault' in the name.\n"
		    "prof list cache\tCache events, and others with 'cache' in the name.\n"
		    "prof list 'sched:*'\tThe scheduler's tracepoints.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
