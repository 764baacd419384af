/* What FlameGraph's options mean here. */
#include "cmd/flamegraph.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *flamegraph_refusal(const struct flamegraph_options *o)
{
	const struct {
		bool given;
		const char *why;
	} rows[] = {
		{ o->negate, "--negate: a graph with --base shows what is gone, too" },
		{ o->random,
		  "--random: colours are by kind of code and by name, the same in every run" },
		{ o->height, "--height: rows have one height" },
		{ o->fonttype, "--fonttype: labels are in the reader's monospaced font" },
		{ o->fontsize, "--fontsize: labels have one size (zoom in the browser)" },
		{ o->fontwidth, "--fontwidth: labels have one size (zoom in the browser)" },
		{ o->nametype, "--nametype: names stand without a label" },
		{ o->notes, "--notes: use --subtitle" },
		{ o->bgcolors,
		  "--bgcolors: the ground is light or dark as the reader's system is" },
		{ o->factor, "--factor: weights are drawn as they are recorded" },
		{ o->total, "--total: the total is the sum of the samples" },
		{ o->encoding, "--encoding: the file is always UTF-8" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].given)
			return rows[i].why;
	return NULL;
}

const char *const flamegraph_palettes[] = { "kind",  "java",   "js",	 "perl",   "python",
					    "rust",  "hot",    "red",	 "orange", "mem",
					    "green", "aqua",   "wakeup", "io",	   "blue",
					    "chain", "yellow", "purple", NULL };

/* Of each palette, the kind of code that has such colours; the first are by kind. */
static const char hues[] = "\0\0\0\0\0\0"
			   "uuu"
			   "jjjj"
			   "lll"
			   "ik";
_Static_assert(sizeof(hues) == ARRAY_LEN(flamegraph_palettes), "a hue for each palette");

char flamegraph_hue(unsigned palette)
{
	return palette < sizeof(hues) ? hues[palette] : '\0';
}

bool flamegraph_parse_width(const char *text, double *pixels, double *share)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return false;
	double number = strtod(text, &end);
	bool is_percent = end > text && strcmp(end, "%") == 0;
	if (end == text || !isfinite(number) || (!is_percent && *end != '\0'))
		return false;
	*pixels = is_percent ? 0 : number;
	*share = is_percent ? number / 100 : 0;
	return true;
}
