#include "tui/kept.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES  ((size_t)256 << 20) /* of trees that are not shown */
#define MOST_CHOSEN ((size_t)16)

bool same_filters(const struct filters *a, const struct filters *b)
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

bool same_trees(const struct state *a, const struct state *b)
{
	return a->view == b->view && a->by_module == b->by_module && a->fold == b->fold &&
	       same_text(a->around, b->around);
}

static bool is_hide(const struct filter_item *item)
{
	return item->kind == FILTER_HIDE;
}

/* Do both hide the same frames? */
static bool same_hides(const struct filters *a, const struct filters *b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->items.len && !is_hide(&a->items.data[i]))
			i++;
		while (k < b->items.len && !is_hide(&b->items.data[k]))
			k++;
		if (i == a->items.len || k == b->items.len)
			return i == a->items.len && k == b->items.len;
		if (strcmp(a->items.data[i].word, b->items.data[k].word) != 0)
			return false;
	}
}

static void free_chosen(struct chosen *c)
{
	for (int i = 0; i < 2; i++)
		if (c->has_flat[i])
			flat_release(&c->flat[i]);
	if (c->has_lines)
		hot_lines_release(&c->lines);
	filter_result_release(&c->samples);
	hidden_release(&c->hidden);
	filters_release(&c->filters);
	free(c);
}

static void free_planted(struct planted *p)
{
	for (unsigned i = 0; i < p->count; i++)
		calltree_release(&p->trees[i]);
	bottom_up_free(p->bottom_up);
	state_release(&p->of);
	free(p->node_of_sample);
	free(p->places);
	free(p);
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; i < k->chosen.len; i++)
		free_chosen(k->chosen.data[i]);
	for (size_t i = 0; i < k->planted.len; i++)
		free_planted(k->planted.data[i]);
	vec_release(&k->chosen);
	vec_release(&k->planted);
}

struct chosen *kept_chosen(struct kept *k, const struct filters *filters)
{
	for (size_t i = 0; i < k->chosen.len; i++) {
		struct chosen *c = k->chosen.data[i];
		if (!same_filters(&c->filters, filters))
			continue;
		c->used = ++k->clock;
		return c;
	}
	return NULL;
}

struct planted *kept_planted(struct kept *k, const struct state *s)
{
	for (size_t i = 0; i < k->planted.len; i++) {
		struct planted *p = k->planted.data[i];
		if (p->places || !same_trees(&p->of, s) ||
		    !same_filters(&p->of.filters, &s->filters))
			continue;
		p->used = ++k->clock;
		return p;
	}
	return NULL;
}

struct planted *kept_base(struct kept *k, const struct state *s)
{
	for (size_t i = 0; i < k->planted.len; i++) {
		struct planted *p = k->planted.data[i];
		if (!p->places || p->of.by_module != s->by_module || p->of.fold != s->fold ||
		    !same_hides(&p->of.filters, &s->filters))
			continue;
		p->used = ++k->clock;
		return p;
	}
	return NULL;
}

void kept_add_chosen(struct kept *k, struct chosen *c)
{
	c->used = ++k->clock;
	vec_push(&k->chosen, c);
}

void kept_add_planted(struct kept *k, struct planted *p)
{
	p->used = ++k->clock;
	vec_push(&k->planted, p);
}

static size_t bytes_of(const struct planted *p)
{
	size_t bytes = sizeof(*p);

	for (unsigned i = 0; i < p->count; i++)
		bytes += p->trees[i].nodes.cap * sizeof(struct calltree_node) +
			 p->trees[i].keys.len * (sizeof(struct calltree_key) + 64);
	return bytes + (p->bottom_up ? bottom_up_bytes(p->bottom_up) : 0);
}

/* The one that was not used for the longest; NULL: there is none but those in use. */
static size_t oldest_planted(const struct kept *k, const struct planted *p,
			     const struct planted *base, size_t *bytes)
{
	size_t oldest = SIZE_MAX;

	*bytes = 0;
	for (size_t i = 0; i < k->planted.len; i++) {
		const struct planted *one = k->planted.data[i];
		if (one == p || one == base)
			continue;
		*bytes += bytes_of(one);
		if (oldest == SIZE_MAX || one->used < k->planted.data[oldest]->used)
			oldest = i;
	}
	return oldest;
}

static size_t oldest_chosen(const struct kept *k, const struct chosen *c)
{
	size_t oldest = SIZE_MAX;

	for (size_t i = 0; i < k->chosen.len; i++)
		if (k->chosen.data[i] != c &&
		    (oldest == SIZE_MAX || k->chosen.data[i]->used < k->chosen.data[oldest]->used))
			oldest = i;
	return oldest;
}

void kept_bound(struct kept *k, const struct chosen *c, const struct planted *p,
		const struct planted *base)
{
	size_t bytes, i;

	while ((i = oldest_planted(k, p, base, &bytes)) != SIZE_MAX && bytes > MOST_BYTES) {
		free_planted(k->planted.data[i]);
		k->planted.data[i] = k->planted.data[--k->planted.len];
	}
	while (k->chosen.len > MOST_CHOSEN && (i = oldest_chosen(k, c)) != SIZE_MAX) {
		free_chosen(k->chosen.data[i]);
		k->chosen.data[i] = k->chosen.data[--k->chosen.len];
	}
}
