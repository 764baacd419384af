/* A sweep over the ranges by start, with the ranges open at the current address in a heap by
 * priority. */
#include "symbolize/flatten.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/sort.h"
#include "symbolize/ascending.h"

struct sweep {
	const struct flat_range *ranges;
	VEC(uint32_t) heap; /* indices of open ranges; the top has the highest priority */
};

static bool ranks_higher(const struct sweep *s, uint32_t a, uint32_t b)
{
	return s->ranges[a].priority > s->ranges[b].priority;
}

static void heap_swap(struct sweep *s, size_t a, size_t b)
{
	uint32_t t = s->heap.data[a];

	s->heap.data[a] = s->heap.data[b];
	s->heap.data[b] = t;
}

static void heap_push(struct sweep *s, uint32_t index)
{
	vec_push(&s->heap, index);
	for (size_t i = s->heap.len - 1; i > 0;) {
		size_t parent = (i - 1) / 2;
		if (!ranks_higher(s, s->heap.data[i], s->heap.data[parent]))
			return;
		heap_swap(s, i, parent);
		i = parent;
	}
}

static void heap_pop(struct sweep *s)
{
	s->heap.data[0] = s->heap.data[--s->heap.len];
	for (size_t i = 0;;) {
		size_t best = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->heap.len; child++)
			if (ranks_higher(s, s->heap.data[child], s->heap.data[best]))
				best = child;
		if (best == i)
			return;
		heap_swap(s, i, best);
		i = best;
	}
}

static void heap_drop_ended(struct sweep *s, uint64_t address)
{
	while (s->heap.len && s->ranges[s->heap.data[0]].end <= address)
		heap_pop(s);
}

/* Appends [start, end), joined to the segment before when that has the same owner. */
static void emit(struct flat_map *map, uint64_t start, uint64_t end, uint32_t value)
{
	struct flat_segment *last =
		map->segments.len ? &map->segments.data[map->segments.len - 1] : NULL;

	if (last && last->end == start && last->value == value)
		last->end = end;
	else
		vec_push(&map->segments, ((struct flat_segment){ start, end, value }));
}

static bool is_sorted(const struct flat_range *ranges, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (ranges[i - 1].start > ranges[i].start)
			return false;
	return true;
}

void flat_map_build(struct flat_map *map, struct flat_range *ranges, size_t count)
{
	struct sweep s = { .ranges = ranges };
	uint64_t at = 0;

	vec_clear(&map->segments);
	if (!is_sorted(ranges, count)) /* symbol tables come sorted */
		sort_items_by_u64(ranges, count, sizeof(*ranges),
				  offsetof(struct flat_range, start));
	for (size_t i = 0;;) {
		heap_drop_ended(&s, at);
		if (!s.heap.len && i == count)
			break;
		if (!s.heap.len && ranges[i].start > at)
			at = ranges[i].start;
		for (; i < count && ranges[i].start <= at; i++)
			if (ranges[i].end > at)
				heap_push(&s, (uint32_t)i);
		heap_drop_ended(&s, at);
		if (!s.heap.len)
			continue;
		const struct flat_range *top = &ranges[s.heap.data[0]];
		uint64_t next =
			i < count && ranges[i].start < top->end ? ranges[i].start : top->end;
		emit(map, at, next, top->value);
		at = next;
	}
	vec_release(&s.heap);
}

const struct flat_segment *flat_map_find(struct flat_map *map, uint64_t address)
{
	size_t n = ascending_count(ASCENDING(map->segments), address, &map->near);

	return n && address < map->segments.data[n - 1].end ? &map->segments.data[n - 1] : NULL;
}

void flat_map_release(struct flat_map *map)
{
	vec_release(&map->segments);
}
