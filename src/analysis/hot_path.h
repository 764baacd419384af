/* The hot path: from the heaviest root to the heaviest callee, as long as that holds more than half
 * of its caller and a fifth of all. Pure. */
#ifndef PROF_ANALYSIS_HOT_PATH_H
#define PROF_ANALYSIS_HOT_PATH_H

#include <stdint.h>

#include "analysis/calltree.h"

#define HOT_PATH_BRANCHES 3

struct hot_path_step {
	uint32_t node;	/* of the tree; of direct recursion the outermost one */
	uint32_t times; /* how often it follows itself */
};

struct hot_path_branch {
	uint32_t node; /* PROFILE_NONE: the last step's own code */
	uint64_t total;
};

struct hot_path {
	VEC(struct hot_path_step) steps; /* none: nothing was sampled */
	/* Where the path splits: the heaviest, each more than a tenth of the last step. */
	struct hot_path_branch branches[HOT_PATH_BRANCHES];
	uint32_t branch_count;
};

/* t: upright, its frames functions. */
void hot_path_find(struct hot_path *h, const struct calltree *t);
void hot_path_release(struct hot_path *h);

#endif
