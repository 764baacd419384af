/* Searching, and walking through what is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

static void test_search_counts_the_union(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	press(&f, "/^[AB]$ enter"); /* a capital: minds the case */
	assert_int_equal(f.model.search.frames, 0);
	press(&f, "/ ^U ^[ab]$ enter");
	assert_int_equal(f.model.search.frames, 3);
	assert_int_equal(f.model.search.weight, 700);
	press(&f, "/ ^U module:app enter");
	assert_int_equal(f.model.search.weight, 1500);
	press(&f, "/ ^U ab\\w enter");
	CLEANUP_FREE char *word = search_word(&f.model.search);
	assert_string_equal(word, "[aA][bB]\\w");
	fixture_release(&f);
}

/* What is searched for by module or file can be a filter, too. */
static void test_search_of_modules_is_a_filter(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	press(&f, "/module:app enter");
	CLEANUP_FREE char *word = search_word(&f.model.search);
	assert_string_equal(word, "module:app");
	fixture_release(&f);
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "/module:libz enter");
	uint64_t found = f.model.search.weight, all = f.model.view.trees[0].total;
	assert_true(found > 0 && found < all);
	press(&f, "F");
	assert_int_equal(f.model.state.filters.items.len, 1);
	assert_int_equal(f.model.view.trees[0].total, found);
	press(&f, "u X");
	assert_int_equal(f.model.state.filters.items.len, 1);
	assert_int_equal(f.model.view.trees[0].total, all - found);
	fixture_release(&f);
}

/* A module's whole name is that module, whatever it would be as a regular expression. */
static void test_search_of_a_module_by_its_name(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "/module:[kernel] enter");
	uint64_t found = f.model.search.weight, all = f.model.view.trees[0].total;
	CLEANUP_FREE char *word = search_word(&f.model.search);
	assert_string_equal(word, "module:[kernel]");
	assert_true(found > 0 && found < all);
	press(&f, "F");
	assert_int_equal(f.model.view.trees[0].total, found);
	press(&f, "u X");
	assert_int_equal(f.model.view.trees[0].total, all - found);
	press(&f, "u H /module:[kernel] enter");
	assert_int_equal(f.model.view.trees[0].total, all);
	assert_int_equal(f.model.search.frames, 0);
	/* Of modules that are not there it is one. */
	press(&f, "u / ^U module:[kern] enter");
	assert_true(f.model.search.frames > 0);
	fixture_release(&f);
}

/* What is no regular expression is said while it is typed, and cannot be left standing. */
static void test_search_that_is_none(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	press(&f, "/a(");
	assert_non_null(strstr(screen(&f), "Unmatched ("));
	press(&f, "enter"); /* is not taken */
	assert_int_equal(f.model.prompt.kind, PROMPT_SEARCH);
	assert_non_null(strstr(screen(&f), "Unmatched ("));
	press(&f, "bs");
	assert_null(strstr(screen(&f), "Unmatched"));
	press(&f, "enter");
	assert_int_equal(f.model.prompt.kind, PROMPT_NONE);
	assert_string_equal(f.model.search.text, "a");
	press(&f, "/ [ enter esc"); /* what was searched for before */
	assert_string_equal(f.model.search.text, "a");
	assert_null(strstr(screen(&f), "Unmatched"));
	/* Of another dialect: said so, as commands would not take it. */
	press(&f, "/ ^U (?i)a enter");
	assert_int_equal(f.model.prompt.kind, PROMPT_SEARCH);
	assert_non_null(strstr(screen(&f), "(? is not of POSIX extended regular expressions"));
	press(&f, "esc");
	press(&f, "/ bs enter"); /* all of what was there before anything is typed */
	assert_null(f.model.search.text);
	fixture_release(&f);
}

static void expect_match(struct fixture *f, size_t index)
{
	const struct model *m = &f->model;

	assert_int_equal(search_index(&m->search, m->selected), index);
	assert_non_null(layout_find(&m->layout, m->selected));
	assert_true(search_hits(&m->search, &m->view, m->selected.tree, m->selected.node));
}

/* n goes through all that is found, each on the screen then, and N the other way. */
static void test_steps_reach_every_match(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, wide_profile, 80, 24);
	press(&f, "/^f9$ enter home");
	size_t count = f.model.search.frames;
	assert_int_equal(count, 65);
	for (size_t i = 0; i < count; i++) {
		press(&f, "n");
		expect_match(&f, i);
	}
	assert_int_equal(f.model.search.order.len, count);
	assert_non_null(strstr(screen(&f), "65 of 65 frames"));
	press(&f, "n");
	expect_match(&f, 0);
	press(&f, "N");
	expect_match(&f, count - 1);
	press(&f, "N");
	expect_match(&f, count - 2);
	press(&f, "u"); /* all the way at once */
	assert_int_equal(f.model.past.len, 0);
	assert_int_equal(f.model.zoomed.node, 0);
	press(&f, "home N");
	expect_match(&f, count - 1);
	fixture_release(&f);
}

static void cased(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_stack(b, "main;a.b;x", 100);
	build_stack(b, "main;A.b;x", 200);
	build_stack(b, "main;a+b;x", 400);
	build_stack(b, "main;a.b;a.b", 800);
	build_finish(b, all);
}

/* By its name and no other, letters' case and signs of patterns included. */
static void test_search_of_what_is_selected(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, cased, 80, 24);
	press(&f, "#");
	assert_non_null(strstr(f.model.message, "no frame is selected"));
	press(&f, "down down #");
	assert_string_equal(f.model.search.text, "^a\\.b$");
	assert_int_equal(f.model.search.frames, 2);
	assert_int_equal(f.model.search.weight, 900);
	assert_non_null(strstr(screen(&f), "1 of 2 frames"));
	press(&f, "n");
	assert_non_null(strstr(screen(&f), "2 of 2 frames"));
	press(&f, "b"); /* of another tree the same */
	assert_int_equal(f.model.search.weight, 900);
	press(&f, "b / esc"); /* what was searched for before stays as it was */
	assert_int_equal(f.model.search.frames, 2);
	CLEANUP_FREE char *word = search_word(&f.model.search);
	assert_string_equal(word, "^a\\.b$");
	press(&f, "F");
	assert_int_equal(view_total(&f.model.view), 900);
	press(&f, "u home down down #");
	assert_null(f.model.search.text);
	press(&f, "m down #");
	assert_string_equal(f.model.search.text, "module:^app$");
	assert_true(f.model.search.frames > 0);
	fixture_release(&f);
}

/* Where the first match is among all is said at once. */
static void test_first_match_has_its_number(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	press(&f, "/^b$ enter");
	assert_non_null(strstr(screen(&f), "1 of 2 frames"));
	fixture_release(&f);
}

#define LEAVES 25u
#define DEPTH  10000u

/* So many callers of each of some functions: the bottom-up tree is large, the other is not. */
static void many_callers(struct build *b, struct filter_result *all)
{
	build_init(b);
	uint64_t address = build_code(b, b->program, "deep");
	uint32_t node = PROFILE_NONE;
	for (unsigned i = 0; i < DEPTH; i++)
		node = build_node(b, node, b->program, address);
	for (unsigned i = 0; i < LEAVES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "leaf%u", i);
		build_sample(b, node, b->program, build_code(b, b->program, name), 1000);
	}
	build_finish(b, all);
}

/* What is found is weighed at once, and counted when it is gone through. */
static void test_search_of_a_large_tree_of_callers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, many_callers, 80, 24);
	press(&f, "b");
	assert_true(f.model.view.trees[0].nodes.len < LEAVES * DEPTH / 10);
	press(&f, "/^deep$ enter");
	assert_false(f.model.search.is_counted);
	assert_non_null(strstr(screen(&f), "/^deep$: 100.0%"));
	press(&f, "n");
	assert_int_equal(f.model.view.trees[0].nodes.len, LEAVES * (DEPTH + 1) + 1);
	assert_int_equal(f.model.search.frames, LEAVES * DEPTH);
	assert_int_equal(f.model.search.weight, LEAVES * 1000);
	assert_non_null(strstr(screen(&f), "2 of 250 000 frames, 100.0%"));
	fixture_release(&f);
}

static void test_steps_around_a_function(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "/^eval$ enter n s / ^U ^(main|eval|rec)$ enter home");
	size_t count = f.model.search.frames;
	assert_true(count > 3);
	for (size_t i = 1; i < 2 * count; i++) {
		press(&f, "n");
		expect_match(&f, i % count);
	}
	press(&f, "t home n n N");
	assert_int_equal(f.model.table.selected, 1);
	fixture_release(&f);
}

int run_search_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search_counts_the_union),
		cmocka_unit_test(test_search_of_modules_is_a_filter),
		cmocka_unit_test(test_search_of_a_module_by_its_name),
		cmocka_unit_test(test_search_that_is_none),
		cmocka_unit_test(test_steps_reach_every_match),
		cmocka_unit_test(test_search_of_what_is_selected),
		cmocka_unit_test(test_first_match_has_its_number),
		cmocka_unit_test(test_search_of_a_large_tree_of_callers),
		cmocka_unit_test(test_steps_around_a_function),
	};

	return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
