/* Walking down the heaviest callees; children are in order, heaviest first. */
#include "analysis/hot_path.h"

#include <string.h>

/* Rows for what was not seen are no path. */
static uint32_t first_real(const struct calltree *t, uint32_t node)
{
	while (node != PROFILE_NONE && t->nodes.data[node].kind == CODE_SYNTHETIC)
		node = t->nodes.data[node].next_sibling;
	return node;
}

/* Recursion belongs to the step however little is left of it. */
static bool goes_on(const struct calltree *t, uint32_t node, uint32_t child)
{
	if (child == PROFILE_NONE)
		return false;
	const struct calltree_node *n = &t->nodes.data[node], *c = &t->nodes.data[child];
	return c->total > n->total - c->total && (c->total >= t->total / 5 || c->key == n->key);
}

static void add_step(struct hot_path *h, const struct calltree *t, uint32_t node)
{
	size_t len = h->steps.len;
	struct hot_path_step *last = len ? &h->steps.data[len - 1] : NULL;

	if (last && t->nodes.data[last->node].key == t->nodes.data[node].key)
		last->times++;
	else
		vec_push(&h->steps, ((struct hot_path_step){ node, 1 }));
}

/* Keep it where it belongs among the heaviest. */
static void add_branch(struct hot_path *h, uint32_t node, uint64_t total)
{
	uint32_t at = h->branch_count;

	while (at > 0 && h->branches[at - 1].total < total)
		at--;
	if (at == HOT_PATH_BRANCHES)
		return;
	uint32_t kept =
		h->branch_count < HOT_PATH_BRANCHES ? h->branch_count : HOT_PATH_BRANCHES - 1;
	memmove(&h->branches[at + 1], &h->branches[at], (kept - at) * sizeof(h->branches[0]));
	h->branches[at] = (struct hot_path_branch){ node, total };
	h->branch_count = kept + 1;
}

static void find_branches(struct hot_path *h, const struct calltree *t, uint32_t node)
{
	const struct calltree_node *n = &t->nodes.data[node];
	uint64_t least = n->total / 10;

	if (n->first_child == PROFILE_NONE)
		return;
	if (n->self > least)
		add_branch(h, PROFILE_NONE, n->self);
	for (uint32_t i = n->first_child; i != PROFILE_NONE && t->nodes.data[i].total > least;
	     i = t->nodes.data[i].next_sibling)
		add_branch(h, i, t->nodes.data[i].total);
}

void hot_path_find(struct hot_path *h, const struct calltree *t)
{
	memset(h, 0, sizeof(*h));
	uint32_t node = t->nodes.len ? first_real(t, t->nodes.data[0].first_child) : PROFILE_NONE;
	if (node == PROFILE_NONE || !t->nodes.data[node].total)
		return;
	for (;;) {
		uint32_t child = t->nodes.data[node].first_child;
		add_step(h, t, node);
		if (!goes_on(t, node, child))
			break;
		node = child;
	}
	/* Deep in recursion it is not the function that splits. */
	if (h->steps.data[h->steps.len - 1].times == 1)
		find_branches(h, t, node);
}

void hot_path_release(struct hot_path *h)
{
	vec_release(&h->steps);
}
