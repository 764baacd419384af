/* Making a call tree from another one, and the last steps of each: totals, and children linked in
 * the order views show them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/pairmap.h"

/* The first children of a node are found by walking its list, which most often is short or empty;
 * more of them through the index. */
#define LISTED_CHILDREN 4

void calltree_take_root(struct calltree *t, struct calltree *upright)
{
	struct calltree_node root = upright->nodes.data[0];

	root.self = root.self_count = root.total = root.count = 0;
	root.first_child = PROFILE_NONE;
	t->keys.data = upright->keys.data;
	t->keys.len = upright->keys.len;
	t->keys.cap = upright->keys.cap;
	memset(&upright->keys, 0, sizeof(upright->keys));
	vec_push(&t->nodes, root);
}

static bool is_like(const struct calltree_node *n, const struct calltree_node *like)
{
	return n->key == like->key && (n->kind == CODE_INLINED) == (like->kind == CODE_INLINED);
}

static uint32_t add_child(struct calltree *t, uint32_t parent, const struct calltree_node *like)
{
	struct calltree_node node = { .parent = parent, .key = like->key, .kind = like->kind };
	uint32_t id = (uint32_t)t->nodes.len;

	node.first_child = node.next_sibling = PROFILE_NONE;
	node.guessed = like->guessed;
	vec_push(&t->nodes, node);
	return id;
}

static uint32_t find_or_add(struct calltree *t, struct pairmap *children, uint32_t parent,
			    const struct calltree_node *like)
{
	uint32_t child = t->nodes.data[parent].first_child, listed = 0;

	for (; child != PROFILE_NONE; child = t->nodes.data[child].next_sibling, listed++) {
		if (is_like(&t->nodes.data[child], like))
			return child;
	}
	if (listed < LISTED_CHILDREN) {
		child = add_child(t, parent, like);
		t->nodes.data[child].next_sibling = t->nodes.data[parent].first_child;
		t->nodes.data[parent].first_child = child;
		return child;
	}
	uint32_t *slot = pairmap_at(children, (uint64_t)parent << 32 | like->key,
				    like->kind == CODE_INLINED);
	if (*slot == PAIRMAP_NONE)
		*slot = add_child(t, parent, like);
	return *slot;
}

uint32_t calltree_child_like(struct calltree *t, struct pairmap *children, uint32_t parent,
			     const struct calltree_node *like)
{
	uint32_t child = find_or_add(t, children, parent, like);

	if (!like->guessed)
		t->nodes.data[child].guessed = false;
	return child;
}

void calltree_sum(struct calltree *t)
{
	struct calltree_node *nodes = t->nodes.data;

	for (size_t i = t->nodes.len; i-- > 0;) {
		nodes[i].total += nodes[i].self;
		nodes[i].count += nodes[i].self_count;
		if (i > 0) {
			nodes[nodes[i].parent].total += nodes[i].total;
			nodes[nodes[i].parent].count += nodes[i].count;
		}
	}
	t->total = nodes[0].total;
	t->sample_count = nodes[0].count;
}

static int compare_u64_descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* Heaviest first, then by name; kind and module decide between equal names. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct calltree *t = context;
	const struct calltree_node *x = &t->nodes.data[*(const uint32_t *)a];
	const struct calltree_node *y = &t->nodes.data[*(const uint32_t *)b];
	const struct calltree_key *kx = &t->keys.data[x->key], *ky = &t->keys.data[y->key];
	int order = compare_u64_descending(x->total, y->total);

	if (!order)
		order = strcmp(kx->name, ky->name);
	if (!order)
		order = (int)x->kind - (int)y->kind;
	if (!order)
		order = kx->module < ky->module ? -1 : kx->module > ky->module;
	return order ? order : x < y ? -1 : 1;
}

/* Node indices by parent, as a counting sort: starts[i] is where the children of i begin. */
static uint32_t *group_by_parent(const struct calltree *t, uint32_t *starts)
{
	size_t n = t->nodes.len;
	uint32_t *order = xrealloc_array(NULL, n, sizeof(*order));

	memset(starts, 0, (n + 1) * sizeof(*starts));
	for (size_t i = 1; i < n; i++)
		starts[t->nodes.data[i].parent + 1]++;
	for (size_t i = 0; i < n; i++)
		starts[i + 1] += starts[i];
	for (size_t i = n; i-- > 1;) {
		uint32_t *end = &starts[t->nodes.data[i].parent + 1];
		order[--*end] = (uint32_t)i;
	}
	/* Each end has moved down to its own begin: starts[i + 1] is now where i's children begin.
	 */
	memmove(starts, starts + 1, n * sizeof(*starts));
	starts[n] = (uint32_t)n - 1;
	return order;
}

static void link_children(struct calltree *t, uint32_t parent, uint32_t *children, uint32_t count)
{
	uint32_t *link = &t->nodes.data[parent].first_child;

	if (count > 1)
		qsort_r(children, count, sizeof(*children), compare_siblings, t);
	for (uint32_t i = 0; i < count; i++) {
		*link = children[i];
		link = &t->nodes.data[children[i]].next_sibling;
	}
	*link = PROFILE_NONE;
}

void calltree_finish(struct calltree *t)
{
	size_t n = t->nodes.len;

	calltree_sum(t);
	uint32_t *starts = xrealloc_array(NULL, n + 1, sizeof(*starts));
	uint32_t *order = group_by_parent(t, starts);
	for (uint32_t i = 0; i < n; i++)
		link_children(t, i, order + starts[i], starts[i + 1] - starts[i]);
	free(starts);
	free(order);
}
