/* Fixtures: what is read from one, and what is said of a bad one. */
#include <string.h>

#include "counters/fixture.h"
#include "tests.h"

static void test_everything_a_line_may_say(void **state)
{
	static const char text[] =
		"{\"event\": \"energy \\\"pkg\\\"\", \"type\": \"power\", \"unit\": \"Joules\", "
		"\"scale\": 2.5e-1, \"group\": 7, \"software\": false, \"state\": \"not permitted\", "
		"\"reason\": \"ask root\"}\n"
		"{\"event\": \"cycles\"}\r\n"
		"\n"
		"{\"row\": \"thread\", \"id\": 12, \"id2\": 10, \"label\": \"worker\"}\n"
		"{\"row\": \"thread\", \"id\": 13}\n"
		"{\"time_ns\": 5, \"read\": [null, [1, 2, 3], null, null]}";
	struct counter_fixture f;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(counter_fixture_parse(&f, "all", text, sizeof(text) - 1, &err), 0);
	const struct counter_event *e = f.table.events.data;
	assert_string_equal(e[0].name, "energy \"pkg\"");
	assert_string_equal(e[0].type, "power");
	assert_string_equal(e[0].unit, "Joules");
	assert_string_equal(e[0].reason, "ask root");
	assert_true(e[0].scale > 0.249 && e[0].scale < 0.251);
	assert_int_equal(e[0].group, 7);
	assert_int_equal(e[1].group, 2);
	assert_int_equal(f.table.rows.len, 2);
	assert_string_equal(f.table.rows.data[0].label, "worker");
	assert_int_equal(f.table.rows.data[0].id2, 10);
	assert_int_equal(f.readings.data[0].state, COUNTER_REFUSED);
	assert_int_equal(f.readings.data[1].value, 1);
	assert_int_equal(f.readings.data[3].state, COUNTER_NOT_COUNTED);
	counter_fixture_release(&f);
}

static void expect_error(const char *text, const char *want)
{
	struct counter_fixture f;
	struct error err = { 0 };

	assert_int_equal(counter_fixture_parse(&f, "bad", text, strlen(text), &err), -1);
	if (!strstr(err.text, want))
		fail_msg("'%s' says '%s', not '%s'", text, err.text, want);
	counter_fixture_release(&f);
}

#define EVENT "{\"event\": \"a\"}\n"

static void test_bad_ones_are_told(void **state)
{
	(void)state;
	expect_error("", "there is no reading");
	expect_error("[]", "bad:1: not an object");
	expect_error("{\"what\": 1}", "begins with");
	expect_error("{\"event\": \"\"}", "no name");
	expect_error("{\"event\": \"a\", \"colour\": 1}", "not known");
	expect_error("{\"event\": \"a\", \"scale\": 0}", "not known, or its value");
	expect_error("{\"event\": \"a\", \"state\": \"tired\"}", "unknown state");
	expect_error(EVENT "{\"row\": \"planet\"}", "bad:2: a row is all");
	expect_error("{\"time_ns\": 1, \"read\": []}", "before any event");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": []}", "a reading is");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": [null, null]}", "more readings");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": [[1, 2]]}", "a reading is");
	expect_error(EVENT "{\"time_ns\": 99999999999999999999, \"read\": [null]}", "no time");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": [null]}\n{\"time_ns\": 1, \"read\": [null]}",
		     "bad:3: time does not go on");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": [null]} x", "does not end there");
	expect_error(EVENT "{\"time_ns\": 1, \"read\": [null]}\n" EVENT, "behind rows or readings");
}

int run_fixture_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_a_line_may_say),
		cmocka_unit_test(test_bad_ones_are_told),
	};

	return cmocka_run_group_tests_name("fixtures", tests, NULL, NULL);
}
