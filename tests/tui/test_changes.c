/* Keys that change what is shown: that it can be undone, and what cannot be is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

static void expect_undo(const char *keys, unsigned steps)
{
	struct fixture f;

	fixture_init(&f, sample_profile, 120, 40);
	char *before = strdup(screen(&f));
	press(&f, keys);
	if (strcmp(screen(&f), before) == 0)
		fail_msg("'%s' changes nothing", keys);
	while (steps--)
		press(&f, "u");
	press(&f, "home"); /* takes the message away */
	if (strcmp(screen(&f), before) != 0)
		fail_msg("undo of '%s' leaves another screen", keys);
	free(before);
	fixture_release(&f);
}

static void test_everything_can_be_undone(void **state)
{
	(void)state;
	expect_undo("down down down enter", 1);
	expect_undo("i", 1);
	expect_undo("b", 1);
	expect_undo("m", 1);
	expect_undo("down down s", 1);
	expect_undo("down down down f", 1);
	expect_undo("down down down x", 1);
	expect_undo("down down h", 1);
	expect_undo("T enter", 1);
	expect_undo("M enter", 1);
	expect_undo("@20%-70% enter", 1);
	expect_undo("p _ pgdn pgdn enter", 1);
	expect_undo("@20%-70% enter down down enter b", 3);
	expect_undo("T enter l enter b", 3);
}

static void test_filters_are_listed_and_taken_back(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "T enter M enter");
	assert_int_equal(f.model.state.filters.items.len, 2);
	press(&f, "l down enter");
	assert_int_equal(f.model.state.filters.items.len, 1);
	assert_int_equal(f.model.state.filters.items.data[0].kind, FILTER_TID);
	press(&f, "u");
	assert_int_equal(f.model.state.filters.items.len, 2);
	press(&f, "0");
	assert_int_equal(f.model.state.filters.items.len, 0);
	fixture_release(&f);
}

/* What cannot be shown is said, and nothing changes. */
static void test_faults_are_said(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "@nonsense enter");
	assert_true(f.model.is_warning);
	assert_int_equal(f.model.state.filters.items.len, 0);
	assert_int_equal(f.model.past.len, 0);
	press(&f, "F");
	assert_non_null(strstr(f.model.message, "search"));
	press(&f, "s");
	assert_non_null(strstr(f.model.message, "no frame is selected"));
	press(&f, "o");
	assert_int_equal(f.model.effect.kind, EFFECT_NONE);
	press(&f, "u");
	assert_string_equal(f.model.message, "nothing to undo");
	fixture_release(&f);
}

/* What was shown before is still there. */
static void test_former_trees_are_kept(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, wide_profile, 120, 40);
	const struct calltree *shown = &f.model.view.trees[0];
	const struct calltree_node *start = shown->nodes.data;
	press(&f, "b");
	const struct calltree_node *up = shown->nodes.data;
	press(&f, "u down down down f");
	const struct calltree_node *part = shown->nodes.data;
	assert_ptr_not_equal(part, start);
	press(&f, "u");
	assert_ptr_equal(shown->nodes.data, start);
	press(&f, "b");
	assert_ptr_equal(shown->nodes.data, up);
	press(&f, "u down down down f");
	assert_ptr_equal(shown->nodes.data, part);
	fixture_release(&f);
}

int run_changes_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_can_be_undone),
		cmocka_unit_test(test_filters_are_listed_and_taken_back),
		cmocka_unit_test(test_faults_are_said),
		cmocka_unit_test(test_former_trees_are_kept),
	};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
