/*
 * How sure the shares of a comparison are. Each side's share of a node has a 95 % interval: the
 * jackknife's over time slices, since samples that follow each other are alike, widened to Wilson's
 * where that is wider: few samples lie in few slices, and a program in step with the clock has
 * slices that are all the same. A change is told where the two sides' intervals do not overlap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/difftree_parts.h"
#include "analysis/flat_rows.h"
#include "analysis/frames.h"
#include "analysis/jackknife.h"

#define LEAST_PERIOD_NS 10000 /* summed-up time in finer steps is not a multiple of a period */
#define LEAST_STACKS	16    /* a few counts may have a divisor by chance */
/* Share of all that counts as a change where nothing says how sure it is. */
#define LEAST_CHANGE 0.01
#define Z975	     1.959964

struct meter {
	struct difftree *diff;
	const struct diff_input *in;
	int side;
	uint64_t limit;		    /* of a sample's weight, as in the tree */
	double *sampled;	    /* by node: weight of samples, with all below it */
	struct jackknife_row *rows; /* by node */
};

static const struct profile_sample *sample_at(const struct meter *m, size_t i)
{
	const struct diff_source *s = &m->in->source;
	const struct profile_sample *sample =
		&s->profile->samples.data[s->samples->samples.data[i]];

	return m->in->node_of_sample[i] == PROFILE_NONE || sample->flags & SAMPLE_SYNTHETIC
		       ? NULL
		       : sample;
}

static double weight_of(const struct meter *m, const struct profile_sample *s)
{
	return (double)(s->weight < m->limit ? s->weight : m->limit);
}

static void sum_up(const struct difftree *d, double *weights)
{
	for (size_t i = d->tree.nodes.len; i-- > 1;)
		weights[d->tree.nodes.data[i].parent] += weights[i];
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Weights of stacks that another tool summed up: multiples of a sample's, when it says how many. */
static double count_summed(const struct meter *m)
{
	const struct diff_source *s = &m->in->source;
	uint8_t unit = s->event < s->profile->events.len ? s->profile->events.data[s->event].unit
							 : (uint8_t)UNIT_COUNT;
	uint64_t step = 0, stacks = 0;
	double sum = 0;

	for (size_t i = 0; i < s->samples->samples.len; i++) {
		const struct profile_sample *sample = sample_at(m, i);
		if (!sample)
			continue;
		step = common_divisor(step, sample->weight);
		sum += (double)sample->weight;
		stacks++;
	}
	if (step && unit == UNIT_COUNT && stacks < LEAST_STACKS)
		return sum;
	if (step == 0 || unit == UNIT_BYTES || (unit == UNIT_NS && step < LEAST_PERIOD_NS))
		return 0;
	return sum / (double)step;
}

/* So many equal samples would say as much as these. */
static double count_effective(const struct meter *m)
{
	double sum = 0, squares = 0;

	if (m->in->source.profile->is_summed)
		return count_summed(m);
	for (size_t i = 0; i < m->in->source.samples->samples.len; i++) {
		const struct profile_sample *sample = sample_at(m, i);
		if (!sample)
			continue;
		double w = weight_of(m, sample);
		sum += w;
		squares += w * w;
	}
	return squares > 0 ? sum * sum / squares : 0;
}

static void measure_sampled(struct meter *m)
{
	struct diff_side *side = &m->diff->side[m->side];

	for (size_t i = 0; i < m->in->source.samples->samples.len; i++) {
		const struct profile_sample *sample = sample_at(m, i);
		if (sample)
			m->sampled[m->in->node_of_sample[i]] += weight_of(m, sample);
	}
	sum_up(m->diff, m->sampled);
	side->sampled = m->sampled[0];
	side->effective = count_effective(m);
	side->trust = side->effective > 0 ? DIFF_BY_COUNT : DIFF_UNKNOWN;
}

/* Time order makes slices follow each other; samples without weight are in none. */
static void measure_slices(struct meter *m, const struct slices *s)
{
	size_t nodes = m->diff->tree.nodes.len, i = 0, count = m->in->source.samples->samples.len;
	double *weights = xcalloc(nodes, sizeof(*weights));

	for (uint32_t slice = 0; slice < s->count; slice++) {
		for (; i < count && (s->of_sample[i] == slice || s->of_sample[i] == PROFILE_NONE);
		     i++) {
			if (s->of_sample[i] == slice)
				weights[m->in->node_of_sample[i]] += weight_of(m, sample_at(m, i));
		}
		sum_up(m->diff, weights);
		for (size_t n = 0; n < nodes; n++) {
			if (weights[n] > 0)
				jackknife_add(&m->rows[n], s, slice, weights[n]);
			weights[n] = 0;
		}
	}
	free(weights);
}

static void widen_by_count(double share, double n, double *low, double *high)
{
	double z2 = Z975 * Z975, middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z975 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	*low = fmin(*low, middle - half);
	*high = fmax(*high, middle + half);
}

/* The interval of a node's share; slices may have count 0. */
static void set_interval(struct meter *m, uint32_t node, const struct slices *s)
{
	const struct diff_side *side = &m->diff->side[m->side];
	struct diff_part *part = &m->diff->nodes.data[node].part[m->side];
	double all = (double)side->total, sampled = m->sampled[node];

	part->low = part->high = all > 0 ? (double)part->total / all : 0;
	if (side->trust == DIFF_UNKNOWN || side->sampled <= 0 || all <= 0)
		return;
	double share = fmin(sampled / side->sampled, 1), low = share, high = share;
	double half = s->count ? jackknife_half_width(&m->rows[node], s) : NAN;
	if (!isnan(half)) {
		low -= half;
		high += half;
	}
	widen_by_count(share, side->effective, &low, &high);
	/* What was not sampled is known. */
	double known = ((double)part->total - sampled) / all, scale = side->sampled / all;
	part->spread = isnan(half) ? 0 : scale * half;
	part->low = known + scale * fmax(low, 0);
	part->high = known + scale * fmin(high, 1);
}

static void measure_side(struct difftree *d, const struct diff_input *in, int side)
{
	const struct diff_source *source = &in->source;
	size_t nodes = d->tree.nodes.len;
	struct meter m = { .diff = d, .in = in, .side = side };
	struct slices s = { 0 };

	m.limit = frame_weight_limit(source->profile, source->samples);
	m.sampled = xcalloc(nodes, sizeof(*m.sampled));
	m.rows = xcalloc(nodes, sizeof(*m.rows));
	measure_sampled(&m);
	/* Without times there is one slice. */
	if (!source->profile->is_summed)
		slices_init(&s, source->profile, source->samples, source->event,
			    flat_slice_limit(nodes));
	if (s.count) {
		d->side[side].trust = DIFF_BY_SLICES;
		measure_slices(&m, &s);
	}
	for (uint32_t i = 0; i < nodes; i++)
		set_interval(&m, i, &s);
	slices_release(&s);
	free(m.sampled);
	free(m.rows);
}

/* Rows for what was not seen have no interval: nobody knows what their number would be next time.
 */
static bool is_told(const struct difftree *d, uint32_t node)
{
	return node != 0 && d->tree.nodes.data[node].kind != CODE_SYNTHETIC;
}

static enum diff_change change_of(const struct difftree *d, uint32_t node)
{
	const struct diff_part *base = &d->nodes.data[node].part[DIFF_BASE],
			       *new = &d->nodes.data[node].part[DIFF_NEW];
	double of_base = d->is_absolute ? (double)d->side[DIFF_BASE].total : 1,
	       of_new = d->is_absolute ? (double)d->side[DIFF_NEW].total : 1, least = 0;

	if (!is_told(d, node))
		return DIFF_SAME;
	if (d->side[DIFF_BASE].trust == DIFF_UNKNOWN || d->side[DIFF_NEW].trust == DIFF_UNKNOWN)
		least = LEAST_CHANGE * fmax(of_base, of_new);
	if (new->low * of_new > base->high *of_base + least)
		return DIFF_MORE;
	if (new->high * of_new < base->low *of_base - least)
		return DIFF_LESS;
	return DIFF_SAME;
}

void diff_measure(struct difftree *d, const struct diff_input inputs[DIFF_SIDES])
{
	for (int side = 0; side < DIFF_SIDES; side++)
		measure_side(d, &inputs[side], side);
	/* A side without samples says nothing about the other. */
	bool told = d->side[DIFF_BASE].total > 0 && d->side[DIFF_NEW].total > 0;
	for (uint32_t i = 0; told && i < d->tree.nodes.len; i++)
		d->nodes.data[i].change = (uint8_t)change_of(d, i);
}
