/* Radix sort from the lowest byte up, of the bytes that are not the same in all numbers. */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL 32 /* below it, insertion is faster */

static void insert_sorted(uint64_t *numbers, size_t count, uint64_t mask)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t v = numbers[i];
		size_t at = i;
		for (; at > 0 && (numbers[at - 1] & mask) > (v & mask); at--)
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

/* The bits of mask that differ among the numbers; 0 also when they are in order already. */
static uint64_t bits_to_sort(const uint64_t *numbers, size_t count, uint64_t mask)
{
	uint64_t bits = 0;
	bool sorted = true;

	for (size_t i = 1; i < count; i++) {
		bits |= numbers[i] ^ numbers[0];
		sorted &= (numbers[i - 1] & mask) <= (numbers[i] & mask);
	}
	return sorted ? 0 : bits & mask;
}

static void sort_by_bits(uint64_t *numbers, size_t count, uint64_t mask)
{
	if (count <= SMALL) {
		insert_sorted(numbers, count, mask);
		return;
	}
	uint64_t bits = bits_to_sort(numbers, count, mask), *from = numbers;
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

void sort_u64(uint64_t *numbers, size_t count)
{
	sort_by_bits(numbers, count, UINT64_MAX);
}

struct key {
	size_t size, offset;
};

static uint64_t key_of(const void *item, const struct key *key)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)item + key->offset, sizeof(v));
	return v;
}

static int compare_keys(const void *a, const void *b, void *ctx)
{
	uint64_t x = key_of(a, ctx), y = key_of(b, ctx);

	return x < y ? -1 : x > y;
}

/* Which item comes when, in the lower halves of numbers; NULL when those are too small. */
static uint64_t *order_of(const uint8_t *items, size_t count, const struct key *key)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t v = key_of(items + i * key->size, key);
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	if (count > UINT32_MAX || most - least > UINT32_MAX)
		return NULL;
	uint64_t *order = xcalloc(count, sizeof(*order));
	for (size_t i = 0; i < count; i++)
		order[i] = (key_of(items + i * key->size, key) - least) << 32 | i;
	sort_by_bits(order, count, (uint64_t)UINT32_MAX << 32);
	return order;
}

/* Moves each item once: what stands at a place goes aside, and the one that belongs there frees
 * the next place. */
static void put_in_order(uint8_t *items, size_t count, size_t size, uint64_t *order)
{
	uint8_t *aside = xmalloc(size);

	for (size_t i = 0; i < count; i++) {
		size_t free_place = i, from = (uint32_t)order[i];
		if (from == i)
			continue;
		memcpy(aside, items + i * size, size);
		for (; from != i; from = (uint32_t)order[free_place]) {
			memcpy(items + free_place * size, items + from * size, size);
			order[free_place] = free_place;
			free_place = from;
		}
		memcpy(items + free_place * size, aside, size);
		order[free_place] = free_place;
	}
	free(aside);
}

void sort_items_by_u64(void *items, size_t count, size_t size, size_t offset)
{
	struct key key = { size, offset };
	uint64_t *order = count > 1 ? order_of(items, count, &key) : NULL;

	if (order)
		put_in_order(items, count, size, order);
	else if (count > 1) /* a stable one in glibc */
		qsort_r(items, count, size, compare_keys, &key);
	free(order);
}
