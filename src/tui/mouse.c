/* The mouse: what is under it, and what clicks and the wheel do there. */
#include "tui/actions.h"

#define WHEEL_ROWS 3

/* Within r: where, from its corner. */
static bool is_in(const struct rect *r, const struct tui_mouse *e, unsigned *x, unsigned *y)
{
	if (e->x < r->x || e->y < r->y || e->x - r->x >= r->width || e->y - r->y >= r->height)
		return false;
	*x = e->x - r->x;
	*y = e->y - r->y;
	return true;
}

/* ---- the graph ---- */

static const struct box *box_in(const struct model *m, unsigned x, unsigned y)
{
	unsigned row = m->state.root_below ? (unsigned)model_rows(m) - 1 - y : y;

	for (size_t i = 0; i < m->layout.boxes.len; i++) {
		const struct box *b = &m->layout.boxes.data[i];
		if ((unsigned)(b->row - m->layout.first_row) == row && x >= b->x &&
		    x - b->x < b->width)
			return b;
	}
	return NULL;
}

/* Of two in one cell the upper, which may have a name there. */
static const struct box *box_at(const struct model *m, unsigned x, unsigned y)
{
	const struct box *box = box_in(m, x, m->is_dense ? 2 * y : y);

	return box || !m->is_dense ? box : box_in(m, x, 2 * y + 1);
}

static void click_graph(struct model *m, unsigned x, unsigned y)
{
	const struct box *box = box_at(m, x, y);
	struct place to = box ? box->at : (struct place){ 0, PROFILE_NONE };

	if (!box)
		return;
	if (to.node == PROFILE_NONE) {
		model_say(m, false, "too narrow to be told apart: zoom into their caller");
	} else if (m->state.table) {
		act_show_table(m);
		model_select(m, to);
	} else if (!same_place(to, m->selected)) {
		m->selected = to;
	} else if (!same_place(to, m->zoomed)) {
		model_zoom(m, to);
		m->has_clicked = true;
	}
}

/* ---- the table ---- */

static void click_titles(struct model *m, unsigned x)
{
	enum table_order by = table_order_at(x);

	if (by == m->table.sorted_by)
		return;
	m->table.sorted_by = by;
	m->table.is_made = false;
	model_lay_out(m);
}

static void click_table(struct model *m, unsigned x, unsigned y)
{
	struct table *t = &m->table;
	size_t row = t->top + y - 1;
	bool was_chosen = m->state.table && t->selected == row;

	if (y == 0) {
		click_titles(m, x);
		return;
	}
	if (row >= t->order.len)
		return;
	if (!m->state.table)
		act_show_table(m);
	t->selected = row;
	if (!was_chosen)
		return;
	act_zoom_in(m);
	m->has_clicked = true;
}

/* ---- sheets ---- */

static void click_sheet(struct model *m, unsigned y)
{
	struct sheet *s = &m->sheet;
	size_t row = s->top + y - 1;

	if (!sheet_is_list(s) || y == 0 || y >= m->places.status.y || row >= s->rows.len)
		return;
	if (s->selected != row) {
		s->selected = row;
		return;
	}
	sheet_key(m, TUI_KEY_ENTER);
	m->has_clicked = true;
}

/* ---- all of it ---- */

static void click(struct model *m, const struct tui_mouse *e)
{
	unsigned x, y;

	/* The second half of a double click whose first half has done it already. */
	if (e->is_repeated && m->has_clicked)
		return;
	m->has_clicked = false;
	if (!is_in(&m->places.strip, e, &x, &y))
		m->strip.is_choosing = false;
	if (m->sheet.kind)
		click_sheet(m, e->y);
	else if (is_in(&m->places.strip, e, &x, &y))
		strip_press(m, x);
	else if (is_in(&m->places.graph, e, &x, &y))
		click_graph(m, x, y);
	else if (is_in(&m->places.table, e, &x, &y))
		click_table(m, x, y);
}

static void turn_wheel(struct model *m, const struct tui_mouse *e)
{
	int by = e->button == TUI_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	unsigned x, y;

	if (m->sheet.kind)
		for (int i = 0; i < WHEEL_ROWS; i++)
			sheet_key(m, by < 0 ? TUI_KEY_UP : TUI_KEY_DOWN);
	else if (is_in(&m->places.graph, e, &x, &y))
		model_scroll(m, m->state.root_below ? -by : by);
	else if (is_in(&m->places.table, e, &x, &y))
		table_scroll(m, by);
	else if (is_in(&m->places.source, e, &x, &y))
		model_scroll_source(m, by);
}

void model_mouse(struct model *m, const struct tui_mouse *e)
{
	if (!m->has_mouse || m->prompt.kind)
		return;
	if (e->button == TUI_RELEASE) {
		strip_let_go(m, e->x);
		return;
	}
	model_begin_key(m);
	if (e->button == TUI_CLICK)
		click(m, e);
	else
		turn_wheel(m, e);
	model_look_for_source(m);
}
