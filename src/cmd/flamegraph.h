/* Options that FlameGraph's users type: those that mean something else here are refused by name. */
#ifndef PROF_CMD_FLAMEGRAPH_H
#define PROF_CMD_FLAMEGRAPH_H

#include "cmd/cmd.h"

struct flamegraph_options {
	const char *height, *fonttype, *fontsize, *fontwidth, *nametype, *notes, *bgcolors, *factor,
		*total, *encoding;
	bool random, negate;
	bool hash, cp; /* prof's colours always are by name, the same in every graph */
};

/* Hidden rows, for a command whose struct has flamegraph_options named member. */
#define FLAMEGRAPH_STRING(type, member, name)                                                \
	OPTION(type, member.name, OPT_STRING, 0, #name, .argument = "VALUE", .hidden = true, \
	       .help = "of FlameGraph")
#define FLAMEGRAPH_FLAG(type, member, name) \
	OPTION(type, member.name, OPT_FLAG, 0, #name, .hidden = true, .help = "of FlameGraph")
#define FLAMEGRAPH_OPTIONS(type, member)                                                           \
	FLAMEGRAPH_STRING(type, member, height), FLAMEGRAPH_STRING(type, member, fonttype),        \
		FLAMEGRAPH_STRING(type, member, fontsize),                                         \
		FLAMEGRAPH_STRING(type, member, fontwidth),                                        \
		FLAMEGRAPH_STRING(type, member, nametype), FLAMEGRAPH_STRING(type, member, notes), \
		FLAMEGRAPH_STRING(type, member, bgcolors),                                         \
		FLAMEGRAPH_STRING(type, member, factor), FLAMEGRAPH_STRING(type, member, total),   \
		FLAMEGRAPH_STRING(type, member, encoding), FLAMEGRAPH_FLAG(type, member, random),  \
		FLAMEGRAPH_FLAG(type, member, negate), FLAMEGRAPH_FLAG(type, member, hash),        \
		FLAMEGRAPH_FLAG(type, member, cp)

/* Why what was given is refused, NULL when nothing is. */
const char *flamegraph_refusal(const struct flamegraph_options *o);

/* Names of palettes, the default first; and the hue of each: see flame_options. */
extern const char *const flamegraph_palettes[];
char flamegraph_hue(unsigned palette);

/* PIXELS, or PERCENT% as a share of the graph's width. False: it is neither. */
bool flamegraph_parse_width(const char *text, double *pixels, double *share);

#endif
