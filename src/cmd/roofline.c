/* prof roofline: the machine's ceilings, measured or read, and the command below them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/roofline_events.h"
#include "cmd/targets.h"
#include "cmd/terminal.h"
#include "count/session.h"
#include "input/ceilings.h"
#include "output/roofline.h"
#include "peaks/kernels.h"
#include "peaks/measure.h"

#define DEFAULT_OUTPUT "roofline.svg"

struct options {
	const char *output, *cpus, *save, *ceilings;
	uint64_t threads;
	unsigned verbose;
	bool threads_given, json, quick, system_wide, quiet;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .heading = "What is written",
	       .help = "write the picture to FILE, '-' is standard output (default: roofline.svg)"),
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "JSON instead of the table"),
	OPTION(struct options, quiet, OPT_FLAG, 'q', "quiet",
	       .help = "say nothing but the table and errors"),
	OPTION(struct options, verbose, OPT_COUNT, 'v', "verbose",
	       .help = "the median and the least of all rounds, too"),
	OPTION(struct options, quick, OPT_FLAG, 0, "quick", .heading = "The ceilings",
	       .help = "measure them in 2 seconds, not 10: with more noise"),
	OPTION_TOLD(
		struct options, threads, threads_given, OPT_U64, 0, "threads", .argument = "N",
		.least = 1,
		.help = "what \"all cores\" are: N threads, on as many cores as there are (default: one on each core)"),
	OPTION(struct options, cpus, OPT_STRING, 'C', "cpu", .argument = "LIST",
	       .help = "measure on these CPUs: 0,2-3, the first of them alone and all together"),
	OPTION(struct options, save, OPT_STRING, 0, "save", .argument = "FILE",
	       .help = "keep the ceilings in FILE"),
	OPTION(struct options, ceilings, OPT_STRING, 0, "ceilings", .argument = "FILE",
	       .help = "take those that were kept there, instead of measuring"),
	OPTION(struct options, system_wide, OPT_FLAG, 'a', "all-cpus", .heading = "The command",
	       .help = "count everything on the machine while it runs, with what the memory controllers tell"),
	{ .name = NULL },
};

static int usage(const char *text)
{
	return cmd_usage(&command_roofline, "%s", text);
}

/* ---- the ceilings ---- */

/* The CPUs that were asked for, or one of each core among those that we may use. */
static int choose_cpus(const struct options *o, cpu_numbers *list, struct error *err)
{
	cpu_numbers permitted = { 0 };
	int rc = 0;

	cpu_numbers_permitted(&permitted);
	if (o->cpus)
		rc = cpu_numbers_parse(list, o->cpus, err);
	else
		for (size_t i = 0; i < permitted.len; i++)
			vec_push(list, permitted.data[i]);
	for (size_t i = 0; i < list->len && rc == 0; i++) {
		bool is_permitted = false;
		for (size_t k = 0; k < permitted.len; k++)
			is_permitted |= permitted.data[k] == list->data[i];
		if (!is_permitted)
			rc = error_set(err, ERROR_USAGE,
				       "-C %s: CPU %u is not there, or not for this process",
				       o->cpus, list->data[i]);
	}
	vec_release(&permitted);
	return rc;
}

static int choose_threads(const struct options *o, struct machine *m, struct error *err)
{
	size_t count = o->cpus ? m->cpus.len : machine_cores(m, m->cpus.len);

	if (o->threads > m->cpus.len)
		return error_set(err, ERROR_USAGE,
				 "--threads %llu: there are %zu CPUs for this process",
				 (unsigned long long)o->threads, m->cpus.len);
	m->cpus.len = o->threads_given ? (size_t)o->threads : count;
	return 0;
}

static int measure(const struct options *o, struct ceilings *c, struct error *err)
{
	struct progress progress;
	struct peaks_options options = { .is_quick = o->quick, .progress = &progress };
	cpu_numbers cpus = { 0 };
	struct machine machine = { 0 };
	int rc = choose_cpus(o, &cpus, err);

	if (rc == 0) {
		machine_read(&machine, "", cpus.data, cpus.len);
		if (!o->cpus)
			machine_order(&machine);
		rc = choose_threads(o, &machine, err);
	}
	if (rc == 0) {
		progress_start(&progress, "measuring ceilings");
		rc = peaks_measure(c, &machine, &options, err);
		progress_end(&progress);
	}
	machine_release(&machine);
	vec_release(&cpus);
	return rc;
}

static int save(const struct options *o, const struct ceilings *c)
{
	const struct roofline_view view = { .ceilings = c };
	struct bytes out = { 0 };

	if (!o->save)
		return EXIT_DONE;
	output_roofline_json(&out, &view);
	int status = cmd_write_output(&command_roofline, &out, o->save);
	bytes_release(&out);
	return status;
}

/* Numbers of another machine are no ceilings of this one. */
static void compare_machines(const struct options *o, const struct ceilings *c)
{
	struct machine here;
	const uint32_t cpu = 0;

	machine_read(&here, "", &cpu, 1);
	if (strcmp(here.name, c->processor) != 0)
		cmd_say(&command_roofline, "%s is of another processor (%s) than this one (%s)",
			o->ceilings, c->processor, here.name);
	machine_release(&here);
}

static int get_ceilings(const struct options *o, struct ceilings *c)
{
	struct error err = { 0 };
	int rc = o->ceilings ? ceilings_read(c, o->ceilings, &err) : measure(o, c, &err);

	if (rc < 0)
		return cmd_fail(&command_roofline, &err, cmd_status(&err));
	if (o->ceilings)
		compare_machines(o, c);
	return save(o, c);
}

/* ---- the command ---- */

struct counted {
	struct counter_run run;
	struct roofline_point point;
	bool is_placed;
	char not_placed[1200]; /* why not */
	char *title;
};

static char *title_of(char **argv)
{
	struct bytes title = { 0 };

	for (; *argv; argv++) {
		bytes_printf(&title, "%s", title.len ? " " : "");
		text_append_word(&title, *argv);
	}
	bytes_u8(&title, '\0');
	return (char *)title.data;
}

static void not_placed(struct counted *c, const char *what, const char *why)
{
	char time[32];

	snprintf(c->not_placed, sizeof(c->not_placed),
		 "the command ran for %s, but cannot be placed below the ceilings: %s: %s",
		 text_duration(time, sizeof(time), c->run.wall_ns), what, why);
}

static double cpus_used(const struct options *o, const struct counter_run *run)
{
	ptrdiff_t clock = counter_table_find(&run->total, "task-clock", NULL);

	if (o->system_wide || clock < 0 || run->wall_ns == 0)
		return NAN;
	return counter_reading_scaled(counter_table_at(&run->total, 0, (size_t)clock)) /
	       (double)run->wall_ns;
}

static void place(const struct options *o, struct counted *c, const struct roofline_choice *choice)
{
	const struct counter_run *run = &c->run;
	struct roofline_sum sum;

	if (!choice->arithmetic) {
		not_placed(c, "floating-point operations cannot be counted here",
			   choice->arithmetic_reason);
		return;
	}
	if (!roofline_add_up(&sum, &run->total, 0, choice->named.data, choice->named.len,
			     peaks_vector_parts())) {
		not_placed(c, sum.lacking, counter_state_text(sum.state));
		return;
	}
	c->point = (struct roofline_point){
		.name = c->title,
		.flops = sum.flops,
		.bytes = sum.bytes,
		.single = sum.single,
		.seconds = (double)run->wall_ns / 1e9,
		.cpus = cpus_used(o, run),
		.running = sum.running,
		.bytes_from = choice->bytes ? choice->bytes->source : ROOFLINE_FILLS,
		.is_whole_machine = o->system_wide,
	};
	c->is_placed = sum.flops > 0;
	if (!c->is_placed)
		not_placed(c, "it has none", "no floating-point operation was counted");
}

/* What the session has to say that a user should know: what could not be opened, and such. */
static void say_notes(const struct options *o, const struct count_session *s)
{
	char *const *notes;
	size_t count = count_notes(s, &notes);

	for (size_t i = 0; i < count && !o->quiet; i++)
		cmd_say(&command_roofline, "%s", notes[i]);
}

/* EXIT_DONE when it ran; how it ended is in c->run. */
static int count_watched(const struct options *o, char **argv, const struct roofline_choice *choice,
			 const struct count_watch *watch, struct counted *c)
{
	struct count_options count_options = {
		.command = argv,
		.system_wide = o->system_wide,
		.events = &choice->events,
		.watch = watch,
	};
	struct error err = { 0 };
	struct count_session *s = count_start(&count_options, &err);

	if (!s)
		return cmd_fail(&command_roofline, &err, target_failure_status(argv, &err));
	int status = count_wait(s, &c->run, &err) < 0
			     ? cmd_fail(&command_roofline, &err, EXIT_NOT_RECORDED)
			     : EXIT_DONE;
	say_notes(o, s);
	count_end(s, &c->run);
	count_free(s);
	if (status == EXIT_DONE)
		place(o, c, choice);
	return status;
}

static int count(const struct options *o, char **argv, const struct roofline_choice *choice,
		 struct counted *c)
{
	struct count_watch watch;
	struct error err = { 0 };

	if (count_watch_begin(&watch, target_closed_descriptors(), &err) < 0)
		return cmd_fail(&command_roofline, &err, EXIT_NOT_RECORDED);
	int status = count_watched(o, argv, choice, &watch, c);
	count_watch_end(&watch);
	return status;
}

static int run_command(const struct options *o, char **argv, const struct ceilings *ceilings,
		       struct counted *c)
{
	struct roofline_choice choice;
	struct error err = { 0 };
	int status;

	if (roofline_choose(&choice, ceilings->architecture, ceilings->processor, o->system_wide,
			    &err) < 0)
		status = cmd_fail(&command_roofline, &err, EXIT_NOT_RECORDED);
	else
		status = count(o, argv, &choice, c);
	roofline_choice_release(&choice);
	return status;
}

/* ---- what is shown ---- */

/* A command owns standard output, and so does a picture that goes there. */
static int write_table(const struct options *o, const struct bytes *out, bool has_command)
{
	if (!has_command && !(o->output && strcmp(o->output, "-") == 0))
		return cmd_write_output(&command_roofline, out, NULL);
	(void)io_write_full(STDERR_FILENO, out->data, out->len); /* nobody to tell */
	return EXIT_DONE;
}

static int show(const struct options *o, const struct ceilings *ceilings, const struct counted *c)
{
	const char *path = o->output ? o->output : DEFAULT_OUTPUT;
	struct bytes out = { 0 }, picture = { 0 };
	const struct roofline_view view = {
		.ceilings = ceilings,
		.points = &c->point,
		.point_count = c->is_placed,
		.title = c->title,
		.not_placed = *c->not_placed ? c->not_placed : NULL,
		.colour = false,
		.unicode = text_is_unicode(),
		.verbose = o->verbose > 0,
	};

	if (o->json)
		output_roofline_json(&out, &view);
	else
		output_roofline_text(&out, &view);
	int status = write_table(o, &out, c->title != NULL);
	output_roofline_svg(&picture, &view);
	int drawn = cmd_write_output(&command_roofline, &picture, path);
	if (drawn == EXIT_DONE && !o->quiet && strcmp(path, "-") != 0)
		cmd_say(&command_roofline, "wrote %s (open it in a browser)", path);
	bytes_release(&out);
	bytes_release(&picture);
	return status == EXIT_DONE ? drawn : status;
}

/* ---- all of it ---- */

static int check(const struct options *o, int argc)
{
	if (o->ceilings && (o->quick || o->threads_given || o->cpus || o->save))
		return usage(
			"--ceilings takes what was measured before: leave --quick, --threads, -C "
			"and --save out");
	if (o->threads_given && o->cpus)
		return usage("--threads or -C, not both: -C says which and how many");
	if (o->system_wide && !argc)
		return usage(
			"-a counts while a command runs: give one (prof roofline -a -- ./app)");
	if (argc && o->output && strcmp(o->output, "-") == 0)
		return usage(
			"-o -: the command writes to the same standard output (name a file: -o "
			"roofline.svg)");
	if (o->save && o->output && strcmp(o->save, o->output) == 0)
		return usage("--save and -o name the same file");
	return EXIT_DONE;
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

static int roofline(const struct options *o, int argc, char **argv)
{
	struct ceilings ceilings = { 0 };
	struct counted c = { .title = argc ? title_of(argv) : NULL };
	int status = EXIT_DONE;

	/* Not ten seconds of measuring, and then a word that was mistyped. */
	if (!argc || target_is_executable(argv[0]))
		status = get_ceilings(o, &ceilings);
	if (status == EXIT_DONE && argc)
		status = run_command(o, argv, &ceilings, &c);
	if (status == EXIT_DONE)
		status = end_status(&c.run, show(o, &ceilings, &c));
	counter_run_release(&c.run);
	ceilings_release(&ceilings);
	free_ptr(&c.title);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;

	log_set_level(o->quiet ? LOG_ERROR : LOG_NOTICE);
	int status = check(o, argc);
	return status == EXIT_DONE ? roofline(o, argc, argv) : status;
}

const struct command command_roofline = {
	.name = "roofline",
	.summary = "measure this machine's ceilings, and place a program below them",
	.synopsis = "prof roofline [options] [--] command [argument…]\n"
		    "prof roofline [options]",
	.description =
		"Measures how many floating-point operations a second this machine can do, scalar and with each kind "
		"of vectors it has, and how many bytes a second move to and from each level of caches and memory; on "
		"one core and on all. Then runs the command and counts its operations and its bytes: their quotient "
		"and the operations a second are its place below these ceilings, which say what limits it and how "
		"much could be gained. Without a command only the ceilings are shown. The picture is an SVG.\n\n"
		"Where a processor's counters cannot be used, as in most virtual machines, the ceilings are measured all "
		"the same, the command runs, and a line says why it is not placed. Bytes are those of the memory controllers "
		"with -a (as root, where there are such counters), else cache lines fetched from memory, which are fewer than "
		"were moved: then the intensity is an upper bound, and said to be.\n\n"
		"Each ceiling is the best of many short rounds; a ~ marks those whose median is more than 10 % below. Other load, "
		"and time that a host gave to others, is told. prof ends with the command's exit status, or by its signal.",
	.examples = "prof roofline\tThe ceilings of this machine, and roofline.svg.\n"
		    "prof roofline -- ./app --its-options\tWhere a program stands below them.\n"
		    "prof roofline --save box.json\tKeep the ceilings…\n"
		    "prof roofline --ceilings box.json -- ./app\t…and use them again.\n"
		    "prof roofline -a -- ./app\tWith the memory controllers' bytes (as root).\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.stops_at_first_operand = true,
	.run = run,
};
