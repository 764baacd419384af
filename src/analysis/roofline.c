/* From operations, bytes and time to a place below the ceilings. */
#include "analysis/roofline.h"

#include <math.h>
#include <string.h>

#define ONE_CORE 1.5 /* CPUs used on average, up to which a program is compared with one core */

static bool is_of(const struct ceiling_flops *f, enum roofline_kind kind)
{
	return kind == ROOFLINE_BEST || (kind == ROOFLINE_NO_FMA ? !f->is_fma : !f->is_vector);
}

const struct ceiling_flops *roofline_peak(const struct ceilings *c, bool all, bool is_double,
					  enum roofline_kind kind)
{
	const struct ceiling_flops *best = NULL;

	for (size_t i = 0; i < c->flops.len; i++) {
		const struct ceiling_flops *f = &c->flops.data[i];
		double rate = ceiling_flops_rate(f, all)->best;
		if (f->is_double == is_double && is_of(f, kind) && rate > 0 &&
		    (!best || rate > ceiling_flops_rate(best, all)->best))
			best = f;
	}
	return best;
}

const struct ceiling_bandwidth *roofline_roof(const struct ceilings *c, bool all, const char *place)
{
	const struct ceiling_bandwidth *best = NULL;

	for (size_t i = 0; i < c->bandwidth.len; i++) {
		const struct ceiling_bandwidth *b = &c->bandwidth.data[i];
		double rate = ceiling_bandwidth_rate(b, all)->best;
		if (strcmp(b->place, place) == 0 && rate > 0 &&
		    (!best || rate > ceiling_bandwidth_rate(best, all)->best))
			best = b;
	}
	return best;
}

double roofline_ridge(double flops, double bandwidth)
{
	return flops / bandwidth;
}

/* With bytes that are at least so many the intensity is at most so high: left of the ridge it is
 * memory for sure, right of it nobody knows. */
static enum roofline_bound bound_of(const struct roofline_place *p, double peak, double under_roof)
{
	if (isnan(p->intensity) || !p->memory)
		return ROOFLINE_BOUND_UNKNOWN;
	if (under_roof < peak)
		return ROOFLINE_BOUND_MEMORY;
	return p->is_at_most ? ROOFLINE_BOUND_UNKNOWN : ROOFLINE_BOUND_ARITHMETIC;
}

bool roofline_place(struct roofline_place *place, const struct ceilings *c,
		    const struct roofline_point *point)
{
	*place = (struct roofline_place){ .intensity = NAN };
	if (!(point->flops > 0) || !(point->seconds > 0))
		return false;
	place->is_all = point->is_whole_machine || point->cpus > ONE_CORE;
	place->is_single = point->single > point->flops / 2;
	place->rate = point->flops / point->seconds;
	place->peak = roofline_peak(c, place->is_all, !place->is_single, ROOFLINE_BEST);
	place->plain = roofline_peak(c, place->is_all, !place->is_single, ROOFLINE_SCALAR);
	place->memory = roofline_roof(c, place->is_all, "memory");
	if (!place->peak)
		return false;
	if (point->bytes > 0) {
		place->intensity = point->flops / point->bytes;
		place->is_at_most = point->bytes_from == ROOFLINE_FILLS;
	}
	double peak = ceiling_flops_rate(place->peak, place->is_all)->best, under_roof = INFINITY;
	if (place->memory && !isnan(place->intensity))
		under_roof = place->intensity *
			     ceiling_bandwidth_rate(place->memory, place->is_all)->best;
	place->bound = bound_of(place, peak, under_roof);
	place->attainable = under_roof < peak ? under_roof : peak;
	place->gain = place->attainable / place->rate;
	return true;
}
