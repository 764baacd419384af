/* prof report: where the time went, as text, JSON or CSV, or interactively. */
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/fail_if.h"
#include "cmd/input.h"
#include "cmd/interactive.h"
#include "cmd/options.h"
#include "cmd/pager.h"
#include "cmd/terminal.h"
#include "output/output.h"

struct options {
	struct cmd_input_options input;
	struct cmd_strings fail_if;
	struct source_places places;
	bool verbose, json, csv, md, stdio, tui, no_pager, lines, tree, inverted, merge_recursion,
		has_by;
	unsigned by, colour;
	const char *callers, *callees, *peek, *columns;
	uint64_t limit, width;
	double min_percent;
};

/* In the order of enum flat_by. */
static const char *const by_choices[] = { "function", "module", "line",	 "thread",
					  "process",  "cpu",	"event", NULL };

static const struct cmd_option rows[] = {
	CMD_INPUT_FILE_OPTION(struct options, input),
	OPTION_TOLD(
		struct options, by, has_by, OPT_CHOICE, 0, "by", .argument = "WHAT",
		.choices = by_choices, .heading = "What to show",
		.help = "a row for each function (default), module, line, thread, process, cpu or event"),
	OPTION(struct options, lines, OPT_FLAG, 0, "lines", .help = "the same as --by line"),
	OPTION(struct options, tree, OPT_FLAG, 0, "tree",
	       .help = "the call tree, from the roots down"),
	OPTION(struct options, inverted, OPT_FLAG, 'G', "inverted",
	       .help = "the call tree upside down: from where the time went up to its callers"),
	OPTION(struct options, callers, OPT_STRING, 0, "callers", .argument = "FUNCTION",
	       .help = "who called FUNCTION, and how much of its time each brought"),
	OPTION(struct options, callees, OPT_STRING, 0, "callees", .argument = "FUNCTION",
	       .help = "what FUNCTION called, and how much of its time each took"),
	OPTION(struct options, peek, OPT_STRING, 0, "peek", .argument = "FUNCTION",
	       .help = "both: callers and callees of FUNCTION, the heaviest of each"),
	OPTION(struct options, columns, OPT_STRING, 0, "columns", .argument = "METRICS",
	       .help = "metrics of each row besides, as ipc,mpki, from counters that were recorded as a group: "
		       "prof record -e '{cycles,instructions,cache-misses}'"),
	OPTION(struct options, limit, OPT_U64, 0, "limit", .argument = "N", .least = 1,
	       .help = "at most N rows (default: as many as fit 24 lines, in a tree more, in JSON and CSV all)"),
	OPTION(struct options, min_percent, OPT_DOUBLE, 0, "percent-limit", .argument = "P",
	       .help = "put rows below P percent together in one"),
	OPTION(struct options, verbose, OPT_FLAG, 'v', "verbose",
	       .help = "below each function its symbols, their versions and other names, and functions with the same code"),
	OPTION(struct options, json, OPT_FLAG, 0, "json", .heading = "How to show it",
	       .help = "as JSON"),
	OPTION(struct options, csv, OPT_FLAG, 0, "csv", .help = "as CSV"),
	OPTION(struct options, md, OPT_FLAG, 0, "md",
	       .help = "as Markdown, for a comment of CI (not with --tree and its like)"),
	OPTION(struct options, colour, OPT_CHOICE, 0, "color", .argument = "WHEN",
	       .choices = colour_choices,
	       .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never"),
	OPTION(struct options, width, OPT_U64, 0, "width", .argument = "COLUMNS", .least = 20,
	       .help = "for lines of this width (default: the terminal's, else 80)"),
	OPTION(struct options, stdio, OPT_FLAG, 0, "stdio",
	       .help = "as text, also on a terminal (which else gets the interactive view)"),
	OPTION(struct options, tui, OPT_FLAG, 0, "tui",
	       .help = "the interactive view; fails where there is no terminal for it"),
	CMD_PAGER_OPTION(struct options, no_pager),
	OPTION(struct options, places.dirs, OPT_LIST, 0, "source-dir", .argument = "DIR",
	       .heading =
		       "Where the interactive view finds source that the recording does not hold",
	       .help = "look below DIR for the ends of source files' names; may be repeated"),
	OPTION(struct options, places.maps, OPT_LIST, 0, "source-map", .argument = "FROM=TO",
	       .help = "names that begin with FROM are below the folder TO; may be repeated"),
	OPTION(struct options, fail_if, OPT_LIST, 0, "fail-if", .argument = "CONDITION",
	       .heading = "For CI",
	       .help = "exit with status 3 when CONDITION surely holds, as 'self(\"memcpy\") > 5%' or "
		       "'total(main) <= 90%'; may be repeated"),
	CMD_FILTER_OPTIONS(struct options, input),
	OPTION(struct options, merge_recursion, OPT_FLAG, 0, "merge-recursion", .selects = true,
	       .help = "a function that calls itself is one frame"),
	{ .name = NULL },
};

/* An option for text only; NULL: none was given. */
static const char *only_text(const struct options *o)
{
	const struct {
		bool given;
		const char *name;
	} texts[] = {
		{ o->json, "--json" },
		{ o->csv, "--csv" },
		{ o->md, "--md" },
		{ o->stdio, "--stdio" },
		{ o->lines, "--lines" },
		{ o->by > FLAT_BY_MODULE, "--by" },
		{ o->columns != NULL, "--columns" },
		{ o->limit > 0, "--limit" },
		{ o->min_percent > 0, "--percent-limit" },
		{ o->verbose, "--verbose" },
		{ o->width > 0, "--width" },
		{ o->no_pager, "--no-pager" },
		{ o->fail_if.len > 0, "--fail-if" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].given)
			return texts[i].name;
	return NULL;
}

static int check(const struct options *o)
{
	if (o->tui && only_text(o))
		return cmd_usage(&command_report, "--tui or %s, not both", only_text(o));
	if (o->json && o->csv)
		return cmd_usage(&command_report, "--json or --csv, not both");
	if (o->md && (o->json || o->csv))
		return cmd_usage(&command_report, "--md or %s, not both",
				 o->json ? "--json" : "--csv");
	if (o->md && (o->tree || o->inverted || o->callers || o->callees || o->peek))
		return cmd_usage(&command_report, "--md shows tables, not a call tree");
	if (o->columns && (o->tree || o->inverted || o->callers || o->callees || o->peek))
		return cmd_usage(&command_report, "--columns are of tables, not of a call tree");
	if (o->columns && o->by == FLAT_BY_EVENT)
		return cmd_usage(&command_report, "--columns or --by event, not both");
	if (o->callers && o->callees)
		return cmd_usage(&command_report,
				 "--callers or --callees, not both; --peek shows both");
	if (o->peek && (o->callers || o->callees))
		return cmd_usage(&command_report, "--peek or %s, not both",
				 o->callers ? "--callers" : "--callees");
	if (o->peek && o->csv)
		return cmd_usage(&command_report, "--peek as text or --json, not --csv");
	if (o->lines && o->by != FLAT_BY_FUNCTION && o->by != FLAT_BY_LINE)
		return cmd_usage(&command_report, "--lines or --by %s, not both",
				 by_choices[o->by]);
	if (o->min_percent > 100)
		return cmd_usage(&command_report, "--percent-limit: at most 100");
	if (o->limit > UINT32_MAX || o->width > 10000)
		return cmd_usage(&command_report, "%s is too large",
				 o->width > 10000 ? "--width" : "--limit");
	int status = source_places_check(&command_report, &o->places);
	return status == EXIT_DONE ? fail_if_check(&command_report, &o->fail_if) : status;
}

static bool is_given_again(const struct cmd_option *row)
{
	static const char *const others[] = { "input", "by",	     "lines",
					      "limit", "fail-if",    "no-pager",
					      "stdio", "source-dir", "source-map" };

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (strcmp(row->name, others[i]) == 0)
			return false;
	}
	return true;
}

static bool is_selection(const struct cmd_option *row)
{
	return row->selects;
}

static char *words(const struct options *o, bool (*wanted)(const struct cmd_option *row))
{
	struct bytes out = { 0 };

	options_append(&out, rows, o, wanted);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static struct report_options report_options(const struct options *o)
{
	struct report_options r = {
		.format = o->json  ? REPORT_JSON
			  : o->csv ? REPORT_CSV
			  : o->md  ? REPORT_MARKDOWN
				   : REPORT_TEXT,
		.by = o->lines ? FLAT_BY_LINE : (enum flat_by)o->by,
		.width = o->width ? (uint32_t)o->width : terminal_width(),
		.colour = terminal_colour((enum colour_choice)o->colour),
		.unicode = text_is_unicode(),
		.verbose = o->verbose,
		.limit = (uint32_t)o->limit,
		.min_percent = o->min_percent,
		.tree = o->tree || o->inverted,
		.columns = o->columns,
		.callers = o->callers,
		.callees = o->callees,
		.peek = o->peek,
		.frames = cmd_frames(&o->input),
	};

	r.frames.inverted = o->inverted;
	r.frames.merge_recursion = o->merge_recursion;
	return r;
}

/* prof report on a terminal. */
static bool is_interactive(const struct options *o)
{
	return o->tui || (!only_text(o) && tui_is_possible(NULL));
}

static bool is_of_frames(const struct cmd_option *row)
{
	return strcmp(row->name, "no-inline") == 0 || strcmp(row->name, "demangle") == 0;
}

static int run_interactive(const struct options *o, struct cmd_view *v)
{
	const char *around = o->peek ? o->peek : o->callers ? o->callers : o->callees;
	CLEANUP_FREE char *frame_words = words(o, is_of_frames);
	struct tui_input in = {
		.profile = &v->profile,
		.filter = cmd_filter_spec(&o->input),
		.hides = o->input.hide.items,
		.frames = cmd_frames(&o->input),
		.frame_words = frame_words,
		.view = around			? TUI_AROUND
			: o->inverted		? TUI_INVERTED
			: o->has_by && !o->tree ? TUI_TABLE
						: TUI_TREE,
		.by_module = o->by == FLAT_BY_MODULE && !around,
		.around = around,
		.colour = terminal_colour((enum colour_choice)o->colour),
		.unicode = text_is_unicode(),
	};

	in.frames.merge_recursion = o->merge_recursion;
	return cmd_show_interactively(&command_report, &v->profile, &in, &o->places);
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct error err = { 0 };
	struct bytes out = { 0 };
	struct cmd_input_options input = o->input;
	bool interactive = is_interactive(o);
	struct cmd_view v;

	/* There hiding can be taken back. */
	if (interactive)
		memset(&input.hide, 0, sizeof(input.hide));
	int status = check(o);
	if (status == EXIT_DONE && o->tui && !tui_is_possible(&err))
		status = cmd_fail(&command_report, &err, EXIT_FAILED);
	if (status == EXIT_DONE)
		status = cmd_view_open(&v, &command_report, &input, argc, argv, true);
	if (status != EXIT_DONE)
		return status;
	if (interactive) {
		status = run_interactive(o, &v);
		cmd_view_release(&v);
		return status;
	}
	struct report_options r = report_options(o);
	CLEANUP_FREE char *given = words(o, is_given_again), *selection = words(o, is_selection);
	r.given = given;
	r.selection = selection;
	cmd_say_no_samples(&command_report, &v);
	if (output_report(&out, &v.profile, &v.samples, v.event, &r, &err) < 0)
		status = cmd_fail(&command_report, &err, cmd_status(&err));
	else
		status = cmd_write_paged(&command_report, &out, o->no_pager);
	if (status == EXIT_DONE)
		status = fail_if_run(&command_report, &o->fail_if, &v, &r.frames);
	bytes_release(&out);
	cmd_view_release(&v);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "show where the time went",
	.synopsis = "prof report [options] [file]",
	.description =
		"On a terminal it opens the interactive view: ? shows its keys, q leaves it. Filters, --tree, --inverted, --callers "
		"and their like choose what it begins with, --by function and --by module its table; with --stdio, with another format or option of how text is "
		"shown, and where input or output is no terminal, it is text.\n\n"
		"The text is its totals, how true the recording is, up to three findings, and its hottest functions: self is the time "
		"in the function's own code, total includes what it called. The ± behind a share is its "
		"95 % uncertainty within this run, +5.0 that of a small share which may be as little as nothing, -5.0 that of a "
		"large one which may be all; a row with ≈ behind it cannot be told from the one above: its "
		"share may be the larger one. WHERE is where the function begins, or the module of one without lines; THR how many "
		"threads were sampled in its own code. Bars and threads are there where the names leave room.\n\n"
		"A finding is something to act on: its share, what it is and what helps, and the command that shows more. There is "
		"none where the samples are too few to tell; --json has all of them.\n\n"
		"Below the functions stand the hottest source lines, with their text where the recording has it, and the heaviest "
		"path from a root to where it splits; the numbers are percent of all.\n\n"
		"--columns are metrics, as prof stat has them, from counters that were read with each sample of a group's first event; "
		"seconds are those of CPU time. They are of the function's own code; --json and --csv have those with what it "
		"called, too. The ± is the 95 % uncertainty within this run, ? that of too few samples. All that was counted in a "
		"period is counted to where the period ends, so functions that take turns within one are not told apart: sample "
		"more often (prof record -F).\n\n"
		"--fail-if is judged after the report is written. It holds only when the whole 95 % interval of the share is beyond "
		"the limit; when the limit is within it, one line says so and the status is 0. self is the share of functions' own "
		"code, total what they called, too, each sample once; names are as those of --callers, in quotes where they have a "
		"parenthesis.\n\n"
		"The health line: samples are due by the CPU time used and the rate; those delivered are counted "
		"before them, those lost did not fit a buffer. A stack is whole when it reaches the function that its thread "
		"began with, without a guess; guessed ones have a frame that only a likely return address speaks for. Partly "
		"read later are those of which a part was read from the program's memory after the sample.",
	.examples =
		"prof report\tThe hottest functions of prof.data; on a terminal the interactive view.\n"
		"prof report --stdio\tAs text.\n"
		"prof report --tree --percent-limit 1\tThe call tree without what is below 1 %.\n"
		"prof report --callers malloc\tWho calls malloc.\n"
		"prof report --by thread --time 2,5\tThreads between the 2nd and the 5th second.\n"
		"prof report --columns ipc,mpki\tWith instructions per cycle and cache misses of each function.\n"
		"prof report --md --fail-if 'self(\"memcpy\") > 5%'\tFor CI: a comment, and status 3 when memcpy surely takes more.\n"
		"prof report --json other.data\tFor a script.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
