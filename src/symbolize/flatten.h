/*
 * Overlapping ranges made into disjoint, sorted segments: where several cover an address, the one
 * with the highest priority owns it. Serves symbols (the later start wins), inline trees (the
 * deeper node wins) and perf maps (the later line wins).
 */
#ifndef PROF_SYMBOLIZE_FLATTEN_H
#define PROF_SYMBOLIZE_FLATTEN_H

#include "base/memory.h"
#include <stddef.h>
#include <stdint.h>

struct flat_range {
	uint64_t start, end, priority;
	uint32_t value;
};

struct flat_segment {
	uint64_t start, end;
	uint32_t value;
};

struct flat_map { /* zeroed is valid and empty */
	VEC(struct flat_segment) segments;
	size_t near; /* where the last search ended */
};

/* Replaces what map holds. Sorts ranges; empty ones are ignored. O(n log n). */
void flat_map_build(struct flat_map *map, struct flat_range *ranges, size_t count);
/* The segment that covers address, or NULL. */
const struct flat_segment *flat_map_find(struct flat_map *map, uint64_t address);
void flat_map_release(struct flat_map *map);

#endif
