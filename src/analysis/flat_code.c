/*
 * Flat rows of code, from an upright call tree: a row is a key, its self the sum over its nodes,
 * its total that over the outermost of them on each path.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/flat_rows.h"
#include "analysis/pairmap.h"

static void add_keys(struct flat *f, const struct calltree *t)
{
	for (size_t i = 0; i < t->keys.len; i++) {
		const struct calltree_key *key = &t->keys.data[i];
		uint32_t row = flat_add_row(f, xstrdup(key->name), key->kind);
		f->rows.data[row].module = key->module;
		f->rows.data[row].file = key->file;
		f->rows.data[row].line = key->line;
	}
}

/* Which functions of the profile each row stands for. */
static void add_functions(struct flat *f, const struct calltree *t)
{
	size_t n = t->key_of_function ? t->profile->functions.len : 0;
	uint32_t first = 0;

	for (size_t i = 0; i < n; i++)
		if (t->key_of_function[i] != PROFILE_NONE)
			f->rows.data[t->key_of_function[i]].function_count++;
	for (size_t i = 0; i < f->rows.len; i++) {
		f->rows.data[i].first_function = first;
		first += f->rows.data[i].function_count;
		f->rows.data[i].function_count = 0;
	}
	vec_reserve(&f->functions, first);
	f->functions.len = first;
	for (uint32_t i = 0; i < n; i++) {
		if (t->key_of_function[i] == PROFILE_NONE)
			continue;
		struct flat_row *row = &f->rows.data[t->key_of_function[i]];
		f->functions.data[row->first_function + row->function_count++] = i;
	}
}

static uint32_t next_in_walk(const struct calltree *t, uint32_t node, uint32_t *active)
{
	if (t->nodes.data[node].first_child != PROFILE_NONE)
		return t->nodes.data[node].first_child;
	while (node) {
		active[t->nodes.data[node].key]--;
		if (t->nodes.data[node].next_sibling != PROFILE_NONE)
			return t->nodes.data[node].next_sibling;
		node = t->nodes.data[node].parent;
	}
	return 0;
}

bool *flat_find_outermost(const struct calltree *t)
{
	bool *outermost = xcalloc(t->nodes.len, sizeof(*outermost));
	uint32_t *active = xcalloc(t->keys.len, sizeof(*active));

	for (uint32_t node = t->nodes.data[0].first_child; node != PROFILE_NONE && node;
	     node = next_in_walk(t, node, active))
		outermost[node] = active[t->nodes.data[node].key]++ == 0;
	free(active);
	return outermost;
}

static void sum_rows(struct flat *f, const struct calltree *t, const bool *outermost)
{
	for (size_t i = 1; i < t->nodes.len; i++) {
		const struct calltree_node *n = &t->nodes.data[i];
		struct flat_row *row = &f->rows.data[n->key];
		row->self += n->self;
		row->self_count += n->self_count;
		row->inlined |= n->kind == CODE_INLINED;
		if (outermost[i]) {
			row->total += n->total;
			row->total_count += n->count;
		}
	}
}

/* Which threads each row's own code was sampled in. */
static void count_threads(struct flat *f, const struct calltree *t,
			  const struct filter_result *samples, const uint32_t *node_of_sample)
{
	struct pairmap seen = { NULL, 0, 0 };
	const struct profile *p = t->profile;

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (node_of_sample[i] == PROFILE_NONE || s->task >= p->tasks.len ||
		    s->flags & SAMPLE_SYNTHETIC || p->tasks.data[s->task].flags & TASK_UNKNOWN)
			continue;
		uint32_t row = t->nodes.data[node_of_sample[i]].key;
		uint32_t *slot = pairmap_at(&seen, row, p->tasks.data[s->task].tid);
		f->rows.data[row].threads += *slot == PAIRMAP_NONE;
		*slot = 1;
	}
	pairmap_release(&seen);
}

struct slice_sums { /* scratch, zero between slices */
	double *node_self, *node_total, *row_self, *row_total;
};

/* From what a slice's samples weigh per node to what the slice holds of each row. */
static void sum_slice(const struct calltree *t, const bool *outermost, struct slice_sums *s)
{
	for (size_t i = t->nodes.len; i-- > 1;) {
		const struct calltree_node *n = &t->nodes.data[i];
		double total = s->node_total[i] + s->node_self[i];
		if (total == 0)
			continue;
		s->row_self[n->key] += s->node_self[i];
		if (outermost[i])
			s->row_total[n->key] += total;
		s->node_total[n->parent] += total;
		s->node_self[i] = s->node_total[i] = 0;
	}
	s->node_total[0] = 0;
}

/* Samples by slice; starts has count + 1 entries. */
static uint32_t *order_by_slice(const struct slices *s, size_t samples, size_t *starts)
{
	uint32_t *order = xrealloc_array(NULL, samples, sizeof(*order));

	memset(starts, 0, (s->count + 1) * sizeof(*starts));
	for (size_t i = 0; i < samples; i++) {
		if (s->of_sample[i] != PROFILE_NONE)
			starts[s->of_sample[i] + 1]++;
	}
	for (uint32_t i = 0; i < s->count; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < samples; i++) {
		if (s->of_sample[i] != PROFILE_NONE)
			order[starts[s->of_sample[i]]++] = (uint32_t)i;
	}
	memmove(starts + 1, starts, s->count * sizeof(*starts));
	starts[0] = 0;
	return order;
}

static void measure_slices(struct flat_errors *e, const struct slices *s, const struct calltree *t,
			   const bool *outermost, const struct filter_result *samples,
			   const uint32_t *node_of_sample)
{
	struct slice_sums sums = { xcalloc(t->nodes.len, sizeof(double)),
				   xcalloc(t->nodes.len, sizeof(double)),
				   xcalloc(t->keys.len, sizeof(double)),
				   xcalloc(t->keys.len, sizeof(double)) };
	size_t *starts = xcalloc((size_t)s->count + 1, sizeof(*starts));
	uint32_t *order = order_by_slice(s, samples->samples.len, starts);

	for (uint32_t slice = 0; slice < s->count; slice++) {
		for (size_t i = starts[slice]; i < starts[slice + 1]; i++) {
			uint32_t sample = samples->samples.data[order[i]];
			sums.node_self[node_of_sample[order[i]]] +=
				(double)t->profile->samples.data[sample].weight;
		}
		sum_slice(t, outermost, &sums);
		flat_errors_add_slice(e, s, slice, sums.row_self, sums.row_total, t->keys.len);
	}
	free(sums.node_self);
	free(sums.node_total);
	free(sums.row_self);
	free(sums.row_total);
	free(starts);
	free(order);
}

/* Rows that say where stacks were cut are a tree's, not the table's. */
static void drop_markers(struct flat *f)
{
	for (size_t i = 0; i < f->rows.len; i++) {
		struct flat_row *row = &f->rows.data[i];
		if (row->kind == CODE_SYNTHETIC && !row->self && !row->self_count)
			row->total = row->total_count = 0;
	}
}

void flat_sum_tree(struct flat *f, const struct calltree *t, const struct filter_result *samples,
		   const uint32_t *node_of_sample)
{
	struct slices s;
	struct flat_errors e;
	bool *outermost = flat_find_outermost(t);

	add_keys(f, t);
	add_functions(f, t);
	sum_rows(f, t, outermost);
	drop_markers(f);
	count_threads(f, t, samples, node_of_sample);
	f->total = t->total;
	f->sample_count = t->sample_count;
	slices_init(&s, t->profile, samples, t->event, flat_slice_limit(t->nodes.len));
	flat_errors_init(&e, f->rows.len);
	if (s.count)
		measure_slices(&e, &s, t, outermost, samples, node_of_sample);
	flat_errors_finish(f, &e, &s);
	slices_release(&s);
	free(outermost);
}

void flat_build_code(struct flat *f, struct calltree *t, const struct profile *p,
		     const struct filter_result *samples, uint32_t event,
		     const struct calltree_options *options)
{
	uint32_t *node_of_sample = xcalloc(samples->samples.len, sizeof(*node_of_sample));

	calltree_build_upright(t, p, samples, event, options, node_of_sample);
	flat_sum_tree(f, t, samples, node_of_sample);
	free(node_of_sample);
}
