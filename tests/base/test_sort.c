/* Sorting numbers, beside qsort. */
#include "base/sort.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "groups.h"

#define MOST 1000

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t number(unsigned kind, size_t i)
{
	uint64_t r = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();

	switch (kind) {
	case 0:
		return r;
	case 1: /* addresses of one module */
		return 0x400000 + (r & 0xfffff);
	case 2:
		return i; /* sorted already */
	case 3:
		return MOST - i;
	case 4:
		return r & 3; /* many equal */
	default:	      /* only the highest and the lowest byte differ */
		return (r & 0xff) << 56 | (r >> 8 & 0xff);
	}
}

static void test_equal_to_qsort(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 100, MOST };
	uint64_t numbers[MOST], expected[MOST];

	(void)state;
	srandom(5);
	for (unsigned kind = 0; kind < 6; kind++)
		for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
			for (size_t i = 0; i < counts[c]; i++)
				expected[i] = numbers[i] = number(kind, i);
			qsort(expected, counts[c], sizeof(expected[0]), compare);
			sort_u64(numbers, counts[c]);
			assert_memory_equal(numbers, expected, counts[c] * sizeof(numbers[0]));
		}
}

struct item {
	uint32_t place; /* among the unsorted */
	uint64_t key;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The kinds of keys are near each other and far apart. */
static void test_items_are_sorted_and_equal_ones_stay_in_order(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 100, MOST };
	struct item items[MOST], expected[MOST];

	(void)state;
	srandom(6);
	for (unsigned kind = 0; kind < 6; kind++)
		for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
			memset(items, 0, sizeof(items));
			for (size_t i = 0; i < counts[c]; i++) {
				items[i].place = (uint32_t)i;
				items[i].key = number(kind, i);
			}
			memcpy(expected, items, sizeof(items));
			qsort(expected, counts[c], sizeof(expected[0]), compare_items);
			sort_items_by_u64(items, counts[c], sizeof(items[0]),
					  offsetof(struct item, key));
			assert_memory_equal(items, expected, sizeof(items));
		}
}

int test_sort_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items_are_sorted_and_equal_ones_stay_in_order),
		cmocka_unit_test(test_equal_to_qsort),
	};

	return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
