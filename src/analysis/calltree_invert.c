/*
 * The bottom-up tree: from every place of the upright tree where something was sampled, the way up
 * to the root becomes a way down. First-level rows (threads, commands) stay first.
 */
#include <string.h>

#include "analysis/build.h"
#include "analysis/pairmap.h"

/* Steps upwards over all leaves; deeper callers beyond it are summed in one row. */
#define STEP_BUDGET ((size_t)16 << 20)
#define LEAST_DEPTH ((size_t)64)

struct inverter {
	struct calltree *tree;
	const struct calltree *upright;
	struct pairmap children; /* (parent, key), inlined → node */
	size_t depth_limit;
	uint32_t deeper_key; /* PROFILE_NONE until needed */
};

static uint32_t child_like(struct inverter *v, uint32_t parent, const struct calltree_node *like)
{
	struct calltree *t = v->tree;
	uint32_t *slot = pairmap_at(&v->children, (uint64_t)parent << 32 | like->key,
				    like->kind == CODE_INLINED);

	if (*slot == PAIRMAP_NONE) {
		struct calltree_node node = { .parent = parent,
					      .key = like->key,
					      .kind = like->kind };
		node.first_child = node.next_sibling = PROFILE_NONE;
		node.guessed = like->guessed;
		*slot = (uint32_t)t->nodes.len;
		vec_push(&t->nodes, node);
	} else if (!like->guessed) {
		t->nodes.data[*slot].guessed = false;
	}
	return *slot;
}

static uint32_t deeper_callers(struct inverter *v, uint32_t parent)
{
	if (v->deeper_key == PROFILE_NONE) {
		struct calltree_key key = { .name = xstrdup("[deeper callers]"),
					    .module = PROFILE_NONE,
					    .kind = CODE_SYNTHETIC };
		v->deeper_key = (uint32_t)v->tree->keys.len;
		vec_push(&v->tree->keys, key);
	}
	struct calltree_node like = { .key = v->deeper_key, .kind = CODE_SYNTHETIC };
	return child_like(v, parent, &like);
}

/* The node of the first-level row above node, or the root. */
static uint32_t row_above(const struct calltree *t, const uint32_t *rows, uint32_t node)
{
	return t->nodes.data[node].kind == CODE_THREAD ? node : rows[node];
}

static void invert_path(struct inverter *v, uint32_t leaf, uint32_t row)
{
	const struct calltree_node *nodes = v->upright->nodes.data;
	uint32_t at = row ? child_like(v, 0, &nodes[row]) : 0;
	uint32_t i = leaf;

	for (size_t depth = 0; i != row && depth < v->depth_limit; i = nodes[i].parent, depth++)
		at = child_like(v, at, &nodes[i]);
	if (i != row)
		at = deeper_callers(v, at);
	v->tree->nodes.data[at].self += nodes[leaf].self;
	v->tree->nodes.data[at].self_count += nodes[leaf].self_count;
}

static size_t count_leaves(const struct calltree *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->nodes.len; i++)
		count += t->nodes.data[i].self || t->nodes.data[i].self_count;
	return count;
}

static size_t choose_depth_limit(const struct calltree *upright)
{
	size_t limit = STEP_BUDGET / (count_leaves(upright) + 1);

	return limit > LEAST_DEPTH ? limit : LEAST_DEPTH;
}

static void invert_paths(struct inverter *v)
{
	const struct calltree *t = v->upright;
	uint32_t *rows = xcalloc(t->nodes.len, sizeof(*rows));

	for (uint32_t i = 1; i < t->nodes.len; i++) {
		const struct calltree_node *n = &t->nodes.data[i];
		rows[i] = row_above(t, rows, n->parent);
		if (n->self || n->self_count)
			invert_path(v, i, rows[i]);
	}
	free_ptr(&rows);
}

void calltree_invert(struct calltree *t, struct calltree *upright)
{
	struct inverter v = { .tree = t, .upright = upright, .deeper_key = PROFILE_NONE };
	struct calltree_node root = upright->nodes.data[0];

	t->keys.data = upright->keys.data;
	t->keys.len = upright->keys.len;
	t->keys.cap = upright->keys.cap;
	memset(&upright->keys, 0, sizeof(upright->keys));
	root.self = root.self_count = 0;
	vec_push(&t->nodes, root);
	v.depth_limit = choose_depth_limit(upright);
	invert_paths(&v);
	pairmap_release(&v.children);
}
