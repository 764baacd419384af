/* Each sample counts for the function, its line, what is inlined there, and its address. */
#include "analysis/annotate_counts.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/annotate_parts.h"

/* Rows are numbered from 1; the function's own comes first. */
static size_t number_rows(struct annotation *a)
{
	uint32_t row = 0;

	a->all.counts = ++row;
	for (size_t i = 0; i < a->lines.len; i++)
		a->lines.data[i].all.counts = ++row;
	for (size_t i = 0; i < a->inlined.len; i++)
		a->inlined.data[i].all.counts = ++row;
	for (size_t i = 0; i < a->addresses.len; i++)
		a->addresses.data[i].all.counts = ++row;
	return row + 1;
}

static void add_sample(struct annotation *a, uint32_t row, uint32_t slice, const double *values)
{
	const struct annotated_address *at = &a->addresses.data[row];
	struct counted_sums *s = &a->counts->sums;

	counted_sums_add(s, a->all.counts, slice, values);
	counted_sums_add(s, a->lines.data[at->line].all.counts, slice, values);
	if (at->inlined != ANNOTATE_NONE)
		counted_sums_add(s, a->inlined.data[at->inlined].all.counts, slice, values);
	counted_sums_add(s, at->all.counts, slice, values);
}

int annotate_count(struct annotate_build *b, const char *columns, struct error *err)
{
	struct annotation *a = b->out;
	struct annotate_counts *c = xcalloc(1, sizeof(*c));
	struct counted_slices slices;

	if (counted_init(&c->counted, a->profile, a->event, "--columns", columns, err) < 0) {
		free(c);
		return -1;
	}
	a->counts = c;
	counted_sums_init(&c->sums, &c->counted, number_rows(a));
	counted_slices_init(&slices, &c->counted, b->samples);
	double *values = xcalloc(c->counted.members.len, sizeof(*values));
	for (size_t i = 0; i < b->samples->samples.len; i++) {
		uint32_t place = b->place_of_sample[i];
		uint32_t row = place == PROFILE_NONE ? ANNOTATE_NONE : b->places.data[place].row;
		if (row != ANNOTATE_NONE && counted_values(&c->counted, b->samples, i, values))
			add_sample(a, row, counted_slice_of(&slices, i), values);
	}
	free(values);
	counted_slices_release(&slices);
	return 0;
}

void annotate_counts_free(struct annotate_counts *c)
{
	if (!c)
		return;
	counted_sums_release(&c->sums);
	counted_release(&c->counted);
	free(c);
}

struct counted_cell annotate_metric(const struct annotation *a, const struct annotate_weight *w,
				    size_t column)
{
	struct counted_cell cell = { NAN, NAN, METRIC_MISSING };

	if (w && w->counts)
		counted_cell(&a->counts->counted, &a->counts->sums, w->counts, column, &cell);
	return cell;
}
