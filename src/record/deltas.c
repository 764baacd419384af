/* Last values by (thread, event id): a thread's are a list, so that they are forgotten together. */
#include "record/deltas.h"

#include "base/hash.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

#define NO_NEXT UINT32_MAX

struct last {
	uint64_t id, enabled_ns, running_ns;
	uint32_t next; /* of the same thread, or of those that are free */
};

struct deltas {
	uint32_t members;
	bool from_zero;
	struct hmap by_owner; /* → the first of its list */
	VEC(struct last) items;
	VEC(uint64_t) values; /* members of each item */
	uint32_t free_items;
	struct deltas_stats stats;
};

struct deltas *deltas_new(uint32_t members, bool from_zero)
{
	struct deltas *d = xcalloc(1, sizeof(*d));
	d->members = members;
	d->from_zero = from_zero;
	d->free_items = NO_NEXT;
	return d;
}

void deltas_free(struct deltas *d)
{
	if (!d)
		return;
	hmap_release(&d->by_owner);
	vec_release(&d->items);
	vec_release(&d->values);
	free(d);
}

static uint32_t take_free(struct deltas *d)
{
	uint32_t index = d->free_items;
	if (index != NO_NEXT) {
		d->free_items = d->items.data[index].next;
		return index;
	}
	vec_push(&d->items, (struct last){ 0 });
	for (uint32_t i = 0; i < d->members; i++)
		vec_push(&d->values, 0);
	return (uint32_t)d->items.len - 1;
}

enum found { FOUND_FRESH, FOUND_LATEST, FOUND_EARLIER };

/* The item of these counters, which is the first of its list from now on; a fresh one is all zero.
 * Latest: the thread had no sample on another CPU since. */
static uint32_t find(struct deltas *d, uint32_t owner, uint64_t id, enum found *found)
{
	uint32_t first = hmap_get(&d->by_owner, owner), before = NO_NEXT, i = first;
	while (i != NO_NEXT && d->items.data[i].id != id) {
		before = i;
		i = d->items.data[i].next;
	}
	*found = i == NO_NEXT ? FOUND_FRESH : i == first ? FOUND_LATEST : FOUND_EARLIER;
	if (*found == FOUND_LATEST)
		return i;
	if (*found == FOUND_EARLIER) {
		d->items.data[before].next = d->items.data[i].next;
		d->items.data[i].next = first;
	} else {
		i = take_free(d);
		d->items.data[i] = (struct last){ .id = id, .next = first };
		memset(d->values.data + (size_t)i * d->members, 0,
		       d->members * sizeof(*d->values.data));
	}
	hmap_put(&d->by_owner, owner, i);
	return i;
}

_Static_assert(NO_NEXT == HMAP_NONE, "a thread that is not known has an empty list");

static bool is_possible(const struct deltas *d, const struct record_sample *s)
{
	return s->read && s->read_count == d->members && s->running_ns <= s->enabled_ns;
}

static bool went_back(const struct deltas *d, const struct last *l, const uint64_t *values,
		      const struct record_sample *s)
{
	bool back = s->enabled_ns < l->enabled_ns || s->running_ns < l->running_ns;
	for (uint32_t i = 0; i < d->members; i++)
		back |= record_read_value(s, i) < values[i];
	return back;
}

/* The differences, and the new values in the old ones' place. */
static void move_on(struct deltas *d, uint32_t index, const struct record_sample *s, uint64_t *out)
{
	uint64_t *values = d->values.data + (size_t)index * d->members;
	for (uint32_t i = 0; i < d->members; i++) {
		uint64_t now = record_read_value(s, i);
		out[i] = now - values[i];
		values[i] = now;
	}
	d->items.data[index].enabled_ns = s->enabled_ns;
	d->items.data[index].running_ns = s->running_ns;
}

static enum deltas_state take(struct deltas *d, uint32_t owner, const struct record *r,
			      uint64_t *out)
{
	const struct record_sample *s = &r->u.sample;
	enum found found;
	if (!is_possible(d, s))
		return DELTAS_IMPOSSIBLE;
	uint32_t index = find(d, owner, r->id, &found);
	struct last before = d->items.data[index];
	bool back = went_back(d, &before, d->values.data + (size_t)index * d->members, s);
	move_on(d, index, s, out);
	if (back)
		return DELTAS_BACKWARDS;
	if (found == FOUND_FRESH && !d->from_zero)
		return DELTAS_FIRST;
	if (found != FOUND_LATEST)
		return DELTAS_KNOWN;
	d->stats.enabled_ns += s->enabled_ns - before.enabled_ns;
	d->stats.running_ns += s->running_ns - before.running_ns;
	return DELTAS_KNOWN;
}

enum deltas_state deltas_take(struct deltas *d, uint32_t owner, const struct record *sample,
			      uint64_t *out)
{
	enum deltas_state state = take(d, owner, sample, out);
	d->stats.samples[state]++;
	return state;
}

void deltas_uncount(struct deltas *d, enum deltas_state state)
{
	d->stats.samples[state]--;
}

void deltas_thread_end(struct deltas *d, uint32_t tid)
{
	uint32_t first = hmap_get(&d->by_owner, tid), last = first;
	if (first == HMAP_NONE)
		return;
	while (d->items.data[last].next != NO_NEXT)
		last = d->items.data[last].next;
	d->items.data[last].next = d->free_items;
	d->free_items = first;
	hmap_remove(&d->by_owner, tid);
}

void deltas_get_stats(const struct deltas *d, struct deltas_stats *out)
{
	*out = d->stats;
}
