/* What leads out of the view: commands and stacks to copy, pictures, the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

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

int run_leaving_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_shows_the_same),
		cmocka_unit_test(test_effects),
		cmocka_unit_test(test_picture),
	};

	return cmocka_run_group_tests_name("leaving", tests, NULL, NULL);
}
