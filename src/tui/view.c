/* Making trees and tables, and keeping what does not change. */
#include "tui/view.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/neighbours.h"

void view_init(struct view *v, const struct profile *p, const struct calltree_options *frames)
{
	memset(v, 0, sizeof(*v));
	v->profile = p;
	v->frames = frames;
}

static void drop_trees(struct view *v)
{
	for (unsigned i = 0; i < v->tree_count; i++)
		calltree_release(&v->trees[i]);
	v->tree_count = 0;
	v->has_trees = false;
}

static void drop_table(struct view *v)
{
	if (v->has_table)
		flat_release(&v->flat);
	v->has_table = false;
}

static void drop_samples(struct view *v)
{
	drop_trees(v);
	drop_table(v);
	if (v->has_lines)
		hot_lines_release(&v->lines);
	if (v->has_samples) {
		filter_result_release(&v->samples);
		hidden_release(&v->hidden);
	}
	v->has_lines = v->has_samples = false;
}

void view_release(struct view *v)
{
	drop_samples(v);
	state_release(&v->made_of);
}

struct calltree_options view_options(const struct view *v, const struct state *s)
{
	struct calltree_options o = *v->frames;

	o.by_module = s->by_module;
	o.merge_recursion = s->fold;
	o.inverted = s->view == VIEW_UP;
	o.hides = v->hidden.items.len ? hidden_hides : NULL;
	o.hides_context = &v->hidden;
	return o;
}

static bool same_filters(const struct filters *a, const struct filters *b)
{
	if (a->items.len != b->items.len)
		return false;
	for (size_t i = 0; i < a->items.len; i++)
		if (a->items.data[i].kind != b->items.data[i].kind ||
		    strcmp(a->items.data[i].word, b->items.data[i].word) != 0)
			return false;
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_trees(const struct state *a, const struct state *b)
{
	return a->view == b->view && a->by_module == b->by_module && a->fold == b->fold &&
	       same_text(a->around, b->around);
}

static int make_around(struct calltree trees[2], const struct view *v, const struct state *s,
		       struct error *err)
{
	struct calltree_options o = view_options(v, s);

	if (calltree_callees(&trees[0], v->profile, &v->samples, v->event, &o, "callers & callees",
			     s->around, err) < 0)
		return -1;
	if (calltree_callers(&trees[1], v->profile, &v->samples, v->event, &o, "callers & callees",
			     s->around, err) == 0)
		return 0;
	calltree_release(&trees[0]);
	return -1;
}

static int make_trees(struct view *v, const struct state *s, struct error *err)
{
	struct calltree_options o = view_options(v, s);
	struct calltree trees[2];
	unsigned count = s->view == VIEW_AROUND ? 2 : 1;

	if (s->view == VIEW_AROUND) {
		if (make_around(trees, v, s, err) < 0)
			return -1;
	} else {
		calltree_build(&trees[0], v->profile, &v->samples, v->event, &o);
	}
	drop_trees(v);
	memcpy(v->trees, trees, count * sizeof(*trees));
	v->tree_count = count;
	v->has_trees = true;
	return 0;
}

static void remember(struct view *v, const struct state *s)
{
	state_release(&v->made_of);
	state_copy(&v->made_of, s);
}

static uint64_t sum_weights(const struct view *v)
{
	uint64_t limit = frame_weight_limit(v->profile, &v->samples), total = 0;

	for (size_t i = 0; i < v->samples.samples.len; i++) {
		const struct profile_sample *s =
			&v->profile->samples.data[v->samples.samples.data[i]];
		if (s->event == v->event)
			total += s->weight < limit ? s->weight : limit;
	}
	return total;
}

/* Into a view of its own, which takes v's place only when all succeeded. */
static int make_samples(struct view *v, const struct state *s, struct error *err)
{
	struct view fresh;

	view_init(&fresh, v->profile, v->frames);
	if (hidden_compile(&fresh.hidden, &s->filters, err) < 0)
		return -1;
	if (filters_apply(&s->filters, v->profile, &fresh.samples, &fresh.event, err) < 0) {
		hidden_release(&fresh.hidden);
		return -1;
	}
	fresh.has_samples = true;
	fresh.total = sum_weights(&fresh);
	if (make_trees(&fresh, s, err) < 0) {
		view_release(&fresh);
		return -1;
	}
	view_release(v);
	*v = fresh;
	return 0;
}

int view_make(struct view *v, const struct state *s, struct error *err)
{
	bool by_module = v->made_of.by_module;

	if (!v->has_samples || !same_filters(&v->made_of.filters, &s->filters)) {
		if (make_samples(v, s, err) < 0)
			return -1;
	} else if (!v->has_trees || !same_trees(&v->made_of, s)) {
		if (make_trees(v, s, err) < 0)
			return -1;
		if (by_module != s->by_module)
			drop_table(v);
	}
	remember(v, s);
	return 0;
}

const struct flat *view_table(struct view *v)
{
	if (!v->has_table) {
		struct calltree_options o = view_options(v, &v->made_of);
		flat_build(&v->flat, v->profile, &v->samples, v->event,
			   v->made_of.by_module ? FLAT_BY_MODULE : FLAT_BY_FUNCTION, &o);
		v->has_table = true;
	}
	return &v->flat;
}

const struct hot_lines *view_lines(struct view *v)
{
	if (!v->has_lines) {
		hot_lines_find_all(&v->lines, v->profile, &v->samples, v->event,
				   v->frames->no_inline);
		v->has_lines = true;
	}
	return &v->lines;
}
