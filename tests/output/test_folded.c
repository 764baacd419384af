/* Folded stacks: exact lines, sums, and names that would split a line. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "output/output.h"
#include "sample_profile.h"

static void fold(struct build *b, const struct filter_result *all, const struct folded_options *o,
		 struct bytes *out)
{
	bytes_clear(out);
	output_folded(out, &b->profile, all, b->event, o);
	bytes_u8(out, '\0');
	out->len--;
}

/* Sum of the numbers that end the lines, as readers take them: after the last space. */
static uint64_t sum_lines(const struct bytes *out)
{
	uint64_t sum = 0;

	for (const char *at = (const char *)out->data; *at; at++) {
		const char *end = strchr(at, '\n'), *space = end;
		assert_non_null(end);
		while (*space != ' ')
			space--;
		assert_true(space > at);
		sum += strtoull(space + 1, NULL, 10);
		at = end;
	}
	return sum;
}

static void lines_are_as_before(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	(void)state;
	sample_profile(&b, &all);
	fold(&b, &all, &(struct folded_options){ .count = false }, &out);
	assert_int_equal(sum_lines(&out), 790000000);
	expect_golden(&out, "sample.folded");
	fold(&b, &all, &(struct folded_options){ .count = true }, &out);
	assert_int_equal(sum_lines(&out), 750);
	expect_golden(&out, "sample-count.folded");
	fold(&b, &all, &(struct folded_options){ .frames.by_thread = true }, &out);
	assert_int_equal(sum_lines(&out), 790000000);
	expect_golden(&out, "sample-thread.folded");
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

static void hostile_names_stay_in_their_frame(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	(void)state;
	hostile_profile(&b, &all);
	fold(&b, &all, &(struct folded_options){ .count = false }, &out);
	assert_int_equal(sum_lines(&out), 16 * 1000 + 120 + 2000 + 5);
	const char *text = (const char *)out.data;
	assert_non_null(strstr(text, "app;semi:colon 1000\n"));
	assert_non_null(strstr(text, "app;operator new 5_3 1007\n"));
	assert_non_null(strstr(text, "app;ends in space_ 1008\n"));
	assert_non_null(strstr(text, "app;new\\x0aline\\x0d\\x09tab 1009\n"));
	assert_non_null(strstr(text, "app;bad\\xff\\xfe utf8 1003\n"));
	assert_non_null(strstr(text, "app;\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e 1013\n"));
	assert_non_null(strstr(text, "app;_ 1014\n"));
	assert_non_null(strstr(text, "app;: 1015\n"));
	assert_non_null(strstr(text, "[no name];[unknown "));
	assert_non_null(strstr(text, "\na:b;[unknown "));
	assert_non_null(strstr(text, "\nx_1;[unknown "));
	assert_non_null(strstr(text, "\nnl\\x0ax;[unknown "));
	assert_non_null(strstr(text, "xxx_tail 2000\n"));
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

static void equal_lines_merge(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	(void)state;
	build_init(&b);
	build_stack(&b, "a;b:c", 1);
	build_stack(&b, "a;b", 2);
	/* The same text from another module and as an inline frame. */
	uint32_t a = build_node(&b, PROFILE_NONE, b.program, build_code(&b, b.program, "a"));
	build_sample(&b, a, b.library, build_code(&b, b.library, "b"), 4);
	build_sample(&b, PROFILE_NONE, b.program, build_code(&b, b.program, "b|a"), 8);
	build_finish(&b, &all);
	fold(&b, &all, &(struct folded_options){ .count = false }, &out);
	assert_string_equal((const char *)out.data, "app;a;b 14\napp;a;b:c 1\n");
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

static void no_samples_no_lines(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };

	(void)state;
	empty_profile(&b, &all);
	fold(&b, &all, &(struct folded_options){ .count = false }, &out);
	assert_int_equal(out.len, 0);
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

/* Samples at all depths of a chain of 10,000 frames would be 200 MB of text: it is cut, the sum
 * stays. */
static void endless_text_is_cut(void **state)
{
	struct build b;
	struct filter_result all;
	struct bytes out = { 0 };
	uint32_t node = PROFILE_NONE;

	(void)state;
	build_init(&b);
	uint64_t leaf = build_code(&b, b.program, "f"), other = build_code(&b, b.program, "g");
	for (uint32_t i = 0; i < 10000; i++) {
		struct profile_node n = { .parent = node,
					  .module = b.program,
					  .address = (i % 2 ? leaf : other) + 1,
					  .how = FRAME_CFI };
		vec_push(&b.profile.nodes, n);
		node = i;
		build_sample(&b, node, b.program, leaf, 3);
	}
	build_finish(&b, &all);
	fold(&b, &all, &(struct folded_options){ .bytes_limit = 1 << 20 }, &out);
	assert_int_equal(sum_lines(&out), 30000);
	assert_true(out.len < 1 << 20);
	assert_non_null(strstr((const char *)out.data, ";[deeper frames] "));
	bytes_release(&out);
	filter_result_release(&all);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_as_before),
		cmocka_unit_test(hostile_names_stay_in_their_frame),
		cmocka_unit_test(equal_lines_merge),
		cmocka_unit_test(no_samples_no_lines),
		cmocka_unit_test(endless_text_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
