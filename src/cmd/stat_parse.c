/* prof stat's words into options of a counting session; each fault is said where it is found. */
#include "cmd/stat_parse.h"

#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "count/default_events.h"
#include "event/open.h"

#define MAX_CPUS	4096
#define REPEAT_MAX	100000u
#define INTERVAL_MIN_NS 1000000u

/* In the order of enum counter_row_kind, without the first. */
const char *const stat_by_choices[] = { "thread", "cpu", "core", "socket", "type", NULL };

static int usage(const char *text)
{
	return cmd_usage(&command_stat, "%s; see 'prof stat --help'", text);
}

static bool counts_whole_cpus(const struct count_options *o)
{
	return o->system_wide || (!o->command && !o->pid_count && !o->tid_count);
}

void stat_plan_release(struct stat_plan *p)
{
	event_list_release(&p->events);
	event_cpus_release(&p->cpus);
	vec_release(&p->pids.items);
	vec_release(&p->tids.items);
	metric_list_release(&p->metrics);
	bytes_release(&p->notes);
	metric_user_release(&p->user_metrics);
}

static int parse_events(const struct stat_words *w, struct stat_plan *p)
{
	struct error err = { 0 };
	int rc = 0;

	p->options.optional_from = p->options.optional_to = 0;
	if (w->events.len == 0)
		rc = count_default_events(&p->events, counts_whole_cpus(&p->options),
					  &p->options.optional_from, &err);
	p->options.optional_to = w->events.len == 0 ? p->events.items.len : 0;
	for (size_t i = 0; i < w->events.len && rc == 0; i++)
		rc = event_parse(&p->events, w->events.items[i], &err);
	p->options.events = &p->events;
	return rc == 0 ? EXIT_DONE : cmd_fail(&command_stat, &err, EXIT_USAGE);
}

static int parse_cpus(const struct stat_words *w, struct stat_plan *p)
{
	uint32_t online[MAX_CPUS];
	int count = event_online_cpus(online, MAX_CPUS);

	p->cpu_count = count > 0 ? (uint32_t)count : 0;
	if (!w->cpus)
		return EXIT_DONE;
	if (!event_cpus_parse(&p->cpus, w->cpus) || p->cpus.items.len == 0)
		return cmd_usage(&command_stat, "-C %s: not a CPU list (such as 0,2-3)", w->cpus);
	p->options.cpus = &p->cpus;
	p->cpu_count = (uint32_t)p->cpus.items.len;
	return EXIT_DONE;
}

static int parse_ids(const struct stat_words *w, struct stat_plan *p)
{
	struct count_options *o = &p->options;
	int status = target_parse_ids(&command_stat, "-p", &w->pids, &p->pids);

	if (status == EXIT_DONE)
		status = target_parse_ids(&command_stat, "-t", &w->tids, &p->tids);
	o->pids = p->pids.items.data;
	o->pid_count = p->pids.items.len;
	o->tids = p->tids.items.data;
	o->tid_count = p->tids.items.len;
	return status;
}

/* --by, or perf's word for it; not two different ones. */
static int parse_by(const struct stat_words *w, struct stat_plan *p)
{
	const bool said[] = { false, w->per_thread, w->per_cpu, w->per_core, w->per_socket };
	unsigned by = w->by_given ? w->by + 1 : COUNTER_ROW_ALL;

	for (unsigned i = 1; i < ARRAY_LEN(said); i++) {
		if (said[i] && by != COUNTER_ROW_ALL && by != i)
			return usage("the counters are told apart by one thing only (--by)");
		by = said[i] ? i : by;
	}
	p->options.by = (enum counter_row_kind)by;
	if (by == COUNTER_ROW_THREAD && counts_whole_cpus(&p->options))
		return usage(
			"--by thread: of a command (-- ./app), a process (-p) or threads (-t), "
			"not of whole CPUs");
	return EXIT_DONE;
}

static int parse_repeats(const struct stat_words *w, struct stat_plan *p)
{
	if (w->repeat > REPEAT_MAX || w->warmup > REPEAT_MAX)
		return usage("-r, --warmup: at most 100000 runs");
	p->repeats = w->repeat ? (unsigned)w->repeat : 1;
	p->warmups = w->warmup_given ? (unsigned)w->warmup : p->repeats > 1;
	if (p->repeats + p->warmups > 1 && !p->options.command)
		return usage("-r, --warmup: only a command can be run again");
	if (p->repeats > 1 && w->interval_ns)
		return usage("-r or -I, not both");
	return EXIT_DONE;
}

static int check_output(const struct stat_words *w)
{
	if (w->json && (w->csv || w->separator))
		return usage("--json or --csv, not both");
	if (w->separator && !*w->separator)
		return usage("-x: the separator is empty");
	if (w->interval_given && w->interval_ns < INTERVAL_MIN_NS)
		return usage("-I: an interval has at least 1 ms");
	return EXIT_DONE;
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

static void copy_plain(const struct stat_words *w, struct count_options *o)
{
	o->system_wide = w->system_wide;
	o->no_inherit = w->no_inherit;
	o->duration_ns = w->duration_ns;
	o->delay_ns = w->delay_ns;
	o->interval_ns = w->interval_ns;
}

int stat_parse(const struct stat_words *w, struct stat_plan *p)
{
	static int (*const steps[])(const struct stat_words *,
				    struct stat_plan *) = { parse_ids, parse_cpus, parse_by,
							    parse_repeats };
	int status = check_output(w);

	copy_plain(w, &p->options);
	for (size_t i = 0; i < ARRAY_LEN(steps) && status == EXIT_DONE; i++)
		status = steps[i](w, p);
	if (status == EXIT_DONE)
		status = check_target(&p->options);
	return status == EXIT_DONE ? parse_events(w, p) : status;
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

static void append_numbers(struct bytes *out, const char *option, const pid_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes_printf(out, "%s%d", i ? "," : option, (int)ids[i]);
}

char *stat_again(const struct count_options *o)
{
	struct bytes out = { 0 };

	/* Counters of whole CPUs are not the command's. */
	if (o->system_wide || o->cpus || o->no_inherit)
		return NULL;
	append_numbers(&out, "-p ", o->pids, o->pid_count);
	append_numbers(&out, out.len ? " -t " : "-t ", o->tids, o->tid_count);
	for (size_t i = 0; o->command && o->command[i]; i++) {
		bytes_printf(&out, "%s", i ? " " : "-- ");
		text_append_word(&out, o->command[i]);
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}
