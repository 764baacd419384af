/* Percentages and wrapped lines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/percent.h"
#include "analysis/wrap.h"

static void expect(struct bytes *out, const char *text)
{
	bytes_u8(out, '\0');
	assert_string_equal((const char *)out->data, text);
	bytes_release(out);
}

static void expect_percent(uint64_t part, uint64_t all, const char *text)
{
	struct bytes out = { NULL, 0, 0 };

	percent_append(&out, part, all);
	expect(&out, text);
}

static void all_and_nothing_are_only_said_when_true(void **state)
{
	(void)state;
	expect_percent(1, 3, "33.3");
	expect_percent(2, 3, "66.7");
	expect_percent(5, 5, "100.0");
	expect_percent(999999, 1000000, "99.9");
	expect_percent(0, 5, "0.0");
	expect_percent(1, 1000000, "<0.1");
	expect_percent(1, 0, "0.0");
	expect_percent(UINT64_MAX, UINT64_MAX, "100.0");
	expect_percent(UINT64_MAX / 2, UINT64_MAX, "50.0");
	expect_percent(15, 10, "150.0");
}

static void fractions(void **state)
{
	struct bytes out = { NULL, 0, 0 };

	(void)state;
	percent_append_fraction(&out, 0.01234);
	percent_append_fraction(&out, NAN);
	percent_append_fraction(&out, -1);
	bytes_u8(&out, ' ');
	percent_append_fraction(&out, INFINITY);
	bytes_u8(&out, ' ');
	percent_append_exact_fraction(&out, 0.01234);
	bytes_u8(&out, ' ');
	percent_append_exact(&out, 1, 3);
	expect(&out, "1.2 1000000.0 1.234000 33.333333");
}

/* An interval ends where shares do. */
static void errors_stay_within_nothing_and_all(void **state)
{
	static const struct {
		double share, error;
		const char *text;
	} rows[] = {
		{ 0.5, 0.049, "±4.9" },	 { NAN, 0.049, "±4.9" }, { 0.056, 0.118, "+11.8" },
		{ 0.971, 0.05, "-5.0" }, { 0.3, 0.75, "+70.0" }, { 0.7, 0.75, "-70.0" },
		{ 0.5, 0.75, "±50.0" },	 { 0, 0.00001, "±0.0" }, { 1, 0, "±0.0" },
		{ 0.05, 0.05, "±5.0" },	 { 0.5, NAN, "" },	 { 0.5, 0.5, "±50.0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes out = { NULL, 0, 0 };
		percent_append_error(&out, "±", rows[i].share, rows[i].error);
		expect(&out, rows[i].text);
	}
}

static void lines_break_between_parts(void **state)
{
	struct bytes out = { NULL, 0, 0 }, part = { NULL, 0, 0 };
	struct wrap w;
	const char *parts[] = { "one", "", "two two", "three", "a part wider than the line" };

	(void)state;
	wrap_begin(&w, &out, "label: ", 20, 2);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		bytes_printf(&part, "%s", parts[i]);
		wrap_take(&w, &part);
	}
	wrap_end(&w);
	bytes_release(&part);
	expect(&out, "label: one · two two\n  three\n  a part wider than the line\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_and_nothing_are_only_said_when_true),
		cmocka_unit_test(fractions),
		cmocka_unit_test(errors_stay_within_nothing_and_all),
		cmocka_unit_test(lines_break_between_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
