/* Every column encoding gives back what it was given, and refuses what is damaged. */
#include "profile/columns.h"

#include <string.h>

#include "base/hash.h"
#include "groups.h"

enum { MAX = 700 };

static void check_column(enum column_encoding encoding, const uint64_t *values, const uint64_t *key,
			 size_t n, enum column_encoding expected)
{
	uint64_t copy[MAX], out[MAX];
	struct bytes b = { 0 };
	struct bytes_reader r;

	memcpy(copy, values, n * sizeof(*values));
	enum column_encoding used = column_encode(&b, encoding, copy, key, n);
	assert_int_equal(used, expected);
	reader_init(&r, b.data, b.len);
	assert_true(column_decode(&r, used, out, key, n));
	assert_int_equal(reader_left(&r), 0);
	assert_memory_equal(out, values, n * sizeof(*values));
	/* Cut anywhere it fails. */
	for (size_t len = 0; len < b.len; len++) {
		reader_init(&r, b.data, len);
		assert_false(column_decode(&r, used, out, key, n));
	}
	bytes_release(&b);
}

static void test_random_values(void **state)
{
	uint64_t values[MAX], few[MAX], key[MAX];

	(void)state;
	for (size_t i = 0; i < MAX; i++) {
		values[i] = hash_u64(i) >> (hash_u64(i * 7) & 63);
		few[i] = hash_u64(hash_u64(i + 99) % 300);
		key[i] = hash_u64(i + 1000) % 5;
	}
	check_column(ENCODING_PLAIN, values, NULL, MAX, ENCODING_PLAIN);
	check_column(ENCODING_DELTA, values, NULL, MAX, ENCODING_DELTA);
	check_column(ENCODING_KEYED, values, key, MAX, ENCODING_KEYED);
	check_column(ENCODING_FRONT, values, NULL, MAX, ENCODING_FRONT);
	check_column(ENCODING_DICT, few, NULL, MAX, ENCODING_DICT);
	check_column(ENCODING_DICT, values, NULL, 20, ENCODING_PLAIN);
}

static void test_extreme_values(void **state)
{
	static const uint64_t values[] = { 0, UINT64_MAX, 0, UINT64_MAX, (uint64_t)1 << 63, 0 };
	static const uint64_t key[] = { 1, 1, UINT64_MAX, 0, 0, 1 };

	(void)state;
	check_column(ENCODING_PLAIN, values, NULL, 6, ENCODING_PLAIN);
	check_column(ENCODING_DELTA, values, NULL, 6, ENCODING_DELTA);
	check_column(ENCODING_KEYED, values, key, 6, ENCODING_KEYED);
	check_column(ENCODING_FRONT, values, NULL, 6, ENCODING_FRONT);
	check_column(ENCODING_DICT, values, NULL, 6, ENCODING_DICT);
	check_column(ENCODING_PLAIN, values, NULL, 0, ENCODING_PLAIN);
}

static void test_constants_cost_nothing(void **state)
{
	uint64_t values[MAX];
	struct bytes b = { 0 };

	(void)state;
	for (size_t i = 0; i < MAX; i++)
		values[i] = 1003009;
	column_encode(&b, ENCODING_PLAIN, values, NULL, MAX);
	assert_int_equal(b.len, 4); /* a varint of three bytes and "no planes" */
	bytes_release(&b);
}

static void test_damage_is_refused(void **state)
{
	uint64_t out[4];
	struct bytes_reader r;

	(void)state;
	reader_init(&r, "\0\x09xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 38); /* 9 planes */
	assert_false(column_decode(&r, ENCODING_PLAIN, out, NULL, 4));
	reader_init(&r, "\0\0", 2);
	assert_false(column_decode(&r, ENCODING_KEYED, out, NULL, 4)); /* without its key */
	reader_init(&r, "\0\0", 2);
	assert_false(column_decode(&r, ENCODING_BYTES, out, NULL, 4));
	reader_init(&r, "\0\0", 2);
	assert_false(column_decode(&r, 200, out, NULL, 4));
	reader_init(&r, "\x05\0\0\0\0", 5); /* more distinct values than rows */
	assert_false(column_decode(&r, ENCODING_DICT, out, NULL, 4));
	reader_init(&r, "\x02\0\0\x02\0", 5); /* index 2 of two values */
	assert_false(column_decode(&r, ENCODING_DICT, out, NULL, 4));
	reader_init(&r, "\0\0\0\0\0", 5); /* index 0 of none */
	assert_false(column_decode(&r, ENCODING_DICT, out, NULL, 4));
}

int test_columns_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_values),
		cmocka_unit_test(test_extreme_values),
		cmocka_unit_test(test_constants_cost_nothing),
		cmocka_unit_test(test_damage_is_refused),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
