/* The flat profile: rows, their errors, and their order. */
#include "analysis/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/flat_rows.h"

#define WORK_LIMIT  ((size_t)100 << 20)
#define MOST_SLICES ((size_t)20480)

uint32_t flat_slice_limit(size_t steps)
{
	size_t limit = WORK_LIMIT / (steps + 1);

	return (uint32_t)(limit < MOST_SLICES ? limit : MOST_SLICES);
}

uint32_t flat_add_row(struct flat *f, char *name, uint8_t kind)
{
	struct flat_row row = { .name = name, .module = PROFILE_NONE, .kind = kind };

	row.self_error = row.total_error = NAN;
	row.id = f->rows_made++;
	vec_push(&f->rows, row);
	return (uint32_t)f->rows.len - 1;
}

void flat_errors_init(struct flat_errors *e, size_t rows)
{
	e->self = xcalloc(rows, sizeof(*e->self));
	e->total = xcalloc(rows, sizeof(*e->total));
}

void flat_errors_finish(struct flat *f, struct flat_errors *e, const struct slices *s)
{
	double sampled = f->total ? s->total / (double)f->total : 0;

	for (size_t i = 0; i < f->rows.len; i++) {
		f->rows.data[i].self_error = sampled * jackknife_half_width(&e->self[i], s);
		f->rows.data[i].total_error = sampled * jackknife_half_width(&e->total[i], s);
	}
	f->slices = s->count;
	free(e->self);
	free(e->total);
}

void flat_errors_add_slice(struct flat_errors *e, const struct slices *s, uint32_t slice,
			   double *row_self, double *row_total, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		if (row_total[i] == 0)
			continue;
		jackknife_add(&e->self[i], s, slice, row_self[i]);
		jackknife_add(&e->total[i], s, slice, row_total[i]);
		row_self[i] = row_total[i] = 0;
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct flat_row *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	int order = strcmp(x->name, y->name);
	return order ? order : x->module < y->module ? -1 : x->module > y->module;
}

static void drop_empty_rows(struct flat *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->rows.len; i++) {
		struct flat_row *row = &f->rows.data[i];
		if (row->total || row->total_count)
			f->rows.data[kept++] = *row;
		else
			free(row->name);
	}
	f->rows.len = kept;
}

struct calltree_options flat_frames(const struct calltree_options *options, enum flat_by by)
{
	return (struct calltree_options){ .no_inline = options->no_inline,
					  .names = options->names,
					  .hides = options->hides,
					  .hides_context = options->hides_context,
					  .no_end_markers = true,
					  .by_module = by == FLAT_BY_MODULE,
					  .by_line = by == FLAT_BY_LINE };
}

/* Rows are in order. Those for what was not seen have no error, and stand between. */
static void mark_ties(struct flat *f)
{
	const struct flat_row *before = NULL;

	for (size_t i = 0; i < f->rows.len; i++) {
		struct flat_row *row = &f->rows.data[i];
		if (isnan(row->self_error))
			continue;
		if (before) {
			double apart = (double)(before->self - row->self);
			row->tied =
				apart <= (before->self_error + row->self_error) * (double)f->total;
		}
		before = row;
	}
}

static void finish_rows(struct flat *f)
{
	drop_empty_rows(f);
	if (f->rows.len)
		qsort(f->rows.data, f->rows.len, sizeof(*f->rows.data), compare_rows);
	mark_ties(f);
}

void flat_build(struct flat *f, const struct profile *p, const struct filter_result *samples,
		uint32_t event, enum flat_by by, const struct calltree_options *options)
{
	struct calltree_options frames = flat_frames(options, by);
	struct calltree tree;

	memset(f, 0, sizeof(*f));
	if (by == FLAT_BY_FUNCTION || by == FLAT_BY_MODULE || by == FLAT_BY_LINE) {
		flat_build_code(f, &tree, p, samples, event, &frames);
		calltree_release(&tree);
	} else {
		flat_build_groups(f, p, samples, event, by);
	}
	finish_rows(f);
}

void flat_build_with_tree(struct flat *f, struct calltree *tree, const struct profile *p,
			  const struct filter_result *samples, uint32_t event,
			  const struct calltree_options *options)
{
	struct calltree_options frames = flat_frames(options, FLAT_BY_FUNCTION);

	memset(f, 0, sizeof(*f));
	flat_build_code(f, tree, p, samples, event, &frames);
	finish_rows(f);
}

void flat_build_from_tree(struct flat *f, const struct calltree *t,
			  const struct filter_result *samples, const uint32_t *node_of_sample)
{
	memset(f, 0, sizeof(*f));
	flat_sum_tree(f, t, samples, node_of_sample);
	finish_rows(f);
}

void flat_release(struct flat *f)
{
	for (size_t i = 0; i < f->rows.len; i++)
		free(f->rows.data[i].name);
	vec_release(&f->rows);
	vec_release(&f->functions);
}
