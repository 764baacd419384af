/* Values that are read with samples, and what was counted between two of them. */
#include "event/record.h"
#include "record/deltas.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 2 };

struct reading {
	uint64_t id, enabled, running, values[MEMBERS];
};

static enum deltas_state take(struct deltas *d, uint32_t tid, struct reading from, uint64_t *out)
{
	struct record r = { .id = from.id };

	r.u.sample.read = (const uint8_t *)from.values;
	r.u.sample.read_count = MEMBERS;
	r.u.sample.read_stride = 8;
	r.u.sample.enabled_ns = from.enabled;
	r.u.sample.running_ns = from.running;
	return deltas_take(d, tid, &r, out);
}

static void expect(struct deltas *d, uint32_t tid, struct reading from, uint64_t a, uint64_t b)
{
	uint64_t out[MEMBERS];

	assert_int_equal(take(d, tid, from, out), DELTAS_KNOWN);
	assert_int_equal(out[0], a);
	assert_int_equal(out[1], b);
}

static void test_each_thread_and_cpu_by_itself(void **state)
{
	struct deltas *d = deltas_new(MEMBERS, true);

	(void)state;
	expect(d, 7, (struct reading){ 1, 10, 10, { 10, 3 } }, 10, 3);
	expect(d, 7, (struct reading){ 2, 30, 5, { 5, 1 } }, 5, 1);
	expect(d, 8, (struct reading){ 1, 4, 4, { 4, 100 } }, 4, 100);
	expect(d, 7, (struct reading){ 1, 40, 25, { 25, 3 } }, 15, 0);
	expect(d, 8, (struct reading){ 1, 9, 9, { 9, 101 } }, 5, 1);
	expect(d, 7, (struct reading){ 2, 50, 6, { 6, 11 } }, 1, 10);
	deltas_free(d);
}

/* The number of a thread that has ended is another one's, with counters of its own. */
static void test_a_number_is_used_again(void **state)
{
	struct deltas *d = deltas_new(MEMBERS, true);

	(void)state;
	expect(d, 7, (struct reading){ 1, 10, 10, { 10, 3 } }, 10, 3);
	expect(d, 7, (struct reading){ 2, 10, 10, { 10, 3 } }, 10, 3);
	deltas_thread_end(d, 7);
	deltas_thread_end(d, 99);
	expect(d, 7, (struct reading){ 1, 20, 20, { 20, 9 } }, 20, 9);
	expect(d, 8, (struct reading){ 1, 2, 2, { 2, 2 } }, 2, 2);
	expect(d, 9, (struct reading){ 1, 1, 1, { 1, 1 } }, 1, 1);
	expect(d, 7, (struct reading){ 1, 25, 25, { 25, 10 } }, 5, 1);
	deltas_free(d);
}

static void test_the_first_of_unknown_counters(void **state)
{
	struct deltas *d = deltas_new(MEMBERS, false);
	uint64_t out[MEMBERS];

	(void)state;
	assert_int_equal(take(d, 7, (struct reading){ 1, 10, 10, { 10, 3 } }, out), DELTAS_FIRST);
	expect(d, 7, (struct reading){ 1, 12, 12, { 12, 5 } }, 2, 2);
	deltas_free(d);
}

/* What cannot be is counted, and what comes after it is right again. */
static void test_what_cannot_be(void **state)
{
	struct deltas *d = deltas_new(MEMBERS, true);
	struct deltas_stats s;
	uint64_t out[MEMBERS];
	struct record none = { .id = 1 };

	(void)state;
	expect(d, 7, (struct reading){ 1, 10, 10, { 10, 3 } }, 10, 3);
	assert_int_equal(take(d, 7, (struct reading){ 1, 12, 13, { 12, 3 } }, out),
			 DELTAS_IMPOSSIBLE);
	assert_int_equal(take(d, 7, (struct reading){ 1, 12, 12, { 12, 2 } }, out),
			 DELTAS_BACKWARDS);
	expect(d, 7, (struct reading){ 1, 13, 13, { 13, 4 } }, 1, 2);
	assert_int_equal(deltas_take(d, 7, &none, out), DELTAS_IMPOSSIBLE);
	deltas_get_stats(d, &s);
	assert_int_equal(s.samples[DELTAS_KNOWN], 2);
	assert_int_equal(s.samples[DELTAS_IMPOSSIBLE], 2);
	assert_int_equal(s.samples[DELTAS_BACKWARDS], 1);
	deltas_free(d);
}

/* A thread's counters of one CPU are wanted while it is on another, where they cannot count. */
static void test_elsewhere_is_not_shared(void **state)
{
	struct deltas *d = deltas_new(MEMBERS, true);
	struct deltas_stats s;

	(void)state;
	expect(d, 7, (struct reading){ 1, 10, 10, { 10, 3 } }, 10, 3);
	expect(d, 7, (struct reading){ 2, 20, 10, { 5, 1 } }, 5, 1);
	expect(d, 7, (struct reading){ 1, 30, 20, { 20, 3 } }, 10, 0);
	expect(d, 7, (struct reading){ 1, 50, 30, { 30, 3 } }, 10, 0);
	deltas_get_stats(d, &s);
	assert_int_equal(s.enabled_ns, 20);
	assert_int_equal(s.running_ns, 10);
	deltas_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_thread_and_cpu_by_itself),
		cmocka_unit_test(test_a_number_is_used_again),
		cmocka_unit_test(test_the_first_of_unknown_counters),
		cmocka_unit_test(test_what_cannot_be),
		cmocka_unit_test(test_elsewhere_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
