/* Keys: what they change, that it can be undone, and what it costs. */
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

static const char *selected(const struct fixture *f)
{
	const char *name = model_subject(&f->model).name;

	return name ? name : "all";
}

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

static void expect_command(struct fixture *f, const char *keys, const char *command, bool is_exact)
{
	bool exact;

	press(f, keys);
	CLEANUP_FREE char *got = model_command(&f->model, &exact);
	assert_string_equal(got, command);
	assert_int_equal(exact, is_exact);
}

static void test_command_shows_the_same(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	expect_command(&f, "", "prof report --tree", true);
	expect_command(&f, "b", "prof report --inverted", true);
	expect_command(&f, "b down down down s", "prof report --peek eval", true);
	expect_command(&f, "esc t", "prof report --by function", true);
	expect_command(&f, "m", "prof report --by module", true);
	expect_command(&f, "0 t r", "prof report --tree --merge-recursion", true);
	expect_command(&f, "0 @10%-90% enter", "prof report --tree --time 10%-90%", true);
	expect_command(&f, "down down down x",
		       "prof report --tree --time 10%-90% --ignore '^eval$'", true);
	expect_command(&f, "0 down down down enter", "prof report --tree --focus '^eval$'", false);
	expect_command(&f, "0 down down h", "prof report --tree --hide '^run$'", true);
	expect_command(&f, "0 m down h", "prof report --by module --tree --hide 'module:^app$'",
		       true);
	fixture_release(&f);
}

static void test_effects(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "C");
	struct effect e = model_take_effect(&f.model);
	assert_int_equal(e.kind, EFFECT_COPY);
	assert_string_equal(e.text, "prof report --tree");
	free(e.text);
	press(&f, "down down c");
	e = model_take_effect(&f.model);
	assert_int_equal(strncmp(e.text, "main;run ", 9), 0);
	free(e.text);
	press(&f, "w ^U a_b.svg enter");
	e = model_take_effect(&f.model);
	assert_int_equal(e.kind, EFFECT_SAVE);
	assert_string_equal(e.text, "a b.svg");
	assert_false(e.overwrite);
	model_ask_to_overwrite(&f.model, e.text);
	free(e.text);
	press(&f, "n");
	assert_int_equal(model_take_effect(&f.model).kind, EFFECT_NONE);
	model_ask_to_overwrite(&f.model, "x.svg");
	press(&f, "y");
	e = model_take_effect(&f.model);
	assert_true(e.overwrite);
	free(e.text);
	press(&f, "q");
	assert_int_equal(model_take_effect(&f.model).kind, EFFECT_QUIT);
	fixture_release(&f);
}

static void test_picture(void **state)
{
	struct fixture f;
	struct bytes out = { 0 };

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "b");
	model_picture(&f.model, &out);
	bytes_u8(&out, '\0');
	assert_non_null(strstr((const char *)out.data, "data-view=\"up\""));
	assert_non_null(strstr((const char *)out.data, "</svg>"));
	bytes_release(&out);
	fixture_release(&f);
}

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

static void one_sample(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_sample(b, PROFILE_NONE, b->program, build_code(b, b->program, "only"), 5);
	build_finish(b, all);
}

static void test_one_and_no_sample(void **state)
{
	static const char keys[] =
		"down enter a esc s esc t S u b m r f x h ! esc R esc y esc T esc M esc E esc l @1 enter 0 w esc n N end home pgdn pgup left right";
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

int run_model_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrows_move_between_frames),
		cmocka_unit_test(test_zoom_and_out),
		cmocka_unit_test(test_shares_of_the_view),
		cmocka_unit_test(test_everything_can_be_undone),
		cmocka_unit_test(test_filters_are_listed_and_taken_back),
		cmocka_unit_test(test_faults_are_said),
		cmocka_unit_test(test_command_shows_the_same),
		cmocka_unit_test(test_effects),
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_moves_are_cheap),
		cmocka_unit_test(test_former_trees_are_kept),
		cmocka_unit_test(test_one_and_no_sample),
		cmocka_unit_test(test_start_around_a_function),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
