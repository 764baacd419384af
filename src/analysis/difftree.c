/* The union of two call trees. */
#include "analysis/difftree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/difftree_parts.h"
#include "analysis/frames.h"

/* What each side weighs in the layout, when shares are compared. */
#define LAYOUT_WEIGHT ((uint64_t)1 << 40)

static void input_init(struct diff_input *in, const struct diff_source *source,
		       const struct calltree_options *options)
{
	struct calltree_options upright = *options;
	size_t samples = source->samples->samples.len;

	upright.inverted = false;
	in->source = *source;
	in->node_of_sample = xcalloc(samples, sizeof(*in->node_of_sample));
	calltree_build_upright(&in->tree, source->profile, source->samples, source->event, &upright,
			       in->node_of_sample);
}

static void input_release(struct diff_input *in)
{
	free(in->node_of_sample);
	free(in->module);
	calltree_release(&in->tree);
}

static void add_root(struct difftree *d, struct diff_keys *keys)
{
	struct calltree_node root = { .parent = PROFILE_NONE, .kind = CODE_SYNTHETIC };

	root.first_child = root.next_sibling = PROFILE_NONE;
	root.key = diff_key(keys, DIFF_NEW, keys->inputs[DIFF_NEW].tree.nodes.data[0].key);
	vec_push(&d->tree.nodes, root);
}

/* Where each node of one side's tree is in the union. */
static uint32_t *unite(struct difftree *d, struct diff_keys *keys, struct pairmap *children,
		       int side)
{
	const struct calltree *t = &keys->inputs[side].tree;
	uint32_t *place = xcalloc(t->nodes.len, sizeof(*place));

	for (uint32_t i = 1; i < t->nodes.len; i++) {
		struct calltree_node like = t->nodes.data[i];
		uint32_t parent = place[like.parent];
		like.key = diff_key(keys, side, like.key);
		/* Unknown code that is one frame here is many where it was recorded. */
		bool folds = like.key == d->tree.nodes.data[parent].key &&
			     frame_is_unknown_name(d->tree.keys.data[like.key].name);
		place[i] = folds ? parent : calltree_child_like(&d->tree, children, parent, &like);
	}
	return place;
}

static void add_parts(struct difftree *d, const struct calltree *t, const uint32_t *place, int side)
{
	while (d->nodes.len < d->tree.nodes.len)
		vec_push(&d->nodes, (struct diff_node){ 0 });
	for (size_t i = 0; i < t->nodes.len; i++) {
		struct diff_part *part = &d->nodes.data[place[i]].part[side];
		part->self += t->nodes.data[i].self;
		part->self_count += t->nodes.data[i].self_count;
	}
	d->side[side].total = t->total;
	d->side[side].samples = t->sample_count;
}

/* The samples' nodes, from one tree to the next. */
static void move_samples(struct diff_input *in, const uint32_t *place)
{
	for (size_t i = 0; i < in->source.samples->samples.len; i++)
		if (in->node_of_sample[i] != PROFILE_NONE)
			in->node_of_sample[i] = place[in->node_of_sample[i]];
}

/* Never nothing for something, so that what was sampled is drawn. */
static uint64_t layout_weight(const struct difftree *d, uint64_t self, int side)
{
	if (self == 0)
		return 0;
	uint64_t weight =
		d->is_absolute
			? self / 2
			: (uint64_t)((unsigned __int128)self * LAYOUT_WEIGHT / d->side[side].total);
	return weight ? weight : 1;
}

static void set_layout(struct difftree *d)
{
	for (size_t i = 0; i < d->tree.nodes.len; i++) {
		struct calltree_node *n = &d->tree.nodes.data[i];
		for (int side = 0; side < DIFF_SIDES; side++) {
			const struct diff_part *part = &d->nodes.data[i].part[side];
			n->self += layout_weight(d, part->self, side);
			n->self_count += part->self_count;
		}
	}
}

static void sum_totals(struct difftree *d)
{
	struct diff_node *nodes = d->nodes.data;

	for (size_t i = d->nodes.len; i-- > 0;) {
		for (int side = 0; side < DIFF_SIDES; side++) {
			struct diff_part *part = &nodes[i].part[side];
			part->total += part->self;
			part->count += part->self_count;
			if (i == 0)
				continue;
			struct diff_part *above = &nodes[d->tree.nodes.data[i].parent].part[side];
			above->total += part->total;
			above->count += part->count;
		}
	}
}

/* The union so far becomes its bottom-up tree, with all that was known of its nodes. */
static void invert(struct difftree *d, struct diff_input *inputs)
{
	struct calltree upright = d->tree;
	VEC(struct diff_node) before = { d->nodes.data, d->nodes.len, d->nodes.cap };
	uint32_t *ends = xcalloc(upright.nodes.len, sizeof(*ends));

	d->tree = (struct calltree){ .profile = upright.profile, .event = upright.event };
	calltree_invert(&d->tree, &upright, NULL, ends);
	memset(&d->nodes, 0, sizeof(d->nodes));
	while (d->nodes.len < d->tree.nodes.len)
		vec_push(&d->nodes, (struct diff_node){ 0 });
	for (size_t i = 0; i < before.len; i++) {
		for (int side = 0; side < DIFF_SIDES; side++) {
			struct diff_part *part = &d->nodes.data[ends[i]].part[side];
			part->self += before.data[i].part[side].self;
			part->self_count += before.data[i].part[side].self_count;
		}
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		move_samples(&inputs[side], ends);
	free(ends);
	vec_release(&before);
	calltree_release(&upright);
}

static void build_union(struct difftree *d, struct diff_input *inputs)
{
	struct diff_keys keys = { .diff = d, .inputs = inputs };
	struct pairmap children = { NULL, 0, 0 };

	diff_match_modules(d, inputs, &keys);
	add_root(d, &keys);
	/* The new profile first: what keys have besides their name is its. */
	for (int side = DIFF_NEW; side >= DIFF_BASE; side--) {
		uint32_t *place = unite(d, &keys, &children, side);
		add_parts(d, &inputs[side].tree, place, side);
		move_samples(&inputs[side], place);
		free(place);
	}
	pairmap_release(&children);
	diff_keys_release(&keys);
}

void difftree_build(struct difftree *d, const struct diff_source sources[DIFF_SIDES], bool absolute,
		    const struct calltree_options *options)
{
	struct diff_input inputs[DIFF_SIDES] = { 0 };

	memset(d, 0, sizeof(*d));
	profile_init(&d->names);
	d->is_absolute = absolute;
	d->tree.profile = &d->names;
	for (int side = 0; side < DIFF_SIDES; side++)
		input_init(&inputs[side], &sources[side], options);
	build_union(d, inputs);
	set_layout(d);
	if (options->inverted)
		invert(d, inputs);
	sum_totals(d);
	calltree_finish(&d->tree);
	diff_measure(d, inputs);
	for (int side = 0; side < DIFF_SIDES; side++)
		input_release(&inputs[side]);
}

void difftree_release(struct difftree *d)
{
	calltree_release(&d->tree);
	vec_release(&d->nodes);
	profile_release(&d->names);
}

static double larger_total(const struct difftree *d)
{
	uint64_t base = d->side[DIFF_BASE].total, new = d->side[DIFF_NEW].total;

	return (double)(base > new ? base : new);
}

double difftree_share(const struct difftree *d, uint32_t node, int side)
{
	double all = d->is_absolute ? larger_total(d) : (double)d->side[side].total;

	return all > 0 ? (double)d->nodes.data[node].part[side].total / all : 0;
}

double difftree_error(const struct difftree *d, uint32_t node, int side)
{
	const struct diff_part *part = &d->nodes.data[node].part[side];

	return (part->high - part->low) / 2;
}
