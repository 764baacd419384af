/* Readings: what is counted, what is not, what cannot be; sums and differences over time. */
#include <math.h>

#include "counters/fixture.h"
#include "counters/series.h"
#include "tests.h"

static void test_never_due_is_zero_and_counted(void **state)
{
	struct counter_reading r = { .state = COUNTER_COUNTED };

	(void)state;
	counter_reading_judge(&r);
	assert_int_equal(r.state, COUNTER_COUNTED);
	assert_true(counter_reading_scaled(&r) == 0);
}

static void test_never_ran_is_not_counted(void **state)
{
	struct counter_reading r = { .enabled_ns = 5, .state = COUNTER_COUNTED };

	(void)state;
	counter_reading_judge(&r);
	assert_int_equal(r.state, COUNTER_NOT_COUNTED);
	assert_true(isnan(counter_reading_scaled(&r)));
}

static void test_what_cannot_be(void **state)
{
	struct counter_reading longer = { .value = 1, .enabled_ns = 5, .running_ns = 6 };
	struct counter_reading idle = { .value = 1, .enabled_ns = 5 };

	(void)state;
	counter_reading_judge(&longer);
	counter_reading_judge(&idle);
	assert_int_equal(longer.state, COUNTER_IMPOSSIBLE);
	assert_int_equal(idle.state, COUNTER_IMPOSSIBLE);
	assert_true(isnan(counter_reading_scaled(&longer)));
}

static void test_a_zeroed_reading_is_not_counted(void **state)
{
	struct counter_reading r = { 0 };

	(void)state;
	counter_reading_judge(&r);
	assert_int_equal(r.state, COUNTER_NOT_COUNTED);
}

static void test_the_sum_of_rows(void **state)
{
	const struct counter_event event = { .name = (char *)(uintptr_t) "cycles", .scale = 1 };
	const struct counter_row row = { .kind = COUNTER_ROW_CPU };
	struct counter_table t = { 0 }, sum;

	(void)state;
	counter_table_add_event(&t, &event);
	counter_table_add_row(&t, &row);
	counter_table_add_row(&t, &row);
	*counter_table_at(&t, 0, 0) = (struct counter_reading){ 10, 100, 50, COUNTER_COUNTED };
	*counter_table_at(&t, 1, 0) = (struct counter_reading){ 5, 100, 100, COUNTER_COUNTED };
	counter_table_sum(&t, &sum);
	assert_int_equal(sum.rows.len, 1);
	assert_int_equal(sum.readings.data[0].value, 15);
	assert_true(fabs(counter_reading_scaled(&sum.readings.data[0]) - 20) < 1e-9);
	counter_table_release(&t);
	counter_table_release(&sum);
}

/* ---- over time ---- */

static const char wraps[] = "{\"event\": \"cycles\"}\n"
			    "{\"event\": \"instructions\"}\n"
			    "{\"time_ns\": 100, \"read\": [[1000, 100, 100], [2000, 100, 100]]}\n"
			    "{\"time_ns\": 200, \"read\": [[10, 200, 200], [3000, 200, 150]]}\n"
			    "{\"time_ns\": 300, \"read\": [[2000, 300, 300], [4000, 300, 150]]}\n";

static void test_a_wrap_spoils_the_total(void **state)
{
	struct counter_fixture f;
	struct counter_series s = { 0 };
	struct counter_table delta;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(counter_fixture_parse(&f, "wraps", wraps, sizeof(wraps) - 1, &err), 0);
	struct counter_source source = counter_fixture_source(&f, &s.now);
	counter_series_begin(&s, 0);

	assert_int_equal(counter_series_read(&s, &source, &err), 1);
	counter_series_interval(&s, &delta);
	assert_int_equal(delta.readings.data[0].value, 1000);
	assert_int_equal(delta.elapsed_ns, 100);
	counter_table_release(&delta);

	assert_int_equal(counter_series_read(&s, &source, &err), 1);
	counter_series_interval(&s, &delta);
	assert_int_equal(delta.readings.data[0].state, COUNTER_WRAPPED);
	assert_int_equal(delta.readings.data[1].value, 1000);
	assert_int_equal(delta.readings.data[1].running_ns, 50);
	counter_table_release(&delta);

	assert_int_equal(counter_series_read(&s, &source, &err), 1);
	counter_series_interval(&s, &delta);
	/* Counts without ever having run meanwhile. */
	assert_int_equal(delta.readings.data[1].state, COUNTER_IMPOSSIBLE);
	counter_table_release(&delta);

	assert_int_equal(counter_series_read(&s, &source, &err), 0);
	assert_int_equal(s.now.readings.data[0].state, COUNTER_WRAPPED);
	assert_true(counter_series_is_shared(&s));
	counter_series_release(&s);
	counter_fixture_release(&f);
}

static void test_an_idle_interval_is_zero(void **state)
{
	static const char text[] = "{\"event\": \"page-faults\", \"software\": true}\n"
				   "{\"time_ns\": 100, \"read\": [[7, 50, 50]]}\n"
				   "{\"time_ns\": 200, \"read\": [[7, 50, 50]]}\n";
	struct counter_fixture f;
	struct counter_series s = { 0 };
	struct counter_table delta;

	(void)state;
	assert_int_equal(counter_fixture_parse(&f, "idle", text, sizeof(text) - 1, NULL), 0);
	struct counter_source source = counter_fixture_source(&f, &s.now);
	counter_series_begin(&s, 0);
	counter_series_read(&s, &source, NULL);
	counter_series_interval(&s, &delta);
	counter_table_release(&delta);
	counter_series_read(&s, &source, NULL);
	counter_series_interval(&s, &delta);
	assert_int_equal(delta.readings.data[0].state, COUNTER_COUNTED);
	assert_true(counter_reading_scaled(&delta.readings.data[0]) == 0);
	counter_table_release(&delta);
	counter_series_release(&s);
	counter_fixture_release(&f);
}

int run_reading_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_due_is_zero_and_counted),
		cmocka_unit_test(test_never_ran_is_not_counted),
		cmocka_unit_test(test_what_cannot_be),
		cmocka_unit_test(test_a_zeroed_reading_is_not_counted),
		cmocka_unit_test(test_the_sum_of_rows),
		cmocka_unit_test(test_a_wrap_spoils_the_total),
		cmocka_unit_test(test_an_idle_interval_is_zero),
	};

	return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
