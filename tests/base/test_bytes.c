/* The cursor never reads past its end, and what is written reads back. */
#include "base/base64.h"
#include "base/base91.h"
#include "base/bytes.h"

#include "groups.h"

static void test_integers_are_little_endian(void **state)
{
	static const uint8_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
	struct bytes_reader r;

	(void)state;
	reader_init(&r, data, sizeof(data));
	assert_int_equal(reader_u16(&r), 0x0201);
	assert_int_equal(reader_u32(&r), 0x06050403);
	assert_true(reader_u64(&r) == 0x0e0d0c0b0a090807ull);
	assert_false(r.failed);
	assert_int_equal(reader_u8(&r), 0);
	assert_true(r.failed);
}

static void test_a_failed_reader_stays_failed(void **state)
{
	uint8_t data[3] = { 1, 2, 3 }, out[4] = { 9, 9, 9, 9 };
	struct bytes_reader r;

	(void)state;
	reader_init(&r, data, sizeof(data));
	assert_false(reader_copy(&r, out, 4));
	assert_int_equal(out[0], 0);
	assert_int_equal(reader_u8(&r), 0);
	assert_null(reader_take(&r, 0));
	assert_null(reader_take(&r, UINT64_MAX));
	assert_null(reader_cstring(&r, NULL));
}

static void check_varint(uint64_t value, size_t len)
{
	struct bytes b = { 0 };
	struct bytes_reader r;

	bytes_varint(&b, value);
	assert_int_equal(b.len, len);
	reader_init(&r, b.data, b.len);
	assert_true(reader_varint(&r) == value);
	assert_false(r.failed);
	/* Cut anywhere it fails. */
	reader_init(&r, b.data, b.len - 1);
	assert_true(reader_varint(&r) == 0);
	assert_true(r.failed);
	bytes_release(&b);
}

static void test_varints(void **state)
{
	(void)state;
	check_varint(0, 1);
	check_varint(127, 1);
	check_varint(128, 2);
	check_varint(UINT32_MAX, 5);
	check_varint(INT64_MAX, 9);
	check_varint(UINT64_MAX, 10);
}

static void test_too_long_varints_fail(void **state)
{
	uint8_t bytes[11];
	struct bytes_reader r;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	reader_init(&r, bytes, sizeof(bytes));
	reader_varint(&r);
	assert_true(r.failed);
	bytes[9] = 2; /* a 65th bit */
	reader_init(&r, bytes, 10);
	reader_varint(&r);
	assert_true(r.failed);
}

static void test_zigzag(void **state)
{
	static const int64_t values[] = { 0, -1, 1, -64, 64, INT64_MAX, INT64_MIN };
	struct bytes b = { 0 };
	struct bytes_reader r;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bytes_zigzag(&b, values[i]);
	assert_int_equal(b.data[1], 1);
	assert_int_equal(b.data[2], 2);
	reader_init(&r, b.data, b.len);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(reader_zigzag(&r) == values[i]);
	assert_int_equal(reader_left(&r), 0);
	bytes_release(&b);
}

static void check_sleb128(const char *bytes, size_t len, int64_t expected)
{
	struct bytes_reader r;

	reader_init(&r, bytes, len);
	assert_true(reader_sleb128(&r) == expected);
	assert_false(r.failed);
	assert_int_equal(reader_left(&r), 0);
}

static void test_sleb128(void **state)
{
	struct bytes_reader r;

	(void)state;
	/* The examples of the DWARF standard. */
	check_sleb128("\x02", 1, 2);
	check_sleb128("\x7e", 1, -2);
	check_sleb128("\xff\x00", 2, 127);
	check_sleb128("\x81\x7f", 2, -127);
	check_sleb128("\x80\x01", 2, 128);
	check_sleb128("\xff\x7e", 2, -129);
	check_sleb128("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, INT64_MIN);
	check_sleb128("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, INT64_MAX);
	reader_init(&r, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x03", 10);
	reader_sleb128(&r);
	assert_true(r.failed);
}

static void test_cstrings(void **state)
{
	struct bytes_reader r;
	size_t len;

	(void)state;
	reader_init(&r, "one\0\0two", 8);
	assert_string_equal(reader_cstring(&r, &len), "one");
	assert_int_equal(len, 3);
	assert_string_equal(reader_cstring(&r, NULL), "");
	assert_null(reader_cstring(&r, NULL));
	assert_true(r.failed);
}

static void test_the_buffer_grows(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		bytes_printf(&b, "%d,", i);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_memory_equal(b.data + b.len - 8, "998,999,", 8);
	bytes_clear(&b);
	bytes_u16(&b, 0x1234);
	bytes_u32(&b, 0x89abcdef);
	bytes_u64(&b, 0x1122334455667788ull);
	assert_memory_equal(b.data, "\x34\x12\xef\xcd\xab\x89\x88\x77\x66\x55\x44\x33\x22\x11", 14);
	bytes_release(&b);
	assert_null(b.data);
}

/* The examples of RFC 4648, section 10. */
static void test_base64(void **state)
{
	static const char *const rows[][2] = { { "", "" },
					       { "f", "Zg==" },
					       { "fo", "Zm8=" },
					       { "foo", "Zm9v" },
					       { "foob", "Zm9vYg==" },
					       { "fooba", "Zm9vYmE=" },
					       { "foobar", "Zm9vYmFy" },
					       { "\xff\xfe\xfb", "//77" } };
	struct bytes text = { 0 }, data = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i][0]);
		bytes_clear(&text);
		bytes_clear(&data);
		base64_encode(&text, rows[i][0], len);
		assert_int_equal(text.len, strlen(rows[i][1]));
		assert_int_equal(base64_decode(&data, rows[i][1], text.len), 0);
		assert_int_equal(data.len, len);
		if (len) {
			assert_memory_equal(text.data, rows[i][1], text.len);
			assert_memory_equal(data.data, rows[i][0], len);
		}
	}
	bytes_release(&text);
	bytes_release(&data);
}

static void test_base91(void **state)
{
	struct bytes data = { 0 }, text = { 0 }, back = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (size_t len = 0; len < 300; len++) {
		bytes_clear(&data);
		bytes_clear(&text);
		bytes_clear(&back);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			/* Random, all ones and all zeroes. */
			bytes_u8(&data, len % 3 == 0   ? (uint8_t)(seed >> 24)
					: len % 3 == 1 ? 255
						       : 0);
		}
		base91_encode(&text, data.data, len);
		assert_in_range(text.len, len, len + len / 4 + 2);
		for (size_t i = 0; i < text.len; i++)
			assert_true(text.data[i] > 32 && text.data[i] < 127 &&
				    !strchr("<>&", text.data[i]));
		assert_int_equal(base91_decode(&back, (const char *)text.data, text.len), 0);
		assert_int_equal(back.len, len);
		assert_memory_equal(back.data ? back.data : data.data, data.data, len);
	}
	for (const char *wrong = "<>& \n\x7f\xff"; *wrong; wrong++) {
		const char one[] = { *wrong }, second[] = { 'A', *wrong };
		assert_int_equal(base91_decode(&back, one, 1), -1);
		assert_int_equal(base91_decode(&back, second, 2), -1);
	}
	bytes_release(&data);
	bytes_release(&text);
	bytes_release(&back);
}

static void test_base64_that_is_none(void **state)
{
	static const char *const wrong[] = { "Z",     "Zg",   "Zg=",  "Zg===", "Z===",
					     "====",  "Zh==", "Zm9=", "Z g=",  "Zg=A",
					     "Zm9\n", "Zm-_", "=m9v" };
	struct bytes data = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(base64_decode(&data, wrong[i], strlen(wrong[i])), -1);
	bytes_release(&data);
}

int test_bytes_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_base64_that_is_none),
		cmocka_unit_test(test_base91),
		cmocka_unit_test(test_integers_are_little_endian),
		cmocka_unit_test(test_a_failed_reader_stays_failed),
		cmocka_unit_test(test_varints),
		cmocka_unit_test(test_too_long_varints_fail),
		cmocka_unit_test(test_zigzag),
		cmocka_unit_test(test_sleb128),
		cmocka_unit_test(test_cstrings),
		cmocka_unit_test(test_the_buffer_grows),
	};

	return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
