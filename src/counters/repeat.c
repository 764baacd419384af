/* Medians and their intervals. */
#include "counters/repeat.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_of(const double *sorted, size_t count)
{
	size_t half = count / 2;

	return count % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/* Sorts values. */
static double spread_of(double *values, size_t count, double median)
{
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	qsort(values, count, sizeof(*values), compare);
	return median_of(values, count);
}

/* The largest k, from 1 on, with P(Binomial(n, 1/2) < k) <= 2.5 %; 0: there is none. */
static size_t interval_rank(size_t n)
{
	double log_half = (double)n * log(0.5), below = 0;
	size_t k = 0;

	for (;;) {
		double m = (double)k, size = (double)n;
		below += exp(lgamma(size + 1) - lgamma(m + 1) - lgamma(size - m + 1) + log_half);
		if (below > 0.025)
			return k;
		k++;
	}
}

struct counter_repeat counter_repeat_of(const double *values, size_t count)
{
	struct counter_repeat r = { 0, NAN, NAN, NAN, NAN, NAN, NAN };
	CLEANUP_FREE double *sorted = xcalloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i]))
			sorted[r.count++] = values[i];
	if (r.count == 0)
		return r;
	qsort(sorted, r.count, sizeof(*sorted), compare);
	r.median = median_of(sorted, r.count);
	r.least = sorted[0];
	r.most = sorted[r.count - 1];
	size_t rank = r.count >= COUNTER_REPEAT_LEAST ? interval_rank(r.count) : 0;
	if (rank) {
		r.low = sorted[rank - 1];
		r.high = sorted[r.count - rank];
	}
	r.spread = spread_of(sorted, r.count, r.median);
	return r;
}
