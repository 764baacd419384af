/* The embedded tree's shape: its nodes, frames and the columns that say which is called by which.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "output/flame.h"

struct walk {
	struct flame_places *places;
	const struct calltree *tree;
	const uint8_t *keep;
	struct hmap by_key; /* key and node traits → frame */
	struct hmap
		calls; /* caller's frame, callee's frame → which of the caller's callees it is */
	VEC(uint32_t) callees; /* by frame: distinct callees so far */
};

static uint64_t frame_key(const struct calltree_node *n)
{
	return (uint64_t)n->key << 16 | (uint64_t)(n->kind & 0xff) << 1 | n->guessed;
}

/* The frame of a node, made when it is new: *fresh says so. */
static uint32_t frame_of(struct walk *w, uint32_t node, bool *fresh)
{
	const struct calltree_node *n = &w->tree->nodes.data[node];
	uint32_t frame = hmap_get(&w->by_key, frame_key(n));

	*fresh = frame == HMAP_NONE;
	if (*fresh) {
		vec_push(&w->places->frames, ((struct flame_frame){ n->key, n->kind, n->guessed }));
		vec_push(&w->callees, 0);
		frame = (uint32_t)w->places->frames.len;
		hmap_put(&w->by_key, frame_key(n), frame);
	}
	return frame;
}

static uint32_t parent_frame(struct walk *w, uint32_t node)
{
	bool fresh;

	return node == 0 ? 0 : frame_of(w, w->tree->nodes.data[node].parent, &fresh);
}

static void add_call(struct walk *w, uint32_t caller, uint32_t callee, bool fresh)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t known = hmap_get(&w->calls, key);

	if (known != HMAP_NONE) {
		bytes_varint(&w->places->call, (uint64_t)known + 1);
		return;
	}
	hmap_put(&w->calls, key, w->callees.data[caller]++);
	bytes_varint(&w->places->call, 0);
	bytes_varint(&w->places->callee, fresh ? 0 : (uint64_t)callee + 1);
}

/* How many nodes are left out below each that is kept: into the slots, which nodes do not have yet.
 */
static void count_left_out(struct walk *w)
{
	const struct calltree_node *nodes = w->tree->nodes.data;
	uint32_t *slot = w->places->slot;

	for (size_t i = w->tree->nodes.len; i-- > 1;)
		slot[nodes[i].parent] += w->keep[i] ? 0 : slot[i] + 1;
}

/* Behind their slots stand those of the small frames below them. */
static void place_left_out(struct walk *w)
{
	const struct calltree_node *nodes = w->tree->nodes.data;
	uint32_t *slot = w->places->slot;

	for (size_t i = 1; i < w->tree->nodes.len; i++) {
		if (!w->keep[i])
			slot[i] = slot[nodes[i].parent] + w->keep[nodes[i].parent];
	}
}

/* Levels between n and ancestor, which is n or above it. */
static uint32_t levels_up(const struct calltree *t, uint32_t n, uint32_t ancestor)
{
	uint32_t levels = 0;

	for (; n != ancestor; n = t->nodes.data[n].parent)
		levels++;
	return levels;
}

/* The node that stands for what n loses, as n's first child: only there its parent is at hand. */
static bool add_small(struct walk *w, uint32_t frame, uint32_t left_out)
{
	if (left_out == 0)
		return false;
	add_call(w, frame, 0, false);
	bytes_varint(&w->places->pops, 0);
	bytes_varint(&w->places->small, left_out);
	w->places->count++;
	return true;
}

static void add_nodes(struct walk *w)
{
	const struct calltree_node *nodes = w->tree->nodes.data;
	uint32_t previous = PROFILE_NONE;
	bool after_small = false;

	for (uint32_t n = 0; n != PROFILE_NONE;) {
		if (!w->keep[n]) {
			n = flame_next(w->tree, n, true);
			continue;
		}
		bool fresh;
		uint32_t pops =
			n == 0 ? 0 : levels_up(w->tree, previous, nodes[n].parent) + after_small;
		uint32_t caller = parent_frame(w, n), frame = frame_of(w, n, &fresh);
		add_call(w, caller, frame, fresh);
		bytes_varint(&w->places->pops, pops);
		uint32_t left_out = w->places->slot[n];
		w->places->slot[n] = (uint32_t)w->places->count++;
		after_small = add_small(w, frame, left_out);
		previous = n;
		n = flame_next(w->tree, n, false);
	}
}

void flame_places_build(struct flame_places *places, const struct calltree *t, const uint8_t *keep)
{
	struct walk w = { .places = places, .tree = t, .keep = keep };

	*places = (struct flame_places){ 0 };
	places->slot = xcalloc(t->nodes.len + 1, sizeof(*places->slot));
	vec_push(&w.callees, 0);
	count_left_out(&w);
	if (t->nodes.len > 0)
		add_nodes(&w);
	place_left_out(&w);
	vec_release(&w.callees);
	hmap_release(&w.by_key);
	hmap_release(&w.calls);
}

void flame_places_release(struct flame_places *places)
{
	free_ptr(&places->slot);
	vec_release(&places->frames);
	bytes_release(&places->pops);
	bytes_release(&places->call);
	bytes_release(&places->callee);
	bytes_release(&places->small);
}
