/* prof info: golden text and JSON, also of profiles made to break it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "output/output.h"
#include "sample_profile.h"

typedef void profile_maker(struct build *b, struct filter_result *all);

static void expect_info(profile_maker *maker, bool json, const char *file)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	maker(&b, &all);
	output_info(&out, &b.profile, json, true);
	for (size_t i = 0; i < out.len; i++)
		assert_true(out.data[i] >= 0x20 || out.data[i] == '\n' || out.data[i] == '\t');
	expect_golden(&out, file);
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

static void as_text(void **state)
{
	(void)state;
	expect_info(sample_profile, false, "info.txt");
	expect_info(empty_profile, false, "info-empty.txt");
	expect_info(hostile_profile, false, "info-hostile.txt");
}

/* Tasks end after their counters: the rows sum to more. */
static void counter_with_less_than_the_rows(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	(void)state;
	sample_profile(&b, &all);
	b.profile.events.data[b.event].exact_total = 700000000;
	output_info(&out, &b.profile, false, true);
	bytes_u8(&out, '\0');
	assert_non_null(
		strstr((const char *)out.data, " 750 samples, 790 ms; the counter has 700 ms\n"));
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

static void as_json(void **state)
{
	(void)state;
	expect_info(sample_profile, true, "info.json");
	expect_info(empty_profile, true, "info-empty.json");
	expect_info(hostile_profile, true, "info-hostile.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_text),
		cmocka_unit_test(counter_with_less_than_the_rows),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
