/* Arenas, growable arrays and the cleanup attributes. */
#include "base/memory.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"

static void test_arena_blocks_do_not_overlap(void **state)
{
	struct arena a;
	char *parts[200];

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < 200; i++) {
		parts[i] = arena_alloc(&a, i * 37);
		assert_int_equal((uintptr_t)parts[i] % 16, 0);
		memset(parts[i], (int)i, i * 37);
	}
	for (size_t i = 1; i < 200; i++) {
		assert_int_equal((unsigned char)parts[i][0], i);
		assert_int_equal((unsigned char)parts[i][i * 37 - 1], i);
	}
	char *large = arena_zalloc(&a, 3 << 20);
	assert_int_equal(large[(3 << 20) - 1], 0);
	assert_true(a.total_bytes >= 3 << 20);
	arena_reset(&a);
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	arena_release(&a);
	assert_null(a.head);
}

static void test_vectors(void **state)
{
	VEC(struct {
		uint64_t a;
		uint8_t b;
	})
	v = { 0 };

	(void)state;
	vec_reserve(&v, 3);
	assert_true(v.cap >= 3);
	for (uint8_t i = 0; i < 100; i++) {
		vec_reserve(&v, v.len + 1);
		v.data[v.len].a = i;
		v.data[v.len++].b = i;
	}
	assert_int_equal(v.data[99].a, 99);
	vec_clear(&v);
	assert_int_equal(v.len, 0);
	vec_release(&v);
	assert_null(v.data);
	assert_int_equal(v.cap, 0);
}

static void test_vec_push(void **state)
{
	VEC(int) v = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		vec_push(&v, i * 3);
	assert_int_equal(v.len, 1000);
	assert_int_equal(v.data[999], 2997);
	vec_release(&v);
}

static int open_and_leave(void)
{
	CLEANUP_CLOSE int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *text = xasprintf("%d", fd);
	CLEANUP_CLOSE int none = -1;

	assert_non_null(text);
	assert_int_equal(none, -1);
	return fd;
}

static void test_cleanup(void **state)
{
	(void)state;
	int fd = open_and_leave();
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_strings(void **state)
{
	CLEANUP_FREE char *cut = xstrndup("abcdef", 4), *whole = xstrdup("abc");
	CLEANUP_FREE char *shorter = xstrndup("ab", 4);

	(void)state;
	assert_string_equal(cut, "abcd");
	assert_string_equal(whole, "abc");
	assert_string_equal(shorter, "ab");
	free_ptr(&whole);
	assert_null(whole);
}

int test_memory_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_blocks_do_not_overlap),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_vec_push),
		cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
