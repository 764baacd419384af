/*
 * The differential flame graph: what it does other than one of a single profile. Its layout is the
 * union of two; a frame is orange where it has more than it had, blue where less, grey where that
 * cannot be told. Private to output/.
 */
#ifndef PROF_OUTPUT_FLAME_DIFF_H
#define PROF_OUTPUT_FLAME_DIFF_H

#include "analysis/difftree.h"
#include "base/bytes.h"
#include "output/flame.h"
#include <stdbool.h>
#include <stdint.h>

struct flame_diff {
	struct difftree *tree;		    /* top down */
	const struct difftree *drawn;	    /* the same, or bottom-up */
	struct flame_page side[DIFF_SIDES]; /* profile, options, health and event of each */
	struct flame_metrics metrics;
};

/* How a frame is painted, in the place of its kind. */
enum flame_diff_paint {
	FLAME_DIFF_SAME,
	FLAME_DIFF_LESS,
	FLAME_DIFF_MORE,
	FLAME_DIFF_GONE_LESS, /* it is gone: only an outline; and that is told */
	FLAME_DIFF_GONE,
	FLAME_DIFF_FRESH, /* the mark of a frame that was not there before */
	FLAME_DIFF_PAINTS,
};

_Static_assert(FLAME_DIFF_PAINTS <= FLAME_KINDS, "they take the place of kinds");

/* Of a node of drawn. */
uint8_t flame_diff_paint(const struct flame_diff *d, uint32_t node);
/* 0..FLAME_SHADES-1: by how much it changed. */
unsigned flame_diff_shade(const struct flame_diff *d, uint32_t node);
bool flame_diff_is_fresh(const struct flame_diff *d, uint32_t node);
char flame_diff_letter(uint8_t paint); /* of the colour class */
bool flame_diff_is_hollow(uint8_t paint);
/* "+ " or "− " before a frame's name, "" where no change is told; and " [new]", " [gone]" or "". */
const char *flame_diff_sign(const struct flame_diff *d, uint32_t node);
const char *flame_diff_mark(const struct flame_diff *d, uint32_t node);
/* Behind the name in a tooltip: both shares with their error, both weights, and the change. */
void flame_diff_numbers(struct bytes *out, const struct flame_diff *d, uint32_t node);

/* The parts of the header that are different; each returns its height. */
void flame_diff_title(struct bytes *out, const struct flame_diff *d); /* printable */
/* What was found, in words: for the description. */
void flame_diff_summary(struct bytes *out, const struct flame_diff *d);
double flame_diff_facts(struct bytes *out, const struct flame_diff *d, double y, size_t columns);
double flame_diff_legend(struct bytes *out, const struct flame_diff *d, double y, double width);

/* Make a page of the new side show both; d stays where it is, and has metrics to release. */
void flame_diff_page(struct flame_page *page, struct flame_diff *d);
/* Attributes of the embedded tree that its script reads. */
void flame_diff_attributes(struct bytes *out, const struct flame_diff *d);
/* The page of two profiles. */
void flame_diff_write(struct bytes *out, const struct profile *p,
		      const struct filter_result *samples, uint32_t event,
		      const struct flame_options *options);

#endif
