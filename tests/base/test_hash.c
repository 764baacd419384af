/* The map against a plain array, and interning. */
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#include "groups.h"

static void test_bytes_hash_by_content(void **state)
{
	(void)state;
	assert_true(hash_bytes("abcdefghij", 10, 1) == hash_bytes("abcdefghij", 10, 1));
	assert_true(hash_bytes("abcdefghij", 10, 1) != hash_bytes("abcdefghij", 10, 2));
	assert_true(hash_bytes("abcdefghij", 10, 1) != hash_bytes("abcdefghij", 9, 1));
	/* A trailing zero byte is a difference. */
	assert_true(hash_bytes("a\0", 2, 1) != hash_bytes("a", 1, 1));
	assert_true(hash_u64(1) != hash_u64(2));
}

static void test_the_map_agrees_with_an_array(void **state)
{
	enum { KEYS = 500 };

	uint32_t truth[KEYS];
	struct hmap m = { 0 };
	uint64_t random = 7;
	size_t len = 0;

	(void)state;
	memset(truth, 0xff, sizeof(truth));
	for (uint32_t i = 0; i < 100000; i++) {
		random = hash_u64(random + i);
		uint32_t k = (uint32_t)(random % KEYS);
		uint64_t key = (uint64_t)k << 40;
		assert_int_equal(hmap_get(&m, key), truth[k]);
		if (random >> 60 < 7) {
			assert_int_equal(hmap_remove(&m, key), truth[k] != HMAP_NONE);
			len -= truth[k] != HMAP_NONE;
			truth[k] = HMAP_NONE;
		} else {
			hmap_put(&m, key, i);
			len += truth[k] == HMAP_NONE;
			truth[k] = i;
		}
		assert_int_equal(m.len, len);
	}
	hmap_clear(&m);
	assert_int_equal(hmap_get(&m, 0), HMAP_NONE);
	assert_int_equal(m.len, 0);
	hmap_release(&m);
}

static void test_extreme_keys(void **state)
{
	struct hmap m;

	(void)state;
	hmap_init(&m);
	assert_int_equal(hmap_get(&m, 0), HMAP_NONE);
	assert_false(hmap_remove(&m, 0));
	hmap_put(&m, 0, 1);
	hmap_put(&m, UINT64_MAX, 2);
	assert_int_equal(hmap_get(&m, 0), 1);
	assert_int_equal(hmap_get(&m, UINT64_MAX), 2);
	hmap_release(&m);
}

static void test_interning(void **state)
{
	struct strtab t;
	char name[32];

	(void)state;
	strtab_init(&t);
	assert_int_equal(strtab_add(&t, "", 0), 0);
	assert_int_equal(strtab_add_str(&t, NULL), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "string %u", i);
			assert_int_equal(strtab_add_str(&t, name), i + 1);
		}
	}
	assert_string_equal(strtab_get(&t, 5000), "string 4999");
	assert_int_equal(strtab_len(&t, 1), 8);
	/* Unknown ids read as empty. */
	assert_string_equal(strtab_get(&t, 5001), "");
	assert_int_equal(strtab_len(&t, UINT32_MAX), 0);
	uint32_t with_nul = strtab_add(&t, "a\0b", 3), without = strtab_add(&t, "a", 1);
	assert_int_not_equal(with_nul, without);
	assert_int_equal(strtab_len(&t, with_nul), 3);
	strtab_clear(&t);
	assert_int_equal(strtab_add_str(&t, "string 7"), 1);
	strtab_release(&t);
}

int test_hash_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_hash_by_content),
		cmocka_unit_test(test_the_map_agrees_with_an_array),
		cmocka_unit_test(test_extreme_keys),
		cmocka_unit_test(test_interning),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
