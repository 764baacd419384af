/* What the two kinds of flat profile share: rows and their errors. Private to analysis. */
#ifndef PROF_ANALYSIS_FLAT_ROWS_H
#define PROF_ANALYSIS_FLAT_ROWS_H

#include "analysis/flat.h"
#include "analysis/jackknife.h"
#include <stddef.h>

/* How many slices may be cut when each costs this many steps. */
uint32_t flat_slice_limit(size_t steps);

struct flat_errors { /* per row */
	struct jackknife_row *self, *total;
};

/* Takes over name. */
uint32_t flat_add_row(struct flat *f, char *name, uint8_t kind);
void flat_errors_init(struct flat_errors *e, size_t rows);
/* What one slice holds of each row; both are zeroed for the next. */
void flat_errors_add_slice(struct flat_errors *e, const struct slices *s, uint32_t slice,
			   double *row_self, double *row_total, size_t rows);
/* Shares of what was sampled become shares of all; releases e. */
void flat_errors_finish(struct flat *f, struct flat_errors *e, const struct slices *s);

/* Rows of an upright tree's keys; node_of_sample: per entry of samples. */
void flat_sum_tree(struct flat *f, const struct calltree *t, const struct filter_result *samples,
		   const uint32_t *node_of_sample);
/* Rows of functions, modules or lines. */
void flat_build_code(struct flat *f, struct calltree *t, const struct profile *p,
		     const struct filter_result *samples, uint32_t event,
		     const struct calltree_options *options);
/* Per node of an upright tree: no caller has the same key. Caller frees. */
bool *flat_find_outermost(const struct calltree *t);
/* Of the tree that rows of code are made from. */
struct calltree_options flat_frames(const struct calltree_options *options, enum flat_by by);
/* The ids that flat_build_groups gives the rows, by entry of samples (PROFILE_NONE for other
 * events); returns their number. Not by event. */
uint32_t flat_group_samples(const struct profile *p, const struct filter_result *samples,
			    uint32_t event, enum flat_by by, uint32_t *row_of_sample);
/* Rows of threads, processes, CPUs or events. */
void flat_build_groups(struct flat *f, const struct profile *p, const struct filter_result *samples,
		       uint32_t event, enum flat_by by);

#endif
