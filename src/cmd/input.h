/* What the reading commands share: the input file, the filters, and what comes of them. */
#ifndef PROF_CMD_INPUT_H
#define PROF_CMD_INPUT_H

#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "analysis/health.h"
#include "cmd/cmd.h"
#include "profile/profile.h"

struct cmd_input_options {
	const char *input; /* -i */
	struct filter_spec filter;
	struct cmd_strings focus, ignore, hide;
	bool no_inline;
	unsigned demangle; /* enum name_style, an index into demangle_choices */
};

extern const char *const demangle_choices[]; /* in the order of enum name_style */

/* -i, for a command whose struct has a cmd_input_options named member. */
#define CMD_INPUT_FILE_OPTION(type, member)                                                  \
	OPTION(type, member.input, OPT_STRING, 'i', "input", .argument = "FILE",             \
	       .help = "read FILE: prof.data, perf.data, or what 'prof import' reads "      \
		       "besides; '-' is standard input (default: prof.data)")
/* The filters and how frames are named. */
#define CMD_FILTER_OPTIONS(type, member)                                                                  \
	OPTION(type, member.filter.event, OPT_STRING, 0, "event", .selects = true,                        \
	       .argument = "EVENT", .heading = "Only a part of the samples",                              \
	       .help = "samples of this event (default: the first)"),                                     \
		OPTION(type, member.filter.time, OPT_STRING, 0, "time", .selects = true,                  \
		       .argument = "FROM,TO",                                                             \
		       .help = "a span in seconds or percent from the start: 2,5 or 10%-20%; either end " \
			       "may be left out"),                                                        \
		OPTION(type, member.filter.comm, OPT_STRING, 0, "comm", .selects = true,                  \
		       .argument = "NAMES",                                                               \
		       .help = "commands of these names (each exact, a glob, or a /regex/)"),             \
		OPTION(type, member.filter.pid, OPT_STRING, 0, "pid", .selects = true,                    \
		       .argument = "PIDS", .help = "these processes"),                                    \
		OPTION(type, member.filter.tid, OPT_STRING, 0, "tid", .selects = true,                    \
		       .argument = "TIDS", .help = "these threads"),                                      \
		OPTION(type, member.filter.module, OPT_STRING, 0, "module", .selects = true,              \
		       .argument = "NAMES",                                                               \
		       .help = "samples taken in these programs or libraries"),                           \
		OPTION(type, member.filter.symbol, OPT_STRING, 0, "symbol", .selects = true,              \
		       .argument = "NAMES", .help = "samples taken in these functions"),                  \
		OPTION(type, member.focus, OPT_LIST, 0, "focus", .selects = true, .argument = "REGEX",    \
		       .help = "samples with a matching function anywhere on their stack, or with "       \
			       "module:REGEX or file:REGEX code of these (module: also takes a module's " \
			       "name as it is: module:[kernel]); may be repeated: all must match"),                                                                  \
		OPTION(type, member.ignore, OPT_LIST, 0, "ignore", .selects = true, .argument = "REGEX",  \
		       .help = "samples without a matching function on their stack (or module:REGEX, "    \
			       "file:REGEX); may be repeated"),                                           \
		OPTION(type, member.hide, OPT_LIST, 0, "hide", .selects = true, .argument = "REGEX",      \
		       .heading = "Frames",                                                               \
		       .help = "leave matching functions (or module:REGEX, file:REGEX) out: they "        \
			       "count as their callers; may be repeated"),                                \
		OPTION(type, member.no_inline, OPT_FLAG, 0, "no-inline", .selects = true,                 \
		       .help = "leave inlined functions out: they count as the function they are in"),    \
		OPTION(type, member.demangle, OPT_CHOICE, 0, "demangle", .selects = true,                 \
		       .argument = "HOW", .choices = demangle_choices,                                    \
		       .help = "C++ and Rust names: full, simple (without parameters and template "       \
			       "arguments; what is then called the same counts as one) or none (as the linker knows them; default: full)")

/* A profile, its filter and the samples that passed. */
struct cmd_view {
	struct profile profile;
	struct filter *filter;
	struct filter_result samples;
	uint32_t event;
	uint32_t warnings;    /* faults of the file */
	struct health health; /* before frames were hidden; samples may refer to it */
};

/* The words of the filter's rows. Refers to o. */
struct filter_spec cmd_filter_spec(const struct cmd_input_options *o);
/* Opens the one operand or -i, applies the filter, hides frames. Says why when it fails, and says what is wrong
 * with the file (say_warnings) on standard error. EXIT_DONE or another status; release only after
 * EXIT_DONE. */
int cmd_view_open(struct cmd_view *v, const struct command *cmd, const struct cmd_input_options *o,
		  int argc, char **argv, bool say_warnings);
void cmd_view_release(struct cmd_view *v);
/* The file alone. warnings (may be NULL): how many faults of the file were found. */
int cmd_profile_open(struct profile *p, const struct command *cmd, const char *input, int argc,
		     char **argv, bool say_warnings, uint32_t *warnings);

/* The parts of calltree_options that the shared rows set. */
struct calltree_options cmd_frames(const struct cmd_input_options *o);
/* Says on standard error that there is nothing to show, and the likely reason. */
void cmd_say_no_samples(const struct command *cmd, const struct cmd_view *v);

#endif
