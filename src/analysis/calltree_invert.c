/*
 * The bottom-up tree: from every place of the upright tree where something was sampled, the way up
 * to the root becomes a way down. First-level rows (threads, commands) stay first.
 */
#include <string.h>

#include "analysis/build.h"
#include "analysis/pairmap.h"

/* Steps upwards over all leaves; deeper callers beyond it are summed in one row. */
#define STEP_BUDGET ((size_t)8 << 20)
#define LEAST_DEPTH ((size_t)24)

struct inverter {
	struct calltree *tree;
	const struct calltree *upright;
	const bool *tops;	 /* per node of upright; NULL: where something was sampled */
	struct pairmap children; /* (parent, key), inlined → node */
	size_t depth_limit;
	uint32_t deeper_key; /* PROFILE_NONE until needed */
};

static uint32_t deeper_callers(struct inverter *v, uint32_t parent)
{
	if (v->deeper_key == PROFILE_NONE) {
		struct calltree_key key = { .name = "[deeper callers]",
					    .module = PROFILE_NONE,
					    .kind = CODE_SYNTHETIC };
		v->deeper_key = (uint32_t)v->tree->keys.len;
		vec_push(&v->tree->keys, key);
	}
	struct calltree_node like = { .key = v->deeper_key, .kind = CODE_SYNTHETIC };
	return calltree_child_like(v->tree, &v->children, parent, &like);
}

/* The node of the first-level row above node, or the root. */
static uint32_t row_above(const struct calltree *t, const uint32_t *rows, uint32_t node)
{
	return t->nodes.data[node].kind == CODE_THREAD ? node : rows[node];
}

/* Returns where the way from leaf ends. */
static uint32_t invert_path(struct inverter *v, uint32_t leaf, uint32_t row)
{
	const struct calltree_node *nodes = v->upright->nodes.data;
	uint32_t at = row ? calltree_child_like(v->tree, &v->children, 0, &nodes[row]) : 0;
	uint32_t i = leaf;

	for (size_t depth = 0; i != row && depth < v->depth_limit; i = nodes[i].parent, depth++)
		at = calltree_child_like(v->tree, &v->children, at, &nodes[i]);
	if (i != row)
		at = deeper_callers(v, at);
	v->tree->nodes.data[at].self += v->tops ? nodes[leaf].total : nodes[leaf].self;
	v->tree->nodes.data[at].self_count += v->tops ? nodes[leaf].count : nodes[leaf].self_count;
	return at;
}

static bool is_start(const struct inverter *v, size_t node)
{
	const struct calltree_node *n = &v->upright->nodes.data[node];

	return v->tops ? v->tops[node] : n->self || n->self_count;
}

static size_t choose_depth_limit(const struct inverter *v)
{
	size_t starts = 0;

	for (size_t i = 0; i < v->upright->nodes.len; i++)
		starts += is_start(v, i);
	size_t limit = STEP_BUDGET / (starts + 1);
	return limit > LEAST_DEPTH ? limit : LEAST_DEPTH;
}

static void invert_paths(struct inverter *v, uint32_t *ends)
{
	const struct calltree *t = v->upright;
	uint32_t *rows = xcalloc(t->nodes.len, sizeof(*rows));

	for (uint32_t i = 1; i < t->nodes.len; i++) {
		const struct calltree_node *n = &t->nodes.data[i];
		rows[i] = row_above(t, rows, n->parent);
		if (!is_start(v, i))
			continue;
		uint32_t end = invert_path(v, i, rows[i]);
		if (ends)
			ends[i] = end;
	}
	free_ptr(&rows);
}

void calltree_invert(struct calltree *t, struct calltree *upright, const bool *tops, uint32_t *ends)
{
	struct inverter v = {
		.tree = t, .upright = upright, .tops = tops, .deeper_key = PROFILE_NONE
	};

	calltree_take_root(t, upright);
	v.depth_limit = choose_depth_limit(&v);
	invert_paths(&v, ends);
	pairmap_release(&v.children);
}
