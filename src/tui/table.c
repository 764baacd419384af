/* The table's rows: which, and in which order. */
#include <stdlib.h>
#include <string.h>

#include "tui/model.h"

static int compare_totals(const void *a, const void *b, void *context)
{
	const struct flat_row *rows = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (rows[i].total != rows[k].total)
		return rows[i].total > rows[k].total ? -1 : 1;
	return i < k ? -1 : 1;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct flat_row *rows = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = strcmp(rows[i].name, rows[k].name);

	return order ? order : i < k ? -1 : 1;
}

void table_make(struct model *m)
{
	struct table *t = &m->table;
	const struct flat *f = view_table(&m->view);
	CLEANUP_FREE bool *found = search_rows(&m->search, &m->view, f);

	vec_clear(&t->order);
	for (uint32_t i = 0; i < f->rows.len; i++)
		if (found[i])
			vec_push(&t->order, i);
	/* Rows come by self. */
	if (t->order.len && t->sorted_by != TABLE_SELF)
		qsort_r(t->order.data, t->order.len, sizeof(*t->order.data),
			t->sorted_by == TABLE_TOTAL ? compare_totals : compare_names, f->rows.data);
	t->selected = t->top = 0;
	t->is_made = true;
}

const struct flat_row *table_selected(const struct model *m)
{
	const struct table *t = &m->table;

	if (!t->is_made || t->selected >= t->order.len)
		return NULL;
	return &m->view.flat.rows.data[t->order.data[t->selected]];
}

void table_move(struct model *m, uint32_t key)
{
	struct table *t = &m->table;
	size_t room = m->places.table.height > 1 ? m->places.table.height - 1 : 1;
	size_t last = t->order.len ? t->order.len - 1 : 0, to = t->selected;

	if (!list_move(key, room, last, &to) && to > last)
		to = last;
	t->selected = to;
	if (t->selected < t->top)
		t->top = t->selected;
	else if (t->selected >= t->top + room)
		t->top = t->selected - room + 1;
}

void table_scroll(struct model *m, int by)
{
	struct table *t = &m->table;
	size_t room = m->places.table.height > 1 ? m->places.table.height - 1 : 1;
	size_t most = t->order.len > room ? t->order.len - room : 0, step = (size_t)abs(by);

	if (by < 0)
		t->top -= t->top < step ? t->top : step;
	else
		t->top = t->top + step < most ? t->top + step : most;
	if (!m->state.table)
		return;
	/* What is chosen stays on the screen. */
	if (t->selected < t->top)
		t->selected = t->top;
	else if (t->selected >= t->top + room)
		t->selected = t->top + room - 1;
}
