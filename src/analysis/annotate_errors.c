/* How sure the rows' shares are: each sample counts for its line, what is inlined there, and its
 * address. */
#include <math.h>
#include <stdlib.h>

#include "analysis/annotate_parts.h"
#include "analysis/flat_rows.h"
#include "analysis/jackknife.h"

struct measure {
	const struct annotate_build *b;
	struct filter_result samples;	 /* that shares are shares of */
	const uint32_t *place_of_sample; /* of these */
	struct slices slices;
	struct jackknife_row
		*rows;	   /* the function, lines, inlined, addresses: one after the other */
	double *sums;	   /* of the current slice */
	uint32_t *touched; /* rows whose sum is not 0 */
	size_t touched_count, row_count;
};

static void add(struct measure *m, size_t row, double weight)
{
	if (weight <= 0)
		return;
	if (m->sums[row] == 0)
		m->touched[m->touched_count++] = (uint32_t)row;
	m->sums[row] += weight;
}

static void end_slice(struct measure *m, uint32_t slice)
{
	for (size_t i = 0; i < m->touched_count; i++) {
		uint32_t row = m->touched[i];
		jackknife_add(&m->rows[row], &m->slices, slice, m->sums[row]);
		m->sums[row] = 0;
	}
	m->touched_count = 0;
}

static void add_sample(struct measure *m, size_t i)
{
	const struct annotation *a = m->b->out;
	uint32_t place = m->place_of_sample[i];
	uint32_t row = place == PROFILE_NONE ? ANNOTATE_NONE : m->b->places.data[place].row;

	if (row == ANNOTATE_NONE)
		return;
	const struct annotated_address *at = &a->addresses.data[row];
	double weight = (double)a->profile->samples.data[m->samples.samples.data[i]].weight;
	size_t lines = 1, inlined = lines + a->lines.len, addresses = inlined + a->inlined.len;
	add(m, 0, weight);
	add(m, lines + at->line, weight);
	if (at->inlined != ANNOTATE_NONE)
		add(m, inlined + at->inlined, weight);
	add(m, addresses + row, weight);
}

/* Samples are in time order, and so are their slices. */
static void add_samples(struct measure *m)
{
	uint32_t slice = PROFILE_NONE;

	for (size_t i = 0; i < m->samples.samples.len; i++) {
		if (m->slices.of_sample[i] == PROFILE_NONE)
			continue;
		if (m->slices.of_sample[i] != slice && slice != PROFILE_NONE)
			end_slice(m, slice);
		slice = m->slices.of_sample[i];
		add_sample(m, i);
	}
	if (slice != PROFILE_NONE)
		end_slice(m, slice);
}

/* The half width of a row's share of all that was sampled is one of the base. */
static double error_of(const struct measure *m, size_t row, uint64_t base)
{
	double sampled = base ? m->slices.total / (double)base : 0;

	return m->slices.count ? sampled * jackknife_half_width(&m->rows[row], &m->slices) : NAN;
}

static void measure(struct measure *m)
{
	const struct annotation *a = m->b->out;

	m->row_count = 1 + a->lines.len + a->inlined.len + a->addresses.len;
	m->rows = xcalloc(m->row_count, sizeof(*m->rows));
	m->sums = xcalloc(m->row_count, sizeof(*m->sums));
	m->touched = xcalloc(m->row_count, sizeof(*m->touched));
	slices_init(&m->slices, a->profile, &m->samples, a->event, flat_slice_limit(m->row_count));
	if (m->slices.count)
		add_samples(m);
}

static void release(struct measure *m)
{
	slices_release(&m->slices);
	free(m->rows);
	free(m->sums);
	free(m->touched);
}

static void store_rows(const struct measure *m, struct annotation *a)
{
	uint64_t base = annotation_base(a);
	size_t row = 1;

	a->has_errors = m->slices.count > 0;
	for (size_t i = 0; i < a->lines.len; i++)
		a->lines.data[i].all.error = error_of(m, row++, base);
	for (size_t i = 0; i < a->inlined.len; i++)
		a->inlined.data[i].all.error = error_of(m, row++, base);
	for (size_t i = 0; i < a->addresses.len; i++)
		a->addresses.data[i].all.error = error_of(m, row++, base);
}

/* The samples of the function alone, and their places. */
static uint32_t *take_own(struct measure *m, const struct annotate_build *b)
{
	uint32_t *places = xcalloc(b->samples->samples.len, sizeof(*places));

	for (size_t i = 0; i < b->samples->samples.len; i++) {
		uint32_t place = b->place_of_sample[i];
		if (place == PROFILE_NONE || b->places.data[place].row == ANNOTATE_NONE)
			continue;
		places[m->samples.samples.len] = place;
		vec_push(&m->samples.samples, b->samples->samples.data[i]);
	}
	return places;
}

void annotate_measure_errors(struct annotate_build *b)
{
	struct annotation *a = b->out;
	struct measure all = { .b = b,
			       .samples = *b->samples,
			       .place_of_sample = b->place_of_sample };

	measure(&all);
	a->all.error = error_of(&all, 0, a->total);
	if (a->of_all) {
		store_rows(&all, a);
	} else {
		struct measure own = { .b = b };
		CLEANUP_FREE uint32_t *places = take_own(&own, b);
		own.place_of_sample = places;
		measure(&own);
		store_rows(&own, a);
		release(&own);
		filter_result_release(&own.samples);
	}
	release(&all);
}
