/*
 * How far a share may be off within this run: delete-one-block jackknife of the ratio (row's weight
 * / all weight) over equal time slices. Samples of a program with phases are not independent,
 * slices nearly are. Rows for what was not seen take no part.
 */
#ifndef PROF_ANALYSIS_JACKKNIFE_H
#define PROF_ANALYSIS_JACKKNIFE_H

#include "analysis/filter.h"
#include "base/quantile.h"
#include <stdint.h>

struct slices {
	uint32_t *of_sample; /* per sample of the result; PROFILE_NONE: takes no part */
	double *weight;	     /* of each slice that has samples, count entries */
	double total;
	uint32_t count; /* slices with samples; 0 when too few samples to say anything */
	/* All are equal parts of the time from the first sample to the last: from when, how long,
	 * and into how many it was cut, the empty ones too. Set also when there are few samples,
	 * but then cut_into is 0. */
	uint64_t first_ns, length_ns;
	uint32_t cut_into;
};

/* max_slices: at most so many (it is doubled from 20 until 20 have samples). */
void slices_init(struct slices *s, const struct profile *p, const struct filter_result *samples,
		 uint32_t event, uint32_t max_slices);
void slices_release(struct slices *s);

struct jackknife_row { /* sums over slices, see jackknife.c */
	double x, xh, xgh, xxhh;
};

/* Slice i holds weight x of a row; slices where x is 0 need not be told. */
void jackknife_add(struct jackknife_row *row, const struct slices *s, uint32_t slice, double x);
/* The 95 % half width of the row's share of s->total; NaN when not known. */
double jackknife_half_width(const struct jackknife_row *row, const struct slices *s);

#endif
