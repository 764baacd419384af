/* prof flame: the flame graph as one SVG or HTML file. */
#include <string.h>

#include "base/bytes.h"
#include "cmd/cmd.h"
#include "cmd/flame_base.h"
#include "cmd/flamegraph.h"
#include "cmd/input.h"
#include "cmd/options.h"
#include "output/output.h"

struct options {
	struct cmd_input_options input;
	struct flamegraph_options foreign;
	struct flame_base_options base;
	const char *output, *title, *subtitle, *count_name, *min_width, *color_by;
	uint64_t width;
	unsigned palette;
	bool html, inverted, reverse, chart, by_thread, by_comm, by_module, by_line,
		merge_recursion, quiet;
};

static const struct cmd_option rows[] = {
	CMD_INPUT_FILE_OPTION(struct options, input),
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE, '-' is standard output (default: flame.svg)"),
	OPTION(struct options, html, OPT_FLAG, 0, "html",
	       .help = "an HTML page of the same (default FILE: flame.html)"),
	OPTION(struct options, quiet, OPT_FLAG, 'q', "quiet",
	       .help = "do not say where it was written"),
	OPTION(struct options, title, OPT_STRING, 0, "title", .argument = "TEXT",
	       .heading = "Drawing", .help = "title (default: the recorded command)"),
	OPTION(struct options, subtitle, OPT_STRING, 0, "subtitle", .argument = "TEXT",
	       .help = "a second line below it"),
	OPTION(struct options, width, OPT_U64, 0, "width", .argument = "PIXELS", .least = 100,
	       .help = "a fixed width (default: as wide as the window)"),
	OPTION(struct options, min_width, OPT_STRING, 0, "minwidth", .argument = "PIXELS",
	       .help = "leave frames that are narrower out of the still picture, which is what shows without "
		       "script (default: 0.5); 1% is a share of the width"),
	OPTION(struct options, palette, OPT_CHOICE, 0, "colors", .argument = "PALETTE",
	       .choices = flamegraph_palettes,
	       .help = "kind (default; also java, js, perl, python, rust): by kind of code; or one colour for "
		       "all: hot, red, orange, mem, green, aqua, wakeup, io, blue, chain, yellow, purple"),
	OPTION(struct options, color_by, OPT_STRING, 0, "color-by", .argument = "METRIC",
	       .help = "colours say each function's ipc, mpki, … with what it called, from blue for good to red for bad, grey "
		       "where that is not sure; from counters recorded as a group (see prof report --help)"),
	OPTION(struct options, inverted, OPT_FLAG, 0, "inverted",
	       .help = "roots on top (an icicle graph)"),
	OPTION(struct options, reverse, OPT_FLAG, 0, "reverse",
	       .help = "merge from the leaves: which function the time went to, then its callers"),
	OPTION(struct options, chart, OPT_FLAG, 0, "flamechart",
	       .help = "in the order of time, from left to right, thread by thread: frames are merged only where they "
		       "follow each other (folded stacks: in the order of their lines)"),
	OPTION(struct options, count_name, OPT_STRING, 0, "countname", .argument = "TEXT",
	       .help = "name of the unit (default: the event's)"),
	OPTION(struct options, by_thread, OPT_FLAG, 0, "by-thread",
	       .help = "a graph of its own for each thread"),
	OPTION(struct options, by_comm, OPT_FLAG, 0, "by-comm",
	       .help = "a graph of its own for each command name"),
	OPTION(struct options, base.file, OPT_STRING, 0, "base", .argument = "FILE",
	       .heading = "Comparing",
	       .help = "draw what is other than in FILE, which is of any kind that prof reads: orange where a "
		       "function's share is larger than there, blue where smaller, grey where that may be chance"),
	OPTION(struct options, base.event, OPT_STRING, 0, "base-event", .argument = "EVENT",
	       .help = "compare with this event: of the base (default: the same as here), or without --base of the "
		       "same file. Folded stacks with two weights each are compared without it"),
	OPTION(struct options, base.absolute, OPT_FLAG, 0, "absolute",
	       .help = "compare weights, not shares of all: for runs that did the same work"),
	CMD_FILTER_OPTIONS(struct options, input),
	OPTION(struct options, by_module, OPT_FLAG, 0, "by-module",
	       .help = "frames are programs and libraries, not functions"),
	OPTION(struct options, by_line, OPT_FLAG, 0, "by-line",
	       .help = "frames are lines of functions"),
	OPTION(struct options, merge_recursion, OPT_FLAG, 0, "merge-recursion", .selects = true,
	       .help = "a function that calls itself is one frame"),
	FLAMEGRAPH_OPTIONS(struct options, foreign),
	{ .name = NULL },
};

/* For the commands to copy, which name the event and the time that are shown then. */
static bool is_selection(const struct cmd_option *row)
{
	return row->selects && strcmp(row->name, "event") != 0 && strcmp(row->name, "time") != 0;
}

/* --event says which event is shown first: the others are in the graph, too. */
static int open_view(struct cmd_view *v, const struct options *o, int argc, char **argv)
{
	struct cmd_input_options input = o->input;
	struct filter_spec named = { .event = input.filter.event };
	struct filter *filter;
	struct error err = { 0 };

	input.filter.event = NULL;
	int status = cmd_view_open(v, &command_flame, &input, argc, argv, true);
	if (status != EXIT_DONE || !named.event)
		return status;
	if (filter_new(&filter, &v->profile, &named, &err) < 0) {
		cmd_view_release(v);
		return cmd_fail(&command_flame, &err, cmd_status(&err));
	}
	v->event = filter_event(filter);
	filter_free(filter);
	return EXIT_DONE;
}

static struct flame_options flame_options(const struct options *o)
{
	struct flame_options f = {
		.title = o->title,
		.subtitle = o->subtitle,
		.width = (uint32_t)o->width,
		.hue = flamegraph_hue(o->palette),
		.color_by = o->color_by,
		.html = o->html,
		.inverted = o->inverted,
		.reverse = o->reverse,
		.chart = o->chart,
		.count_name = o->count_name,
		.frames = cmd_frames(&o->input),
	};

	f.frames.by_thread = o->by_thread;
	f.frames.by_comm = o->by_comm;
	f.frames.by_module = o->by_module;
	f.frames.by_line = o->by_line;
	f.frames.merge_recursion = o->merge_recursion;
	return f;
}

static int check(const struct options *o, struct flame_options *f)
{
	const char *refusal = flamegraph_refusal(&o->foreign);

	if (refusal)
		return cmd_usage(&command_flame, "%s", refusal);
	if (o->width > 100000)
		return cmd_usage(&command_flame, "--width: at most 100000");
	if (o->min_width &&
	    !flamegraph_parse_width(o->min_width, &f->min_width_px, &f->min_width_share))
		return cmd_usage(&command_flame,
				 "--minwidth: '%s' is not a number of pixels or percent",
				 o->min_width);
	if (o->base.file && o->by_thread)
		return cmd_usage(
			&command_flame,
			"--by-thread: threads of two recordings have different numbers; --by-comm compares "
			"them by name");
	if (o->chart && (o->base.file || o->base.event))
		return cmd_usage(
			&command_flame,
			"--flamechart: what ran when is other in each run, and cannot be compared");
	if (o->chart && o->reverse)
		return cmd_usage(
			&command_flame,
			"--reverse: a chart in the order of time is not merged from the leaves");
	if (o->color_by && (o->palette || o->base.file || o->base.event))
		return cmd_usage(&command_flame, "--color-by or %s, not both",
				 o->palette ? "--colors" : "--base");
	if ((o->base.file || o->base.event) && o->palette)
		return cmd_usage(&command_flame, "--colors: with --base they say what changed");
	return EXIT_DONE;
}

/* Draws v, against base when there is one, and writes it to path. */
static int draw(const struct options *o, struct flame_options *f, const struct cmd_view *v,
		const struct flame_base *base, const char *path)
{
	struct bytes out = { 0 }, selection = { 0 };
	struct error err = { 0 };

	if (output_flame_check(&v->profile, v->event, f, &err) < 0)
		return cmd_fail(&command_flame, &err, cmd_status(&err));
	options_append(&selection, rows, o, is_selection);
	bytes_u8(&selection, '\0');
	f->selection = (const char *)selection.data;
	f->time_text = o->input.filter.time;
	f->base = base->is_given ? &base->source : NULL;
	f->absolute = o->base.absolute;
	cmd_say_no_samples(&command_flame, v);
	output_flame(&out, &v->profile, &v->samples, v->event, f);
	int status = cmd_write_output(&command_flame, &out, path);
	if (status == EXIT_DONE && !o->quiet && strcmp(path, "-") != 0)
		cmd_say(&command_flame, "wrote %s (open it in a browser)", path);
	bytes_release(&selection);
	bytes_release(&out);
	return status;
}

static int check_inputs(const struct options *o, const char *input, const char *output)
{
	struct error err = { 0 };

	if (o->base.file && input && strcmp(o->base.file, "-") == 0 && strcmp(input, "-") == 0)
		return cmd_usage(&command_flame,
				 "--base and the input cannot both be standard input");
	if (cmd_check_other_file(input, output, &err) < 0 ||
	    (o->base.file && cmd_check_other_file(o->base.file, output, &err) < 0))
		return cmd_fail(&command_flame, &err, cmd_status(&err));
	return EXIT_DONE;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	const char *path = o->output ? o->output : o->html ? "flame.html" : "flame.svg";
	struct flame_options f = flame_options(o);
	struct flame_base base;
	struct cmd_view v;

	int status = check(o, &f);
	if (status != EXIT_DONE)
		return status;
	status = check_inputs(o, argc ? argv[0] : o->input.input, path);
	if (status != EXIT_DONE)
		return status;
	status = open_view(&v, o, argc, argv);
	if (status != EXIT_DONE)
		return status;
	status = flame_base_open(&base, &command_flame, &o->base, &o->input, &v);
	if (status == EXIT_DONE) {
		/* Two weights of each stack are a base and a new one: the new one is drawn. */
		base.is_given &= !o->chart;
		status = draw(o, &f, &v, &base, path);
		flame_base_release(&base);
	}
	cmd_view_release(&v);
	return status;
}

const struct command command_flame = {
	.name = "flame",
	.summary = "draw a flame graph (SVG or HTML)",
	.synopsis = "prof flame [options] [file]",
	.description =
		"Writes one file that any browser opens: click to zoom, / or Ctrl-F to search, ? for the other "
		"keys: bottom-up, all callers and callees of a function, modules, a table, threads, focus, hide, copy. "
		"Drag in the strip of use over time to show a part of it. The "
		"address in the browser says what is shown, by names, so that it fits the next profile too.\n\n"
		"Widths are shares of the samples, the order from left to right means nothing. A graph that is taller "
		"than the window opens with its roots on top. All recorded events are in the graph; --event says which one is "
		"shown first, and in the still picture. The file is a profile, too: 'prof report flame.svg' "
		"reads the stacks in it.",
	.examples =
		"prof flame\tflame.svg from prof.data.\n"
		"prof flame --by-thread -o threads.svg\tEach thread for itself.\n"
		"prof flame --base old.data new.data\tWhat changed, with a test against chance.\n"
		"prof flame --reverse --minwidth 1\tFrom the leaves, without narrow frames.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
