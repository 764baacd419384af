/* Making trees and tables, from what is there already where that is possible. */
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

void view_release(struct view *v)
{
	kept_release(&v->kept);
	state_release(&v->made_of);
}

static struct calltree_options options_of(const struct calltree_options *frames,
					  const struct hidden *hidden, const struct state *s)
{
	struct calltree_options o = *frames;

	o.by_module = s->by_module;
	o.merge_recursion = s->fold;
	o.inverted = s->view == VIEW_UP;
	o.hides = hidden->patterns.items.len ? hidden_hides : NULL;
	o.hides_context = hidden;
	return o;
}

struct calltree_options view_options(const struct view *v, const struct state *s)
{
	return options_of(v->frames, &v->hidden, s);
}

/* ---- samples ---- */

static uint64_t sum_weights(const struct profile *p, const struct chosen *c)
{
	uint64_t limit = frame_weight_limit(p, &c->samples), total = 0;

	for (size_t i = 0; i < c->samples.samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[c->samples.samples.data[i]];
		if (s->event == c->event)
			total += s->weight < limit ? s->weight : limit;
	}
	return total;
}

static struct chosen *choose(struct view *v, const struct filters *filters, struct error *err)
{
	struct chosen *c = kept_chosen(&v->kept, filters);

	if (c)
		return c;
	c = xcalloc(1, sizeof(*c));
	if (hidden_compile(&c->hidden, filters, v->profile, err) < 0) {
		free(c);
		return NULL;
	}
	if (filters_apply(filters, v->profile, &c->samples, &c->event, err) < 0) {
		hidden_release(&c->hidden);
		free(c);
		return NULL;
	}
	filters_copy(&c->filters, filters);
	c->total = sum_weights(v->profile, c);
	kept_add_chosen(&v->kept, c);
	return c;
}

/* ---- trees ---- */

static bool has_all_samples(const struct state *s)
{
	for (size_t i = 0; i < s->filters.items.len; i++)
		if (s->filters.items.data[i].kind != FILTER_HIDE)
			return false;
	return true;
}

static bool has_other_events(const struct profile *p, uint32_t event)
{
	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.data[i].event != event)
			return true;
	return false;
}

static struct planted *plant(const struct state *s)
{
	struct planted *p = xcalloc(1, sizeof(*p));

	state_copy(&p->of, s);
	p->count = 1;
	return p;
}

static uint32_t *nodes_for(const struct chosen *c)
{
	return xcalloc(c->samples.samples.len + 1, sizeof(uint32_t));
}

/* The tree of all samples, as others are made from it. NULL: there is none, nor should be. */
static struct planted *base_for(struct view *v, const struct chosen *c, const struct state *s)
{
	const struct profile *p = v->profile;
	struct planted *base = kept_base(&v->kept, s);
	struct calltree_options o = options_of(v->frames, &c->hidden, s);

	if (base || !has_all_samples(s))
		return base;
	base = plant(s);
	base->node_of_sample = nodes_for(c);
	calltree_build_places(&base->trees[0], p, &c->samples, c->event, &o, base->node_of_sample);
	base->places = xrealloc_array(NULL, p->samples.len + 1, sizeof(*base->places));
	memset(base->places, 0xff, (p->samples.len + 1) * sizeof(*base->places));
	for (size_t i = 0; i < c->samples.samples.len; i++)
		base->places[c->samples.samples.data[i]] = base->node_of_sample[i];
	kept_add_planted(&v->kept, base);
	return base;
}

/* From the root down; s: upright. */
static struct planted *plant_upright(struct view *v, const struct chosen *c, const struct state *s,
				     struct planted **base)
{
	struct calltree_options o = options_of(v->frames, &c->hidden, s);

	*base = base_for(v, c, s);
	if (*base && has_all_samples(s) && (*base)->trees[0].event == c->event &&
	    !has_other_events(v->profile, c->event))
		return *base;
	struct planted *p = kept_planted(&v->kept, s);
	if (p)
		return p;
	p = plant(s);
	if (*base) {
		p->node_of_sample = nodes_for(c);
		calltree_select(&p->trees[0], &(*base)->trees[0], (*base)->places, &c->samples,
				c->event, p->node_of_sample);
	} else {
		calltree_build(&p->trees[0], v->profile, &c->samples, c->event, &o);
	}
	kept_add_planted(&v->kept, p);
	return p;
}

static struct planted *plant_bottom_up(struct view *v, const struct chosen *c,
				       const struct state *s, struct planted **base)
{
	struct state upright = *s;

	upright.view = VIEW_DOWN;
	const struct planted *from = plant_upright(v, c, &upright, base);
	struct planted *p = plant(s);
	bottom_up_begin(&p->bottom_up, &p->trees[0], &from->trees[0]);
	kept_add_planted(&v->kept, p);
	return p;
}

static struct planted *plant_around(struct view *v, const struct chosen *c, const struct state *s,
				    struct error *err)
{
	struct calltree_options o = options_of(v->frames, &c->hidden, s);
	struct calltree trees[2];

	if (calltree_callees(&trees[0], v->profile, &c->samples, c->event, &o, "callers & callees",
			     s->around, err) < 0)
		return NULL;
	if (calltree_callers(&trees[1], v->profile, &c->samples, c->event, &o, "callers & callees",
			     s->around, err) < 0) {
		calltree_release(&trees[0]);
		return NULL;
	}
	struct planted *p = plant(s);
	memcpy(p->trees, trees, sizeof(trees));
	p->count = 2;
	kept_add_planted(&v->kept, p);
	return p;
}

/* ---- what is shown ---- */

/* The parts of c and p, for who draws. */
static void show(struct view *v, const struct state *s, struct chosen *c, struct planted *p)
{
	v->chosen = c;
	v->planted = p;
	v->samples = c->samples;
	v->event = c->event;
	v->total = c->total;
	v->hidden = c->hidden;
	v->lines = c->lines;
	v->has_table = c->has_flat[s->by_module];
	v->flat = c->flat[s->by_module];
	memcpy(v->trees, p->trees, sizeof(v->trees));
	v->tree_count = p->count;
	v->has_trees = true;
	state_release(&v->made_of);
	state_copy(&v->made_of, s);
}

int view_make(struct view *v, const struct state *s, struct error *err)
{
	struct planted *p, *base = NULL;

	if (v->has_trees && same_trees(&v->made_of, s) &&
	    same_filters(&v->made_of.filters, &s->filters)) {
		show(v, s, v->chosen, v->planted);
		return 0;
	}
	struct chosen *c = choose(v, &s->filters, err);
	if (!c)
		return -1;
	if (s->view == VIEW_DOWN)
		p = plant_upright(v, c, s, &base);
	else if (!(p = kept_planted(&v->kept, s)))
		p = s->view == VIEW_UP ? plant_bottom_up(v, c, s, &base)
				       : plant_around(v, c, s, err);
	if (!p)
		return -1;
	show(v, s, c, p);
	kept_bound(&v->kept, c, p, base);
	return 0;
}

void view_open(struct view *v, unsigned tree, uint32_t node)
{
	struct planted *p = v->planted;

	if (tree == 0 && p->bottom_up && bottom_up_open(p->bottom_up, &p->trees[0], node))
		v->trees[0] = p->trees[0];
}

bool view_open_all(struct view *v, size_t most)
{
	struct planted *p = v->planted;

	if (!p->bottom_up)
		return true;
	bool all = bottom_up_open_all(p->bottom_up, &p->trees[0], most);
	v->trees[0] = p->trees[0];
	return all;
}

const struct flat *view_table(struct view *v)
{
	struct chosen *c = v->chosen;
	bool by_module = v->made_of.by_module;

	if (!c->has_flat[by_module] && v->planted->node_of_sample) {
		flat_build_from_tree(&c->flat[by_module], &v->planted->trees[0], &c->samples,
				     v->planted->node_of_sample);
	} else if (!c->has_flat[by_module]) {
		struct calltree_options o = view_options(v, &v->made_of);
		flat_build(&c->flat[by_module], v->profile, &c->samples, c->event,
			   by_module ? FLAT_BY_MODULE : FLAT_BY_FUNCTION, &o);
	}
	c->has_flat[by_module] = v->has_table = true;
	v->flat = c->flat[by_module];
	return &v->flat;
}

const struct filter_result *view_samples_of_all_time(struct view *v)
{
	struct filters others;

	filters_copy(&others, &v->made_of.filters);
	filters_remove_kind(&others, FILTER_TIME);
	const struct chosen *c =
		same_filters(&others, &v->made_of.filters) ? v->chosen : choose(v, &others, NULL);
	filters_release(&others);
	return c ? &c->samples : &v->samples;
}

const struct hot_lines *view_lines(struct view *v)
{
	struct chosen *c = v->chosen;

	if (!c->has_lines)
		hot_lines_find_all(&c->lines, v->profile, &c->samples, c->event,
				   v->frames->no_inline);
	c->has_lines = true;
	v->lines = c->lines;
	return &v->lines;
}
