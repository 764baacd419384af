/* The hottest lines and the hot path: of profiles made by hand, whose truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/hot_lines.h"
#include "analysis/hot_path.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "build_profile.h"

static const uint64_t ms = 1000000;

/* Code whose frames, innermost first, are at these lines. */
static uint64_t code_at(struct build *b, const char *chain, uint32_t inner, uint32_t outer)
{
	uint64_t address = build_code(b, b->program, chain);
	const struct profile_location *l = &b->profile.locations.data[b->profile.locations.len - 1];

	b->profile.frames.data[l->first_frame].line = inner;
	if (l->frame_count > 1)
		b->profile.frames.data[l->first_frame + 1].line = outer;
	return address;
}

static void add_times(struct build *b, uint64_t address, int times)
{
	for (int i = 0; i < times; i++)
		build_sample(b, PROFILE_NONE, b->program, address, ms);
}

/* Two addresses of one line are one row; of inlined code the innermost line counts. */
static void make_lines(struct build *b)
{
	build_init(b);
	uint64_t first = code_at(b, "f", 7, 0), second = code_at(b, "f", 7, 0),
		 inlined = code_at(b, "g|f", 20, 8), none = code_at(b, "h", 0, 0);

	for (int i = 0; i < 10; i++) {
		add_times(b, first, 2);
		add_times(b, second, 1);
		add_times(b, inlined, 5);
		add_times(b, none, 2);
	}
}

static void expect_line(const struct hot_lines *h, size_t i, uint32_t line, uint64_t count)
{
	assert_true(i < h->rows.len);
	assert_int_equal(h->rows.data[i].line, line);
	assert_int_equal(h->rows.data[i].count, count);
	assert_int_equal(h->rows.data[i].weight, count * ms);
}

static void lines_are_summed_over_their_code(void **state)
{
	struct build b;
	struct filter_result all;
	struct hot_lines h;

	(void)state;
	make_lines(&b);
	build_finish(&b, &all);
	hot_lines_find(&h, &b.profile, &all, b.event, false, 10);
	assert_int_equal(h.total, 100 * ms);
	assert_int_equal(h.rows.len, 2);
	expect_line(&h, 0, 20, 50);
	expect_line(&h, 1, 7, 30);
	assert_string_equal(
		profile_str(&b.profile, b.profile.functions.data[h.rows.data[0].function].name),
		"g");
	assert_true(h.rows.data[0].error >= 0 && h.rows.data[0].error < 0.1);
	hot_lines_release(&h);

	hot_lines_find(&h, &b.profile, &all, b.event, true, 1);
	assert_int_equal(h.rows.len, 1);
	expect_line(&h, 0, 8, 50);
	hot_lines_release(&h);

	hot_lines_find(&h, &b.profile, &all, b.event + 1, false, 10);
	assert_int_equal(h.rows.len, 0);
	assert_int_equal(h.total, 0);
	hot_lines_release(&h);
	filter_result_release(&all);
	build_release(&b);
}

/* As text: "main 100, run 90 x2 | a 40, self 30". Times and shares in percent of all. */
static void expect_path(struct build *b, const char *expected)
{
	struct calltree t;
	struct filter_result all;
	struct hot_path h;
	struct bytes out = { 0 };
	struct calltree_options options = { .no_end_markers = true };

	build_finish(b, &all);
	calltree_build(&t, &b->profile, &all, b->event, &options);
	hot_path_find(&h, &t);
	for (size_t i = 0; i < h.steps.len; i++) {
		const struct calltree_node *n = &t.nodes.data[h.steps.data[i].node];
		bytes_printf(&out, "%s%s %u", i ? ", " : "", t.keys.data[n->key].name,
			     (unsigned)(n->total * 100 / t.total));
		if (h.steps.data[i].times > 1)
			bytes_printf(&out, " x%u", h.steps.data[i].times);
	}
	for (uint32_t i = 0; i < h.branch_count; i++) {
		uint32_t node = h.branches[i].node;
		bytes_printf(&out, "%s%s %u", i ? ", " : " | ",
			     node == PROFILE_NONE ? "self"
						  : t.keys.data[t.nodes.data[node].key].name,
			     (unsigned)(h.branches[i].total * 100 / t.total));
	}
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
	hot_path_release(&h);
	calltree_release(&t);
	filter_result_release(&all);
}

static void the_path_ends_where_it_splits(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	build_stack(&b, "other", 10 * ms);
	build_stack(&b, "main;run;a;x", 36 * ms);
	build_stack(&b, "main;run;b;y", 30 * ms);
	build_stack(&b, "main;run;c", 7 * ms);
	build_stack(&b, "main;run;d", 5 * ms);
	build_stack(&b, "main;run", 12 * ms);
	expect_path(&b, "main 90, run 90 | a 36, b 30, self 12");
	build_release(&b);
}

/* Exactly a half is a split; more is not, but only down to a fifth of all. */
static void half_of_a_caller_is_not_most(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	build_stack(&b, "main;a", 50 * ms);
	build_stack(&b, "main;b", 50 * ms);
	expect_path(&b, "main 100 | a 50, b 50");
	build_release(&b);

	build_init(&b);
	build_stack(&b, "main;a;b;c", 19 * ms);
	build_stack(&b, "main;a;b", 12 * ms);
	build_stack(&b, "main;a", 22 * ms);
	build_stack(&b, "main", 47 * ms);
	expect_path(&b, "main 100, a 53, b 31 | c 19, self 12");
	build_release(&b);
}

static void recursion_is_one_step(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	build_stack(&b, "main;rec", 5 * ms);
	build_stack(&b, "main;rec;rec", 5 * ms);
	build_stack(&b, "main;rec;rec;rec;rec;leaf", 90 * ms);
	expect_path(&b, "main 100, rec 100 x4, leaf 90");
	build_release(&b);
}

static void what_was_not_seen_is_no_path(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	uint32_t synthetic = build_module(&b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);
	uint32_t s = build_sample(&b, PROFILE_NONE, synthetic, 0, 60 * ms);
	build_at(&b, s)->flags = SAMPLE_SYNTHETIC;
	build_stack(&b, "main;a", 40 * ms);
	expect_path(&b, "main 40, a 40");
	build_release(&b);

	build_init(&b);
	expect_path(&b, "");
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_summed_over_their_code),
		cmocka_unit_test(the_path_ends_where_it_splits),
		cmocka_unit_test(half_of_a_caller_is_not_most),
		cmocka_unit_test(recursion_is_one_step),
		cmocka_unit_test(what_was_not_seen_is_no_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
