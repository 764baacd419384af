/*
 * Lookups in tables whose entries ascend by start. Addresses are mostly asked for in ascending
 * order, so a search begins where the last one ended and doubles its steps from there.
 */
#ifndef PROF_SYMBOLIZE_ASCENDING_H
#define PROF_SYMBOLIZE_ASCENDING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ascending {
	const void *entries; /* each begins with its start, a number of width bytes (4 or 8) */
	size_t count, stride, width;
};

/* Of a VEC of structs whose first member is `start`. */
#define ASCENDING(vec)                                                   \
	((struct ascending){ (vec).data, (vec).len, sizeof(*(vec).data), \
			     sizeof((vec).data->start) })

static inline uint64_t ascending_start(const struct ascending *a, size_t i)
{
	const uint8_t *p = (const uint8_t *)a->entries + i * a->stride;
	uint64_t wide;
	uint32_t narrow;

	if (a->width == sizeof(narrow)) {
		memcpy(&narrow, p, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

/* How many entries start at or before at. *near: the last answer; any number will do. */
static inline size_t ascending_count(struct ascending a, uint64_t at, size_t *near)
{
	size_t low = *near <= a.count ? *near : 0, high = a.count;

	if (low > 0 && ascending_start(&a, low - 1) > at) {
		high = low - 1;
		low = 0;
	}
	for (size_t step = 1; low + step <= high; step *= 2) {
		if (ascending_start(&a, low + step - 1) > at) {
			high = low + step - 1;
			break;
		}
		low += step;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ascending_start(&a, middle) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	*near = low;
	return low;
}

#endif
