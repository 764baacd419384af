/* Screens as golden text: characters, below them a letter for each cell's style. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "keys.h"
#include "sample_profile.h"

static const struct {
	const char *file;
	profile_maker *maker;
	unsigned width, height;
	const char *keys;
	bool ascii;
} screens[] = {
	{ "start-80x24.txt", sample_profile, 80, 24, "", false },
	{ "start-120x40.txt", sample_profile, 120, 40, "", false },
	{ "start-200x50.txt", screen_profile, 200, 50, "down down down down", false },
	{ "start-20x5.txt", sample_profile, 20, 5, "down", false },
	{ "start-ascii.txt", sample_profile, 80, 24, "down down", true },
	{ "zoomed.txt", sample_profile, 80, 24, "down down down enter", false },
	{ "long-name.txt", sample_profile, 80, 24, "down down down enter down right", false },
	{ "long-name-40x10.txt", sample_profile, 40, 10, "down down down enter down right", false },
	{ "flame.txt", sample_profile, 80, 24, "i up up right", false },
	{ "bottom-up.txt", sample_profile, 80, 24, "b down", false },
	{ "modules.txt", sample_profile, 80, 24, "m down", false },
	{ "folded.txt", sample_profile, 80, 24, "r down down", false },
	{ "around.txt", sample_profile, 80, 24, "/eval enter n s", false },
	{ "table.txt", sample_profile, 80, 24, "t down S", false },
	{ "table-120x40.txt", sample_profile, 120, 40, "tab down down", false },
	{ "table-search.txt", sample_profile, 80, 24, "t /^(eval|hash|rec)$ enter down", false },
	{ "table-search-120x40.txt", sample_profile, 120, 40, "/operator enter", false },
	{ "search.txt", sample_profile, 80, 24, "/^hash$ enter n", false },
	{ "search-error.txt", sample_profile, 80, 24, "/( enter", false },
	{ "search-typed.txt", sample_profile, 80, 24, "/tokenize", false },
	{ "filters.txt", sample_profile, 80, 24, "/hash enter X down down down f", false },
	{ "list-of-filters.txt", sample_profile, 80, 24, "/hash enter X @10%-90% enter l", false },
	{ "dense.txt", deep_stacks, 80, 24, "d down down", false },
	{ "dense-flame.txt", deep_stacks, 80, 24, "d i /^e$ enter n", false },
	{ "strip-80x24.txt", sample_profile, 80, 24, "v p right right _ pgdn pgdn", false },
	{ "strip-ascii.txt", sample_profile, 80, 24, "v @20%-60% enter", true },
	{ "strip-120x40.txt", sample_profile, 120, 40, "@20%-60% enter", false },
	{ "threads.txt", sample_profile, 80, 24, "T down", false },
	{ "help.txt", sample_profile, 80, 24, "?", false },
	{ "findings.txt", screen_profile, 80, 24, "!", false },
	{ "copy.txt", sample_profile, 80, 24, "down down y", false },
	{ "annotate.txt", screen_profile, 80, 24, "/tokenize enter n a", false },
	{ "nothing-left.txt", sample_profile, 80, 24, "down x", false },
	{ "empty.txt", empty_profile, 80, 24, "", false },
	{ "hostile.txt", hostile_profile, 80, 24, "t", false },
	{ "hostile-120x40.txt", hostile_profile, 120, 40, "down right", false },
};

static void test_screens(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		struct fixture f;
		struct bytes both = { 0 };
		fixture_init(&f, screens[i].maker, screens[i].width, screens[i].height);
		f.in.unicode = !screens[i].ascii;
		model_resize(&f.model, screens[i].width, screens[i].height);
		press(&f, screens[i].keys);
		const char *text = screen(&f);
		bytes_append(&both, text, strlen(text));
		bytes_printf(&both, "----\n");
		text = styles(&f);
		bytes_append(&both, text, strlen(text));
		expect_golden(&both, screens[i].file);
		bytes_release(&both);
		fixture_release(&f);
	}
}

/* Whatever the size: as many lines as it has rows, none wider. */
static void test_every_size(void **state)
{
	static const char *const keys[] = { "", "t", "/a", "?", "down down s", "T", "y", "a" };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		struct fixture f;
		fixture_init(&f, k % 2 ? hostile_profile : sample_profile, 80, 24);
		press(&f, keys[k]);
		for (unsigned width = 1; width < 130; width += 1 + width / 8)
			for (unsigned height = 1; height < 60; height += 1 + height / 6) {
				grid_resize(&f.grid, width, height);
				model_resize(&f.model, width, height);
				const char *text = screen(&f);
				unsigned lines = 0;
				for (; *text; text++)
					lines += *text == '\n';
				assert_int_equal(lines, height);
			}
		fixture_release(&f);
	}
}

int run_screen_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_every_size),
	};

	return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}
