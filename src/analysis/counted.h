/*
 * Metrics of parts of a profile, from counters that were read with its samples: what a group's
 * events counted up to a sample belongs to where the sample is. A part's value is the formula of
 * sums over its samples. How far it may be off is found by leaving out each of at least 20 time
 * slices in turn (as in jackknife.h); of parts with few samples it is not known.
 *
 * All that was counted in a period belongs to the function that runs when the period ends. So
 * functions differ as far as they run for longer than a period at a time; of those that take turns
 * within one each has about the mean of all of them. Sampling more often tells more of them apart.
 */
#ifndef PROF_ANALYSIS_COUNTED_H
#define PROF_ANALYSIS_COUNTED_H

#include "analysis/filter.h"
#include "analysis/jackknife.h"
#include "analysis/metric.h"
#include "base/error.h"

struct counted_column {
	const struct metric *metric;
	struct expression formula;
};

struct counted { /* the columns of a view */
	const struct profile *profile;
	uint32_t event;	       /* whose samples hold the counts */
	VEC(uint16_t) members; /* of its group, itself first */
	VEC(struct counted_column *) columns;
	struct metric_list rows;
	struct counter_table table; /* one row: what is being evaluated */
	struct metric_table inputs;
	ptrdiff_t clock; /* the member that counts CPU time: "seconds" of formulas; -1: none */
};

/* names: of metrics, separated by commas; option: what gave them, for messages ("--columns"). -1:
 * the profile has no counts with this event's samples, a name is unknown (with near ones), or its
 * counters are not in the profile. */
int counted_init(struct counted *c, const struct profile *p, uint32_t event, const char *option,
		 const char *names, struct error *err);
void counted_release(struct counted *c);
/* Does the profile have counts with this event's samples? */
bool counted_has(const struct profile *p, uint32_t event);
/* The metrics that can be computed, with commas: "ipc,mpki"; caller frees. "" when there are none.
 */
char *counted_names(const struct profile *p, uint32_t event);

struct counted_entry {	      /* what a slice has of a part */
	uint32_t slice, next; /* next: of the same part, or PROFILE_NONE */
};

/* Sums by part and time slice. */
struct counted_sums {
	size_t members, rows;
	uint32_t *first; /* per row: its latest entry, or PROFILE_NONE */
	VEC(struct counted_entry) entries;
	VEC(double) values; /* members of each entry */
};

void counted_sums_init(struct counted_sums *s, const struct counted *c, size_t rows);
void counted_sums_release(struct counted_sums *s);
/* values: of the members. A row's slices must be added in order. */
void counted_sums_add(struct counted_sums *s, size_t row, uint32_t slice, const double *values);
double counted_sums_total(const struct counted_sums *s, size_t row, size_t member);

/* The samples' time slices, and of which sample is in which. */
struct counted_slices {
	struct slices slices;
	const struct filter_result *samples;
};

void counted_slices_init(struct counted_slices *s, const struct counted *c,
			 const struct filter_result *samples);
void counted_slices_release(struct counted_slices *s);
uint32_t counted_slice_of(const struct counted_slices *s, size_t i);
/* What entry i of the samples counted; false: nothing is known of it. */
bool counted_values(const struct counted *c, const struct filter_result *samples, size_t i,
		    double *values);

struct counted_cell {
	double value;	   /* NaN unless known */
	double half_width; /* 95 %; NaN: too few samples or slices to tell */
	enum metric_state state;
};

void counted_cell(struct counted *c, const struct counted_sums *s, size_t row, size_t column,
		  struct counted_cell *out);

#endif
