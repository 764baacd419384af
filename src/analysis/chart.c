/* See chart.h. Samples are taken in their order; of each, the frames it shares with the one before
 * stay, and the others are new nodes. */
#include "analysis/chart.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/frames.h"
#include "base/memory.h"

struct entry {	      /* of a sample */
	uint32_t row; /* where its row stands */
	uint32_t tid;
	uint32_t at; /* in the list of samples, which is in the order of time */
};

struct step { /* of the stack that was drawn last */
	uint32_t merged, node;
};

struct charter {
	struct chart *chart;
	const struct calltree *merged;
	VEC(struct step) path;	  /* from the root */
	VEC(uint32_t) last_child; /* by node of the chart */
	VEC(uint32_t) wanted;	  /* merged nodes of a sample, leaf first */
	size_t limit;
	uint32_t self_key;
};

static int in_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* Of each child of the merged tree's root, and what is below it, its number among them. */
static uint32_t *number_rows(const struct calltree *t)
{
	uint32_t *rows = xcalloc(t->nodes.len + 1, sizeof(*rows)), number = 0;

	for (uint32_t c = t->nodes.data[0].first_child; c != PROFILE_NONE;
	     c = t->nodes.data[c].next_sibling)
		rows[c] = number++;
	for (size_t i = 1; i < t->nodes.len; i++)
		if (t->nodes.data[i].parent != 0)
			rows[i] = rows[t->nodes.data[i].parent];
	return rows;
}

static size_t put_in_order(struct entry *entries, const struct calltree *t,
			   const struct filter_result *samples, const uint32_t *node_of_sample,
			   bool has_rows)
{
	const struct profile *p = t->profile;
	uint32_t *rows = has_rows ? number_rows(t) : NULL;
	size_t count = 0;

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (node_of_sample[i] == PROFILE_NONE)
			continue;
		entries[count++] = (struct entry){
			.row = rows ? rows[node_of_sample[i]] : 0,
			.tid = rows && s->task < p->tasks.len ? p->tasks.data[s->task].tid : 0,
			.at = (uint32_t)i,
		};
	}
	free(rows);
	if (count > 1)
		qsort(entries, count, sizeof(*entries), in_order);
	return count;
}

static uint32_t add_node(struct charter *c, uint32_t parent, struct calltree_node node)
{
	struct calltree *t = &c->chart->tree;
	uint32_t id = (uint32_t)t->nodes.len;

	node.parent = parent;
	node.first_child = node.next_sibling = PROFILE_NONE;
	node.self = node.self_count = node.total = node.count = 0;
	vec_push(&t->nodes, node);
	vec_push(&c->last_child, PROFILE_NONE);
	if (parent == PROFILE_NONE)
		return id;
	uint32_t *last = &c->last_child.data[parent];
	if (*last == PROFILE_NONE)
		t->nodes.data[parent].first_child = id;
	else
		t->nodes.data[*last].next_sibling = id;
	*last = id;
	return id;
}

/* Where node's own time goes now: to itself as long as it called nothing. */
static uint32_t own_time(struct charter *c, uint32_t node)
{
	const struct calltree *t = &c->chart->tree;
	uint32_t last = c->last_child.data[node];

	if (last == PROFILE_NONE || t->nodes.data[last].key == c->self_key)
		return last == PROFILE_NONE ? node : last;
	return add_node(c, node,
			(struct calltree_node){ .key = c->self_key, .kind = CODE_SYNTHETIC });
}

/* The node for a sample at a merged node; the path is its stack then. */
static uint32_t take(struct charter *c, uint32_t merged)
{
	const struct calltree_node *nodes = c->merged->nodes.data;
	size_t depth = 0;

	vec_clear(&c->wanted);
	for (uint32_t n = merged; n != PROFILE_NONE; n = nodes[n].parent)
		vec_push(&c->wanted, n);
	while (depth < c->path.len && depth < c->wanted.len &&
	       c->path.data[depth].merged == c->wanted.data[c->wanted.len - 1 - depth])
		depth++;
	c->path.len = depth;
	uint32_t node = c->path.data[depth - 1].node;
	size_t more = c->wanted.len > depth ? c->wanted.len - depth : 1;
	if (c->chart->tree.nodes.len + more > c->limit) {
		c->chart->cut += depth < c->wanted.len;
		return c->chart->tree.nodes.len < c->limit ? own_time(c, node) : node;
	}
	if (depth == c->wanted.len)
		return own_time(c, node);
	for (; depth < c->wanted.len; depth++) {
		uint32_t n = c->wanted.data[c->wanted.len - 1 - depth];
		node = add_node(c, node, nodes[n]);
		vec_push(&c->path, ((struct step){ n, node }));
	}
	return node;
}

static void start(struct charter *c, struct calltree *merged)
{
	struct calltree *t = &c->chart->tree;

	t->profile = merged->profile;
	t->event = merged->event;
	t->is_chart = true;
	calltree_take_root(t, merged);
	t->nodes.data[0].total = t->nodes.data[0].count = 0;
	vec_push(&c->last_child, PROFILE_NONE);
	t->self_key = c->self_key = (uint32_t)t->keys.len;
	vec_push(&t->keys,
		 ((struct calltree_key){
			 .name = CHART_SELF, .module = PROFILE_NONE, .kind = CODE_SYNTHETIC }));
	vec_push(&c->path, ((struct step){ 0, 0 }));
}

static bool has_several_threads(const struct profile *p, const struct filter_result *samples,
				uint32_t event)
{
	uint32_t first = PROFILE_NONE;

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (s->event != event || s->task >= p->tasks.len)
			continue;
		if (first != PROFILE_NONE && p->tasks.data[s->task].tid != first)
			return true;
		first = p->tasks.data[s->task].tid;
	}
	return false;
}

void chart_build(struct chart *chart, const struct profile *p, const struct filter_result *samples,
		 uint32_t event, const struct calltree_options *options, uint32_t *node_of_sample,
		 size_t node_limit)
{
	struct calltree merged;
	struct calltree_options frames = *options;
	struct charter c = { .chart = chart, .merged = &merged, .limit = node_limit };
	struct entry *entries = xrealloc_array(NULL, samples->samples.len + 1, sizeof(*entries));
	uint64_t limit = frame_weight_limit(p, samples);

	memset(chart, 0, sizeof(*chart));
	frames.inverted = false;
	frames.by_thread |= !frames.by_comm && has_several_threads(p, samples, event);
	calltree_build_upright(&merged, p, samples, event, &frames, node_of_sample);
	size_t count = put_in_order(entries, &merged, samples, node_of_sample,
				    frames.by_thread || frames.by_comm);
	start(&c, &merged);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = entries[i].at, node = take(&c, node_of_sample[at]);
		const struct profile_sample *s = &p->samples.data[samples->samples.data[at]];
		struct calltree_node *n = &chart->tree.nodes.data[node];
		n->self += s->weight < limit ? s->weight : limit;
		n->self_count += !(s->flags & SAMPLE_SYNTHETIC);
		node_of_sample[at] = node;
	}
	calltree_sum(&chart->tree);
	vec_release(&c.path);
	vec_release(&c.last_child);
	vec_release(&c.wanted);
	free(entries);
	calltree_release(&merged);
}

void chart_release(struct chart *c)
{
	calltree_release(&c->tree);
}
