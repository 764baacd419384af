/*
 * Two profiles as one call tree, to be compared: the union of their stacks, matched by function and
 * module. A node that one of them does not have weighs nothing there. Pure: no I/O.
 */
#ifndef PROF_ANALYSIS_DIFFTREE_H
#define PROF_ANALYSIS_DIFFTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "base/memory.h"
#include "profile/profile.h"

enum { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

/* What is compared; borrowed. Both may be of one profile. */
struct diff_source {
	const struct profile *profile;
	const struct filter_result *samples;
	uint32_t event;
};

/* What the intervals of a side come from. */
enum diff_trust {
	DIFF_BY_SLICES, /* time slices of the run, or the number of samples where that says less */
	DIFF_BY_COUNT,	/* the number of samples alone: they have no times, or there are too few */
	DIFF_UNKNOWN,	/* the number of samples is not known: there are no intervals */
};

struct diff_side {
	uint64_t total, samples;
	double sampled;	  /* weight of what was sampled: total without rows for what was not seen */
	double effective; /* equal samples that would say as much; 0: not known */
	enum diff_trust trust;
};

struct diff_part { /* of a node, on one side */
	uint64_t self, total, self_count, count;
	double spread;	  /* of these, what the time slices say: half a width; 0 unknown */
	double low, high; /* the 95 % interval of total's share of all; both the share when
			     DIFF_UNKNOWN */
};

enum diff_change { DIFF_SAME /* or not to be told */, DIFF_LESS, DIFF_MORE };

struct diff_node {
	struct diff_part part[DIFF_SIDES];
	uint8_t change; /* enum diff_change: the intervals do not overlap */
};

struct difftree {
	struct profile names; /* strings and modules the tree's keys are about; nothing else */
	/* Weights are those of the layout: for each node the same measure of both sides, so that
	 * children are never wider than their parent. Numbers of samples are of both together. */
	struct calltree tree;
	VEC(struct diff_node) nodes; /* by node of tree */
	struct diff_side side[DIFF_SIDES];
	bool is_absolute;
};

/* absolute: weights are compared and laid out, else shares of all. options: as for a call tree. */
void difftree_build(struct difftree *d, const struct diff_source sources[DIFF_SIDES], bool absolute,
		    const struct calltree_options *options);
void difftree_release(struct difftree *d);

/* A node's share of its side, or in absolute trees its share of the larger side. */
double difftree_share(const struct difftree *d, uint32_t node, int side);
/* Half of the interval's width, as a share of the side; 0 when not known. */
double difftree_error(const struct difftree *d, uint32_t node, int side);

#endif
