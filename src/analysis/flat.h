/*
 * The flat profile: a row per function, module, line, thread, CPU or event with self, total and uncertainty.
 * Total counts a function once per sample, however often it recurs. Uncertainty: block jackknife over at least
 * 20 time slices, within this run; self and total each as the 95 % half width in the weight's unit.
 */
#ifndef PROF_ANALYSIS_FLAT_H
#define PROF_ANALYSIS_FLAT_H

#include <stdint.h>
#include "analysis/calltree.h"
#include "analysis/filter.h"

enum flat_by { FLAT_BY_FUNCTION, FLAT_BY_MODULE, FLAT_BY_LINE, FLAT_BY_THREAD, FLAT_BY_PROCESS, FLAT_BY_CPU, FLAT_BY_EVENT };
struct flat_row {
	char *name;	  /* owned */
	uint32_t module, file, line;
	uint8_t kind;	  /* enum code_kind */
	uint64_t self, total, self_count, total_count;
	double self_error, total_error; /* 95 % half widths as fractions of all; NaN where not known (too few samples) */
	bool tied;	  /* by self it may stand above the row before: their 95 % intervals overlap */
	bool inlined;	  /* some of it was inlined */
	uint32_t threads; /* sampled in its own code; 0: not known, and of rows that are threads, CPUs, … */
	uint32_t id;	  /* unique among the rows; below rows_made */
	uint32_t first_function, function_count; /* in flat's functions: what the row stands for */
};
struct flat {
	VEC(struct flat_row) rows; /* by self descending, then total, then name */
	VEC(uint32_t) functions; /* of the profile, by row; none unless rows are functions */
	uint64_t total, sample_count;
	uint32_t slices;
	uint32_t rows_made; /* with those that were empty and are gone */
};
void flat_build(struct flat *f, const struct profile *p, const struct filter_result *samples, uint32_t event, enum flat_by by,
		const struct calltree_options *options);
/* The same by function, and the upright call tree that it was made from. */
void flat_build_with_tree(struct flat *f, struct calltree *tree, const struct profile *p, const struct filter_result *samples,
			  uint32_t event, const struct calltree_options *options);
/* The same by function, or by module when t is, from an upright tree of the samples that has no rows of threads;
 * node_of_sample as calltree_select gives it. */
void flat_build_from_tree(struct flat *f, const struct calltree *t, const struct filter_result *samples,
			  const uint32_t *node_of_sample);
void flat_release(struct flat *f);

#endif
