/* prof record: options into a recording session, and the child's end into our own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "event/spec.h"
#include "record/session.h"

struct options {
	struct cmd_strings events, pids, tids;
	const char *frequency, *call_graph, *cpus, *output, *ring;
	uint64_t period, delay_ns, duration_ns, check_stacks;
	unsigned verbose;
	bool frequency_given, period_given, system_wide, stacks_on, kernel, kernel_given, quiet;
};

#define DEFAULT_FREQUENCY 997 /* prime: does not keep step with timers */
#define MAX_RING_PAGES	  ((uint64_t)1 << 20)

static const struct cmd_option rows[] = {
	OPTION(struct options, events, OPT_LIST, 'e', "event", .argument = "EVENTS",
	       .heading = "What to sample",
	       .help = "events, separated by commas (default: cycles where they can be counted, else task-clock); "
		       "'prof list' names them"),
	OPTION_TOLD(struct options, frequency, frequency_given, OPT_STRING, 'F', "freq",
		    .argument = "HZ",
		    .help = "samples a second and CPU: a number or max (default: 997)"),
	OPTION_TOLD(struct options, period, period_given, OPT_U64, 'c', "count", .argument = "N",
		    .help = "a sample after every N of the event (nanoseconds for clocks)"),
	OPTION(struct options, call_graph, OPT_STRING, 0, "call-graph", .argument = "MODE",
	       .help = "how stacks are found: auto (default), fp, dwarf, dwarf,BYTES or none"),
	OPTION(struct options, stacks_on, OPT_FLAG, 'g', "stacks",
	       .help = "the same as --call-graph=auto"),
	OPTION_TOLD(struct options, kernel, kernel_given, OPT_FLAG, 0, "kernel", .negatable = true,
		    .help = "sample the kernel too, or not (default: where it is permitted)"),
	OPTION(struct options, pids, OPT_LIST, 'p', "pid", .argument = "PIDS",
	       .heading = "Whom to sample",
	       .help = "running processes, with their threads and what they start"),
	OPTION(struct options, tids, OPT_LIST, 't', "tid", .argument = "TIDS",
	       .help = "single running threads"),
	OPTION(struct options, system_wide, OPT_FLAG, 'a', "all-cpus",
	       .help = "everything on the machine"),
	OPTION(struct options, cpus, OPT_STRING, 'C', "cpu", .argument = "LIST",
	       .help = "only on these CPUs: 0,2-3 (alone: everything that runs there)"),
	OPTION(struct options, duration_ns, OPT_SECONDS, 0, "duration", .argument = "SECONDS",
	       .help = "stop after this time"),
	OPTION(struct options, delay_ns, OPT_MILLIS, 'D', "delay", .argument = "MS",
	       .help = "begin to sample after this time"),
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .heading = "The file and the rest",
	       .help = "write to FILE (default: prof.data; what was there becomes FILE.old); '-' is standard output"),
	OPTION(struct options, ring, OPT_STRING, 'm', "mmap-pages", .argument = "PAGES",
	       .help = "buffer of each CPU: pages, or a size as 4M (default: what is permitted)"),
	OPTION(struct options, check_stacks, OPT_U64, 0, "check-stacks", .argument = "N",
	       .implied = "100",
	       .help = "unwind every Nth stack a second time, independently, and report how many agree"),
	OPTION(struct options, quiet, OPT_FLAG, 'q', "quiet", .help = "say nothing but errors"),
	OPTION(struct options, verbose, OPT_COUNT, 'v', "verbose",
	       .help = "say more; twice: even more"),
	{ .name = NULL },
};

static int usage(const char *text)
{
	return cmd_usage(&command_record, "%s; see 'prof record --help'", text);
}

static int parse_frequency(const struct options *o, struct record_options *r)
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

struct ids {
	VEC(pid_t) list;
};

/* "12,34" of every occurrence. */
static int parse_ids(const struct cmd_strings *given, const char *shown, struct ids *out)
{
	for (size_t i = 0; i < given->len; i++) {
		CLEANUP_FREE char *copy = xstrdup(given->items[i]);
		char *rest = copy, *word;
		while ((word = strsep(&rest, ","))) {
			uint64_t id;
			if (!text_parse_u64(word, &id) || id == 0 || id > INT32_MAX)
				return cmd_usage(&command_record,
						 "%s: '%s' is not a process or thread number",
						 shown, word);
			vec_push(&out->list, (pid_t)id);
		}
	}
	return EXIT_DONE;
}

/* An unknown event is a slip in what was typed: found before anything is started. */
static int check_events(const struct options *o)
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

/* Those that were closed are held open with close-on-exec (main.c); inherited ones never have it.
 */
static unsigned closed_descriptors(void)
{
	unsigned closed = 0;

	for (int fd = 0; fd <= 2; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (flags < 0 || (flags & FD_CLOEXEC))
			closed |= 1u << fd;
	}
	return closed;
}

/* Exactly one kind of target. */
static int check_target(const struct options *o, const struct record_options *r)
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

static void copy_plain(const struct options *o, struct record_options *r)
{
	r->system_wide = o->system_wide;
	r->cpus = o->cpus;
	r->duration_ns = o->duration_ns;
	r->delay_ns = o->delay_ns;
	r->events = o->events.len ? o->events.items : NULL;
	r->output = o->output;
	r->quiet = o->quiet;
	r->verbose = o->verbose;
	r->closed_descriptors = closed_descriptors();
	r->check_stacks = o->check_stacks > UINT32_MAX ? UINT32_MAX : (uint32_t)o->check_stacks;
	if (o->kernel_given)
		r->kernel = o->kernel ? RECORD_KERNEL_YES : RECORD_KERNEL_NO;
}

static int parse(const struct options *o, struct record_options *r, struct ids *pids,
		 struct ids *tids)
{
	int status = parse_frequency(o, r);

	copy_plain(o, r);
	if (status == EXIT_DONE)
		status = parse_call_graph(o->call_graph, r);
	if (status == EXIT_DONE)
		status = parse_ring(o->ring, r);
	if (status == EXIT_DONE)
		status = parse_ids(&o->pids, "-p", pids);
	if (status == EXIT_DONE)
		status = parse_ids(&o->tids, "-t", tids);
	r->pids = pids->list.data;
	r->pid_count = pids->list.len;
	r->tids = tids->list.data;
	r->tid_count = tids->list.len;
	if (status == EXIT_DONE)
		status = check_events(o);
	if (status == EXIT_DONE)
		status = check_target(o, r);
	return status == EXIT_DONE ? check_output(r) : status;
}

/* As the child died; its core is the one worth keeping. */
static int die_by(int signal)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, signal);
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigaction(signal, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return 128 + signal; /* one that does not kill */
}

/* Calls check on each place where the shell would look for the command; true when one says so. */
static bool any_place(const char *command, bool (*check)(const char *path))
{
	const char *path = getenv("PATH");

	if (strchr(command, '/'))
		return check(command);
	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t len = strcspn(path, ":");
		CLEANUP_FREE char *place =
			xasprintf("%.*s/%s", (int)len, len ? path : ".", command);
		if (check(place))
			return true;
		path += len;
	}
	return false;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0 || errno == EACCES;
}

static bool is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Only a fault of the command itself is 126 or 127. */
static int failure_status(const struct record_options *r, const struct error *err)
{
	const char *command = r->command ? r->command[0] : NULL;

	if (err->code == ERROR_USAGE)
		return EXIT_USAGE;
	if (command && err->code == ERROR_NOT_FOUND && !any_place(command, exists))
		return EXIT_NOT_FOUND;
	if (command && (err->errnum == ENOEXEC || !any_place(command, is_executable)) &&
	    any_place(command, exists))
		return EXIT_NOT_EXECUTABLE;
	return EXIT_NOT_RECORDED;
}

static int record(const struct record_options *r)
{
	struct error err = { 0 };
	int signal = 0;
	int status = record_run(r, &signal, &err);

	if (status < 0)
		return cmd_fail(&command_record, &err, failure_status(r, &err));
	return signal ? die_by(signal) : status;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct record_options r = { .command = argc ? argv : NULL };
	struct ids pids = { 0 }, tids = { 0 };

	log_set_level(o->quiet	       ? LOG_ERROR
		      : o->verbose > 1 ? LOG_DEBUG
		      : o->verbose     ? LOG_INFO
				       : LOG_NOTICE);
	int status = parse(o, &r, &pids, &tids);
	if (status == EXIT_DONE)
		status = record(&r);
	vec_release(&pids.list);
	vec_release(&tids.list);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "sample a program into prof.data",
	.synopsis = "prof record [options] [--] command [argument…]\n"
		    "prof record [options] -p PID[,PID…] | -t TID[,TID…] | -a",
	.description =
		"Samples the CPU time of a command, of running processes or of the whole machine, with stacks, "
		"and writes names and all into one file. Messages go to standard error only.\n\n"
		"The first Ctrl-C reaches the command as without prof, and the recording goes on until the "
		"command ends; the second one ends both. Attached to running processes, Ctrl-C ends the "
		"recording and leaves them alone. prof ends with the command's exit status, or by its signal.",
	.examples = "prof record -- ./app --its-options\tRecord a command.\n"
		    "prof record -p 1234 --duration 10\tAttach to a process for ten seconds.\n"
		    "prof record -a --duration 10\tEverything on the machine (as root).\n"
		    "prof record -F 4999 -o fast.data ./app\tFive times the usual rate.\n"
		    "prof record -e page-faults -c 1 ./app\tA stack for every page fault.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.stops_at_first_operand = true,
	.run = run,
};
