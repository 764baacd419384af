/* What counters that were read with the samples counted in a function's lines and instructions. */
#ifndef PROF_ANALYSIS_ANNOTATE_COUNTS_H
#define PROF_ANALYSIS_ANNOTATE_COUNTS_H

#include "analysis/annotate.h"
#include "analysis/counted.h"

struct annotate_counts {
	struct counted counted;
	struct counted_sums sums; /* by struct annotate_weight's counts */
};

/* The value of a row in a column of metrics. */
struct counted_cell annotate_metric(const struct annotation *a, const struct annotate_weight *w,
				    size_t column);

#endif
