/* Copies of generated code: of the right code, once, and within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/code_copies.h"

#define LARGE 20000u

static uint8_t code[LARGE]; /* as if a runtime had generated it */

struct fixture {
	struct code_copies copies;
	struct code_map map;
	struct files *files;
};

static void start(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->files = files_direct_new();
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 7);
}

static void end(struct fixture *f)
{
	code_copies_release(&f->copies);
	code_map_release(&f->map);
	files_free(f->files);
}

static uint64_t place(size_t at)
{
	return (uint64_t)(uintptr_t)code + at;
}

static void add(struct fixture *f, const char *name, size_t at, size_t size, uint32_t moment)
{
	struct code_source from = { .start = place(at),
				    .size = size,
				    .name = name,
				    .name_len = strlen(name),
				    .moment = moment };

	code_map_add(&f->map, code_entry_new(&from));
}

static size_t look(struct fixture *f, size_t left)
{
	return code_copies_read(&f->copies, &f->map, f->files, getpid(), left);
}

static const struct code_entry *at(struct fixture *f, size_t offset)
{
	return code_map_find(&f->map, place(offset))->entry;
}

static void the_code_is_copied_once(void **state)
{
	struct fixture f;
	uint32_t length = 0;

	(void)state;
	start(&f);
	add(&f, "one", 100, 50, 1);
	code_copies_want(&f.copies, place(120));
	code_copies_want(&f.copies, place(130)); /* the same */
	code_copies_want(&f.copies, place(10));	 /* nobody's */
	assert_int_equal(look(&f, SIZE_MAX), 50);
	const uint8_t *copy = code_copies_find(&f.copies, at(&f, 100), &length);
	assert_non_null(copy);
	assert_int_equal(length, 50);
	assert_memory_equal(copy, code + 100, 50);
	code_copies_want(&f.copies, place(120));
	assert_int_equal(look(&f, SIZE_MAX), 0);
	/* The same said again, as of a file that is read once more. */
	add(&f, "one", 100, 50, 2);
	assert_ptr_equal(code_copies_find(&f.copies, at(&f, 100), &length), copy);
	end(&f);
}

static void other_code_in_its_place_is_not_it(void **state)
{
	struct fixture f;
	uint32_t length;

	(void)state;
	start(&f);
	add(&f, "old", 100, 50, 1);
	code_copies_want(&f.copies, place(100));
	assert_int_equal(look(&f, SIZE_MAX), 50);
	add(&f, "new", 90, 80, 2);
	assert_null(code_copies_find(&f.copies, at(&f, 100), &length));
	code_copies_want(&f.copies, place(100));
	assert_int_equal(look(&f, SIZE_MAX), 80);
	assert_memory_equal(code_copies_find(&f.copies, at(&f, 100), &length), code + 90, 80);
	end(&f);
}

static void it_stays_within_bounds(void **state)
{
	struct fixture f;
	uint32_t length;
	size_t all = 0, looks = 0;

	(void)state;
	start(&f);
	add(&f, "large", 0, LARGE, 1);
	code_copies_want(&f.copies, place(0));
	assert_int_equal(look(&f, 1000), 1000);
	assert_non_null(code_copies_find(&f.copies, at(&f, 0), &length));
	assert_int_equal(length, 1000);
	add(&f, "large again", 0, LARGE, 2);
	code_copies_want(&f.copies, place(0));
	assert_int_equal(look(&f, SIZE_MAX), CODE_COPY_MAX);
	for (size_t i = 0; i < 200; i++) {
		add(&f, "small", i * 10, 10, 3);
		code_copies_want(&f.copies, place(i * 10));
	}
	for (size_t got; (got = look(&f, SIZE_MAX)) > 0; looks++) {
		assert_true(got < 200);
		all += got;
	}
	assert_true(looks > 1 && all > 0 && all < 2000);
	end(&f);
}

static void memory_that_is_gone_is_none(void **state)
{
	struct fixture f;
	struct code_source from = { .start = 16, .size = 16, .name = "f", .name_len = 1 };
	uint32_t length;

	(void)state;
	start(&f);
	code_map_add(&f.map, code_entry_new(&from));
	code_copies_want(&f.copies, 20);
	assert_int_equal(look(&f, SIZE_MAX), 0);
	assert_null(code_copies_find(&f.copies, code_map_find(&f.map, 20)->entry, &length));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_is_copied_once),
		cmocka_unit_test(other_code_in_its_place_is_not_it),
		cmocka_unit_test(it_stays_within_bounds),
		cmocka_unit_test(memory_that_is_gone_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
