/*
 * Without slice i the share is (X - x_i) / (W - w_i); it differs from X / W by d_i = X/W g_i - x_i
 * h_i with h_i = 1 / (W - w_i) and g_i = w_i h_i. So the sums of d and d² follow from a few sums
 * over the slices where x_i is not 0, and a row that occurs in one slice costs one step.
 */
#include "analysis/jackknife.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SAMPLES 20
#define LEAST_SLICES  ((uint32_t)20)

static bool takes_part(const struct profile_sample *s, uint32_t event)
{
	return s->event == event && !(s->flags & SAMPLE_SYNTHETIC);
}

struct span {
	uint64_t first_ns, last_ns;
	size_t samples;
};

static struct span find_span(const struct profile *p, const struct filter_result *samples,
			     uint32_t event)
{
	struct span span = { UINT64_MAX, 0, 0 };

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (!takes_part(s, event))
			continue;
		span.samples++;
		span.first_ns = s->time_ns < span.first_ns ? s->time_ns : span.first_ns;
		span.last_ns = s->time_ns > span.last_ns ? s->time_ns : span.last_ns;
	}
	return span;
}

static uint32_t slice_at(const struct span *span, uint64_t time_ns, uint32_t count)
{
	unsigned __int128 length = (unsigned __int128)(span->last_ns - span->first_ns) + 1;

	return (uint32_t)((unsigned __int128)(time_ns - span->first_ns) * count / length);
}

/* Cut into count slices; returns how many have samples. */
static uint32_t cut(struct slices *s, const struct profile *p, const struct filter_result *samples,
		    uint32_t event, const struct span *span, uint32_t count)
{
	uint32_t filled = 0;

	memset(s->weight, 0, count * sizeof(*s->weight));
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *sample = &p->samples.data[samples->samples.data[i]];
		s->of_sample[i] = PROFILE_NONE;
		if (!takes_part(sample, event) || sample->weight == 0)
			continue;
		s->of_sample[i] = slice_at(span, sample->time_ns, count);
		filled += s->weight[s->of_sample[i]] == 0;
		s->weight[s->of_sample[i]] += (double)sample->weight;
	}
	return filled;
}

/* Number the slices that have samples from 0. */
static void drop_empty(struct slices *s, size_t samples, uint32_t cut_into)
{
	uint32_t *number = xcalloc(cut_into, sizeof(*number));

	s->count = 0;
	s->total = 0;
	for (uint32_t i = 0; i < cut_into; i++) {
		if (s->weight[i] == 0)
			continue;
		s->total += s->weight[i];
		number[i] = s->count;
		s->weight[s->count++] = s->weight[i];
	}
	for (size_t i = 0; i < samples; i++) {
		if (s->of_sample[i] != PROFILE_NONE)
			s->of_sample[i] = number[s->of_sample[i]];
	}
	free(number);
}

void slices_init(struct slices *s, const struct profile *p, const struct filter_result *samples,
		 uint32_t event, uint32_t max_slices)
{
	struct span span = find_span(p, samples, event);
	uint32_t count = LEAST_SLICES;

	memset(s, 0, sizeof(*s));
	if (span.samples == 0)
		return;
	s->first_ns = span.first_ns;
	s->length_ns = span.last_ns - span.first_ns + 1;
	if (span.samples < LEAST_SAMPLES)
		return;
	if (max_slices < count)
		max_slices = count;
	s->of_sample = xcalloc(samples->samples.len, sizeof(*s->of_sample));
	s->weight = xcalloc((size_t)max_slices * 2, sizeof(*s->weight));
	while (cut(s, p, samples, event, &span, count) < LEAST_SLICES && count < max_slices)
		count *= 2;
	drop_empty(s, samples->samples.len, count);
	s->cut_into = count;
	if (s->count < 2)
		s->count = 0;
}

void slices_release(struct slices *s)
{
	free(s->of_sample);
	free(s->weight);
	memset(s, 0, sizeof(*s));
}

void jackknife_add(struct jackknife_row *row, const struct slices *s, uint32_t slice, double x)
{
	double w = s->weight[slice], h = 1 / (s->total - w);

	row->x += x;
	row->xh += x * h;
	row->xgh += x * w * h * h;
	row->xxhh += x * x * h * h;
}

double jackknife_half_width(const struct jackknife_row *row, const struct slices *s)
{
	double g1 = 0, g2 = 0, k = s->count;

	if (s->count < 2 || row->x <= 0)
		return NAN;
	for (uint32_t i = 0; i < s->count; i++) {
		double g = s->weight[i] / (s->total - s->weight[i]);
		g1 += g;
		g2 += g * g;
	}
	double share = row->x / s->total;
	double sum = share * g1 - row->xh;
	double squares = share * share * g2 - 2 * share * row->xgh + row->xxhh;
	double variance = (k - 1) / k * (squares - sum * sum / k);
	return variance > 0 ? student_t975(s->count - 1) * sqrt(variance) : 0;
}
