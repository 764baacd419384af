/* prof record's words into options of a recording session; each fault is said where it is found. */
#include "cmd/record_parse.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "event/spec.h"

#define DEFAULT_FREQUENCY 997 /* prime: does not keep step with timers */
#define MAX_RING_PAGES	  ((uint64_t)1 << 20)

static int usage(const char *text)
{
	return cmd_usage(&command_record, "%s; see 'prof record --help'", text);
}

static int parse_frequency(const struct record_words *o, struct record_options *r)
{
	r->frequency = DEFAULT_FREQUENCY;
	if (o->frequency_given && o->period_given)
		return usage("-F or -c, not both");
	if (o->period_given) {
		r->period = o->period;
		r->frequency = 0;
		return o->period ? EXIT_DONE : usage("-c: the period must be above 0");
	}
	if (!o->frequency_given)
		return EXIT_DONE;
	if (strcmp(o->frequency, "max") == 0) {
		r->frequency = UINT64_MAX;
		return EXIT_DONE;
	}
	if (!text_parse_u64(o->frequency, &r->frequency) || r->frequency == 0 ||
	    r->frequency == UINT64_MAX)
		return cmd_usage(&command_record,
				 "-F: '%s' is not a rate (a number above 0, or max)", o->frequency);
	return EXIT_DONE;
}

static int parse_stack_bytes(const char *text, struct record_options *r)
{
	uint64_t bytes;

	if (!text_parse_size(text, &bytes) || bytes == 0 || bytes > 65528)
		return cmd_usage(&command_record,
				 "--call-graph: '%s' is not a stack size (8 to 65528 bytes)", text);
	r->stack_bytes = (uint32_t)((bytes + 7) / 8 * 8);
	return EXIT_DONE;
}

static int parse_call_graph(const char *text, struct record_options *r)
{
	if (!text || strcmp(text, "auto") == 0)
		r->stacks = RECORD_STACKS_AUTO;
	else if (strcmp(text, "fp") == 0)
		r->stacks = RECORD_STACKS_FP;
	else if (strcmp(text, "dwarf") == 0 || strncmp(text, "dwarf,", 6) == 0)
		r->stacks = RECORD_STACKS_DWARF;
	else if (strcmp(text, "none") == 0 || strcmp(text, "no") == 0)
		r->stacks = RECORD_STACKS_NONE;
	else
		return cmd_usage(
			&command_record,
			"--call-graph: '%s' is not one of auto, fp, dwarf, dwarf,BYTES, none",
			text);
	return r->stacks == RECORD_STACKS_DWARF && text[5] ? parse_stack_bytes(text + 6, r)
							   : EXIT_DONE;
}

static int parse_ring(const char *text, struct record_options *r)
{
	uint64_t n, page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_pages;

	if (!text)
		return EXIT_DONE;
	is_pages = text_parse_u64(text, &n);
	if (!is_pages && text_parse_size(text, &n))
		n = (n + page - 1) / page;
	else if (!is_pages)
		n = 0;
	if (n == 0 || n > MAX_RING_PAGES)
		return cmd_usage(&command_record,
				 "-m: '%s' is not a number of pages or a size up to 4G", text);
	r->ring_pages = n;
	return EXIT_DONE;
}

static int parse_ids(const struct record_words *o, struct record_options *r, struct record_ids *ids)
{
	int status = target_parse_ids(&command_record, "-p", &o->pids, &ids->pids);

	if (status == EXIT_DONE)
		status = target_parse_ids(&command_record, "-t", &o->tids, &ids->tids);
	r->pids = ids->pids.items.data;
	r->pid_count = ids->pids.items.len;
	r->tids = ids->tids.items.data;
	r->tid_count = ids->tids.items.len;
	return status;
}

/* An unknown event is a slip in what was typed: found before anything is started. */
static int check_events(const struct record_words *o)
{
	struct event_list list = { 0 };
	struct error err = { 0 };
	int status = EXIT_DONE;

	for (size_t i = 0; i < o->events.len && status == EXIT_DONE; i++)
		if (event_parse(&list, o->events.items[i], &err) < 0)
			status = cmd_fail(&command_record, &err, EXIT_USAGE);
	event_list_release(&list);
	return status;
}

/* Exactly one kind of target. */
static int check_target(const struct record_words *o, const struct record_options *r)
{
	bool attaches = r->pid_count || r->tid_count;

	if (!r->command && !attaches && !r->system_wide && !r->cpus)
		return usage(
			"nothing to record: give a command (prof record -- ./app), a process (-p PID) or -a for "
			"the whole machine");
	if (r->command && attaches)
		return usage(
			"a command or running processes, not both (for a limited time: --duration)");
	if (attaches && o->system_wide)
		return usage("-a already has everything: leave -p and -t out");
	return EXIT_DONE;
}

static int check_output(const struct record_options *r)
{
	if (!r->output || strcmp(r->output, "-") != 0)
		return EXIT_DONE;
	if (r->command)
		return usage(
			"-o -: the command writes to the same standard output (name a file: -o prof.data)");
	if (isatty(STDOUT_FILENO))
		return usage(
			"-o -: a profile is no text for a terminal (name a file, or send it to a pipe)");
	return EXIT_DONE;
}

static void copy_plain(const struct record_words *o, struct record_options *r)
{
	r->system_wide = o->system_wide;
	r->cpus = o->cpus;
	r->duration_ns = o->duration_ns;
	r->delay_ns = o->delay_ns;
	r->events = o->events.len ? o->events.items : NULL;
	r->output = o->output;
	r->quiet = o->quiet;
	r->verbose = o->verbose;
	r->closed_descriptors = target_closed_descriptors();
	r->check_stacks = o->check_stacks > UINT32_MAX ? UINT32_MAX : (uint32_t)o->check_stacks;
	if (o->kernel_given)
		r->kernel = o->kernel ? RECORD_KERNEL_YES : RECORD_KERNEL_NO;
}

int record_parse(const struct record_words *o, struct record_options *r, struct record_ids *ids)
{
	int status = parse_frequency(o, r);

	copy_plain(o, r);
	if (status == EXIT_DONE)
		status = parse_call_graph(o->call_graph, r);
	if (status == EXIT_DONE)
		status = parse_ring(o->ring, r);
	if (status == EXIT_DONE)
		status = parse_ids(o, r, ids);
	if (status == EXIT_DONE)
		status = check_events(o);
	if (status == EXIT_DONE)
		status = check_target(o, r);
	return status == EXIT_DONE ? check_output(r) : status;
}
