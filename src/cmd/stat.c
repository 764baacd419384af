/* prof stat: the words, the counting, and the command's end as our own. */
#include <signal.h>

#include "base/log.h"
#include "cmd/stat_show.h"
#include "count/session.h"

static const struct cmd_option rows[] = {
	OPTION(struct stat_words, events, OPT_LIST, 'e', "event", .argument = "EVENTS",
	       .heading = "What to count",
	       .help = "events, separated by commas (default: time, switches, faults, and what the "
		       "processor counts); 'prof list' names them"),
	OPTION(struct stat_words, metrics, OPT_LIST, 'M', "metrics", .argument = "NAMES",
	       .help = "ratios to show besides, with the events they need: names, or sets such as cache"),
	OPTION(struct stat_words, metric_files, OPT_LIST, 0, "metric-file", .argument = "FILE",
	       .help = "take ratios of your own from FILE"),
	OPTION(struct stat_words, topdown, OPT_FLAG, 0, "topdown",
	       .help = "what the processor's issue slots were used for"),
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
	OPTION(struct stat_words, repeat, OPT_U64, 'r', "repeat", .argument = "N", .least = 1,
	       .help = "run the command N times and show medians"),
	OPTION_TOLD(struct stat_words, warmup, warmup_given, OPT_U64, 0, "warmup", .argument = "N",
		    .help = "run it N times before that, not counted (default: once)"),
	OPTION_TOLD(struct stat_words, by, by_given, OPT_CHOICE, 0, "by", .argument = "WHAT",
		    .choices = stat_by_choices, .heading = "How it is shown",
		    .help = "tell apart: thread, cpu, core, socket or type (of core)"),
	OPTION(struct stat_words, per_thread, OPT_FLAG, 0, "per-thread", .hidden = true,
	       .help = "--by thread"),
	OPTION(struct stat_words, per_core, OPT_FLAG, 0, "per-core", .hidden = true,
	       .help = "--by core"),
	OPTION(struct stat_words, per_socket, OPT_FLAG, 0, "per-socket", .hidden = true,
	       .help = "--by socket"),
	OPTION(struct stat_words, per_cpu, OPT_FLAG, 'A', "no-aggr", .hidden = true,
	       .help = "--by cpu"),
	OPTION_TOLD(struct stat_words, interval_ns, interval_given, OPT_MILLIS, 'I', "interval",
		    .argument = "MS", .help = "show what was counted every MS milliseconds, too"),
	OPTION(struct stat_words, json, OPT_FLAG, 0, "json",
	       .help = "as JSON; with -I a line for each interval"),
	OPTION(struct stat_words, csv, OPT_FLAG, 0, "csv", .help = "as CSV"),
	OPTION(struct stat_words, separator, OPT_STRING, 'x', "field-separator", .argument = "TEXT",
	       .help = "as CSV, with TEXT between the fields"),
	OPTION(struct stat_words, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE (default: standard error, as the command owns the standard "
		       "output)"),
	OPTION(struct stat_words, quiet, OPT_FLAG, 'q', "quiet",
	       .help = "say nothing but the result and errors"),
	OPTION(struct stat_words, verbose, OPT_COUNT, 'v', "verbose",
	       .help = "say what is opened and how"),
	{ .name = NULL },
};

/* What the runs end with: the first of them that failed, and whether there is to be no other. */
struct outcome {
	int status, signal;
	bool stopped;
};

static void note_end(struct outcome *outcome, const struct counter_run *run)
{
	bool interrupted = run->exit_signal == SIGINT || run->exit_signal == SIGQUIT ||
			   run->exit_signal == SIGTERM || run->exit_signal == SIGHUP;

	outcome->stopped |= interrupted;
	if (outcome->status || outcome->signal)
		return;
	outcome->status = run->exit_status;
	outcome->signal = run->exit_signal;
}

/* One counting; *run is the caller's. Status: EXIT_DONE, or how prof failed. */
static int count_once(const struct stat_plan *p, struct stat_show *show, struct outcome *outcome,
		      bool shown_at_once, struct counter_run *run)
{
	struct error err = { 0 };
	struct count_session *s = count_start(&p->options, &err);
	char *const *notes;

	if (!s)
		return cmd_fail(&command_stat, &err,
				target_failure_status(p->options.command, &err));
	int rc = count_wait(s, run, &err);
	size_t count = count_notes(s, &notes);
	stat_show_notes(show, notes, count);
	if (rc == 0 && shown_at_once)
		stat_show_runs(show, run, 1);
	count_end(s, run);
	outcome->stopped |= count_was_stopped(s);
	count_free(s);
	if (rc < 0)
		return cmd_fail(&command_stat, &err, EXIT_NOT_RECORDED);
	note_end(outcome, run);
	return EXIT_DONE;
}

struct runs {
	VEC(struct counter_run) items;
};

static void say_progress(const struct stat_plan *p, unsigned done)
{
	if (p->repeats > 1)
		log_message(LOG_INFO, "run %u of %u is done", done, p->warmups + p->repeats);
}

/* Warm-ups are run and forgotten. */
static int count_all(const struct stat_plan *p, struct stat_show *show, struct outcome *outcome,
		     struct runs *runs)
{
	bool alone = p->repeats == 1;
	int status = EXIT_DONE;

	for (unsigned i = 0; i < p->warmups + p->repeats && !outcome->stopped; i++) {
		struct counter_run run = { 0 };
		struct outcome ignored = { 0 };
		bool warms_up = i < p->warmups;
		if (i > 0 && count_watch_was_stopped(p->options.watch))
			break;
		status = count_once(p, show, warms_up ? &ignored : outcome, alone && !warms_up,
				    &run);
		outcome->stopped |= ignored.stopped;
		if (status != EXIT_DONE || warms_up)
			counter_run_release(&run);
		else
			vec_push(&runs->items, run);
		if (status != EXIT_DONE)
			break;
		say_progress(p, i + 1);
	}
	if (!alone && runs->items.len)
		stat_show_runs(show, runs->items.data, runs->items.len);
	return status;
}

static int count(const struct stat_words *words, const struct stat_plan *p, struct outcome *outcome)
{
	struct stat_show show;
	struct runs runs = { 0 };
	int status = stat_show_begin(&show, words, p);

	if (status != EXIT_DONE)
		return EXIT_NOT_RECORDED;
	struct stat_plan with_show = *p; /* borrows all */
	with_show.options.interval = stat_show_interval;
	with_show.options.ctx = &show;
	show.plan = &with_show;
	status = count_all(&with_show, &show, outcome, &runs);
	int written = stat_show_end(&show);
	for (size_t i = 0; i < runs.items.len; i++)
		counter_run_release(&runs.items.data[i]);
	vec_release(&runs.items);
	if (written != EXIT_DONE && !outcome->status && !outcome->signal)
		outcome->status = written;
	return status;
}

static int watch_and_count(const struct stat_words *words, struct stat_plan *p,
			   struct outcome *outcome)
{
	struct count_watch watch;
	struct error err = { 0 };

	if (count_watch_begin(&watch, target_closed_descriptors(), &err) < 0)
		return cmd_fail(&command_stat, &err, EXIT_NOT_RECORDED);
	p->options.watch = &watch;
	int status = count(words, p, outcome);
	count_watch_end(&watch);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	const struct stat_words *words = options;
	struct stat_plan p = { .options = { .command = argc ? argv : NULL } };
	struct outcome outcome = { 0 };

	log_set_level(words->quiet ? LOG_ERROR : words->verbose ? LOG_INFO : LOG_NOTICE);
	int status = stat_parse(words, &p);
	if (status == EXIT_DONE)
		status = stat_parse_metrics(words, &p);
	if (status == EXIT_DONE)
		status = watch_and_count(words, &p, &outcome);
	stat_plan_release(&p);
	if (status != EXIT_DONE)
		return status;
	return outcome.signal ? target_die_by(outcome.signal) : outcome.status;
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
