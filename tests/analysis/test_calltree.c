/* The call tree on profiles made by hand, compared as text: "path self/total" per node, heaviest
 * first. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calltree.h"
#include "analysis/neighbours.h"
#include "base/bytes.h"
#include "build_profile.h"

static void print_node(struct bytes *out, const struct calltree *t, uint32_t i, int depth)
{
	const struct calltree_node *n = &t->nodes.data[i];

	bytes_printf(out, "%*s%s%s%s %" PRIu64 "/%" PRIu64 "\n", depth, "",
		     t->keys.data[n->key].name, n->kind == CODE_INLINED ? "^" : "",
		     n->guessed ? "?" : "", n->self, n->total);
	for (uint32_t c = n->first_child; c != PROFILE_NONE; c = t->nodes.data[c].next_sibling)
		print_node(out, t, c, depth + 1);
}

typedef int neighbours(struct calltree *t, const struct profile *p,
		       const struct filter_result *samples, uint32_t event,
		       const struct calltree_options *options, const char *option,
		       const char *pattern, struct error *err);

/* The tree, or the error's text. */
static void expect_neighbours(struct build *b, neighbours *function, const char *pattern,
			      const char *expected)
{
	struct filter_result all;
	struct calltree t;
	struct calltree_options o = { .by_comm = true };
	struct error err = { 0 };
	struct bytes out = { 0 };

	build_finish(b, &all);
	const char *option = function == calltree_callers ? "--callers" : "--callees";
	if (function(&t, &b->profile, &all, b->event, &o, option, pattern, &err) == 0) {
		print_node(&out, &t, 0, 0);
		calltree_release(&t);
	} else {
		bytes_printf(&out, "%s", err.text);
	}
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
	filter_result_release(&all);
}

static void expect_tree(struct build *b, const struct calltree_options *options,
			const char *expected)
{
	struct filter_result all;
	struct calltree t;
	struct bytes out = { 0 };

	build_finish(b, &all);
	calltree_build(&t, &b->profile, &all, b->event, options);
	for (size_t i = 1; i < t.nodes.len; i++)
		assert_true(t.nodes.data[i].parent < i);
	print_node(&out, &t, 0, 0);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
	calltree_release(&t);
	filter_result_release(&all);
}

static int setup(void **state)
{
	static struct build b;

	build_init(&b);
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	build_release(*state);
	return 0;
}

static void an_empty_profile_has_a_root(void **state)
{
	struct calltree_options o = { 0 };

	expect_tree(*state, &o, "all 0/0\n");
}

static void stacks_merge_and_children_are_sorted(void **state)
{
	struct calltree_options o = { 0 };

	build_stack(*state, "main;a;b", 10);
	build_stack(*state, "main;c", 30);
	build_stack(*state, "main;a", 5);
	build_stack(*state, "main;b", 15);
	expect_tree(*state, &o,
		    "all 0/60\n"
		    " main 0/60\n"
		    "  c 30/30\n"
		    "  a 5/15\n"
		    "   b 10/10\n"
		    "  b 15/15\n");
}

static void samples_of_another_event_are_left_out(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };

	build_stack(b, "main", 10);
	uint32_t other = build_event(b, "page-faults", UNIT_COUNT);
	build_at(b, build_stack(b, "main", 7))->event = (uint16_t)other;
	expect_tree(b, &o, "all 0/10\n main 10/10\n");
}

static void inline_frames_are_expanded(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };
	uint64_t call = build_code(b, b->program, "mid|main"),
		 leaf = build_code(b, b->program, "in2|in1|f");

	build_sample(b, build_node(b, PROFILE_NONE, b->program, call), b->program, leaf, 4);
	expect_tree(b, &o,
		    "all 0/4\n main 0/4\n  mid^ 0/4\n   f 0/4\n    in1^ 0/4\n     in2^ 4/4\n");
	o.no_inline = true;
	expect_tree(b, &o, "all 0/4\n main 0/4\n  f 4/4\n");
	o.no_inline = false;
	o.inverted = true;
	expect_tree(b, &o,
		    "all 0/4\n in2^ 0/4\n  in1^ 0/4\n   f 0/4\n    mid^ 0/4\n     main 4/4\n");
}

static void return_addresses_are_looked_up_one_before(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };
	uint64_t caller = build_code(b, b->program, "caller");

	/* The byte after caller's last call belongs to another function. */
	b->next_address = caller + 1;
	build_code(b, b->program, "next_victim");
	uint32_t node = build_node(b, PROFILE_NONE, b->program, caller);
	assert_int_equal(b->profile.nodes.data[node].address, caller + 1);
	build_sample(b, node, b->program, build_code(b, b->program, "forever"), 3);
	expect_tree(b, &o, "all 0/3\n caller 0/3\n  forever 3/3\n");
	/* A signal frame is looked up at the address itself. */
	b->profile.nodes.data[node].how = FRAME_SIGNAL;
	b->profile.node_location.len = 0;
	expect_tree(b, &o, "all 0/3\n next_victim 0/3\n  forever 3/3\n");
}

static void unknown_code_is_named_by_module_and_address(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };
	uint32_t anon = build_module(b, MODULE_ANON, "//anon");

	build_sample(b, build_node(b, PROFILE_NONE, b->library, 0x1234), b->library, 0x1240, 1);
	build_sample(b, build_node(b, PROFILE_NONE, b->library, 0x1234), b->library, 0x1240, 1);
	build_sample(b, PROFILE_NONE, anon, 0x7f0000001000, 1);
	build_sample(b, PROFILE_NONE, b->library, build_code(b, b->library, ""), 4);
	expect_tree(b, &o,
		    "all 0/7\n"
		    " [unknown libz.so.1+0x1000] 4/4\n"
		    " [unknown libz.so.1+0x1234] 0/2\n"
		    "  [unknown libz.so.1+0x1240] 2/2\n"
		    " [unknown 0x7f0000001000] 1/1\n");
}

static void a_kernel_without_names_is_one_frame(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };
	uint32_t user = build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "main"));
	uint32_t inner = build_node(b, user, b->kernel, 0xffffffff81000000);

	b->profile.modules.data[b->kernel].symbols = SYMBOLS_MISSING;
	build_sample(b, inner, b->kernel, 0xffffffff81000200, 2);
	build_sample(b, user, b->kernel, 0xffffffff81000300, 2);
	expect_tree(b, &o, "all 0/4\n main 0/4\n  [kernel] 4/4\n");
}

static void rows_for_what_was_not_seen(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };
	struct filter_result all;
	struct calltree t;
	uint32_t lost = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);

	build_stack(b, "main", 3);
	build_at(b, build_sample(b, PROFILE_NONE, lost, 77, 5))->flags = SAMPLE_SYNTHETIC;
	build_at(b, build_sample(b, PROFILE_NONE, lost, 88, 5))->flags = SAMPLE_SYNTHETIC;
	expect_tree(b, &o, "all 0/13\n [not sampled] 10/10\n main 3/3\n");
	build_finish(b, &all);
	calltree_build(&t, &b->profile, &all, b->event, &o);
	assert_int_equal(t.sample_count, 1);
	assert_int_equal(t.total, 13);
	calltree_release(&t);
	filter_result_release(&all);
}

static void threads_and_commands_are_first_level_rows(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .by_thread = true };
	uint32_t worker = build_task(b, 100, 101, "worker"), empty = build_task(b, 100, 102, "");
	uint32_t worker2 = build_task(b, 100, 103, "worker");

	build_stack(b, "main;a", 1);
	build_at(b, build_stack(b, "main;a", 2))->task = worker;
	build_at(b, build_stack(b, "main", 4))->task = empty;
	build_at(b, build_stack(b, "main;a", 8))->task = worker2;
	expect_tree(
		b, &o,
		"all 0/15\n worker (103) 0/8\n  main 0/8\n   a 8/8\n [no name] (102) 0/4\n  main 4/4\n"
		" worker (101) 0/2\n  main 0/2\n   a 2/2\n app (100) 0/1\n  main 0/1\n   a 1/1\n");
	o = (struct calltree_options){ .by_comm = true };
	expect_tree(b, &o,
		    "all 0/15\n worker 0/10\n  main 0/10\n   a 10/10\n [no name] 0/4\n  main 4/4\n"
		    " app 0/1\n  main 0/1\n   a 1/1\n");
	o.inverted = true;
	expect_tree(b, &o,
		    "all 0/15\n worker 0/10\n  a 0/10\n   main 10/10\n [no name] 0/4\n  main 4/4\n"
		    " app 0/1\n  a 0/1\n   main 1/1\n");
}

static void frames_as_modules_fold(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .by_module = true };
	uint32_t main_ = build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "main"));
	uint32_t a = build_node(b, main_, b->program, build_code(b, b->program, "x|a"));
	uint32_t z = build_node(b, a, b->library, build_code(b, b->library, "z"));

	build_sample(b, z, b->library, build_code(b, b->library, "zz"), 3);
	build_sample(b, z, b->kernel, build_code(b, b->kernel, "read"), 2);
	expect_tree(b, &o, "all 0/5\n app 0/5\n  libz.so.1 3/5\n   [kernel] 2/2\n");
}

static void frames_by_line(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .by_line = true };
	uint64_t f1 = build_code(b, b->program, "f"), f2 = build_code(b, b->program, "f");

	b->profile.frames.data[1].line = 12;
	build_sample(b, PROFILE_NONE, b->program, f1, 1);
	build_sample(b, PROFILE_NONE, b->program, f2, 2);
	build_sample(b, PROFILE_NONE, b->program, f2, 2);
	expect_tree(b, &o, "all 0/5\n f:12 4/4\n f:10 1/1\n");
}

static void direct_recursion_folds_when_asked(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .merge_recursion = true };

	build_stack(b, "main;f;f;f;g;f", 2);
	build_stack(b, "main;f", 1);
	expect_tree(b, &o, "all 0/3\n main 0/3\n  f 1/3\n   g 0/2\n    f 2/2\n");
	o.merge_recursion = false;
	expect_tree(b, &o,
		    "all 0/3\n main 0/3\n  f 1/3\n   f 0/2\n    f 0/2\n     g 0/2\n      f 2/2\n");
}

static void linkage_names_when_asked(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };

	build_stack(b, "ns::f(int)", 1);
	b->profile.functions.data[0].linkage = build_str(b, "_ZN2ns1fEi");
	expect_tree(b, &o, "all 0/1\n ns::f(int) 1/1\n");
	o.names = NAMES_NONE;
	expect_tree(b, &o, "all 0/1\n _ZN2ns1fEi 1/1\n");
}

static void overloads_are_one_where_names_are_simple(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .names = NAMES_SIMPLE };

	build_stack(b, "ns::f(int)", 1);
	build_stack(b, "ns::f(char)", 2);
	build_stack(b, "js(a)", 4);
	b->profile.functions.data[0].linkage = build_str(b, "_ZN2ns1fEi");
	b->profile.functions.data[1].linkage = build_str(b, "_ZN2ns1fEc");
	expect_tree(b, &o, "all 0/7\n js(a) 4/4\n ns::f 3/3\n");
}

static void stacks_cut_short_say_so(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { .by_comm = true };

	build_stack(b, "main;f", 4);
	build_at(b, build_stack(b, "f", 2))->end = END_TRUNCATED;
	build_at(b, build_stack(b, "f", 1))->end = END_UNKNOWN;
	expect_tree(
		b, &o,
		"all 0/7\n app 0/7\n  main 0/4\n   f 4/4\n  [truncated] 0/2\n   f 2/2\n  f 1/1\n");
	o.no_end_markers = true;
	expect_tree(b, &o, "all 0/7\n app 0/7\n  main 0/4\n   f 4/4\n  f 3/3\n");
}

static void guessed_unless_found_otherwise_too(void **state)
{
	struct build *b = *state;
	struct calltree_options o = { 0 };

	build_stack(b, "main;f;leaf", 1);
	b->profile.nodes.data[1].how = FRAME_GUESSED;
	b->profile.nodes.data[1].address += 1;
	build_code(b, b->program, "f");
	b->profile.locations.data[3].address = b->profile.nodes.data[1].address - 1;
	expect_tree(b, &o, "all 0/1\n main 0/1\n  f? 0/1\n   leaf 1/1\n");
	build_stack(b, "main;f;leaf", 1);
	expect_tree(b, &o, "all 0/2\n main 0/2\n  f 0/2\n   leaf 2/2\n");
}

static void huge_weights_do_not_overflow(void **state)
{
	struct build *b = *state;
	struct filter_result all;
	struct calltree t;

	build_stack(b, "main;a", UINT64_MAX - 1);
	build_stack(b, "main;b", UINT64_MAX - 1);
	build_finish(b, &all);
	calltree_build(&t, &b->profile, &all, b->event, &(struct calltree_options){ 0 });
	assert_true(t.total == UINT64_MAX - 1);
	assert_true(t.nodes.data[2].total == t.nodes.data[3].total);
	calltree_release(&t);
	filter_result_release(&all);
}

static void deep_stacks_are_exact(void **state)
{
	struct build *b = *state;
	struct filter_result all;
	struct calltree t;
	struct calltree_options o = { 0 };
	uint64_t rec = build_code(b, b->program, "rec");
	uint32_t node = PROFILE_NONE;

	for (uint32_t i = 0; i < 100000; i++) {
		struct profile_node n = {
			.parent = node, .module = b->program, .address = rec + 1, .how = FRAME_CFI
		};
		vec_push(&b->profile.nodes, n);
		node = i;
	}
	build_sample(b, node, b->program, rec, 9);
	build_finish(b, &all);
	for (int inverted = 0; inverted < 2; inverted++) {
		o.inverted = inverted;
		calltree_build(&t, &b->profile, &all, b->event, &o);
		assert_int_equal(t.nodes.len, 100002);
		assert_int_equal(t.nodes.data[100001].total, 9);
		calltree_release(&t);
	}
	filter_result_release(&all);
}

/* Scopes and parameters need not be typed; rows that are not functions are not offered. */
static void callees_of_a_name_without_its_scopes(void **state)
{
	struct build *b = *state;
	uint32_t missing = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);

	build_stack(b, "main;(anonymous namespace)::fibonacci(unsigned int);add", 3);
	build_sample(b, PROFILE_NONE, missing, 0, 5);
	build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	expect_neighbours(
		b, calltree_callees, "fibonacci",
		"all 0/3\n (anonymous namespace)::fibonacci(unsigned int) 0/3\n  add 3/3\n");
	expect_neighbours(
		b, calltree_callers, "sampled",
		"--callers 'sampled': no such function in these samples; there are add, main, "
		"(anonymous namespace)::fibonacci(unsigned int)");
}

static void callers_and_callees(void **state)
{
	struct build *b = *state;

	build_stack(b, "main;a;f;x", 1);
	build_stack(b, "main;a;f;f;y", 2);
	build_stack(b, "main;b;f", 4);
	build_stack(b, "main;f;x;f", 8);
	build_stack(b, "main;b", 16);
	expect_neighbours(b, calltree_callees, "f",
			  "all 0/15\n f 4/15\n  x 1/9\n   f 8/8\n  f 0/2\n   y 2/2\n");
	expect_neighbours(
		b, calltree_callers, "f",
		"all 0/15\n f 0/15\n  main 8/8\n  b 0/4\n   main 4/4\n  a 0/3\n   main 3/3\n");
	expect_neighbours(b, calltree_callers, "x,y",
			  "all 0/11\n x 0/9\n  f 0/9\n   main 8/8\n   a 0/1\n    main 1/1\n y 0/2\n"
			  "  f 0/2\n   f 0/2\n    a 0/2\n     main 2/2\n");
	expect_neighbours(b, calltree_callers, "main", "all 0/31\n main 31/31\n");
	expect_neighbours(
		b, calltree_callees, "mian",
		"--callees 'mian': no such function in these samples; did you mean main?");
	expect_neighbours(b, calltree_callers, "/(/",
			  "--callers: '(' is not a regular expression: Unmatched ( or \\(");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_empty_profile_has_a_root),
		TEST(stacks_merge_and_children_are_sorted),
		TEST(samples_of_another_event_are_left_out),
		TEST(inline_frames_are_expanded),
		TEST(return_addresses_are_looked_up_one_before),
		TEST(unknown_code_is_named_by_module_and_address),
		TEST(a_kernel_without_names_is_one_frame),
		TEST(rows_for_what_was_not_seen),
		TEST(threads_and_commands_are_first_level_rows),
		TEST(frames_as_modules_fold),
		TEST(frames_by_line),
		TEST(direct_recursion_folds_when_asked),
		TEST(linkage_names_when_asked),
		TEST(overloads_are_one_where_names_are_simple),
		TEST(stacks_cut_short_say_so),
		TEST(guessed_unless_found_otherwise_too),
		TEST(huge_weights_do_not_overflow),
		TEST(deep_stacks_are_exact),
		TEST(callers_and_callees),
		TEST(callees_of_a_name_without_its_scopes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
