/*
 * The call tree. The place of a trie node in the tree is worked out once per first-level row and
 * remembered, as is the place of each (node, leaf) seen, so the work is that of the trie's nodes
 * plus one lookup per sample. Samples are taken row by row; within a row, a trie node has one
 * place.
 */
#include "analysis/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/frames.h"

/* Tree nodes from which inline frames are left out: a bound against files made to blow up. */
#define INLINE_NODE_LIMIT ((size_t)32 << 20)

struct builder {
	struct calltree *tree;
	const struct profile *profile;
	const struct calltree_options *options;
	bool all_events; /* samples of other events have a place, too, but no weight */
	struct frame_keys keys;
	struct pairmap children; /* (parent, key), inlined → node */
	struct pairmap leaves;	 /* (node, module), address → node */

	struct place {
		uint32_t group, node;
	} * places; /* per trie node: where it is in the group worked on */

	VEC(uint32_t) path;
	VEC(uint8_t) hidden; /* by key: enum visibility */
};

enum visibility { NOT_ASKED, IS_SHOWN, IS_HIDDEN };

struct group { /* samples that share a first-level row and, where stacks were cut, the reason */
	uint32_t task_key; /* PROFILE_NONE: no such row */
	uint8_t end;
	uint32_t count, first;
};

static uint32_t child_of(struct builder *b, uint32_t parent, uint32_t key, bool inlined,
			 bool guessed)
{
	struct calltree_node like = { .key = key, .guessed = guessed };

	like.kind = inlined ? CODE_INLINED : b->tree->keys.data[key].kind;
	return calltree_child_like(b->tree, &b->children, parent, &like);
}

static bool folds_into(const struct builder *b, uint32_t node, uint32_t key)
{
	if (b->tree->nodes.data[node].key != key)
		return false;
	return b->options->merge_recursion || b->options->by_module || key == b->keys.kernel_key;
}

static bool is_hidden(struct builder *b, uint32_t key)
{
	const struct calltree *t = b->tree;

	if (!b->options->hides)
		return false;
	while (b->hidden.len < t->keys.len)
		vec_push(&b->hidden, NOT_ASKED);
	uint8_t *known = &b->hidden.data[key];
	if (*known == NOT_ASKED)
		*known = b->options->hides(b->options->hides_context, t, &t->keys.data[key])
				 ? IS_HIDDEN
				 : IS_SHOWN;
	return *known == IS_HIDDEN;
}

static uint32_t add_frame(struct builder *b, uint32_t node, uint32_t key, bool inlined,
			  bool guessed)
{
	if (is_hidden(b, key))
		return node;
	return folds_into(b, node, key) ? node : child_of(b, node, key, inlined, guessed);
}

/* The frames at one address, outermost first. */
static uint32_t add_location(struct builder *b, uint32_t node, const struct profile_location *l,
			     bool guessed)
{
	uint32_t count = l->frame_count < FRAME_INLINE_LIMIT ? l->frame_count : FRAME_INLINE_LIMIT;
	uint32_t outermost = l->first_frame + l->frame_count - 1;

	if (b->options->no_inline || b->tree->nodes.len > INLINE_NODE_LIMIT)
		count = 1;
	for (uint32_t i = 0; i < count; i++)
		node = add_frame(b, node, frame_key_of_frame(&b->keys, outermost - i), i > 0,
				 guessed);
	return node;
}

static uint32_t add_code(struct builder *b, uint32_t node, uint32_t module, uint64_t address,
			 uint32_t location, bool guessed)
{
	if (b->options->by_module)
		return add_frame(b, node, frame_key_of_module(&b->keys, module), false, guessed);
	if (location != PROFILE_NONE && b->profile->locations.data[location].frame_count)
		return add_location(b, node, &b->profile->locations.data[location], guessed);
	return add_frame(b, node, frame_key_of_unknown(&b->keys, module, address), false, guessed);
}

static uint32_t add_trie_node(struct builder *b, uint32_t node, uint32_t trie_node)
{
	const struct profile_node *n = &b->profile->nodes.data[trie_node];

	if (n->how == FRAME_CUT && b->options->no_end_markers)
		return node;
	return add_code(b, node, n->module, node_lookup_address(n),
			frame_location_of_node(b->profile, trie_node), n->how == FRAME_GUESSED);
}

/* Where the stack that ends in trie_node is, below base. */
static uint32_t place_of(struct builder *b, uint32_t group, uint32_t base, uint32_t trie_node)
{
	vec_clear(&b->path);
	while (trie_node != PROFILE_NONE && b->places[trie_node].group != group) {
		vec_push(&b->path, trie_node);
		trie_node = b->profile->nodes.data[trie_node].parent;
	}
	uint32_t node = trie_node == PROFILE_NONE ? base : b->places[trie_node].node;
	while (b->path.len) {
		uint32_t n = b->path.data[--b->path.len];
		node = add_trie_node(b, node, n);
		b->places[n] = (struct place){ group, node };
	}
	return node;
}

static uint32_t add_leaf(struct builder *b, uint32_t node, const struct profile_sample *s)
{
	uint32_t location = profile_find_location(b->profile, s->leaf_module, s->leaf_address);

	return add_code(b, node, s->leaf_module, s->leaf_address, location, false);
}

static uint32_t place_of_leaf(struct builder *b, uint32_t node, const struct profile_sample *s)
{
	/* Of stacks that were summed up each comes once. */
	if (b->profile->is_summed)
		return add_leaf(b, node, s);
	uint32_t *slot =
		pairmap_at(&b->leaves, (uint64_t)node << 32 | s->leaf_module, s->leaf_address);
	if (*slot == PAIRMAP_NONE)
		*slot = add_leaf(b, node, s);
	return *slot;
}

static void add_weight(struct calltree_node *n, const struct profile_sample *s, uint64_t limit)
{
	n->self += s->weight < limit ? s->weight : limit;
	n->self_count += !(s->flags & SAMPLE_SYNTHETIC);
}

static const char *end_marker(uint8_t end)
{
	switch (end) {
	case END_TRUNCATED:
		return "[truncated]";
	case END_NO_CFI:
	case END_UNREADABLE:
	case END_NO_MAPPING:
	case END_DEPTH:
	case END_LOOP:
	case END_COMPAT:
	case END_OTHER_STACK:
		return stack_end_name(end);
	default:
		return NULL;
	}
}

static uint32_t marker_node(struct builder *b, uint32_t base, const char *marker)
{
	CLEANUP_FREE char *name = *marker == '[' ? xstrdup(marker) : xasprintf("[cut: %s]", marker);

	return child_of(b, base, frame_key_of_row(&b->keys, name, CODE_SYNTHETIC), false, false);
}

static uint32_t group_base(struct builder *b, const struct group *g)
{
	uint32_t base = 0;
	const char *marker = end_marker(g->end);

	if (g->task_key != PROFILE_NONE)
		base = child_of(b, base, g->task_key, false, false);
	return marker ? marker_node(b, base, marker) : base;
}

static uint32_t task_key(struct builder *b, uint32_t task)
{
	if (task < b->profile->tasks.len && b->profile->tasks.data[task].flags & TASK_UNKNOWN)
		return PROFILE_NONE;
	if (b->options->by_thread) {
		CLEANUP_FREE char *name = frame_thread_name(b->profile, task);
		return frame_key_of_row(&b->keys, name, CODE_THREAD);
	}
	if (b->options->by_comm)
		return frame_key_of_row(&b->keys, frame_comm(b->profile, task), CODE_THREAD);
	return PROFILE_NONE;
}

struct grouping {
	VEC(struct group) groups;
	struct pairmap of_task;	 /* task → key; asked once per task */
	struct pairmap of_group; /* (key, end) → group */
	uint32_t *of_sample;	 /* group per sample, PROFILE_NONE: another event */
	uint32_t *order;	 /* samples by group, in time order within one */
};

static uint32_t group_of(struct builder *b, struct grouping *g, const struct profile_sample *s)
{
	uint32_t key = PROFILE_NONE;

	if (b->options->by_thread || b->options->by_comm) {
		uint32_t *known = pairmap_at(&g->of_task, s->task, 0);
		if (*known == PAIRMAP_NONE)
			*known = task_key(b, s->task);
		key = *known;
	}
	bool marked =
		!b->options->no_end_markers && !(s->flags & SAMPLE_HAS_ROOT) && end_marker(s->end);
	uint8_t end = marked ? s->end : (uint8_t)END_ROOT;
	uint32_t *slot = pairmap_at(&g->of_group, key, end);
	if (*slot == PAIRMAP_NONE) {
		*slot = (uint32_t)g->groups.len;
		vec_push(&g->groups, ((struct group){ .task_key = key, .end = end }));
	}
	return *slot;
}

/* Counting sort by group. */
static void order_samples(struct grouping *g, size_t count)
{
	uint32_t first = 0;

	for (size_t i = 0; i < g->groups.len; i++) {
		g->groups.data[i].first = first;
		first += g->groups.data[i].count;
		g->groups.data[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (g->of_sample[i] == PROFILE_NONE)
			continue;
		struct group *group = &g->groups.data[g->of_sample[i]];
		g->order[group->first + group->count++] = (uint32_t)i;
	}
}

static void group_samples(struct builder *b, struct grouping *g,
			  const struct filter_result *samples, uint32_t event)
{
	size_t count = samples->samples.len;

	memset(g, 0, sizeof(*g));
	g->of_sample = xrealloc_array(NULL, count, sizeof(*g->of_sample));
	g->order = xrealloc_array(NULL, count, sizeof(*g->order));
	for (size_t i = 0; i < count; i++) {
		const struct profile_sample *s =
			&b->profile->samples.data[samples->samples.data[i]];
		g->of_sample[i] = PROFILE_NONE;
		if (s->event != event && !b->all_events)
			continue;
		uint32_t group = group_of(b, g, s);
		g->of_sample[i] = group;
		g->groups.data[group].count++;
	}
	order_samples(g, count);
}

static void grouping_release(struct grouping *g)
{
	vec_release(&g->groups);
	pairmap_release(&g->of_task);
	pairmap_release(&g->of_group);
	free(g->of_sample);
	free(g->order);
}

static void add_samples(struct builder *b, const struct grouping *g,
			const struct filter_result *samples, uint32_t *node_of_sample)
{
	uint64_t limit = frame_weight_limit(b->profile, samples);

	for (uint32_t id = 0; id < g->groups.len; id++) {
		const struct group *group = &g->groups.data[id];
		uint32_t base = group_base(b, group);
		for (uint32_t i = group->first; i < group->first + group->count; i++) {
			uint32_t at = g->order[i];
			const struct profile_sample *s =
				&b->profile->samples.data[samples->samples.data[at]];
			uint32_t node = place_of_leaf(b, place_of(b, id, base, s->node), s);
			if (s->event == b->tree->event)
				add_weight(&b->tree->nodes.data[node], s, limit);
			if (node_of_sample)
				node_of_sample[at] = node;
		}
	}
}

static void tree_init(struct calltree *t, const struct profile *p, uint32_t event)
{
	memset(t, 0, sizeof(*t));
	t->profile = p;
	t->event = event;
}

static void init_function_keys(struct calltree *t)
{
	size_t n = t->profile->functions.len;

	t->key_of_function = xrealloc_array(NULL, n, sizeof(*t->key_of_function));
	memset(t->key_of_function, 0xff, n * sizeof(*t->key_of_function));
}

static void add_root(struct builder *b)
{
	struct calltree_node root = { .parent = PROFILE_NONE, .kind = CODE_SYNTHETIC };

	root.first_child = root.next_sibling = PROFILE_NONE;
	root.key = frame_key_of_row(&b->keys, "all", CODE_SYNTHETIC);
	vec_push(&b->tree->nodes, root);
}

static void builder_init(struct builder *b, struct calltree *t,
			 const struct calltree_options *options)
{
	size_t nodes = t->profile->nodes.len, samples = t->profile->samples.len;

	memset(b, 0, sizeof(*b));
	b->tree = t;
	b->profile = t->profile;
	b->options = options;
	frame_keys_init(&b->keys, t, options);
	/* And those of leaves, which are hardly more than nodes, and of what is inlined. */
	vec_reserve(&t->nodes, nodes + (samples < nodes ? samples : nodes) + 1);
	b->places = xrealloc_array(NULL, nodes, sizeof(*b->places));
	memset(b->places, 0xff, nodes * sizeof(*b->places));
	add_root(b);
}

static void builder_release(struct builder *b)
{
	frame_keys_release(&b->keys);
	pairmap_release(&b->children);
	pairmap_release(&b->leaves);
	vec_release(&b->path);
	vec_release(&b->hidden);
	free(b->places);
}

static void build_upright(struct calltree *t, const struct profile *p,
			  const struct filter_result *samples, uint32_t event,
			  const struct calltree_options *options, uint32_t *node_of_sample,
			  bool all_events)
{
	struct builder b;
	struct grouping g;

	tree_init(t, p, event);
	builder_init(&b, t, options);
	b.all_events = all_events;
	if (!options->by_line && !options->by_module)
		init_function_keys(t);
	if (node_of_sample)
		memset(node_of_sample, 0xff, samples->samples.len * sizeof(*node_of_sample));
	group_samples(&b, &g, samples, event);
	add_samples(&b, &g, samples, node_of_sample);
	grouping_release(&g);
	builder_release(&b);
	calltree_finish(t);
}

void calltree_build_upright(struct calltree *t, const struct profile *p,
			    const struct filter_result *samples, uint32_t event,
			    const struct calltree_options *options, uint32_t *node_of_sample)
{
	build_upright(t, p, samples, event, options, node_of_sample, false);
}

void calltree_build_places(struct calltree *t, const struct profile *p,
			   const struct filter_result *samples, uint32_t event,
			   const struct calltree_options *options, uint32_t *node_of_sample)
{
	build_upright(t, p, samples, event, options, node_of_sample, true);
}

void calltree_build(struct calltree *t, const struct profile *p,
		    const struct filter_result *samples, uint32_t event,
		    const struct calltree_options *options)
{
	struct calltree upright;

	if (!options->inverted) {
		calltree_build_upright(t, p, samples, event, options, NULL);
		return;
	}
	calltree_build_upright(&upright, p, samples, event, options, NULL);
	tree_init(t, p, event);
	calltree_invert(t, &upright, NULL, NULL);
	calltree_release(&upright);
	calltree_finish(t);
}

void calltree_release(struct calltree *t)
{
	for (size_t i = 0; i < t->keys.len; i++)
		free(t->keys.data[i].own_name);
	vec_release(&t->keys);
	vec_release(&t->nodes);
	free(t->key_of_function);
}
