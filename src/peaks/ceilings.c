/* Ceilings as data. */
#include "peaks/ceilings.h"

#include <stdlib.h>

void ceilings_release(struct ceilings *c)
{
	vec_release(&c->caches);
	vec_release(&c->flops);
	vec_release(&c->bandwidth);
}

bool ceiling_is_noisy(const struct ceiling_rate *r)
{
	return r->median < r->best * (1 - CEILING_NOISY);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct ceiling_rate ceiling_rate_of(double *rates, size_t count)
{
	qsort(rates, count, sizeof(*rates), ascending);
	return (struct ceiling_rate){
		.best = rates[count - 1],
		.median = (rates[(count - 1) / 2] + rates[count / 2]) / 2,
		.least = rates[0],
	};
}

const struct ceiling_rate *ceiling_flops_rate(const struct ceiling_flops *f, bool all)
{
	return all ? &f->all : &f->one;
}

const struct ceiling_rate *ceiling_bandwidth_rate(const struct ceiling_bandwidth *b, bool all)
{
	return all ? &b->all : &b->one;
}
