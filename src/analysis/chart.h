/*
 * The call tree in the order of time: a flame chart. Frames are merged only where they follow each
 * other; children are in the order in which they ran. Pure: no I/O.
 */
#ifndef PROF_ANALYSIS_CHART_H
#define PROF_ANALYSIS_CHART_H

#include <stdint.h>

#include "analysis/calltree.h"

#define CHART_SELF "[self]" /* the row of a function's own time between two of its calls */

struct chart {
	struct calltree tree; /* is_chart; nodes are in preorder */
	uint64_t cut; /* samples that are drawn without the frames which the limit left out */
};

/*
 * Of the samples of one event. Where several threads have some, each has a row: the heaviest comes
 * first, then the next one's time; rows of commands (options) have their threads one after the
 * other. node_of_sample gets a node for each entry of samples, PROFILE_NONE for those of other
 * events. Beyond node_limit nodes, what is new is summed in the frames that are there.
 */
void chart_build(struct chart *c, const struct profile *p, const struct filter_result *samples,
		 uint32_t event, const struct calltree_options *options, uint32_t *node_of_sample,
		 size_t node_limit);
void chart_release(struct chart *c);

#endif
