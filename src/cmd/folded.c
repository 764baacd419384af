/* prof folded: one line for each distinct stack, for FlameGraph, inferno, speedscope and grep. */
#include "base/bytes.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "output/output.h"

struct options {
	struct cmd_input_options input;
	const char *output;
	bool count, by_thread, by_module, by_line, merge_recursion;
};

static const struct cmd_option rows[] = {
	CMD_INPUT_FILE_OPTION(struct options, input),
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE (default: standard output)"),
	OPTION(struct options, count, OPT_FLAG, 0, "count",
	       .help = "count samples (default: sum weights, in the event's unit)"),
	OPTION(struct options, by_thread, OPT_FLAG, 0, "by-thread",
	       .help = "begin with 'command (tid)', not the command"),
	CMD_FILTER_OPTIONS(struct options, input),
	OPTION(struct options, by_module, OPT_FLAG, 0, "by-module",
	       .help = "frames are programs and libraries, not functions"),
	OPTION(struct options, by_line, OPT_FLAG, 0, "by-line",
	       .help = "frames are lines of functions"),
	OPTION(struct options, merge_recursion, OPT_FLAG, 0, "merge-recursion", .selects = true,
	       .help = "a function that calls itself is one frame"),
	{ .name = NULL },
};

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct folded_options f = { .count = o->count, .frames = cmd_frames(&o->input) };
	struct bytes out = { 0 };
	struct error err = { 0 };
	struct cmd_view v;

	f.frames.by_thread = o->by_thread;
	f.frames.by_comm = !o->by_thread;
	f.frames.by_module = o->by_module;
	f.frames.by_line = o->by_line;
	f.frames.merge_recursion = o->merge_recursion;
	if (cmd_check_other_file(argc ? argv[0] : o->input.input, o->output, &err) < 0)
		return cmd_fail(&command_folded, &err, cmd_status(&err));
	int status = cmd_view_open(&v, &command_folded, &o->input, argc, argv, true);
	if (status != EXIT_DONE)
		return status;
	cmd_say_no_samples(&command_folded, &v);
	output_folded(&out, &v.profile, &v.samples, v.event, &f);
	status = cmd_write_output(&command_folded, &out, o->output);
	bytes_release(&out);
	cmd_view_release(&v);
	return status;
}

const struct command command_folded = {
	.name = "folded",
	.summary = "print folded stacks",
	.synopsis = "prof folded [options] [file]",
	.description =
		"Prints a line for each distinct stack: the command, the frames from the root to the leaf "
		"separated by semicolons, and its weight. FlameGraph, inferno and speedscope read it.",
	.examples = "prof folded\tStacks with their weights.\n"
		    "prof folded --count | sort -k2nr | head\tThe most frequent stacks.\n"
		    "prof folded | flamegraph.pl > flame.svg\tDraw with FlameGraph.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
