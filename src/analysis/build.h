/* Building the call tree, for the other parts of analysis. */
#ifndef PROF_ANALYSIS_BUILD_H
#define PROF_ANALYSIS_BUILD_H

#include "analysis/calltree.h"
#include "analysis/pairmap.h"
#include <stdbool.h>
#include <stdint.h>

/* calltree_build of an upright tree that also says where each sample ended: node_of_sample, when
 * not NULL, gets a node per entry of samples, PROFILE_NONE for samples of other events. */
void calltree_build_upright(struct calltree *t, const struct profile *p,
			    const struct filter_result *samples, uint32_t event,
			    const struct calltree_options *options, uint32_t *node_of_sample);
/* Fill t, which is fresh, with the bottom-up tree of upright, whose keys move over to t. tops: per
 * node of upright, where to start with all that is below; NULL: at every sampled place. ends, when
 * not NULL, is zeroed and gets for each of these nodes the one of t that has its weight. */
void calltree_invert(struct calltree *t, struct calltree *upright, const bool *tops,
		     uint32_t *ends);
/* Start t, which is fresh, with upright's keys, which move over, and an empty root. */
void calltree_take_root(struct calltree *t, struct calltree *upright);
/* The same with a copy of the keys; t need not be fresh. */
void calltree_copy_root(struct calltree *t, const struct calltree *upright);
/* The child of parent with like's key and kind, made when there is none; children is t's index of
 * those that are not in their parent's list. Until calltree_finish lists are in no order. */
uint32_t calltree_child_like(struct calltree *t, struct pairmap *children, uint32_t parent,
			     const struct calltree_node *like);
/* Totals from selfs: of the nodes, which have 0 until then, and of the tree. Parents precede children. */
void calltree_sum(struct calltree *t);
/* Sum selfs into totals, which are 0 until then, and link children, heaviest first. */
void calltree_finish(struct calltree *t);

#endif
