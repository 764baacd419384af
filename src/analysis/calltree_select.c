/* The call tree of some of the samples, from that of all: no stack is walked again. */
#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/frames.h"

static void copy_keys(struct calltree *t, const struct calltree *whole)
{
	size_t functions = whole->key_of_function ? whole->profile->functions.len : 0;

	vec_reserve(&t->keys, whole->keys.len);
	for (size_t i = 0; i < whole->keys.len; i++) {
		struct calltree_key key = whole->keys.data[i];
		if (key.own_name)
			key.name = key.own_name = xstrdup(key.own_name);
		vec_push(&t->keys, key);
	}
	if (!whole->key_of_function)
		return;
	t->key_of_function = xrealloc_array(NULL, functions, sizeof(*t->key_of_function));
	memcpy(t->key_of_function, whole->key_of_function, functions * sizeof(*t->key_of_function));
}

/* Which node of t each of the whole tree's is; PROFILE_NONE: no sample is there or below. */
static uint32_t *copy_nodes(struct calltree *t, const struct calltree *whole,
			    const uint32_t *node_of_sample, size_t samples)
{
	size_t n = whole->nodes.len;
	uint32_t *copies = xrealloc_array(NULL, n, sizeof(*copies)), count = 0;

	memset(copies, 0xff, n * sizeof(*copies));
	copies[0] = 0;
	for (size_t i = 0; i < samples; i++)
		if (node_of_sample[i] != PROFILE_NONE)
			copies[node_of_sample[i]] = 0;
	/* Parents precede children. */
	for (size_t i = n; i-- > 1;) {
		if (copies[i] == PROFILE_NONE)
			continue;
		copies[whole->nodes.data[i].parent] = 0;
		count++;
	}
	vec_reserve(&t->nodes, count + 1);
	for (size_t i = 0; i < n; i++) {
		if (copies[i] == PROFILE_NONE)
			continue;
		struct calltree_node node = whole->nodes.data[i];
		copies[i] = (uint32_t)t->nodes.len;
		node.self = node.self_count = node.total = node.count = 0;
		if (i)
			node.parent = copies[node.parent];
		vec_push(&t->nodes, node);
	}
	return copies;
}

void calltree_select(struct calltree *t, const struct calltree *whole, const uint32_t *places,
		     const struct filter_result *samples, uint32_t event, uint32_t *node_of_sample)
{
	const struct profile *p = whole->profile;
	uint64_t limit = frame_weight_limit(p, samples);
	size_t count = samples->samples.len;

	memset(t, 0, sizeof(*t));
	t->profile = p;
	t->event = event;
	for (size_t i = 0; i < count; i++) {
		uint32_t sample = samples->samples.data[i];
		bool counts = p->samples.data[sample].event == event;
		node_of_sample[i] = counts ? places[sample] : PROFILE_NONE;
	}
	copy_keys(t, whole);
	uint32_t *copies = copy_nodes(t, whole, node_of_sample, count);
	for (size_t i = 0; i < count; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (node_of_sample[i] == PROFILE_NONE)
			continue;
		node_of_sample[i] = copies[node_of_sample[i]];
		struct calltree_node *n = &t->nodes.data[node_of_sample[i]];
		n->self += s->weight < limit ? s->weight : limit;
		n->self_count += !(s->flags & SAMPLE_SYNTHETIC);
	}
	free(copies);
	calltree_finish(t);
}

void calltree_copy_root(struct calltree *t, const struct calltree *upright)
{
	struct calltree_node root = upright->nodes.data[0];

	memset(t, 0, sizeof(*t));
	t->profile = upright->profile;
	t->event = upright->event;
	copy_keys(t, upright);
	free_ptr(&t->key_of_function);
	root.self = root.self_count = 0;
	root.first_child = PROFILE_NONE;
	vec_push(&t->nodes, root);
}
