/* Medians of runs and their intervals. */
#include <math.h>

#include "counters/repeat.h"
#include "tests.h"

static void test_median_and_spread(void **state)
{
	const double values[] = { 5, 1, NAN, 4, 100 };
	struct counter_repeat r = counter_repeat_of(values, 5);

	(void)state;
	assert_int_equal(r.count, 4);
	assert_true(fabs(r.median - 4.5) < 1e-12);
	assert_true(fabs(r.spread - 2) < 1e-12); /* of 0.5, 0.5, 3.5, 95.5 */
	assert_true(fabs(r.least - 1) < 1e-12 && fabs(r.most - 100) < 1e-12);
	assert_true(isnan(r.low) && isnan(r.high));
}

static void test_nothing_is_not_zero(void **state)
{
	const double values[] = { NAN, NAN };
	struct counter_repeat r = counter_repeat_of(values, 2);

	(void)state;
	assert_int_equal(r.count, 0);
	assert_true(isnan(r.median) && isnan(r.spread));
}

/* Ranks as in tables of the sign test: n = 6: 1, 9: 2, 12: 3, 15: 4, 20: 6, 25: 8, 50: 18, 100: 40.
 */
static void test_ranks_of_the_interval(void **state)
{
	static const struct {
		size_t n, rank;
	} rows[] = { { 6, 1 },	{ 8, 1 },  { 9, 2 },   { 12, 3 },  { 15, 4 },
		     { 20, 6 }, { 25, 8 }, { 50, 18 }, { 100, 40 } };

	double values[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		values[i] = (double)(i + 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct counter_repeat r = counter_repeat_of(values, rows[i].n);
		assert_int_equal((size_t)r.low, rows[i].rank);
		assert_int_equal((size_t)r.high, rows[i].n + 1 - rows[i].rank);
	}
}

static uint64_t random_state = 42;

static double random_unit(void) /* splitmix64 */
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

/* Of a skewed distribution with median ln 2. */
static void test_the_interval_covers_the_median(void **state)
{
	enum { TRIALS = 4000, RUNS = 15 };

	double values[RUNS];
	int covered = 0;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		for (int k = 0; k < RUNS; k++)
			values[k] = -log(1 - random_unit());
		struct counter_repeat r = counter_repeat_of(values, RUNS);
		covered += r.low <= log(2) && log(2) <= r.high;
	}
	/* 1 - 2 P(Binomial(15, 1/2) < 4) is 96.5 %; five standard deviations of the trials' share.
	 */
	assert_true(fabs(covered / (double)TRIALS - 0.9648) < 5 * sqrt(0.9648 * 0.0352 / TRIALS));
}

int run_repeat_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_and_spread),
		cmocka_unit_test(test_nothing_is_not_zero),
		cmocka_unit_test(test_ranks_of_the_interval),
		cmocka_unit_test(test_the_interval_covers_the_median),
	};

	return cmocka_run_group_tests_name("repeat", tests, NULL, NULL);
}
