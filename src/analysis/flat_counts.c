/*
 * What was counted in each row of a flat profile, by time slice. As with weights, a row has a
 * sample once in its total, however often the function recurs in the stack.
 */
#include "analysis/flat_counts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/flat_rows.h"

struct counting {
	const struct counted *counted;
	struct counted_slices slices;
	struct flat_counts *out;
	double *values; /* of a sample, or of a node */
};

/* ---- rows of code ---- */

struct node_sums { /* members of each node; zero between slices */
	double *self, *total;
};

static bool is_zero(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] != 0)
			return false;
	return true;
}

/* What a slice's samples counted per node is passed on to the callers, and to the rows. */
static void end_slice(struct counting *c, const struct calltree *t, const bool *outermost,
		      struct node_sums *sums, uint32_t slice)
{
	size_t n = c->counted->members.len;

	for (size_t i = t->nodes.len; i-- > 1;) {
		const struct calltree_node *node = &t->nodes.data[i];
		double *self = sums->self + i * n, *total = sums->total + i * n;
		double *caller = sums->total + node->parent * n;
		if (is_zero(self, n) && is_zero(total, n))
			continue;
		if (!is_zero(self, n))
			counted_sums_add(&c->out->self, node->key, slice, self);
		for (size_t k = 0; k < n; k++) {
			total[k] += self[k];
			caller[k] += total[k];
		}
		if (outermost[i])
			counted_sums_add(&c->out->total, node->key, slice, total);
		memset(self, 0, n * sizeof(*self));
		memset(total, 0, n * sizeof(*total));
	}
	memset(sums->self, 0, n * sizeof(double));
	memset(sums->total, 0, n * sizeof(double));
}

/* Samples are in order of time, and so are their slices. */
static void count_nodes(struct counting *c, const struct calltree *t, const bool *outermost,
			const uint32_t *node_of_sample)
{
	size_t n = c->counted->members.len, cells = t->nodes.len * n;
	const struct filter_result *samples = c->slices.samples;
	struct node_sums sums = { xcalloc(cells, sizeof(double)), xcalloc(cells, sizeof(double)) };
	uint32_t slice = 0;

	for (size_t i = 0; i < samples->samples.len; i++) {
		if (node_of_sample[i] == PROFILE_NONE ||
		    !counted_values(c->counted, samples, i, c->values))
			continue;
		uint32_t its = counted_slice_of(&c->slices, i);
		if (its != slice)
			end_slice(c, t, outermost, &sums, slice);
		slice = its;
		for (size_t k = 0; k < n; k++)
			sums.self[node_of_sample[i] * n + k] += c->values[k];
	}
	end_slice(c, t, outermost, &sums, slice);
	free(sums.self);
	free(sums.total);
}

static void count_keys(struct counting *c, const struct calltree *t, const uint32_t *node_of_sample)
{
	bool *outermost = flat_find_outermost(t);

	counted_sums_init(&c->out->self, c->counted, t->keys.len);
	counted_sums_init(&c->out->total, c->counted, t->keys.len);
	count_nodes(c, t, outermost, node_of_sample);
	free(outermost);
}

static void count_code(struct counting *c, const struct filter_result *samples, enum flat_by by,
		       const struct calltree_options *options)
{
	struct calltree_options frames = flat_frames(options, by);
	struct calltree t;
	uint32_t *nodes = xcalloc(samples->samples.len + 1, sizeof(*nodes));

	calltree_build_upright(&t, c->counted->profile, samples, c->counted->event, &frames, nodes);
	count_keys(c, &t, nodes);
	free(nodes);
	calltree_release(&t);
}

/* ---- rows of threads, processes and CPUs ---- */

static void count_groups(struct counting *c, const struct filter_result *samples, enum flat_by by)
{
	uint32_t *rows = xcalloc(samples->samples.len + 1, sizeof(*rows));
	uint32_t n = flat_group_samples(c->counted->profile, samples, c->counted->event, by, rows);

	counted_sums_init(&c->out->self, c->counted, n);
	counted_sums_init(&c->out->total, c->counted, n);
	for (size_t i = 0; i < samples->samples.len; i++) {
		if (rows[i] == PROFILE_NONE || !counted_values(c->counted, samples, i, c->values))
			continue;
		uint32_t slice = counted_slice_of(&c->slices, i);
		counted_sums_add(&c->out->self, rows[i], slice, c->values);
		counted_sums_add(&c->out->total, rows[i], slice, c->values);
	}
	free(rows);
}

void flat_count(struct flat_counts *counts, const struct counted *c,
		const struct filter_result *samples, enum flat_by by,
		const struct calltree_options *options)
{
	struct counting counting = { .counted = c, .out = counts };

	counting.values = xcalloc(c->members.len, sizeof(*counting.values));
	counted_slices_init(&counting.slices, c, samples);
	if (by == FLAT_BY_FUNCTION || by == FLAT_BY_MODULE || by == FLAT_BY_LINE)
		count_code(&counting, samples, by, options);
	else
		count_groups(&counting, samples, by);
	counted_slices_release(&counting.slices);
	free(counting.values);
}

void flat_count_tree(struct flat_counts *counts, const struct counted *c, const struct calltree *t,
		     const struct filter_result *samples, const uint32_t *node_of_sample)
{
	struct counting counting = { .counted = c, .out = counts };

	counting.values = xcalloc(c->members.len, sizeof(*counting.values));
	counted_slices_init(&counting.slices, c, samples);
	count_keys(&counting, t, node_of_sample);
	counted_slices_release(&counting.slices);
	free(counting.values);
}

void flat_counts_release(struct flat_counts *counts)
{
	counted_sums_release(&counts->self);
	counted_sums_release(&counts->total);
}
