/* Time order against a stable sort, the two-round rule, the memory bound, and late records. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "event/order.h"
#include "tests.h"

struct item {
	uint64_t time_ns;
	uint32_t number, tag;
};

static uint64_t next_random(uint64_t *state)
{
	return hash_u64(*state += 0x9e3779b97f4a7c15ull);
}

static int by_time_then_number(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A record of 8 to 80 bytes that starts with its item. */
static void push_item(struct order *o, const struct item *item)
{
	uint8_t bytes[96] = { 0 };

	memcpy(bytes, item, sizeof(*item));
	order_push(o, item->time_ns, item->tag, bytes, sizeof(*item) + item->number % 64);
}

static bool pop_item(struct order *o, struct item *item)
{
	size_t len;
	uint32_t tag;
	uint64_t time_ns;
	const void *bytes = order_pop(o, &len, &tag, &time_ns);

	if (!bytes)
		return false;
	memcpy(item, bytes, sizeof(*item));
	assert_int_equal((uintptr_t)bytes % 8, 0);
	assert_int_equal(len, sizeof(*item) + item->number % 64);
	assert_int_equal(tag, item->tag);
	assert_int_equal(time_ns, item->time_ns);
	return true;
}

enum { ROUNDS = 200, PER_ROUND = 100 };

/* A caller that knows a time says until when records may come out. */
static void test_free_until(void **state)
{
	struct order *o = order_new(1 << 20);
	struct item items[] = { { 30, 0, 1 }, { 10, 1, 2 }, { 20, 2, 1 } }, got;
	uint64_t time_ns;

	(void)state;
	assert_false(order_peek(o, &time_ns));
	for (size_t i = 0; i < 3; i++)
		push_item(o, &items[i]);
	assert_false(order_peek(o, &time_ns));
	assert_false(pop_item(o, &got));
	order_free_until(o, 20);
	order_free_until(o, 5); /* never goes back */
	assert_true(order_peek(o, &time_ns));
	assert_int_equal(time_ns, 10);
	assert_true(pop_item(o, &got) && got.number == 1);
	assert_true(order_peek(o, &time_ns) && time_ns == 20);
	assert_true(pop_item(o, &got) && got.number == 2);
	assert_false(order_peek(o, &time_ns));
	assert_false(pop_item(o, &got));
	push_item(o, &items[1]); /* older than what came out: passed on at once */
	assert_true(order_peek(o, &time_ns) && time_ns == 10);
	assert_true(pop_item(o, &got));
	order_flush(o);
	assert_true(order_peek(o, &time_ns) && pop_item(o, &got));
	assert_false(order_peek(o, &time_ns));
	order_free(o);
}

/* Within a round times come in any order, but never before the start of the round before. */
static void test_same_as_stable_sort(void **state)
{
	struct item *all = xcalloc(ROUNDS * PER_ROUND, sizeof(*all));
	struct order *o = order_new((size_t)1 << 20);
	uint64_t seed = 42;
	uint32_t n = 0, out = 0;
	struct item got, *seen = xcalloc(ROUNDS * PER_ROUND, sizeof(*seen));
	struct order_stats stats;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < PER_ROUND; i++, n++) {
			all[n] = (struct item){ .time_ns =
							1000 + round * 50 + next_random(&seed) % 50,
						.number = n,
						.tag = (uint32_t)(next_random(&seed) % 4) };
			push_item(o, &all[n]);
		}
		order_end_round(o);
		while (pop_item(o, &got))
			seen[out++] = got;
	}
	assert_int_equal(out, (ROUNDS - 1) * PER_ROUND); /* the last round waits */
	order_flush(o);
	while (pop_item(o, &got))
		seen[out++] = got;
	assert_int_equal(out, n);
	qsort(all, n, sizeof(*all), by_time_then_number);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(seen[i].number, all[i].number);
	order_get_stats(o, &stats);
	assert_int_equal(stats.out_of_order, 0);
	assert_int_equal(stats.forced, 0);
	assert_int_equal(stats.held_bytes, 0);
	order_free(o);
	free_ptr(&all);
	free_ptr(&seen);
}

static void push_at(struct order *o, uint64_t time_ns, uint32_t number)
{
	struct item item = { .time_ns = time_ns, .number = number, .tag = 1 };

	push_item(o, &item);
}

static void expect(struct order *o, uint32_t number)
{
	struct item item;

	assert_true(pop_item(o, &item));
	assert_int_equal(item.number, number);
}

static void expect_none(struct order *o)
{
	struct item item;

	assert_false(pop_item(o, &item));
}

static void test_two_rounds(void **state)
{
	struct order *o = order_new((size_t)1 << 20);

	(void)state;
	push_at(o, 10, 1);
	expect_none(o);
	order_end_round(o);
	expect_none(o); /* another ring may still hold something older */
	push_at(o, 9, 2);
	push_at(o, 11, 3);
	order_end_round(o);
	expect(o, 2);
	expect(o, 1);
	expect_none(o);
	order_end_round(o);
	expect(o, 3);
	expect_none(o);
	order_free(o);
}

static void test_late_record_passes_at_once(void **state)
{
	struct order *o = order_new((size_t)1 << 20);
	struct order_stats stats;

	(void)state;
	push_at(o, 100, 1);
	order_end_round(o);
	order_end_round(o);
	expect(o, 1);
	push_at(o, 50, 2);
	push_at(o, 150, 3);
	expect(o, 2);
	expect_none(o);
	order_get_stats(o, &stats);
	assert_int_equal(stats.out_of_order, 1);
	order_flush(o);
	expect(o, 3);
	order_free(o);
}

static void test_after_a_flush(void **state)
{
	struct order *o = order_new((size_t)1 << 20);

	(void)state;
	push_at(o, 100, 1);
	order_flush(o);
	expect(o, 1);
	expect_none(o);
	push_at(o, 200, 2);
	expect_none(o); /* the flush was for what was there */
	order_end_round(o);
	order_end_round(o);
	expect(o, 2);
	order_free(o);
}

static void test_no_time_means_as_before(void **state)
{
	struct order *o = order_new((size_t)1 << 20);
	static const uint64_t times[] = { 20, 0, 0, 5, 0 };
	static const uint32_t tags[] = { 1, 1, 2, 2, 2 };
	static const uint64_t expected[] = { 0, 5, 5, 20, 20 };
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		order_push(o, times[i], tags[i], "", 1);
	order_flush(o);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_non_null(order_pop(o, &len, &tag, &time_ns));
		assert_int_equal(time_ns, expected[i]);
	}
	order_free(o);
}

static void test_bound_forces_oldest_out(void **state)
{
	enum { RECORD = 1000, MAX = 64 << 10 };

	static uint8_t bytes[RECORD];
	struct order *o = order_new(MAX);
	struct order_stats stats;
	uint64_t last = 0, popped = 0;
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	(void)state;
	for (uint64_t t = 1; t <= 10000; t++) { /* no round ever ends */
		order_push(o, t, 0, bytes, sizeof(bytes));
		while (order_pop(o, &len, &tag, &time_ns)) {
			assert_int_equal(time_ns, last + 1);
			last = time_ns;
			popped++;
		}
		order_get_stats(o, &stats);
		assert_true(stats.held_bytes <= MAX);
	}
	assert_int_equal(stats.forced, popped);
	assert_true(popped >= 10000 - MAX / RECORD);
	assert_true(popped < 10000);
	order_free(o);
}

static void test_large_and_empty_records(void **state)
{
	struct order *o = order_new(8192);
	uint8_t *big = xcalloc(1, 300000);
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	(void)state;
	big[299999] = 7;
	order_push(o, 2, 0, big, 300000);
	order_push(o, 1, 0, NULL, 0);
	order_flush(o);
	assert_non_null(order_pop(o, &len, &tag, &time_ns));
	assert_int_equal(len, 0);
	const uint8_t *p = order_pop(o, &len, &tag, &time_ns);
	assert_int_equal(len, 300000);
	assert_int_equal(p[299999], 7);
	assert_null(order_pop(o, &len, &tag, &time_ns));
	order_free(o);
	free_ptr(&big);
}

/* What was handed out stays while others come, whatever blocks they take. */
static void test_pushing_keeps_what_is_out(void **state)
{
	struct order *o = order_new(8192);
	uint8_t bytes[600];
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	(void)state;
	assert_false(order_is_full(o));
	for (unsigned i = 0; i < 200; i++) {
		memset(bytes, (int)i, sizeof(bytes));
		order_push(o, 2 * i, 0, bytes, sizeof(bytes));
		order_free_until(o, 2 * i);
		const uint8_t *out = order_pop(o, &len, &tag, &time_ns);
		assert_non_null(out);
		memset(bytes, 255, sizeof(bytes));
		for (unsigned k = 0; k < i % 20; k++)
			order_push(o, 2 * i + 1, 0, bytes, sizeof(bytes));
		assert_int_equal(out[0] + out[len - 1], 2 * i);
		order_flush(o);
		while (order_pop(o, &len, &tag, &time_ns))
			;
	}
	for (unsigned i = 0; i < 100 && !order_is_full(o); i++)
		order_push(o, 1000 + i, 0, bytes, sizeof(bytes));
	assert_true(order_is_full(o));
	order_free(o);
}

static void test_parts_become_one(void **state)
{
	struct order *o = order_new(8192);
	struct order_part parts[] = { { "abc", 3 }, { NULL, 0 }, { "defgh", 6 } };
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	(void)state;
	order_push_parts(o, 5, 9, parts, ARRAY_LEN(parts));
	order_flush(o);
	assert_string_equal(order_pop(o, &len, &tag, &time_ns), "abcdefgh");
	assert_int_equal(len, 9);
	assert_int_equal(tag, 9);
	assert_int_equal(time_ns, 5);
	order_free(o);
}

int run_order_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_stable_sort),
		cmocka_unit_test(test_free_until),
		cmocka_unit_test(test_two_rounds),
		cmocka_unit_test(test_late_record_passes_at_once),
		cmocka_unit_test(test_after_a_flush),
		cmocka_unit_test(test_no_time_means_as_before),
		cmocka_unit_test(test_bound_forces_oldest_out),
		cmocka_unit_test(test_large_and_empty_records),
		cmocka_unit_test(test_pushing_keeps_what_is_out),
		cmocka_unit_test(test_parts_become_one),
	};
	return cmocka_run_group_tests_name("event order", tests, NULL, NULL);
}
