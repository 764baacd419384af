/* Names that are made to break patterns, deep stacks, next to nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

/* Hidden, focused and around names that are made to break patterns: what is selected is found
 * again. */
static void test_hostile_names(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, hostile_profile, 200, 50);
	press(&f, "t");
	for (size_t i = 0; i < f.model.table.order.len; i++) {
		char *name = strdup(selected(&f));
		press(&f, "s");
		assert_int_equal(f.model.state.view, VIEW_AROUND);
		assert_string_equal(view_name(&f.model.view.trees[0], f.model.selected.node), name);
		press(&f, "u f");
		assert_true(view_total(&f.model.view) > 0);
		press(&f, "u a esc y esc down");
		free(name);
	}
	fixture_release(&f);
}

#define DEPTH 10000u

static void deep_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	uint64_t address = build_code(b, b->program, "deep"),
		 leaf = build_code(b, b->program, "leaf");
	uint32_t node = PROFILE_NONE;
	for (unsigned i = 0; i < DEPTH; i++)
		node = build_node(b, node, b->program, address);
	build_sample(b, node, b->program, leaf, 1000);
	build_finish(b, all);
}

static void test_deep_stacks(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_profile, 80, 24);
	press(&f, "end");
	assert_string_equal(selected(&f), "leaf");
	assert_non_null(strstr(screen(&f), "leaf"));
	press(&f, "enter pgup pgup pgdn home b down down i up esc r down s");
	press(&f, "u u u u u u u end");
	assert_string_equal(selected(&f), "leaf");
	fixture_release(&f);
}

static void one_sample(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_sample(b, PROFILE_NONE, b->program, build_code(b, b->program, "only"), 5);
	build_finish(b, all);
}

static void test_one_and_no_sample(void **state)
{
	static const char keys[] =
		"down enter a esc s esc t S u b m r f x h ! esc R esc y esc T esc M esc E esc l @1 enter 0 w esc n N # # d d v p _ right enter v end home pgdn pgup left right";
	struct fixture f;

	(void)state;
	fixture_init(&f, one_sample, 80, 24);
	press(&f, "down");
	assert_string_equal(selected(&f), "only");
	press(&f, keys);
	fixture_release(&f);
	fixture_init(&f, empty_profile, 80, 24);
	press(&f, keys);
	assert_non_null(strstr(screen(&f), "no samples"));
	fixture_release(&f);
}

int run_extremes_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_one_and_no_sample),
	};

	return cmocka_run_group_tests_name("extremes", tests, NULL, NULL);
}
