/* prof stat's words into options of a counting session; each fault is said where it is found. */
#include "cmd/stat_parse.h"

#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "count/default_events.h"

static int usage(const char *text)
{
	return cmd_usage(&command_stat, "%s; see 'prof stat --help'", text);
}

void stat_lists_release(struct stat_lists *lists)
{
	event_list_release(&lists->events);
	event_cpus_release(&lists->cpus);
	vec_release(&lists->pids.items);
	vec_release(&lists->tids.items);
}

static int parse_events(const struct stat_words *w, struct count_options *o,
			struct stat_lists *lists)
{
	struct error err = { 0 };
	int rc = 0;

	o->optional_from = SIZE_MAX;
	if (w->events.len == 0)
		rc = count_default_events(&lists->events, &o->optional_from, &err);
	for (size_t i = 0; i < w->events.len && rc == 0; i++)
		rc = event_parse(&lists->events, w->events.items[i], &err);
	o->events = &lists->events;
	return rc == 0 ? EXIT_DONE : cmd_fail(&command_stat, &err, EXIT_USAGE);
}

static int parse_cpus(const struct stat_words *w, struct count_options *o, struct stat_lists *lists)
{
	if (!w->cpus)
		return EXIT_DONE;
	if (!event_cpus_parse(&lists->cpus, w->cpus) || lists->cpus.items.len == 0)
		return cmd_usage(&command_stat, "-C %s: not a CPU list (such as 0,2-3)", w->cpus);
	o->cpus = &lists->cpus;
	return EXIT_DONE;
}

static int parse_ids(const struct stat_words *w, struct count_options *o, struct stat_lists *lists)
{
	int status = target_parse_ids(&command_stat, "-p", &w->pids, &lists->pids);

	if (status == EXIT_DONE)
		status = target_parse_ids(&command_stat, "-t", &w->tids, &lists->tids);
	o->pids = lists->pids.items.data;
	o->pid_count = lists->pids.items.len;
	o->tids = lists->tids.items.data;
	o->tid_count = lists->tids.items.len;
	return status;
}

static int check_target(const struct count_options *o)
{
	bool attaches = o->pid_count || o->tid_count;

	if (!o->command && !attaches && !o->system_wide && !o->cpus)
		return usage("nothing to count: give a command (prof stat -- ./app), a process (-p "
			     "PID) or -a for the whole machine");
	if (o->command && attaches)
		return usage("a command or running processes, not both (for a limited time: "
			     "--duration)");
	if (attaches && o->system_wide)
		return usage("-a already has everything: leave -p and -t out");
	return EXIT_DONE;
}

int stat_parse(const struct stat_words *w, struct count_options *o, struct stat_lists *lists)
{
	o->system_wide = w->system_wide;
	o->no_inherit = w->no_inherit;
	o->duration_ns = w->duration_ns;
	o->delay_ns = w->delay_ns;
	o->closed_descriptors = target_closed_descriptors();
	int status = parse_ids(w, o, lists);
	if (status == EXIT_DONE)
		status = parse_cpus(w, o, lists);
	if (status == EXIT_DONE)
		status = check_target(o);
	return status == EXIT_DONE ? parse_events(w, o, lists) : status;
}

static void append_ids(struct bytes *out, const char *one, const char *many, const pid_t *ids,
		       size_t count)
{
	if (count == 0)
		return;
	bytes_printf(out, "%s%s ", out->len ? ", " : "", count == 1 ? one : many);
	for (size_t i = 0; i < count; i++)
		bytes_printf(out, "%s%d", i ? "," : "", (int)ids[i]);
}

char *stat_title(const struct count_options *o)
{
	struct bytes title = { 0 };

	for (size_t i = 0; o->command && o->command[i]; i++) {
		bytes_printf(&title, "%s", i ? " " : "");
		text_append_word(&title, o->command[i]);
	}
	append_ids(&title, "process", "processes", o->pids, o->pid_count);
	append_ids(&title, "thread", "threads", o->tids, o->tid_count);
	if (o->system_wide)
		bytes_printf(&title, "%s",
			     title.len ? " (and all else on the machine)" : "the whole machine");
	else if (!title.len)
		bytes_printf(&title, "all that runs");
	for (size_t i = 0; o->cpus && i < o->cpus->items.len; i++)
		bytes_printf(&title, "%s%u", i ? "," : " on CPU ", o->cpus->items.data[i]);
	bytes_u8(&title, '\0');
	return (char *)title.data;
}
