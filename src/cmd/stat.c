/* prof stat: the words, the counting, and the command's end as our own. */
#include <string.h>
#include <unistd.h>

#include "analysis/metric.h"
#include "base/bytes.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/stat_parse.h"
#include "count/session.h"
#include "event/open.h"
#include "output/stat.h"

#define MAX_CPUS 4096

static const struct cmd_option rows[] = {
	OPTION(struct stat_words, events, OPT_LIST, 'e', "event", .argument = "EVENTS",
	       .heading = "What to count",
	       .help = "events, separated by commas (default: time, switches, faults, and what the "
		       "processor counts); 'prof list' names them"),
	OPTION(struct stat_words, pids, OPT_LIST, 'p', "pid", .argument = "PIDS",
	       .heading = "Whom to count",
	       .help = "running processes, with their threads and what they start"),
	OPTION(struct stat_words, tids, OPT_LIST, 't', "tid", .argument = "TIDS",
	       .help = "single running threads"),
	OPTION(struct stat_words, system_wide, OPT_FLAG, 'a', "all-cpus",
	       .help = "everything on the machine"),
	OPTION(struct stat_words, cpus, OPT_STRING, 'C', "cpu", .argument = "LIST",
	       .help = "only on these CPUs: 0,2-3 (alone: everything that runs there)"),
	OPTION(struct stat_words, no_inherit, OPT_FLAG, 'i', "no-inherit",
	       .help = "only the first thread, not what it starts"),
	OPTION(struct stat_words, duration_ns, OPT_SECONDS, 0, "duration", .argument = "SECONDS",
	       .help = "stop counting after this time"),
	OPTION(struct stat_words, delay_ns, OPT_MILLIS, 'D', "delay", .argument = "MS",
	       .help = "begin to count after this time"),
	OPTION(struct stat_words, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .heading = "How it is shown",
	       .help = "write to FILE (default: standard error, as the command owns the standard "
		       "output)"),
	OPTION(struct stat_words, quiet, OPT_FLAG, 'q', "quiet",
	       .help = "say nothing but the result and errors"),
	OPTION(struct stat_words, verbose, OPT_COUNT, 'v', "verbose",
	       .help = "say what is opened and how"),
	{ .name = NULL },
};

/* To the file, or to standard error. */
static int write_result(const struct stat_words *w, const struct bytes *out)
{
	if (w->output)
		return cmd_write_output(&command_stat, out, w->output);
	(void)io_write_full(STDERR_FILENO, out->data, out->len); /* nobody to tell */
	return EXIT_DONE;
}

/* Those that say something without being asked for. */
static void default_metrics(struct metric_list *shown)
{
	struct metric_list all = { 0 };

	metric_rows(&all, NULL, NULL);
	for (size_t i = 0; i < all.items.len; i++) {
		const struct metric *m = all.items.data[i];
		if (m->set && strcmp(m->set, "default") == 0)
			vec_push(&shown->items, m);
	}
	metric_list_release(&all);
}

static uint32_t cpu_count(const struct count_options *o)
{
	uint32_t cpus[MAX_CPUS];
	int count = event_online_cpus(cpus, MAX_CPUS);

	return o->cpus ? (uint32_t)o->cpus->items.len : count > 0 ? (uint32_t)count : 0;
}

static int show(const struct stat_words *w, const struct count_options *o,
		const struct count_session *s, const struct counter_run *run)
{
	CLEANUP_FREE char *title = stat_title(o);
	struct metric_list metrics = { 0 };
	struct bytes out = { 0 };
	struct stat_view view = {
		.title = title,
		.runs = run,
		.run_count = 1,
		.metrics = &metrics,
		.cpus = cpu_count(o),
		.unicode = text_is_unicode(),
		.verbose = w->verbose > 0,
	};

	default_metrics(&metrics);
	view.note_count = count_notes(s, &view.notes);
	output_stat_text(&out, &view);
	int status = write_result(w, &out);
	bytes_release(&out);
	metric_list_release(&metrics);
	return status;
}

/* The command's own end is prof's. */
static int end_status(const struct counter_run *run, int shown)
{
	if (!run->launched)
		return shown;
	if (run->exit_signal)
		return target_die_by(run->exit_signal);
	return shown == EXIT_DONE ? run->exit_status : shown;
}

static int count(const struct stat_words *w, const struct count_options *o)
{
	struct error err = { 0 };
	struct counter_run run = { 0 };
	struct count_session *s = count_start(o, &err);

	if (!s)
		return cmd_fail(&command_stat, &err, target_failure_status(o->command, &err));
	int status = count_wait(s, &run, &err) < 0
			     ? cmd_fail(&command_stat, &err, EXIT_NOT_RECORDED)
			     : show(w, o, s, &run);
	count_end(s, &run);
	count_free(s);
	status = end_status(&run, status);
	counter_run_release(&run);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	const struct stat_words *words = options;
	struct count_options o = { .command = argc ? argv : NULL };
	struct stat_lists lists = { 0 };

	log_set_level(words->quiet ? LOG_ERROR : words->verbose ? LOG_INFO : LOG_NOTICE);
	int status = stat_parse(words, &o, &lists);
	if (status == EXIT_DONE)
		status = count(words, &o);
	stat_lists_release(&lists);
	return status;
}

const struct command command_stat = {
	.name = "stat",
	.summary = "count events while a program runs",
	.synopsis = "prof stat [options] [--] command [argument…]\n"
		    "prof stat [options] -p PID[,PID…] | -t TID[,TID…] | -a",
	.description =
		"Counts what happens while a command, running processes or the whole machine run: time, "
		"switches, page faults, and what the processor's counters tell, with the ratios that make "
		"them readable. What could not be counted is never shown as 0. The result goes to standard "
		"error, as the command's own output goes to standard output.\n\n"
		"A processor has few counters: events that do not fit take turns. Then the value is scaled up "
		"from the share of the time that it was counted; both this share and the uncertainty are "
		"shown. Events in braces, {cycles,instructions}, are counted at the same time.\n\n"
		"The first Ctrl-C reaches the command as without prof; the second one ends both. Attached to "
		"running processes, Ctrl-C ends the counting and leaves them alone. prof ends with the "
		"command's exit status, or by its signal; 125 when nothing could be counted, 126 when the "
		"command is not executable, 127 when it is not found.",
	.examples = "prof stat -- ./app --its-options\tCount a command.\n"
		    "prof stat -e page-faults,context-switches -- ./app\tOnly these events.\n"
		    "prof stat -p 1234 --duration 10\tA running process for ten seconds.\n"
		    "prof stat -a --duration 10\tEverything on the machine (as root).\n",
	.options = rows,
	.options_size = sizeof(struct stat_words),
	.stops_at_first_operand = true,
	.run = run,
};
