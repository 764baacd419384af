/* Two rows of the graph in one of the screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

static void test_doubles_the_rows(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_stacks, 80, 24);
	const struct layout *l = &f.model.layout;
	int height = (int)f.model.places.graph.height;
	assert_int_equal(l->boxes.data[l->boxes.len - 1].row, height - 1);
	assert_null(strstr(screen(&f), "▏z"));
	press(&f, "d");
	assert_int_equal(model_rows(&f.model), 2 * height);
	assert_int_equal(l->boxes.data[l->boxes.len - 1].row, 29); /* all of it */
	assert_non_null(strstr(screen(&f), "y › z"));
	press(&f, "end");
	assert_string_equal(selected(&f), "z");
	assert_int_equal(f.model.top, 0);
	press(&f, "i home up up d");
	assert_string_equal(selected(&f), "run");
	assert_false(f.model.is_dense);
	press(&f, "u u u");
	assert_false(f.model.state.root_below);
	assert_int_equal(f.model.past.len, 0);
	fixture_release(&f);
}

/* Names are worth more where there is room for all. */
static void test_not_where_it_fits(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_stacks, 80, 60);
	press(&f, "d");
	assert_true(f.model.state.is_dense);
	assert_false(f.model.is_dense);
	assert_non_null(strstr(f.model.message, "fits"));
	grid_resize(&f.grid, 80, 24);
	model_resize(&f.model, 80, 24);
	assert_true(f.model.is_dense);
	/* Within what is zoomed into it fits again. */
	press(&f, "end up up up up enter");
	assert_false(f.model.is_dense);
	assert_non_null(strstr(screen(&f), "▏z"));
	fixture_release(&f);
}

static void test_not_on_every_terminal(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_stacks, 80, 24);
	f.model.can_halve = false;
	press(&f, "d");
	assert_true(f.model.is_warning);
	assert_non_null(strstr(f.model.message, "16 colours"));
	assert_false(f.model.state.is_dense);
	fixture_release(&f);
}

/* What is where: each frame that is laid out has its half of the cells, and a click selects it or
 * what is above it. */
static void test_halves_are_where_boxes_are(void **state)
{
	struct fixture f;

	(void)state;
	for (int root_below = 0; root_below < 2; root_below++) {
		fixture_init(&f, deep_stacks, 80, 24);
		press(&f, root_below ? "d i" : "d");
		screen(&f);
		const struct rect *r = &f.model.places.graph;
		for (size_t i = 0; i < f.model.layout.boxes.len; i++) {
			struct box box = f.model.layout.boxes.data[i];
			unsigned row = (unsigned)box.row;
			unsigned half = root_below ? 2 * r->height - 1 - row : row;
			unsigned x = box.x + box.width - 1, y = r->y + half / 2;
			const struct grid_cell *c = &f.grid.cells[y * 80 + x];
			if (c->attributes & GRID_HALVES)
				assert_int_not_equal(half % 2 ? c->below : c->colour, GRID_PLAIN);
			if (half % 2 || box.at.node == PROFILE_NONE)
				continue;
			press(&f, "home");
			click(&f, x, y);
			assert_true(same_place(f.model.selected, box.at) ||
				    f.model.zoomed.node == box.at.node);
		}
		fixture_release(&f);
	}
}

static void test_scrolls_by_rows(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_stacks, 80, 14);
	press(&f, "d");
	int rows = model_rows(&f.model);
	assert_true(rows < 30);
	for (int i = 0; i < 20; i++)
		turn_wheel(&f, true, 5, f.model.places.graph.y + 2);
	assert_int_equal(f.model.top, 30 - rows);
	assert_non_null(strstr(screen(&f), "y › z"));
	press(&f, "home pgdn pgdn");
	assert_true(f.model.is_dense);
	assert_non_null(layout_find(&f.model.layout, f.model.selected));
	fixture_release(&f);
}

/* Keys that turn the graph say so where there is only the table. */
static void test_not_in_the_table(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, deep_stacks, 80, 24);
	for (const char *key = "bid"; *key; key++) {
		char keys[] = { *key, '\0' };
		press(&f, "t");
		press(&f, keys);
		assert_non_null(strstr(f.model.message, "graph"));
		assert_int_equal(f.model.past.len, 1);
		press(&f, "u");
	}
	grid_resize(&f.grid, 160, 24);
	model_resize(&f.model, 160, 24);
	press(&f, "t b");
	assert_int_equal(f.model.state.view, VIEW_UP);
	fixture_release(&f);
}

int run_dense_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles_the_rows),
		cmocka_unit_test(test_not_where_it_fits),
		cmocka_unit_test(test_not_on_every_terminal),
		cmocka_unit_test(test_halves_are_where_boxes_are),
		cmocka_unit_test(test_scrolls_by_rows),
		cmocka_unit_test(test_not_in_the_table),
	};

	return cmocka_run_group_tests_name("dense", tests, NULL, NULL);
}
