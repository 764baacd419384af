/* Where the frames of the still picture lie: in, a call tree; out, boxes in px, parents first. */
#include "output/flame.h"

uint32_t flame_next(const struct calltree *t, uint32_t n, bool skip)
{
	const struct calltree_node *nodes = t->nodes.data;

	if (!skip && nodes[n].first_child != PROFILE_NONE)
		return nodes[n].first_child;
	while (n != PROFILE_NONE && nodes[n].next_sibling == PROFILE_NONE)
		n = nodes[n].parent;
	return n == PROFILE_NONE ? PROFILE_NONE : nodes[n].next_sibling;
}

bool flame_is_gap(const struct calltree *t, uint32_t n)
{
	return t->is_chart && t->nodes.data[n].key == t->self_key;
}

struct walk {
	const struct calltree *tree;
	double scale, min_width;
	VEC(uint64_t) next_start; /* by row: weight left of the next box in it */
};

/* Give n its place; false when nothing below it is drawn. */
static bool place(struct flame_layout *l, struct walk *w, uint32_t n, uint32_t row)
{
	const struct calltree_node *node = &w->tree->nodes.data[n];
	uint64_t start = w->next_start.data[row];
	double width = (double)node->total * w->scale;

	w->next_start.data[row] = start + node->total;
	if (flame_is_gap(w->tree, n))
		return false;
	if (width < w->min_width)
		return false;
	struct flame_box box = { n, row, (double)start * w->scale, width };
	vec_push(&l->boxes, box);
	if (row + 1 > l->rows)
		l->rows = row + 1;
	if (row + 1 >= FLAME_ROW_LIMIT)
		return false;
	vec_reserve(&w->next_start, (size_t)row + 2);
	w->next_start.data[row + 1] = start + (w->tree->is_chart ? node->self : 0);
	return true;
}

/* The row of next, which follows n (in row) in preorder. */
static uint32_t row_of_next(const struct calltree *t, uint32_t n, uint32_t next, uint32_t row)
{
	const struct calltree_node *nodes = t->nodes.data;

	if (nodes[next].parent == n)
		return row + 1;
	for (; nodes[n].parent != nodes[next].parent; n = nodes[n].parent)
		row--;
	return row;
}

void flame_layout_build(struct flame_layout *l, const struct calltree *t, double width,
			double min_width)
{
	*l = (struct flame_layout){ 0 };
	if (t->nodes.len == 0 || t->nodes.data[0].total == 0)
		return;
	struct walk w = { .tree = t,
			  .scale = width / (double)t->nodes.data[0].total,
			  .min_width = min_width };
	uint32_t row = 0, n = 0;

	vec_push(&w.next_start, 0);
	while (n != PROFILE_NONE) {
		bool inside = place(l, &w, n, row);
		uint32_t next = flame_next(t, n, !inside);
		if (next == PROFILE_NONE)
			break;
		row = row_of_next(t, n, next, row);
		n = next;
	}
	for (size_t i = 0; i < t->nodes.len; i++)
		l->frames += t->nodes.data[i].total > 0 && !flame_is_gap(t, (uint32_t)i);
	vec_release(&w.next_start);
}

void flame_layout_release(struct flame_layout *l)
{
	vec_release(&l->boxes);
}
