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

static void as_json(void **state)
{
	(void)state;
	expect_info(sample_profile, true, "info.json");
	expect_info(empty_profile, true, "info-empty.json");
	expect_info(hostile_profile, true, "info-hostile.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_text), cmocka_unit_test(as_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
