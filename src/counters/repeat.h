/* Several runs of the same: the median, how far runs are from it, and where the true one lies. */
#ifndef PROF_COUNTERS_REPEAT_H
#define PROF_COUNTERS_REPEAT_H

#include <stddef.h>

#define COUNTER_REPEAT_LEAST 6 /* runs, for a 95 % interval of the median */

struct counter_repeat {
	size_t count; /* of values that were known */
	double median, least, most;
	double spread;	  /* median distance from the median (MAD) */
	double low, high; /* 95 % interval of the median; NaN for fewer than COUNTER_REPEAT_LEAST */
};

/*
 * Values that are NaN are left out; all is NaN without any. The interval is that of order
 * statistics: between the k-th smallest and the k-th largest value lies the median with probability
 * 1 - 2 P(Binomial(n, 1/2) < k), whatever the distribution (David and Nagaraja, Order Statistics,
 * section 7.1); k is the largest with at least 95 %.
 */
struct counter_repeat counter_repeat_of(const double *values, size_t count);

#endif
