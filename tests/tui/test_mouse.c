/* The mouse: clicks and the wheel on each part of the screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

/* The line of the screen that begins with text. */
static unsigned line_of(struct fixture *f, const char *text)
{
	for (unsigned y = 0; y < f->grid.height; y++)
		if (strncmp(screen_line(f, y), text, strlen(text)) == 0)
			return y;
	fail_msg("no line begins with %s", text);
	return 0;
}

static void test_click_selects_then_zooms(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	unsigned eval = line_of(&f, "▏eval");
	click(&f, 3, eval);
	assert_string_equal(selected(&f), "eval");
	assert_int_equal(f.model.zoomed.node, 0);
	click(&f, 60, eval);
	assert_string_equal(selected(&f), "parse");
	click(&f, 45, eval); /* elsewhere on the same frame */
	assert_string_equal(view_name(&f.model.view.trees[0], f.model.zoomed.node), "parse");
	assert_int_equal(f.model.past.len, 1);
	/* What is zoomed into already fills the view. */
	click(&f, 45, line_of(&f, "▏parse"));
	assert_int_equal(f.model.past.len, 1);
	click(&f, 40, f.model.places.graph.y + f.model.places.graph.height - 1); /* nothing */
	assert_string_equal(selected(&f), "parse");
	click(&f, 79, 23);
	click(&f, 200, 200);
	assert_int_equal(f.model.past.len, 1);
	fixture_release(&f);
}

/* The second half of a double click on what was selected must not hit what is there then. */
static void test_double_click_is_one(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	unsigned eval = line_of(&f, "▏eval");
	struct tui_mouse again = { .button = TUI_CLICK, .x = 60, .y = eval, .is_repeated = true };
	click(&f, 60, eval);
	model_mouse(&f.model, &again);
	assert_string_equal(view_name(&f.model.view.trees[0], f.model.zoomed.node), "parse");
	press(&f, "u");
	click(&f, 60, eval);
	click(&f, 60, eval);
	model_mouse(&f.model, &again);
	assert_string_equal(selected(&f), "parse");
	assert_int_equal(f.model.past.len, 1);
	fixture_release(&f);
}

static void test_click_on_a_flame_graph(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "i");
	click(&f, 2, line_of(&f, "▏run"));
	assert_string_equal(selected(&f), "run");
	fixture_release(&f);
}

static void deep(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_stack(b, "a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s;t;u;v;w;x;y;z;A;B;C;D", 100);
	build_finish(b, all);
}

static void test_wheel_scrolls_the_graph(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep, 80, 24);
	int height = (int)f.model.places.graph.height;
	turn_wheel(&f, false, 5, 10);
	assert_int_equal(f.model.top, 0);
	turn_wheel(&f, true, 5, 10);
	assert_int_equal(f.model.top, 3);
	assert_string_equal(selected(&f), "all");
	for (int i = 0; i < 20; i++)
		turn_wheel(&f, true, 5, 10);
	assert_int_equal(f.model.top, 31 - height); /* the last row is the last on the screen */
	press(&f, "down");			    /* what is selected is where the keys are */
	assert_string_equal(selected(&f), "a");
	assert_int_equal(f.model.top, 0);
	press(&f, "i");
	turn_wheel(&f, false, 5, 10);
	assert_int_equal(f.model.top, 3);
	turn_wheel(&f, true, 5, 10);
	assert_int_equal(f.model.top, 0);
	fixture_release(&f);
}

static void test_table(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "t");
	unsigned titles = f.model.places.table.y;
	click(&f, 18, titles);
	assert_int_equal(f.model.table.sorted_by, TABLE_TOTAL);
	assert_string_equal(selected(&f), "main");
	click(&f, 3, titles);
	assert_int_equal(f.model.table.sorted_by, TABLE_SELF);
	click(&f, 30, titles);
	assert_int_equal(f.model.table.sorted_by, TABLE_NAME);
	click(&f, 18, titles);
	click(&f, 30, titles + 3);
	assert_string_equal(selected(&f), "eval");
	turn_wheel(&f, true, 30, 10);
	assert_int_equal(f.model.table.top, 3);
	assert_int_equal(f.model.table.selected, 3);
	turn_wheel(&f, false, 30, 10);
	assert_int_equal(f.model.table.top, 0);
	click(&f, 30, titles + 3);
	click(&f, 30, titles + 3); /* as Enter */
	assert_int_equal(f.model.state.view, VIEW_AROUND);
	assert_string_equal(f.model.state.around, "eval");
	fixture_release(&f);
}

/* Beside each other a click goes to where it is. */
static void test_graph_and_table(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 120, 40);
	const struct rect *table = &f.model.places.table, *graph = &f.model.places.graph;
	turn_wheel(&f, true, table->x + 30, table->y + 3);
	assert_int_equal(f.model.table.top, 3);
	turn_wheel(&f, false, table->x + 30, table->y + 3);
	click(&f, table->x + 30, table->y + 2);
	assert_true(f.model.state.table);
	assert_int_equal(f.model.table.selected, 1);
	click(&f, graph->x + 3, graph->y + 2);
	assert_false(f.model.state.table);
	assert_string_equal(selected(&f), "run");
	fixture_release(&f);
}

static void test_sheets(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "T");
	click(&f, 10, 2);
	assert_int_equal(f.model.sheet.selected, 1);
	click(&f, 10, 20); /* below the rows */
	click(&f, 10, 0);
	assert_int_equal(f.model.sheet.selected, 1);
	click(&f, 10, 2);
	assert_int_equal(f.model.sheet.kind, SHEET_NONE);
	assert_int_equal(f.model.state.filters.items.len, 1);
	press(&f, "?");
	turn_wheel(&f, true, 10, 10);
	assert_int_equal(f.model.sheet.top, 3);
	click(&f, 10, 10);
	assert_int_equal(f.model.sheet.kind, SHEET_HELP);
	/* While something is typed the mouse does nothing. */
	press(&f, "esc /x");
	click(&f, 3, 6);
	assert_int_equal(f.model.prompt.kind, PROMPT_SEARCH);
	assert_string_equal(selected(&f), "all");
	fixture_release(&f);
}

static void test_it_can_be_the_terminals(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	press(&f, "P");
	assert_int_equal(model_take_effect(&f.model).kind, EFFECT_MOUSE);
	assert_false(f.model.has_mouse);
	click(&f, 3, 6);
	assert_string_equal(selected(&f), "all");
	press(&f, "P");
	assert_true(f.model.has_mouse);
	fixture_release(&f);
}

int run_mouse_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_click_selects_then_zooms),
		cmocka_unit_test(test_double_click_is_one),
		cmocka_unit_test(test_click_on_a_flame_graph),
		cmocka_unit_test(test_wheel_scrolls_the_graph),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_graph_and_table),
		cmocka_unit_test(test_sheets),
		cmocka_unit_test(test_it_can_be_the_terminals),
	};

	return cmocka_run_group_tests_name("mouse", tests, NULL, NULL);
}
