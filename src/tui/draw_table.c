/* The table of functions or modules. */
#include <string.h>

#include "analysis/frames.h"
#include "base/text.h"
#include "output/show.h"
#include "tui/draw.h"

#define NUMBERS	      25u /* columns of self, its error, total */
#define MODULE_WIDTH  18u
#define MODULE_COLUMN 60u /* wide enough for it */

static unsigned name_width(const struct grid_area *a)
{
	unsigned left = a->width > NUMBERS ? a->width - NUMBERS : 0;

	return a->width >= MODULE_COLUMN ? left - MODULE_WIDTH - 1 : left;
}

/* Behind the title of the names: how many of the rows the search leaves. */
static void draw_found(const struct model *m, const struct grid_area *a, unsigned x)
{
	CLEANUP_FREE char *text =
		xasprintf("%zu of %zu found", m->table.order.len, m->view.flat.rows.len);
	unsigned room = NUMBERS - 1 + name_width(a) > x ? NUMBERS - 1 + name_width(a) - x : 0;

	if (search_is_on(&m->search) && strlen(text) <= room)
		grid_text(a, x, 0, room, text, STYLE(GRID_HIT, GRID_BOLD));
}

enum table_order table_order_at(unsigned x)
{
	return x < 15 ? TABLE_SELF : x < NUMBERS - 2 ? TABLE_TOTAL : TABLE_NAME;
}

static void draw_titles(const struct model *m, const struct grid_area *a)
{
	enum table_order by = m->table.sorted_by;
	struct grid_style plain = STYLE(GRID_PLAIN, GRID_DIM),
			  chosen = STYLE(GRID_PLAIN, GRID_BOLD | GRID_UNDERLINE);

	grid_text(a, 2, 0, 4, "SELF", by == TABLE_SELF ? chosen : plain);
	grid_text(a, m->in->unicode ? 12 : 11, 0, 2, m->in->unicode ? "\xc2\xb1" : "+-", plain);
	grid_text(a, 16, 0, 5, "TOTAL", by == TABLE_TOTAL ? chosen : plain);
	unsigned end = grid_text(a, NUMBERS - 1, 0, 8, m->state.by_module ? "MODULE" : "FUNCTION",
				 by == TABLE_NAME ? chosen : plain);
	draw_found(m, a, NUMBERS - 1 + end + 2);
	if (a->width >= MODULE_COLUMN && !m->state.by_module)
		grid_text(a, NUMBERS + name_width(a), 0, 6, "MODULE", plain);
}

static enum show_style style_of_kind(uint8_t kind)
{
	return kind == CODE_KERNEL ? SHOW_KERNEL : kind == CODE_UNKNOWN ? SHOW_UNKNOWN : SHOW_PLAIN;
}

static struct grid_style row_style(const struct model *m, const struct flat_row *row,
				   bool is_chosen)
{
	enum show_style kind = style_of_kind(row->kind);
	struct grid_style s = STYLE(kind == SHOW_KERNEL	   ? GRID_KERNEL_TEXT
				    : kind == SHOW_UNKNOWN ? GRID_WARN
							   : GRID_PLAIN,
				    0);

	if (row->self >= m->view.flat.total / 10 && row->self)
		s.attributes |= GRID_BOLD;
	if (is_chosen)
		s.attributes |= m->state.table ? GRID_REVERSE : GRID_UNDERLINE;
	return s;
}

static void draw_row(const struct model *m, const struct grid_area *a, unsigned y,
		     const struct flat_row *row, bool is_chosen)
{
	struct bytes numbers = { 0 };
	struct show show = { .out = &numbers, .unicode = m->in->unicode };
	struct grid_style style = row_style(m, row, is_chosen);
	uint64_t all = m->view.flat.total;
	bool tied = row->tied && m->table.sorted_by == TABLE_SELF;

	show_percent_cell(&show, row->self, all, 6);
	show_error_cell(&show, "", show_share(row->self, all), row->self_error, 7);
	show_cell(&show, tied ? (m->in->unicode ? "\xe2\x89\x88" : "~") : " ", 1, false);
	show_percent_cell(&show, row->total, all, 7);
	bytes_u8(&numbers, '\0');
	if (is_chosen)
		grid_fill(a, 0, y, a->width, style);
	grid_text(a, 0, y, NUMBERS, (const char *)numbers.data, style);
	bytes_release(&numbers);
	CLEANUP_FREE char *name = show_function(&show, row->name, name_width(a));
	grid_text(a, NUMBERS - 1, y, name_width(a), name, style);
	if (a->width < MODULE_COLUMN || m->state.by_module || row->module == PROFILE_NONE)
		return;
	CLEANUP_FREE char *module =
		show_name(&show, frame_module_name(m->in->profile, row->module));
	CLEANUP_FREE char *shown = show_elide(&show, module, MODULE_WIDTH);
	grid_text(a, NUMBERS + name_width(a), y, MODULE_WIDTH, shown, style);
}

/* The chosen row; else those of what is selected in the graph. */
static bool is_selected(const struct model *m, size_t i)
{
	const char *name = m->state.table ? NULL : model_subject(m).name;
	const struct table *t = &m->table;

	if (m->state.table)
		return i == t->selected;
	return name && strcmp(m->view.flat.rows.data[t->order.data[i]].name, name) == 0;
}

void draw_table(const struct model *m, const struct grid_area *a)
{
	const struct table *t = &m->table;

	draw_titles(m, a);
	if (!t->is_made || t->order.len == 0) {
		draw_start(m, a, 0, 1, a->width,
			   search_is_on(&m->search) ? "nothing that the search finds" : "no rows",
			   STYLE(GRID_PLAIN, GRID_DIM));
		return;
	}
	for (unsigned y = 1; y < a->height && t->top + y - 1 < t->order.len; y++) {
		size_t i = t->top + y - 1;
		draw_row(m, a, y, &m->view.flat.rows.data[t->order.data[i]], is_selected(m, i));
	}
}
