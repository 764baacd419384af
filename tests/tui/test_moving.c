/* Moving and zooming: where keys lead, and what they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

static void test_arrows_move_between_frames(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	assert_string_equal(selected(&f), "all");
	press(&f, "down");
	assert_string_equal(selected(&f), "main");
	press(&f, "down down");
	assert_string_equal(selected(&f), "eval");
	press(&f, "right");
	assert_string_equal(selected(&f), "parse");
	press(&f, "left up up");
	assert_string_equal(selected(&f), "main");
	press(&f, "up up up");
	assert_string_equal(selected(&f), "all");
	press(&f, "down down home");
	assert_string_equal(selected(&f), "all");
	/* In a flame graph the callees are above. */
	press(&f, "i up up");
	assert_string_equal(selected(&f), "run");
	press(&f, "down");
	assert_string_equal(selected(&f), "main");
	fixture_release(&f);
}

static void test_zoom_and_out(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "down down down enter");
	assert_string_equal(view_name(&f.model.view.trees[0], f.model.zoomed.node), "eval");
	assert_non_null(strstr(screen(&f), "all › main › run › eval"));
	const struct box *box = layout_find(&f.model.layout, f.model.zoomed);
	assert_int_equal(box->width, 80);
	/* main and run are hardly wider: out goes to what is. */
	press(&f, "esc");
	assert_string_equal(selected(&f), "eval");
	press(&f, "esc esc esc");
	assert_int_equal(f.model.zoomed.node, 0);
	fixture_release(&f);
}

/* Shares of the view are of frames within it: a caller of what is zoomed into would have more than
 * all. */
static void test_shares_of_the_view(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "down down down enter");
	assert_string_equal(selected(&f), "eval");
	assert_null(strstr(screen(&f), " of view"));
	press(&f, "down");
	assert_non_null(strstr(screen(&f), " of view"));
	press(&f, "up up");
	assert_string_equal(selected(&f), "run");
	assert_null(strstr(screen(&f), " of view"));
	assert_non_null(strstr(screen(&f), " of all"));
	fixture_release(&f);
}

static void test_start_around_a_function(void **state)
{
	struct fixture f;
	struct error err = { 0 };

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	model_release(&f.model);
	f.in.view = TUI_AROUND;
	f.in.around = "no_such_function";
	assert_int_equal(model_init(&f.model, &f.in, &err), -1);
	assert_non_null(strstr(err.text, "no_such_function"));
	f.in.around = "parse";
	f.in.filter.time = "0,0.2";
	f.in.hides = (const char *const[]){ "^eval$", NULL };
	error_clear(&err);
	assert_int_equal(model_init(&f.model, &f.in, &err), 0);
	assert_string_equal(selected(&f), "parse");
	assert_int_equal(f.model.state.filters.items.len, 2);
	press(&f, "down");
	assert_string_equal(selected(&f), "tokenize");
	press(&f, "up up");
	assert_string_equal(selected(&f), "run");
	press(&f, "up");
	assert_string_equal(selected(&f), "main");
	press(&f, "esc");
	assert_int_equal(f.model.state.view, VIEW_DOWN);
	fixture_release(&f);
}

/* A key that moves lays out what is on the screen, and makes nothing anew. */
static void test_moves_are_cheap(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, wide_profile, 80, 24);
	assert_true(f.model.view.trees[0].nodes.len > 16000);
	uint64_t built = f.model.built;
	press(&f, "down down right right down enter i t down end esc / esc y esc ? esc");
	assert_int_equal(f.model.built, built);
	assert_true(f.model.layout.boxes.len <= 80 * 24);
	press(&f, "b");
	assert_int_equal(f.model.built, built + 1);
	fixture_release(&f);
}

int run_moving_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrows_move_between_frames),
		cmocka_unit_test(test_zoom_and_out),
		cmocka_unit_test(test_shares_of_the_view),
		cmocka_unit_test(test_start_around_a_function),
		cmocka_unit_test(test_moves_are_cheap),
	};

	return cmocka_run_group_tests_name("moving", tests, NULL, NULL);
}
