/* Loading shared libraries late, by the mathematical one, which every system has. */
#include "base/library.h"

#include "base/memory.h"

#include "groups.h"

#define LIBRARY "libm.so.6"

struct mathematics {
	double (*cos)(double);
	double (*nothing)(double);
};

static const struct library_function functions[] = {
	LIBRARY_FUNCTION(struct mathematics, , cos),
	LIBRARY_FUNCTION(struct mathematics, library_has_, nothing),
};

static void test_functions_are_found(void **state)
{
	struct mathematics m = { 0 };

	(void)state;
	assert_true(library_load(LIBRARY, functions, 1, &m));
	assert_true(m.cos(0) == 1); /* although the library was let go */
	assert_null(m.nothing);
}

static void test_what_is_missing_is_said(void **state)
{
	struct mathematics m;

	(void)state;
	assert_false(library_load(LIBRARY, functions, ARRAY_LEN(functions), &m));
	assert_false(library_load("libprof-has-no-such-library.so.1", functions, 1, &m));
}

int test_library_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_are_found),
		cmocka_unit_test(test_what_is_missing_is_said),
	};

	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
