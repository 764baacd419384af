/* Radix sort from the lowest byte up, of the bytes that are not the same in all numbers. */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL 32 /* below it, insertion is faster */

static void insert_sorted(uint64_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t v = numbers[i];
		size_t at = i;
		for (; at > 0 && numbers[at - 1] > v; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = v;
	}
}

/* One stable pass by the byte at shift. */
static void sort_by_byte(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t places[256] = { 0 }, next = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i] >> shift & 0xff]++;
	for (size_t i = 0; i < 256; i++) {
		size_t here = places[i];
		places[i] = next;
		next += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i] >> shift & 0xff]++] = from[i];
}

/* A bit for each bit that differs among the numbers; 0 also when they are in order already. */
static uint64_t bits_to_sort(const uint64_t *numbers, size_t count)
{
	uint64_t bits = 0;
	bool sorted = true;

	for (size_t i = 1; i < count; i++) {
		bits |= numbers[i] ^ numbers[0];
		sorted &= numbers[i - 1] <= numbers[i];
	}
	return sorted ? 0 : bits;
}

void sort_u64(uint64_t *numbers, size_t count)
{
	if (count <= SMALL) {
		insert_sorted(numbers, count);
		return;
	}
	uint64_t bits = bits_to_sort(numbers, count), *from = numbers;
	uint64_t *other = bits ? xcalloc(count, sizeof(*other)) : NULL, *to = other;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!(bits >> shift & 0xff))
			continue;
		sort_by_byte(from, to, count, shift);
		uint64_t *swap = from;
		from = to;
		to = swap;
	}
	if (from != numbers)
		memcpy(numbers, from, count * sizeof(*numbers));
	free(other);
}
