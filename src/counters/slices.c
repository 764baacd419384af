/* Slices of time, and the jackknife over them. */
#include "counters/slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantile.h"

void counter_slices_release(struct counter_slices *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->items[i].readings);
	memset(s, 0, sizeof(*s));
}

static void add_to(struct counter_slice *slice, const struct counter_reading *delta, size_t len)
{
	if (len > slice->len) {
		slice->readings = xrealloc_array(slice->readings, len, sizeof(*delta));
		memset(slice->readings + slice->len, 0, (len - slice->len) * sizeof(*delta));
		slice->len = len;
	}
	for (size_t i = 0; i < len; i++)
		counter_reading_add(&slice->readings[i], &delta[i]);
}

/* Each two become one. */
static void merge_pairs(struct counter_slices *s)
{
	size_t half = s->count / 2;

	for (size_t i = 0; i < half; i++) {
		struct counter_slice *second = &s->items[2 * i + 1];
		add_to(&s->items[2 * i], second->readings, second->len);
		free(second->readings);
		s->items[i] = s->items[2 * i];
	}
	s->count = half;
	s->looks_each *= 2;
}

void counter_slices_add(struct counter_slices *s, const struct counter_reading *delta, size_t len)
{
	if (s->looks_each == 0)
		s->looks_each = 1;
	if (s->count == 0 || s->looks == s->looks_each) {
		if (s->count == COUNTER_SLICES_MAX)
			merge_pairs(s);
		s->items[s->count++] = (struct counter_slice){ 0 };
		s->looks = 0;
	}
	add_to(&s->items[s->count - 1], delta, len);
	s->looks++;
}

/* The slice's part of the ratio; false when the event was not due in it at all. */
static bool part_of(const struct counter_slice *slice, size_t index, double *value, double *running)
{
	if (index >= slice->len || slice->readings[index].enabled_ns == 0)
		return false;
	*value = (double)slice->readings[index].value;
	*running = (double)slice->readings[index].running_ns;
	return true;
}

struct ratio {
	double value, running; /* sums */
	uint32_t count;	       /* slices */
};

static struct ratio sum_up(const struct counter_slices *s, size_t index)
{
	struct ratio all = { 0 };
	double value, running;

	for (size_t i = 0; i < s->count; i++) {
		if (!part_of(&s->items[i], index, &value, &running))
			continue;
		all.value += value;
		all.running += running;
		all.count++;
	}
	return all;
}

/* Of value / running; NaN when one slice holds all the time that it ran. */
static double jackknife_variance(const struct counter_slices *s, size_t index,
				 const struct ratio *all)
{
	double sum = 0, squares = 0, k = all->count, value, running;
	double whole = all->value / all->running;

	for (size_t i = 0; i < s->count; i++) {
		if (!part_of(&s->items[i], index, &value, &running))
			continue;
		if (running >= all->running)
			return NAN;
		/* Differences from the whole's ratio: small numbers, which square without loss. */
		double d = (all->value - value) / (all->running - running) - whole;
		sum += d;
		squares += d * d;
	}
	double variance = (k - 1) / k * (squares - sum * sum / k);
	return variance > 0 ? variance : 0;
}

/* Of value / running x enabled: what one turn of others may have hidden. */
static double unseen(const struct counter_reading *total, const struct ratio *all)
{
	uint64_t hidden = total->enabled_ns - total->running_ns;

	if (hidden > COUNTER_TURN_NS)
		hidden = COUNTER_TURN_NS;
	return all->value / all->running * (double)hidden;
}

double counter_slices_half_width(const struct counter_slices *s,
				 const struct counter_reading *total, size_t index)
{
	double share = counter_reading_running(total);
	struct ratio all = sum_up(s, index);

	if (isnan(share) || share >= 1)
		return share >= 1 ? 0 : NAN;
	if (all.count < COUNTER_SLICES_LEAST || all.running <= 0)
		return NAN;
	double variance = jackknife_variance(s, index, &all);
	return hypot(student_t975(all.count - 1) * sqrt(variance * (1 - share)) *
			     (double)total->enabled_ns,
		     unseen(total, &all));
}
