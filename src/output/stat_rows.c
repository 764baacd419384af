/*
 * prof stat --by for people: a line for each thread, CPU, core…, a column for each counter; as many
 * columns side by side as fit, then the next ones below.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/show.h"
#include "output/stat_parts.h"

#define LABEL_WIDTH  26
#define COLUMN_WIDTH 18
#define COLUMNS	     5	/* side by side */
#define ROWS_MAX     40 /* shown; JSON and CSV have all */

static void put(struct show *s, const char *text)
{
	stat_put(s, text);
}

static const char *kind_text(enum counter_row_kind kind)
{
	static const char *const texts[] = { "all", "thread", "CPU", "core", "socket", "type" };

	return (size_t)kind < ARRAY_LEN(texts) ? texts[kind] : "row";
}

static void row_label(const struct counter_row *row, char *buf, size_t size)
{
	if (row->kind == COUNTER_ROW_THREAD)
		snprintf(buf, size, "%.15s %u", row->label, row->id);
	else
		snprintf(buf, size, "%s", row->label);
}

/* ---- order ---- */

struct order {
	size_t row;
	double weight;
};

static int heavier(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->weight > y->weight || x->weight < y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static double first_value(const struct counter_table *t, size_t row)
{
	for (size_t e = 0; e < t->events.len; e++) {
		double value = counter_reading_scaled(counter_table_at(t, row, e));
		if (!isnan(value))
			return value;
	}
	return 0;
}

/* Threads by what they used, the largest first; the rest as they are numbered. */
static struct order *order_rows(const struct counter_table *t)
{
	struct order *order = xcalloc(t->rows.len + 1, sizeof(*order));

	for (size_t i = 0; i < t->rows.len; i++) {
		bool is_thread = t->rows.data[i].kind == COUNTER_ROW_THREAD;
		order[i] = (struct order){ i, is_thread ? first_value(t, i) : 0 };
	}
	qsort(order, t->rows.len, sizeof(*order), heavier);
	return order;
}

/* ---- cells ---- */

static void put_reading(struct show *s, const struct counter_table *t, size_t row, size_t event)
{
	const struct counter_reading *r = counter_table_at(t, row, event);
	double value = counter_reading_scaled(r);
	char text[64];

	if (isnan(value))
		snprintf(text, sizeof(text), "%s", counter_state_text(r->state));
	else
		stat_value_text(text, sizeof(text), &t->events.data[event], value);
	show_cell(s, text, COLUMN_WIDTH, true);
}

static bool has_types(const struct counter_table *t, size_t from, size_t to)
{
	for (size_t e = from; e < to; e++)
		if (*t->events.data[e].type)
			return true;
	return false;
}

/* Which core type the columns are about. */
static void put_types(struct show *s, const struct counter_table *t, size_t from, size_t to)
{
	put(s, "  ");
	show_cell(s, "", LABEL_WIDTH, false);
	for (size_t e = from; e < to; e++) {
		CLEANUP_FREE char *type = show_name(s, t->events.data[e].type);
		CLEANUP_FREE char *fitted = show_elide(s, type, COLUMN_WIDTH - 1);
		show_cell(s, fitted, COLUMN_WIDTH, true);
	}
	put(s, "\n");
}

static void put_heading(struct show *s, const struct counter_table *t, size_t from, size_t to)
{
	put(s, "  ");
	show_cell(s, t->rows.len ? kind_text(t->rows.data[0].kind) : "", LABEL_WIDTH, false);
	for (size_t e = from; e < to; e++) {
		CLEANUP_FREE char *name = show_name(s, t->events.data[e].name);
		CLEANUP_FREE char *fitted = show_elide(s, name, COLUMN_WIDTH - 1);
		show_cell(s, fitted, COLUMN_WIDTH, true);
	}
	put(s, "\n");
	if (has_types(t, from, to))
		put_types(s, t, from, to);
}

static void put_row(struct show *s, const struct counter_table *t, size_t row, size_t from,
		    size_t to)
{
	char label[96];

	row_label(&t->rows.data[row], label, sizeof(label));
	CLEANUP_FREE char *printable = show_name(s, label);
	CLEANUP_FREE char *fitted = show_elide(s, printable, LABEL_WIDTH);
	put(s, "  ");
	show_cell(s, fitted, LABEL_WIDTH, false);
	for (size_t e = from; e < to; e++)
		put_reading(s, t, row, e);
	put(s, "\n");
}

static void put_block(struct show *s, const struct counter_table *t, const struct order *order,
		      size_t from, size_t to)
{
	char text[160];

	put_heading(s, t, from, to);
	for (size_t i = 0; i < t->rows.len && i < ROWS_MAX; i++)
		put_row(s, t, order[i].row, from, to);
	if (t->rows.len > ROWS_MAX) {
		snprintf(text, sizeof(text), "  and %zu more, in the sum below (--json has all)\n",
			 t->rows.len - ROWS_MAX);
		put(s, text);
	}
	put(s, "\n");
}

void stat_text_rows(struct show *s, const struct stat_view *v, const struct counter_run *run)
{
	const struct counter_table *t = &run->total;
	CLEANUP_FREE struct order *order = order_rows(t);

	(void)v;
	for (size_t from = 0; from < t->events.len; from += COLUMNS) {
		size_t to = from + COLUMNS < t->events.len ? from + COLUMNS : t->events.len;
		put_block(s, t, order, from, to);
	}
}
