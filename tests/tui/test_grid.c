/* Cells: clipping, wide and combining characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"

static const struct grid_style plain = { GRID_PLAIN, 0 };

static const char *print(struct grid *g, struct bytes *out)
{
	bytes_clear(out);
	grid_print(g, out);
	bytes_u8(out, '\0');
	return (const char *)out->data;
}

static void test_text_is_clipped(void **state)
{
	struct grid g = { 0 };
	struct bytes out = { 0 };

	(void)state;
	grid_resize(&g, 8, 2);
	struct grid_area whole = grid_whole(&g), part = grid_part(&whole, 2, 1, 4, 9);
	assert_int_equal(part.height, 1);
	assert_int_equal(grid_text(&whole, 5, 0, 99, "abcdef", plain), 3);
	assert_int_equal(grid_text(&part, 0, 0, 99, "abcdef", plain), 4);
	assert_int_equal(grid_text(&part, 0, 1, 99, "below", plain), 4);
	assert_int_equal(grid_text(&part, 9, 0, 99, "beside", plain), 0);
	assert_string_equal(print(&g, &out), "     abc\n  abcd\n");
	grid_text_left_of(&whole, 3, 0, "xyz", plain);
	grid_text_left_of(&whole, 2, 1, "too long", plain);
	assert_string_equal(print(&g, &out), "xyz  abc\n  abcd\n");
	bytes_release(&out);
	grid_release(&g);
}

static void test_wide_characters(void **state)
{
	struct grid g = { 0 };
	struct bytes out = { 0 };

	(void)state;
	grid_resize(&g, 5, 1);
	struct grid_area whole = grid_whole(&g);
	assert_int_equal(grid_text(&whole, 0, 0, 99, "日本語", plain), 4);
	assert_string_equal(print(&g, &out), "日本\n");
	grid_clear(&g);
	assert_int_equal(grid_text(&whole, 0, 0, 99, "e\xcc\x81x\xff", plain), 3);
	assert_string_equal(print(&g, &out), "e\xcc\x81x?\n");
	bytes_release(&out);
	grid_release(&g);
}

static void test_styles(void **state)
{
	struct grid g = { 0 };
	struct bytes out = { 0 };

	(void)state;
	grid_resize(&g, 8, 1);
	struct grid_area whole = grid_whole(&g);
	grid_text(&whole, 0, 0, 2, "ab", (struct grid_style){ GRID_TITLE, 0 });
	grid_text(&whole, 2, 0, 2, "ab", (struct grid_style){ GRID_WARN, GRID_REVERSE });
	grid_text(&whole, 4, 0, 2, "ab", (struct grid_style){ GRID_PLAIN, GRID_BOLD });
	grid_restyle(&whole, 6, 0, 9, (struct grid_style){ GRID_PLAIN, GRID_REVERSE });
	grid_print_styles(&g, &out);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, "aaBB**##\n");
	bytes_release(&out);
	grid_release(&g);
}

int run_grid_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_clipped),
		cmocka_unit_test(test_wide_characters),
		cmocka_unit_test(test_styles),
	};

	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
