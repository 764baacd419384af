/* Where things are on the screen, what is scrolled, and moving about. */
#include <string.h>

#include "tui/model.h"

#define SIDE_COLUMNS	110 /* from here on the table is beside the graph */
#define SIDE_TABLE_MOST 76
#define SOURCE_ROWS	28 /* of the body, from which on there is source below the table */
#define SIDE_LEAST	46

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned head_room(unsigned height)
{
	return height >= 40 ? 5 : height >= 20 ? 3 : height >= 10 ? 1 : 0;
}

static unsigned lines_of_head(const struct model *m)
{
	unsigned lines = 0;

	for (size_t i = 0; i < m->head.len; i++)
		lines += m->head.data[i] == '\n';
	return least(lines, head_room(m->height));
}

static void split_sides(struct model *m, struct rect body)
{
	struct arrangement *a = &m->places;
	unsigned side = body.width * 2 / 5;

	side = side < SIDE_LEAST ? SIDE_LEAST : side > SIDE_TABLE_MOST ? SIDE_TABLE_MOST : side;
	a->graph = body;
	a->graph.width = body.width - side - 1;
	a->table = body;
	a->table.x = a->graph.width + 1;
	a->table.width = side;
	if (body.height >= SOURCE_ROWS) {
		a->source = a->table;
		a->table.height = body.height / 2;
		a->source.y += a->table.height;
		a->source.height = body.height - a->table.height;
	}
}

void model_arrange(struct model *m)
{
	struct arrangement *a = &m->places;
	unsigned used = 1, y;

	memset(a, 0, sizeof(*a));
	a->head_lines = lines_of_head(m);
	y = a->head_lines;
	a->status = (struct rect){ 0, m->height - 1, m->width, 1 };
	if (m->height >= 6) {
		a->path = (struct rect){ 0, y++, m->width, 1 };
		used++;
	}
	unsigned details = m->height >= 12 ? 2 : m->height >= 4 ? 1 : 0;
	a->details = (struct rect){ 0, m->height - 1 - details, m->width, details };
	used += details + a->head_lines;
	if (strip_is_wanted(m)) {
		a->strip = (struct rect){ 0, a->details.y - 1, m->width, 1 };
		used++;
	} else {
		m->strip.is_choosing = false;
	}
	struct rect body = { 0, y, m->width, m->height > used ? m->height - used : 0 };
	if (m->width >= SIDE_COLUMNS)
		split_sides(m, body);
	else if (m->state.table)
		a->table = body;
	else
		a->graph = body;
}

static bool wants_dense(const struct model *m)
{
	return m->state.is_dense && m->can_halve;
}

int model_rows(const struct model *m)
{
	return (int)m->places.graph.height * (m->is_dense ? 2 : 1);
}

void model_lay_out(struct model *m)
{
	const struct rect *r = &m->places.graph;

	if ((m->places.table.height || m->state.table) && !m->table.is_made)
		table_make(m);
	if (m->places.strip.height)
		strip_make(m);
	m->is_dense = wants_dense(m);
	layout_build(&m->layout, &m->view, m->zoomed, m->top, (unsigned)model_rows(m), r->width);
	/* Where all of it fits names are worth more. */
	m->is_dense &= m->layout.boxes.len &&
		       m->layout.boxes.data[m->layout.boxes.len - 1].row >= m->top + (int)r->height;
}

static void show_row(struct model *m, int row)
{
	int height = model_rows(m);

	if (row < m->top)
		m->top = row;
	else if (row >= m->top + height)
		m->top = row - height + 1;
	else
		return;
	model_lay_out(m);
}

void model_select(struct model *m, struct place to)
{
	m->selected = to;
	show_row(m, layout_row(&m->view, to));
}

static bool has_row(const struct model *m, int row)
{
	const struct layout *l = &m->layout;

	return l->boxes.len && l->boxes.data[0].row <= row &&
	       row <= l->boxes.data[l->boxes.len - 1].row;
}

void model_scroll(struct model *m, int by)
{
	int step = by < 0 ? -1 : 1;

	for (; by; by -= step) {
		int seen = step < 0 ? 0 : model_rows(m) - 1;
		m->top += step;
		model_lay_out(m);
		if (has_row(m, m->top + seen))
			continue;
		m->top -= step;
		model_lay_out(m);
		return;
	}
}

/* ---- moving in the graph ---- */

static const struct calltree_node *node_at(const struct model *m, struct place at)
{
	return &m->view.trees[at.tree].nodes.data[at.node];
}

static void move_sideways(struct model *m, int by)
{
	const struct box *boxes = m->layout.boxes.data, *box = layout_find(&m->layout, m->selected);

	if (!box) {
		model_select(m, model_first(m));
		return;
	}
	/* Below 0 it is above the count. */
	for (size_t i = (size_t)(box - boxes) + (size_t)by;
	     i < m->layout.boxes.len && boxes[i].row == box->row; i += (size_t)by)
		if (boxes[i].at.node != PROFILE_NONE) {
			m->selected = boxes[i].at;
			return;
		}
}

bool model_can_see(struct model *m, struct place to)
{
	int top = m->top;

	show_row(m, layout_row(&m->view, to));
	if (layout_find(&m->layout, to))
		return true;
	m->top = top;
	model_lay_out(m);
	return false;
}

/* To the heaviest callee (of callers: caller). Of a zoomed frame's caller: towards what is zoomed.
 */
static bool move_away(struct model *m)
{
	struct place to = m->selected;
	const struct box *box = layout_find(&m->layout, m->selected);

	if (box && box->above) {
		to = m->zoomed;
		while (to.node && node_at(m, to)->parent != m->selected.node)
			to.node = node_at(m, to)->parent;
	} else {
		view_open(&m->view, to.tree, to.node);
		to.node = node_at(m, to)->first_child;
	}
	if (to.node == PROFILE_NONE)
		return false;
	if (!model_can_see(m, to)) {
		model_say(m, false, "too narrow to be seen: Enter zooms in");
		return false;
	}
	m->selected = to;
	return true;
}

/* From a function in the middle to its heaviest caller. */
static bool move_to_callers(struct model *m)
{
	const struct calltree *t = &m->view.trees[1];
	struct place to = { 1, t->nodes.data[0].first_child };
	const char *name = view_name(&m->view.trees[0], m->selected.node);

	while (to.node != PROFILE_NONE && strcmp(view_name(t, to.node), name) != 0)
		to.node = t->nodes.data[to.node].next_sibling;
	if (to.node == PROFILE_NONE)
		return false;
	to.node = t->nodes.data[to.node].first_child;
	if (to.node == PROFILE_NONE || !model_can_see(m, to))
		return false;
	m->selected = to;
	return true;
}

static bool move_back(struct model *m)
{
	bool around = m->view.tree_count > 1;
	struct place to = { m->selected.tree, node_at(m, m->selected)->parent };

	if (around && m->selected.tree == 0 && to.node == 0)
		return m->zoomed.node == 0 && move_to_callers(m);
	if (to.node == PROFILE_NONE)
		return false;
	/* A caller's way back ends in the function, which is in the other tree. */
	if (around && m->selected.tree == 1 && m->zoomed.node == 0 && node_at(m, to)->parent == 0) {
		const struct calltree *t = &m->view.trees[0];
		const char *name = view_name(&m->view.trees[1], to.node);
		to = (struct place){ 0, t->nodes.data[0].first_child };
		while (to.node != PROFILE_NONE && strcmp(view_name(t, to.node), name) != 0)
			to.node = t->nodes.data[to.node].next_sibling;
		if (to.node == PROFILE_NONE)
			return false;
	}
	if (around && to.node == 0)
		return false;
	model_select(m, to);
	return true;
}

/* Down the heaviest path, as far as it can be seen. */
static void move_to_end(struct model *m)
{
	const struct calltree_node *root = node_at(m, m->zoomed);
	double per_weight = root->total ? m->places.graph.width / (double)root->total : 0;
	struct place to = m->selected;

	if (layout_row(&m->view, to) < layout_row(&m->view, m->zoomed) && to.tree == 0)
		to = m->zoomed;
	for (struct place next = to;; to = next) {
		view_open(&m->view, to.tree, to.node);
		next.node = node_at(m, to)->first_child;
		if (next.node == PROFILE_NONE || (double)node_at(m, next)->total * per_weight < 1)
			break;
	}
	model_select(m, to);
}

static void move_page(struct model *m, bool away)
{
	for (int i = 0; i + 1 < model_rows(m); i++)
		if (!(away ? move_away(m) : move_back(m)))
			return;
}

void model_move(struct model *m, uint32_t key)
{
	/* Rows grow downwards, or upwards in a flame graph; callers go the other way. */
	bool grows_up = m->state.root_below != (m->selected.tree == 1);
	bool up = key == TUI_KEY_UP || key == TUI_KEY_PAGE_UP;

	show_row(m, layout_row(&m->view, m->selected)); /* it may have been scrolled away */
	if (key == TUI_KEY_LEFT || key == TUI_KEY_RIGHT)
		move_sideways(m, key == TUI_KEY_LEFT ? -1 : 1);
	else if (key == TUI_KEY_HOME)
		model_select(m, model_first(m));
	else if (key == TUI_KEY_PAGE_UP || key == TUI_KEY_PAGE_DOWN)
		move_page(m, up == grows_up);
	else if (key == TUI_KEY_END)
		move_to_end(m);
	else if (up == grows_up)
		move_away(m);
	else
		move_back(m);
}
