/*
 * A node of the bottom-up tree stands for places of the upright one: those that have something
 * themselves and the same callees, so many steps up. They are a range of one array, which opening
 * the node orders by what calls them and so divides among its children: no more is kept, however
 * much is opened.
 */
#include "analysis/bottom_up.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"

struct step { /* of the upright tree, what is needed on the way up */
	uint32_t parent, key;
	uint8_t kind;
	bool guessed;
};

struct place { /* nodes of the upright tree */
	uint32_t at, start;
};

struct range { /* of places; first PROFILE_NONE: its node is open */
	uint32_t first, count;
};

struct caller {
	struct calltree_node node;
	struct range places;
};

struct weight {
	uint64_t self, count;
};

struct bottom_up {
	struct step *steps;	/* by the upright tree's nodes */
	struct weight *weights; /* the same */
	size_t upright_nodes;
	struct place *places, *ordered; /* ordered: where a range is put in order */
	size_t place_count;
	VEC(struct range) ranges; /* by node */
	VEC(struct caller) callers;
	uint32_t *caller_of; /* by key and whether it is inlined: in callers; PROFILE_NONE */
	size_t first_closed; /* nodes before it are open */
};

static void copy_upright(struct bottom_up *b, const struct calltree *upright)
{
	size_t n = upright->nodes.len;

	b->upright_nodes = n;
	b->steps = xrealloc_array(NULL, n, sizeof(*b->steps));
	b->weights = xrealloc_array(NULL, n, sizeof(*b->weights));
	b->places = xrealloc_array(NULL, n, sizeof(*b->places));
	for (uint32_t i = 0; i < n; i++) {
		const struct calltree_node *node = &upright->nodes.data[i];
		b->steps[i] = (struct step){ node->parent, node->key, node->kind, node->guessed };
		b->weights[i] = (struct weight){ node->self, node->self_count };
		if (i && (node->self || node->self_count))
			b->places[b->place_count++] = (struct place){ i, i };
	}
	b->ordered = xrealloc_array(NULL, b->place_count + 1, sizeof(*b->ordered));
}

/* ---- opening ---- */

static struct caller *caller_for(struct bottom_up *b, const struct step *step, uint32_t parent)
{
	uint32_t *known = &b->caller_of[2 * (size_t)step->key + (step->kind == CODE_INLINED)];

	if (*known == PROFILE_NONE) {
		struct caller c = { .node = { .parent = parent,
					      .first_child = PROFILE_NONE,
					      .next_sibling = PROFILE_NONE,
					      .key = step->key,
					      .kind = step->kind,
					      .guessed = true } };
		*known = (uint32_t)b->callers.len;
		vec_push(&b->callers, c);
	}
	return &b->callers.data[*known];
}

static bool is_outermost(const struct bottom_up *b, uint32_t place)
{
	return b->steps[place].parent == 0;
}

/* Go a step up from where something calls the place, and count what does. */
static void find_callers(struct bottom_up *b, uint32_t parent, struct range r)
{
	for (uint32_t i = r.first; i < r.first + r.count; i++) {
		struct place *p = &b->places[i];
		if (parent && is_outermost(b, p->at)) {
			p->at = 0;
			continue;
		}
		if (parent)
			p->at = b->steps[p->at].parent;
		const struct step *step = &b->steps[p->at];
		const struct weight *w = &b->weights[p->start];
		struct caller *c = caller_for(b, step, parent);
		bool ends = is_outermost(b, p->at);
		c->places.count++;
		c->node.guessed &= step->guessed;
		c->node.total += w->self;
		c->node.count += w->count;
		c->node.self += ends ? w->self : 0;
		c->node.self_count += ends ? w->count : 0;
	}
}

/* Put the places in the order of their callers; those that nothing calls are done with. */
static void order_places(struct bottom_up *b, struct range r)
{
	uint32_t first = 0;

	for (size_t i = 0; i < b->callers.len; i++) {
		b->callers.data[i].places.first = first;
		first += b->callers.data[i].places.count;
		b->callers.data[i].places.count = 0;
	}
	for (uint32_t i = r.first; i < r.first + r.count; i++) {
		if (b->places[i].at == 0)
			continue;
		const struct step *step = &b->steps[b->places[i].at];
		struct range *to = &caller_for(b, step, 0)->places;
		b->ordered[to->first + to->count++] = b->places[i];
	}
	memcpy(&b->places[r.first], b->ordered, first * sizeof(*b->places));
	for (size_t i = 0; i < b->callers.len; i++)
		b->callers.data[i].places.first += r.first;
}

/* As calltree_finish orders siblings. */
static int compare_callers(const void *a, const void *b, void *context)
{
	const struct calltree *t = context;
	const struct caller *x = a, *y = b;
	const struct calltree_key *kx = &t->keys.data[x->node.key],
				  *ky = &t->keys.data[y->node.key];

	if (x->node.total != y->node.total)
		return x->node.total > y->node.total ? -1 : 1;
	int order = strcmp(kx->name, ky->name);
	if (!order)
		order = (int)x->node.kind - (int)y->node.kind;
	if (!order)
		order = kx->module < ky->module ? -1 : kx->module > ky->module;
	return order ? order : x->node.key < y->node.key ? -1 : x->node.key > y->node.key;
}

static void add_callers(struct bottom_up *b, struct calltree *t, uint32_t parent)
{
	size_t count = b->callers.len;

	for (size_t i = 0; i < count; i++) {
		const struct calltree_node *n = &b->callers.data[i].node;
		b->caller_of[2 * (size_t)n->key + (n->kind == CODE_INLINED)] = PROFILE_NONE;
	}
	if (count > 1)
		qsort_r(b->callers.data, count, sizeof(*b->callers.data), compare_callers, t);
	if (count)
		t->nodes.data[parent].first_child = (uint32_t)t->nodes.len;
	for (size_t i = 0; i < count; i++) {
		struct calltree_node node = b->callers.data[i].node;
		if (i + 1 < count)
			node.next_sibling = (uint32_t)t->nodes.len + 1;
		vec_push(&t->nodes, node);
		vec_push(&b->ranges, b->callers.data[i].places);
	}
	vec_clear(&b->callers);
}

bool bottom_up_open(struct bottom_up *b, struct calltree *t, uint32_t node)
{
	struct range r = b->ranges.data[node];

	if (r.first == PROFILE_NONE)
		return false;
	b->ranges.data[node].first = PROFILE_NONE;
	find_callers(b, node, r);
	if (b->callers.len)
		order_places(b, r);
	add_callers(b, t, node);
	return true;
}

bool bottom_up_open_all(struct bottom_up *b, struct calltree *t, size_t most)
{
	for (; b->first_closed < t->nodes.len && t->nodes.len < most; b->first_closed++)
		bottom_up_open(b, t, (uint32_t)b->first_closed);
	return b->first_closed == t->nodes.len;
}

/* ---- life ---- */

void bottom_up_begin(struct bottom_up **out, struct calltree *t, const struct calltree *upright)
{
	struct bottom_up *b = xcalloc(1, sizeof(*b));

	copy_upright(b, upright);
	calltree_copy_root(t, upright);
	b->caller_of = xrealloc_array(NULL, t->keys.len, 2 * sizeof(*b->caller_of));
	memset(b->caller_of, 0xff, t->keys.len * 2 * sizeof(*b->caller_of));
	vec_push(&b->ranges, ((struct range){ 0, (uint32_t)b->place_count }));
	bottom_up_open(b, t, 0);
	struct calltree_node *root = &t->nodes.data[0];
	root->total = root->count = 0;
	for (uint32_t i = root->first_child; i != PROFILE_NONE; i = t->nodes.data[i].next_sibling) {
		root->total += t->nodes.data[i].total;
		root->count += t->nodes.data[i].count;
	}
	t->total = root->total;
	t->sample_count = root->count;
	*out = b;
}

/* Parents precede children. */
uint64_t bottom_up_weight(const struct bottom_up *b, const bool *keys)
{
	bool *inside = xcalloc(b->upright_nodes, sizeof(*inside));
	uint64_t sum = 0;

	for (size_t i = 1; i < b->upright_nodes; i++) {
		inside[i] = keys[b->steps[i].key] || inside[b->steps[i].parent];
		sum += inside[i] ? b->weights[i].self : 0;
	}
	free(inside);
	return sum;
}

size_t bottom_up_bytes(const struct bottom_up *b)
{
	return b->upright_nodes * (sizeof(*b->steps) + sizeof(*b->weights) + sizeof(*b->places)) +
	       b->place_count * sizeof(*b->ordered) + b->ranges.cap * sizeof(*b->ranges.data);
}

void bottom_up_free(struct bottom_up *b)
{
	if (!b)
		return;
	free(b->steps);
	free(b->weights);
	free(b->places);
	free(b->ordered);
	free(b->caller_of);
	vec_release(&b->ranges);
	vec_release(&b->callers);
	free(b);
}
