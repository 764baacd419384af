/* What counters that were read with the samples counted in each row of a flat profile. */
#ifndef PROF_ANALYSIS_FLAT_COUNTS_H
#define PROF_ANALYSIS_FLAT_COUNTS_H

#include "analysis/counted.h"
#include "analysis/flat.h"

struct flat_counts { /* by flat_row.id */
	struct counted_sums self, total;
};

/* Of the rows that flat_build makes of the same samples (or its like, by function or module). Not
 * by event. */
void flat_count(struct flat_counts *counts, const struct counted *c,
		const struct filter_result *samples, enum flat_by by,
		const struct calltree_options *options);
/* The same by the tree's keys, of an upright tree; node_of_sample: by entry of samples. */
void flat_count_tree(struct flat_counts *counts, const struct counted *c, const struct calltree *t,
		     const struct filter_result *samples, const uint32_t *node_of_sample);
void flat_counts_release(struct flat_counts *counts);

#endif
