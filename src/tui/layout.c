/* Laying out rows from the zoomed frame on: the boxes of one row give those of the next. */
#include "tui/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROWEST 0.5 /* columns */

struct span { /* where a frame lies, in columns */
	uint32_t node;
	double x, width;
};

struct rows {
	struct layout *layout;
	struct view *view;
	const struct calltree *tree;
	unsigned tree_number, columns;
	bool bare;	 /* the root is not drawn: it stands for the functions in the middle */
	int first, last; /* rows wanted */
	VEC(struct span) now, next;
	double per_weight; /* columns */
};

static unsigned round_column(double x)
{
	return x > 0 ? (unsigned)lround(x) : 0;
}

static void add_box(struct rows *r, int row, uint32_t node, double x, double end, bool above)
{
	unsigned from = round_column(x), to = round_column(end);
	struct box box = { .at = { r->tree_number, node },
			   .row = row,
			   .x = from,
			   .width = to - from,
			   .above = above };

	if (to > from)
		vec_push(&r->layout->boxes, box);
}

static const struct calltree_node *node_of(const struct rows *r, uint32_t node)
{
	return &r->tree->nodes.data[node];
}

/* Children are sorted: behind the first that is too narrow all are. */
static void open_span(struct rows *r, const struct span *s)
{
	double x = s->x, own = 0;

	view_open(r->view, r->tree_number, s->node);
	uint32_t child = node_of(r, s->node)->first_child;
	for (; child != PROFILE_NONE; child = node_of(r, child)->next_sibling) {
		double width = (double)node_of(r, child)->total * r->per_weight;
		if (width < NARROWEST)
			break;
		vec_push(&r->next, ((struct span){ child, x, width }));
		x += width;
	}
	own = (double)node_of(r, s->node)->self * r->per_weight;
	double rest = s->x + s->width - own;
	if (child != PROFILE_NONE && rest - x >= NARROWEST)
		vec_push(&r->next, ((struct span){ PROFILE_NONE, x, rest - x }));
}

static void show_row(struct rows *r, int row)
{
	for (size_t i = 0; i < r->now.len; i++) {
		const struct span *s = &r->now.data[i];
		add_box(r, row, s->node, s->x, s->x + s->width, false);
	}
}

static void next_row(struct rows *r)
{
	vec_clear(&r->next);
	for (size_t i = 0; i < r->now.len; i++)
		if (r->now.data[i].node != PROFILE_NONE)
			open_span(r, &r->now.data[i]);
	size_t len = r->now.len, cap = r->now.cap;
	struct span *data = r->now.data;
	r->now.data = r->next.data;
	r->now.len = r->next.len;
	r->now.cap = r->next.cap;
	r->next.data = data;
	r->next.len = len;
	r->next.cap = cap;
}

static uint32_t depth_of(const struct calltree *t, uint32_t node)
{
	uint32_t depth = 0;

	while (node && t->nodes.data[node].parent != PROFILE_NONE) {
		node = t->nodes.data[node].parent;
		depth++;
	}
	return depth;
}

/* Callers of a function go the other way; the function itself is in the row of the callees'. */
static int row_of_depth(unsigned tree, uint32_t depth)
{
	return tree == 0 ? (int)depth : 2 - (int)depth;
}

int layout_row(const struct view *v, struct place at)
{
	return row_of_depth(at.tree, depth_of(&v->trees[at.tree], at.node));
}

static bool is_wanted(const struct rows *r, int row)
{
	return row >= r->first && row <= r->last;
}

/* Callers of what is zoomed into fill the width. */
static void show_callers(struct rows *r, uint32_t zoomed, uint32_t depth)
{
	uint32_t node = node_of(r, zoomed)->parent;

	for (; node != PROFILE_NONE && depth-- > 0; node = node_of(r, node)->parent) {
		int row = row_of_depth(r->tree_number, depth);
		if (is_wanted(r, row) && !(r->bare && depth == 0))
			add_box(r, row, node, 0, r->columns, true);
	}
}

static void lay_tree(struct rows *r, uint32_t zoomed, bool skip_first)
{
	const struct calltree_node *root = node_of(r, zoomed);
	uint32_t depth = depth_of(r->tree, zoomed);

	r->per_weight = root->total ? (double)r->columns / (double)root->total : 0;
	show_callers(r, zoomed, depth);
	vec_clear(&r->now);
	vec_push(&r->now, ((struct span){ zoomed, 0, r->columns }));
	while (r->now.len) {
		int row = row_of_depth(r->tree_number, depth);
		if (r->tree_number == 0 ? row > r->last : row < r->first)
			break;
		/* Callers: the functions are in the other tree. */
		bool left_out = (r->bare && depth == 0) || (skip_first && depth == 1);
		if (is_wanted(r, row) && !left_out)
			show_row(r, row);
		next_row(r);
		depth++;
	}
}

static int compare_boxes(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

void layout_build(struct layout *l, struct view *v, struct place zoomed, int first, unsigned count,
		  unsigned columns)
{
	struct rows r = { .layout = l,
			  .view = v,
			  .columns = columns,
			  .first = first,
			  .last = first + (int)count - 1 };

	vec_clear(&l->boxes);
	l->first_row = first;
	for (unsigned i = 0; i < v->tree_count && count; i++) {
		bool whole = v->tree_count > 1 && zoomed.node == 0;
		if (!whole && zoomed.tree != i)
			continue;
		r.tree = &v->trees[i];
		r.tree_number = i;
		r.bare = v->tree_count > 1;
		lay_tree(&r, whole ? 0 : zoomed.node, whole && i == 1);
	}
	if (l->boxes.len)
		qsort(l->boxes.data, l->boxes.len, sizeof(*l->boxes.data), compare_boxes);
	vec_release(&r.now);
	vec_release(&r.next);
}

void layout_release(struct layout *l)
{
	vec_release(&l->boxes);
}

const struct box *layout_find(const struct layout *l, struct place at)
{
	for (size_t i = 0; i < l->boxes.len; i++)
		if (same_place(l->boxes.data[i].at, at))
			return &l->boxes.data[i];
	return NULL;
}
