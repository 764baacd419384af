/* prof record: the words, the session, and the child's end as our own. */
#include <inttypes.h>

#include "base/log.h"
#include "cmd/record_parse.h"

#define FREQUENCY_HARMLESS 5000 /* Hz */

static const struct cmd_option rows[] = {
	OPTION(struct record_words, events, OPT_LIST, 'e', "event", .argument = "EVENTS",
	       .heading = "What to sample",
	       .help = "events, separated by commas (default: cycles where they can be counted, else task-clock); "
		       "'prof list' names them; {A,B,C}: only A takes samples, and with each is read what B and C counted"),
	OPTION_TOLD(
		struct record_words, frequency, frequency_given, OPT_STRING, 'F', "freq",
		.argument = "HZ",
		.help = "samples a second and CPU: a number or max, which slows the program much (default: 997)"),
	OPTION_TOLD(struct record_words, period, period_given, OPT_U64, 'c', "count",
		    .argument = "N",
		    .help = "a sample after every N of the event (nanoseconds for clocks)"),
	OPTION(struct record_words, call_graph, OPT_STRING, 0, "call-graph", .argument = "MODE",
	       .help = "how stacks are found: auto (default), fp, dwarf, dwarf,BYTES or none"),
	OPTION(struct record_words, stacks_on, OPT_FLAG, 'g', "stacks",
	       .help = "the same as --call-graph=auto"),
	OPTION_TOLD(struct record_words, kernel, kernel_given, OPT_FLAG, 0, "kernel",
		    .negatable = true,
		    .help = "sample the kernel too, or not (default: where it is permitted)"),
	OPTION(struct record_words, pids, OPT_LIST, 'p', "pid", .argument = "PIDS",
	       .heading = "Whom to sample",
	       .help = "running processes, with their threads and what they start"),
	OPTION(struct record_words, tids, OPT_LIST, 't', "tid", .argument = "TIDS",
	       .help = "single running threads"),
	OPTION(struct record_words, system_wide, OPT_FLAG, 'a', "all-cpus",
	       .help = "everything on the machine"),
	OPTION(struct record_words, cpus, OPT_STRING, 'C', "cpu", .argument = "LIST",
	       .help = "only on these CPUs: 0,2-3 (alone: everything that runs there)"),
	OPTION(struct record_words, duration_ns, OPT_SECONDS, 0, "duration", .argument = "SECONDS",
	       .help = "stop after this time"),
	OPTION(struct record_words, delay_ns, OPT_MILLIS, 'D', "delay", .argument = "MS",
	       .help = "begin to sample after this time"),
	OPTION(struct record_words, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .heading = "The file and the rest",
	       .help = "write to FILE (default: prof.data; what was there becomes FILE.old); '-' is standard output, not with a command, whose own it is"),
	OPTION(struct record_words, ring, OPT_STRING, 'm', "mmap-pages", .argument = "PAGES",
	       .help = "buffer of each CPU: pages, or a size as 4M (default: what is permitted)"),
	OPTION(struct record_words, check_stacks, OPT_U64, 0, "check-stacks", .argument = "N",
	       .implied = "100",
	       .help = "unwind every Nth stack a second time, independently, and report how many agree"),
	OPTION(struct record_words, quiet, OPT_FLAG, 'q', "quiet",
	       .help = "say nothing but errors"),
	OPTION(struct record_words, verbose, OPT_COUNT, 'v', "verbose",
	       .help = "say what is opened and how, where names come from, how long it takes; twice: each event too"),
	{ .name = NULL },
};

/* Each sample of a busy CPU interrupts it and copies its stack: at tens of microseconds apart, most
 * of what runs is prof's. */
static void warn_of_rate(const struct record_options *r)
{
	if (r->frequency == UINT64_MAX)
		log_message(LOG_NOTICE,
			    "-F max slows what is recorded very much: times are not to be trusted");
	else if (r->frequency > FREQUENCY_HARMLESS)
		log_message(LOG_NOTICE,
			    "%" PRIu64 " Hz slows what is recorded: times are longer than without",
			    r->frequency);
}

static int record(const struct record_options *r)
{
	struct error err = { 0 };
	int signal = 0;
	int status = record_run(r, &signal, &err);

	if (status < 0)
		return cmd_fail(&command_record, &err, target_failure_status(r->command, &err));
	return signal ? target_die_by(signal) : status;
}

static int run(void *options, int argc, char **argv)
{
	const struct record_words *words = options;
	struct record_options r = { .command = argc ? argv : NULL };
	struct record_ids ids = { 0 };

	log_set_level(words->quiet	   ? LOG_ERROR
		      : words->verbose > 1 ? LOG_DEBUG
		      : words->verbose	   ? LOG_INFO
					   : LOG_NOTICE);
	int status = record_parse(words, &r, &ids);
	if (status == EXIT_DONE) {
		warn_of_rate(&r);
		status = record(&r);
	}
	vec_release(&ids.pids.items);
	vec_release(&ids.tids.items);
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
		"recording and leaves them alone. While functions are still being named after that, two more "
		"interrupts end prof without their names. prof ends with the command's exit status, or by its signal. "
		"Processes that outlive the command run on unrecorded, and a line says so.\n\n"
		"Programs, debug information and source are read by a process that has given up all rights, "
		"also when root records. They are opened for it with the rights of the recorded process's user; "
		"what is neither an ELF file nor source is not, whatever names it. Files of a file system that "
		"does not answer for three seconds are left out.",
	.examples = "prof record -- ./app --its-options\tRecord a command.\n"
		    "prof record -p 1234 --duration 10\tAttach to a process for ten seconds.\n"
		    "prof record -a --duration 10\tEverything on the machine (as root).\n"
		    "prof record -F 4999 -o fast.data ./app\tFive times the usual rate.\n"
		    "prof record -e page-faults -c 1 ./app\tA stack for every page fault.\n",
	.options = rows,
	.options_size = sizeof(struct record_words),
	.stops_at_first_operand = true,
	.run = run,
};
