/* prof annotate: one function by its source lines and instructions. */
#include <fcntl.h>

#include "analysis/annotate.h"
#include "analysis/source_texts.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/annotate_program.h"
#include "cmd/annotate_sources.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/pager.h"
#include "cmd/terminal.h"
#include "input/input.h"
#include "output/output.h"

struct options {
	struct cmd_input_options input;
	const char *function, *columns;
	bool source, assembler, whole, json, csv, stdio, no_pager, full_paths;
	unsigned colour, base, syntax;
	struct source_places places;
	uint64_t limit, width;
	double min_percent;
};

static const char *const bases[] = { "function", "all", NULL };
static const char *const syntaxes[] = { "intel", "att", NULL };

static const struct cmd_option rows[] = {
	CMD_INPUT_FILE_OPTION(struct options, input),
	OPTION(struct options, function, OPT_STRING, 's', "function", .argument = "FUNCTION",
	       .help = "annotate FUNCTION (the same as naming it alone; default: the hottest)"),
	OPTION(struct options, source, OPT_FLAG, 0, "source", .heading = "What to show",
	       .help = "source lines without instructions"),
	OPTION(struct options, assembler, OPT_FLAG, 0, "asm",
	       .help = "instructions without source lines"),
	OPTION(struct options, whole, OPT_FLAG, 0, "whole",
	       .help = "the whole function in its order (default: the hottest lines first)"),
	OPTION(struct options, columns, OPT_STRING, 0, "columns", .argument = "METRICS",
	       .help = "metrics of each line and instruction besides, as ipc,mpki, from counters that were "
		       "recorded as a group (see prof report --help)"),
	OPTION(struct options, limit, OPT_U64, 0, "limit", .argument = "N", .least = 1,
	       .help = "at most N lines, or with --asm instructions (default: as many as fit 24 lines)"),
	OPTION(struct options, min_percent, OPT_DOUBLE, 0, "percent-limit", .argument = "P",
	       .help = "leave out what is below P percent"),
	OPTION(struct options, base, OPT_CHOICE, 0, "percent-of", .argument = "WHAT",
	       .choices = bases, .help = "shares of function (default) or all samples"),
	OPTION(struct options, places.dirs, OPT_LIST, 0, "source-dir", .argument = "DIR",
	       .heading = "Where the source is, when the recording does not hold it",
	       .help = "look below DIR for the ends of source files' names; may be repeated"),
	OPTION(struct options, places.maps, OPT_LIST, 0, "source-map", .argument = "FROM=TO",
	       .help = "names that begin with FROM are below the folder TO; may be repeated"),
	OPTION(struct options, json, OPT_FLAG, 0, "json", .heading = "How to show it",
	       .help = "as JSON"),
	OPTION(struct options, csv, OPT_FLAG, 0, "csv", .help = "as CSV"),
	OPTION(struct options, syntax, OPT_CHOICE, 'M', "disassembler-style", .argument = "STYLE",
	       .choices = syntaxes,
	       .help = "x86 instructions as intel (default) or att write them"),
	OPTION(struct options, full_paths, OPT_FLAG, 'P', "full-paths",
	       .help = "whole paths of source files"),
	OPTION(struct options, colour, OPT_CHOICE, 0, "color", .argument = "WHEN",
	       .choices = colour_choices,
	       .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never"),
	OPTION(struct options, width, OPT_U64, 0, "width", .argument = "COLUMNS", .least = 20,
	       .help = "for lines of this width (default: the terminal's, else 80)"),
	CMD_PAGER_OPTION(struct options, no_pager),
	OPTION(struct options, stdio, OPT_FLAG, 0, "stdio", .hidden = true, .help = "as text"),
	CMD_FILTER_OPTIONS(struct options, input),
	{ .name = NULL },
};

/* As the other commands take one. */
static bool is_recording(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd >= 0 && input_find_format(fd);
}

static int check(const struct options *o, int argc, char **argv)
{
	if (argc && !o->input.input && is_recording(argv[0]))
		return cmd_usage(&command_annotate, "%s is a recording: -i %s", argv[0], argv[0]);
	if (argc > 1 || (argc && o->function))
		return cmd_usage(&command_annotate,
				 "one function at a time, not '%s' too (-i names the recording)",
				 argv[argc - 1]);
	if (o->json && o->csv)
		return cmd_usage(&command_annotate, "--json or --csv, not both");
	if (o->min_percent > 100)
		return cmd_usage(&command_annotate, "--percent-limit: at most 100");
	if (o->limit > UINT32_MAX || o->width > 10000)
		return cmd_usage(&command_annotate, "%s is too large",
				 o->width > 10000 ? "--width" : "--limit");
	return source_places_check(&command_annotate, &o->places);
}

static struct annotate_options view_options(const struct options *o, const char *function)
{
	return (struct annotate_options){
		.json = o->json,
		.csv = o->csv,
		.view = o->source == o->assembler ? ANNOTATE_BOTH
			: o->source		  ? ANNOTATE_SOURCE
						  : ANNOTATE_ASM,
		.whole = o->whole,
		.full_paths = o->full_paths,
		.colour = terminal_colour((enum colour_choice)o->colour),
		.unicode = text_is_unicode(),
		.width = o->width ? (uint32_t)o->width : terminal_width(),
		.limit = (uint32_t)o->limit,
		.min_percent = o->min_percent,
		.att = o->syntax == 1,
		.function = function,
	};
}

static int show(const struct options *o, const struct annotation *a, const char *function)
{
	struct annotate_options view = view_options(o, function);
	struct source_texts texts;
	struct bytes out = { 0 };

	source_texts_init(&texts, a->profile);
	if (view.view != ANNOTATE_ASM || o->json)
		annotate_sources_read(&texts, a, &o->places, o->whole);
	output_annotate(&out, a, &texts, &view);
	int status = cmd_write_paged(&command_annotate, &out, o->no_pager);
	bytes_release(&out);
	source_texts_release(&texts);
	return status;
}

/* What the recording lacks, from the program's file here: code, and the lines of instructions that
 * were not sampled. */
static int read_program(const struct options *o, struct cmd_view *v, struct annotation *a,
			const struct annotate_choice *choice)
{
	bool source = o->source && !o->assembler, in_order = o->whole || o->assembler;
	struct error err = { 0 };
	bool changed = false;

	if (source || (!in_order && !annotate_program_is_wanted(a)))
		return 0;
	if (annotate_program_read(&v->profile, a, &changed, &err) < 0)
		cmd_say(&command_annotate, "%s", err.text);
	if (!changed)
		return 0;
	annotate_release(a);
	error_clear(&err);
	if (annotate_build(a, &v->profile, &v->samples, v->event, choice, &err) == 0)
		return 0;
	return cmd_fail(&command_annotate, &err, -1);
}

static int annotate(const struct options *o, struct cmd_view *v, const char *function)
{
	struct annotate_choice choice = {
		.function = function,
		.of_all = o->base == 1,
		.columns = o->columns,
		.frames = cmd_frames(&o->input),
	};
	struct annotation a;
	struct error err = { 0 };

	if (annotate_build(&a, &v->profile, &v->samples, v->event, &choice, &err) < 0)
		return cmd_fail(&command_annotate, &err, cmd_status(&err));
	if (read_program(o, v, &a, &choice) < 0)
		return EXIT_FAILED;
	int status = show(o, &a, function);
	annotate_release(&a);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	const char *function = argc ? argv[0] : o->function;
	struct cmd_view v;

	int status = check(o, argc, argv);
	if (status == EXIT_DONE)
		status = cmd_view_open(&v, &command_annotate, &o->input, 0, NULL, true);
	if (status != EXIT_DONE)
		return status;
	if (v.samples.samples.len && !annotate_is_possible(&v.profile)) {
		cmd_say(&command_annotate,
			"%s has functions, but no lines and no code: annotate the recording that it "
			"was made from",
			v.profile.origin ? v.profile.origin : "the profile");
		status = EXIT_FAILED;
	} else if (v.samples.samples.len) {
		status = annotate(o, &v, function);
	} else {
		cmd_say_no_samples(&command_annotate, &v);
		status = EXIT_FAILED;
	}
	cmd_view_release(&v);
	return status;
}

const struct command command_annotate = {
	.name = "annotate",
	.summary = "show a function by source line and instruction",
	.synopsis = "prof annotate [options] [FUNCTION]",
	.description =
		"Prints the lines of a function with the share of its samples that was taken in each, "
		"functions that were inlined there, and the instructions that the processor was at. The ± "
		"behind a share is its 95 % uncertainty within this run.\n"
		"\n"
		"Code and lines around what is hot are in the recording, so that it can be read on another "
		"machine; more lines come from the source files, where these are found by the names they "
		"were compiled as, below --source-dir, or by --source-map. Only files with names of source "
		"are read. Code that the recording lacks, and lines of instructions that were not sampled, "
		"come from the program's file here if it is the one that ran.\n"
		"\n"
		"An interrupt finds the processor a little behind what took the time: the weight of an "
		"instruction belongs to it or to the one before it, which is shown with those that have a "
		"tenth of the function. Marks tell where jumps of the function lead, and in which "
		"direction. Bytes that are no known instruction are shown as .byte or .inst.\n"
		"\n"
		"--json prints schema prof.annotate, version 1: the function; the state of its source files; "
		"lines, each with what is inlined there; code, a block for each part of the function, with "
		"all of its instructions. Weights are integers in the event's unit. Those of lines sum to "
		"the function's, as do those of instructions and code_missing. --csv has the same as rows: of lines, of "
		"functions inlined there, whose weight their line's includes, and of instructions.",
	.examples =
		"prof annotate\tThe hottest lines of the hottest function.\n"
		"prof annotate parse --whole\tAll of parse, in its order.\n"
		"prof annotate parse --asm -M att\tIts hottest instructions, as AT&T writes them.\n"
		"prof annotate -i other.data --source-dir ~/src/app parse\tWith the source from elsewhere.\n"
		"prof annotate --json parse\tFor a script.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
