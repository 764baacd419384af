/* How far a scaled value may be off: slices, their merging, and whether the interval holds. */
#include <math.h>

#include "counters/slices.h"
#include "tests.h"

static void test_always_running_has_no_error(void **state)
{
	struct counter_slices s = { 0 };
	struct counter_reading r = { 10, 100, 100, COUNTER_COUNTED };

	(void)state;
	assert_true(counter_slices_half_width(&s, &r, 0) == 0);
}

static void test_few_slices_tell_nothing(void **state)
{
	struct counter_slices s = { 0 };
	struct counter_reading r = { 10, 100, 50, COUNTER_COUNTED }, sum = { 0 };

	(void)state;
	for (int i = 0; i < COUNTER_SLICES_LEAST; i++) {
		assert_true(isnan(counter_slices_half_width(&s, &r, 0)));
		counter_slices_add(&s, &r, 1);
		counter_reading_add(&sum, &r);
	}
	/* All alike, but 250 ns were not seen: it may hold nothing, or twice 50. */
	assert_true(fabs(counter_slices_half_width(&s, &sum, 0) - 50) < 1e-9);
	counter_slices_release(&s);
}

/* A program's start, in which nothing is counted, falls into a turn of other counters. */
static void test_what_others_saw_is_not_denied(void **state)
{
	struct counter_slices s = { 0 };
	struct counter_reading r = { 4000, 100000000, 4000000, COUNTER_COUNTED }, sum = { 0 };
	const double start_ns = 3e6;

	(void)state;
	for (int i = 0; i < 20; i++) {
		counter_slices_add(&s, &r, 1);
		counter_reading_add(&sum, &r);
	}
	double truth = ((double)sum.enabled_ns - start_ns) * 4000 / 4e6;
	double error = fabs(counter_reading_scaled(&sum) - truth);
	assert_true(error > 0 && error <= counter_slices_half_width(&s, &sum, 0));
	counter_slices_release(&s);
}

static void test_slices_stay_few_and_lose_nothing(void **state)
{
	struct counter_slices s = { 0 };
	uint64_t value = 0, later = 0;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		struct counter_reading r[2] = { { i, 10, 5, COUNTER_COUNTED },
						{ 1, 10, 5, COUNTER_COUNTED } };
		counter_slices_add(&s, r, i < 5000 ? 1 : 2); /* a row that comes later */
	}
	assert_true(s.count <= COUNTER_SLICES_MAX && s.count >= COUNTER_SLICES_MAX / 2);
	for (size_t i = 0; i < s.count; i++) {
		value += s.items[i].readings[0].value;
		later += s.items[i].len > 1 ? s.items[i].readings[1].value : 0;
	}
	assert_int_equal(value, 10000 * 9999 / 2);
	assert_int_equal(later, 5000);
	counter_slices_release(&s);
}

static uint64_t random_state = 7;

static double random_unit(void) /* splitmix64 */
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

/* A program whose rate changes from one rotation of the counters to the next, counted in a part of
 * the rotations chosen by chance. True when the interval has the true count inside. */
static bool one_run_covers(unsigned slices, double share)
{
	enum { ROTATIONS = 25, ROTATION_NS = 4000000 };

	struct counter_slices s = { 0 };
	struct counter_reading total = { 0 };
	double truth = 0;

	for (unsigned i = 0; i < slices; i++) {
		struct counter_reading r = { .state = COUNTER_COUNTED };
		for (int k = 0; k < ROTATIONS; k++) {
			double count = floor(1000 * (0.5 + random_unit()));
			truth += count;
			r.enabled_ns += ROTATION_NS;
			if (random_unit() >= share)
				continue;
			r.running_ns += ROTATION_NS;
			r.value += (uint64_t)count;
		}
		counter_slices_add(&s, &r, 1);
		counter_reading_add(&total, &r);
	}
	double error = fabs(counter_reading_scaled(&total) - truth);
	double width = counter_slices_half_width(&s, &total, 0);
	counter_slices_release(&s);
	return error <= width;
}

static void test_the_interval_covers_the_truth(void **state)
{
	enum { TRIALS = 2000 };

	static const double shares[] = { 0.14, 0.5, 0.9 };

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		int covered = 0;
		for (int k = 0; k < TRIALS; k++)
			covered += one_run_covers(20, shares[i]);
		/* 95 % but for what few slices leave, and five standard deviations of the trials.
		 */
		assert_true(fabs(covered / (double)TRIALS - 0.95) < 0.015 + 5 * 0.00488);
	}
}

int run_slice_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_always_running_has_no_error),
		cmocka_unit_test(test_few_slices_tell_nothing),
		cmocka_unit_test(test_what_others_saw_is_not_denied),
		cmocka_unit_test(test_slices_stay_few_and_lose_nothing),
		cmocka_unit_test(test_the_interval_covers_the_truth),
	};

	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
