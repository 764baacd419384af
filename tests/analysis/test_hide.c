/* Frames that are left out: whose callees their callers call, and who has what was theirs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calltree.h"
#include "analysis/hide.h"
#include "base/bytes.h"
#include "build_profile.h"

#define HIDE(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void print_node(struct bytes *out, const struct calltree *t, uint32_t i, int depth)
{
	const struct calltree_node *n = &t->nodes.data[i];

	bytes_printf(out, "%*s%s %" PRIu64 "\n", depth, "", t->keys.data[n->key].name, n->self);
	for (uint32_t c = n->first_child; c != PROFILE_NONE; c = t->nodes.data[c].next_sibling)
		print_node(out, t, c, depth + 1);
}

static void expect(struct build *b, const char *const *regexes, const char *tree)
{
	struct filter_result all = { 0 };
	struct calltree t;
	struct calltree_options options = { 0 };
	struct bytes out = { 0 };
	struct error err = { 0 };

	build_finish(b, &all);
	assert_int_equal(hide_frames(&b->profile, regexes, NULL, &err), 0);
	assert_true(profile_is_consistent(&b->profile));
	calltree_build(&t, &b->profile, &all, 0, &options);
	print_node(&out, &t, 0, 0);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, tree);
	bytes_release(&out);
	calltree_release(&t);
	filter_result_release(&all);
	build_release(b);
}

static void fill(struct build *b)
{
	build_init(b);
	build_stack(b, "main;run;parse;lex", 5);
	build_stack(b, "main;run;parse", 3);
	build_stack(b, "main;run;emit", 2);
	build_stack(b, "main;emit", 1);
}

static void nothing_is_hidden_unless_asked(void **state)
{
	static const char all[] =
		"all 0\n main 0\n  run 0\n   parse 3\n    lex 5\n   emit 2\n  emit 1\n";
	struct build b;

	(void)state;
	fill(&b);
	expect(&b, NULL, all);
	fill(&b);
	expect(&b, HIDE("not there"), all);
}

static void modules_and_files_are_hidden(void **state)
{
	struct build b;

	(void)state;
	fill(&b);
	build_sample(&b, PROFILE_NONE, b.library, build_code(&b, b.library, "inflate"), 7);
	expect(&b, HIDE("module:^libz"),
	       "all 0\n main 0\n  run 0\n   parse 3\n    lex 5\n   emit 2\n  emit 1\n [hidden] 7\n");
	fill(&b);
	build_sample(&b, PROFILE_NONE, b.kernel, build_code(&b, b.kernel, "irq"), 7);
	expect(&b, HIDE("module:[kernel]"),
	       "all 0\n main 0\n  run 0\n   parse 3\n    lex 5\n   emit 2\n  emit 1\n [hidden] 7\n");
	fill(&b);
	build_sample(&b, PROFILE_NONE, b.library, 0x777, 7);
	expect(&b, HIDE("file:app"), "all 0\n [hidden] 11\n [unknown libz.so.1+0x777] 7\n");
}

static void callers_call_what_is_below(void **state)
{
	struct build b;

	(void)state;
	fill(&b);
	expect(&b, HIDE("^run$"), "all 0\n main 0\n  parse 3\n   lex 5\n  emit 3\n");
	fill(&b);
	expect(&b, HIDE("main", "r.n"), "all 0\n parse 3\n  lex 5\n emit 3\n");
}

static void callers_have_what_was_a_leafs(void **state)
{
	struct build b;

	(void)state;
	fill(&b);
	expect(&b, HIDE("lex|emit"), "all 0\n main 1\n  run 2\n   parse 8\n");
	fill(&b);
	expect(&b, HIDE("^parse$", "lex"), "all 0\n main 0\n  run 8\n   emit 2\n  emit 1\n");
}

static void a_stack_of_nothing_else_says_so(void **state)
{
	struct build b;

	(void)state;
	fill(&b);
	expect(&b, HIDE("."), "all 0\n [hidden] 11\n");
}

/* Of an inline chain, some; and all of another. */
static void inlined_frames(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	uint64_t chain = build_code(&b, b.program, "inner|middle|outer");
	uint64_t leaf = build_code(&b, b.program, "in|out");
	build_sample(&b, build_node(&b, PROFILE_NONE, b.program, chain), b.program, leaf, 7);
	expect(&b, HIDE("middle"), "all 0\n outer 0\n  inner 0\n   out 0\n    in 7\n");
	build_init(&b);
	chain = build_code(&b, b.program, "inner|middle|outer");
	leaf = build_code(&b, b.program, "in|out");
	build_sample(&b, build_node(&b, PROFILE_NONE, b.program, chain), b.program, leaf, 7);
	expect(&b, HIDE("outer", "^in$", "out"), "all 0\n middle 0\n  inner 7\n");
}

static void code_without_a_name(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	uint64_t code = build_code(&b, b.program, "main");
	uint32_t node = build_node(&b, PROFILE_NONE, b.program, code);
	build_sample(&b, node, b.library, 0x777, 2);
	build_sample(&b, node, b.library, 0x888, 3);
	expect(&b, HIDE("libz.*777"), "all 0\n main 2\n  [unknown libz.so.1+0x888] 3\n");
}

static void expect_note(const char *const *regexes, const char *expected)
{
	struct build b;
	struct filter_result all = { 0 };
	struct error err = { 0 };
	char *note;

	fill(&b);
	build_finish(&b, &all);
	assert_int_equal(hide_frames(&b.profile, regexes, &note, &err), 0);
	if (expected)
		assert_string_equal(note, expected);
	else
		assert_null(note);
	free(note);
	filter_result_release(&all);
	build_release(&b);
}

static void what_hides_nothing_is_noted(void **state)
{
	(void)state;
	expect_note(HIDE("parse", "mian"),
		    "--hide 'mian' matches nothing in this profile; did you mean main?");
	expect_note(HIDE("module:ap2"),
		    "--hide 'module:ap2' matches nothing in this profile; did you mean app?");
	expect_note(HIDE("bogus:x"),
		    "--hide 'bogus:x' matches nothing in this profile ('bogus:' is no prefix, "
		    "'module:' and 'file:' are); there are lex, parse, emit, ...");
	expect_note(HIDE("std::x"), "--hide 'std::x' matches nothing in this profile; "
				    "there are lex, parse, emit, ...");
	expect_note(HIDE("parse", "main"), NULL);
	expect_note(NULL, NULL);
}

/* Cut in a library that is hidden: still cut there, and as many. */
static void what_is_hidden_is_recorded_no_less(void **state)
{
	struct build b;
	struct filter_result all = { 0 };
	struct health before, after, kept;
	struct error err = { 0 };

	(void)state;
	build_init(&b);
	uint64_t caller = build_code(&b, b.library, "caller");
	uint32_t node = build_node(&b, PROFILE_NONE, b.library, caller);
	node = build_node(&b, node, b.program, build_code(&b, b.program, "callee"));
	build_at(&b, build_sample(&b, node, b.program, 0x777, 2))->end = END_NO_CFI;
	build_finish(&b, &all);
	health_compute(&before, &b.profile, &all);
	assert_int_equal(before.worst[0].module, b.library);
	assert_int_equal(before.unnamed_leaves, 1);
	assert_int_equal(
		hide_frames_of_view(&b.profile, &all, &kept, HIDE("caller", "unknown"), NULL, &err),
		0);
	health_compute(&after, &b.profile, &all);
	assert_int_equal(after.worst_count, 1);
	assert_int_equal(after.worst[0].module, b.library);
	assert_int_equal(after.unnamed_leaves, 1);
	filter_result_release(&all);
	build_release(&b);
}

static void what_is_no_regular_expression(void **state)
{
	struct build b;
	struct error err = { 0 };

	(void)state;
	fill(&b);
	assert_int_equal(hide_frames(&b.profile, HIDE("main", "("), NULL, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.text, "--hide: '(' is not a regular expression"));
	build_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_hidden_unless_asked),
		cmocka_unit_test(modules_and_files_are_hidden),
		cmocka_unit_test(callers_call_what_is_below),
		cmocka_unit_test(callers_have_what_was_a_leafs),
		cmocka_unit_test(a_stack_of_nothing_else_says_so),
		cmocka_unit_test(inlined_frames),
		cmocka_unit_test(code_without_a_name),
		cmocka_unit_test(what_hides_nothing_is_noted),
		cmocka_unit_test(what_is_hidden_is_recorded_no_less),
		cmocka_unit_test(what_is_no_regular_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
