/* CRC-32C against the published vectors; zlib and zstd within their bounds. */
#include "base/compress.h"

#include <zstd.h>

#include "groups.h"

static void test_crc32c_vectors(void **state)
{
	uint8_t bytes[32];

	(void)state;
	/* RFC 3720, appendix B.4. */
	memset(bytes, 0, sizeof(bytes));
	assert_true(crc32c(0, bytes, sizeof(bytes)) == 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_true(crc32c(0, bytes, sizeof(bytes)) == 0x62a8ab43);
	for (uint8_t i = 0; i < 32; i++)
		bytes[i] = i;
	assert_true(crc32c(0, bytes, sizeof(bytes)) == 0x46dd794e);
	assert_true(crc32c(0, "123456789", 9) == 0xe3069283);
	assert_true(crc32c(0, "", 0) == 0);
}

static void test_crc32c_in_pieces(void **state)
{
	const char text[] = "a checksum does not depend on how the bytes arrive";
	uint32_t whole = crc32c(0, text, sizeof(text));

	(void)state;
	for (size_t cut = 0; cut <= sizeof(text); cut++) {
		uint32_t crc = crc32c(0, text, cut);
		assert_true(crc32c(crc, text + cut, sizeof(text) - cut) == whole);
	}
}

static void fill(struct bytes *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes_u8(b, (uint8_t)(i * i >> 3));
}

static void test_zlib_round_trip(void **state)
{
	struct bytes in = { 0 }, packed = { 0 }, out = { 0 };
	struct error err = { 0 };

	(void)state;
	fill(&in, 300000);
	bytes_append(&out, "kept", 4);
	zlib_deflate(&packed, in.data, in.len, 6);
	assert_true(packed.len < in.len);
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len, in.len, &err), 0);
	assert_int_equal(out.len, in.len + 4);
	assert_memory_equal(out.data, "kept", 4);
	assert_memory_equal(out.data + 4, in.data, in.len);

	bytes_clear(&packed);
	bytes_clear(&out);
	zlib_deflate(&packed, NULL, 0, 6);
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len, 0, &err), 0);
	assert_int_equal(out.len, 0);
	bytes_release(&in);
	bytes_release(&packed);
	bytes_release(&out);
}

static void test_zlib_bounds_and_damage(void **state)
{
	struct bytes in = { 0 }, packed = { 0 }, out = { 0 };
	struct error err = { 0 };

	(void)state;
	fill(&in, 100000);
	zlib_deflate(&packed, in.data, in.len, 9);
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len, in.len - 1, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	error_clear(&err);
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len - 5, in.len, &err), -1);
	assert_int_equal(err.code, ERROR_TRUNCATED);
	error_clear(&err);
	packed.data[packed.len / 2] ^= 0x55;
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len, in.len, &err), -1);
	error_clear(&err);
	packed.data[packed.len / 2] ^= 0x55;
	bytes_u8(&packed, 0);
	assert_int_equal(zlib_inflate(&out, packed.data, packed.len, in.len, &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	bytes_release(&in);
	bytes_release(&packed);
	bytes_release(&out);
}

static void zstd_pack(struct bytes *out, const struct bytes *in)
{
	size_t bound = ZSTD_compressBound(in->len);

	bytes_reserve(out, bound);
	size_t n = ZSTD_compress(out->data + out->len, bound, in->data, in->len, 3);
	assert_false(ZSTD_isError(n));
	out->len += n;
}

static void test_zstd_frames(void **state)
{
	struct bytes in = { 0 }, packed = { 0 }, out = { 0 };
	struct error err = { 0 };

	(void)state;
	fill(&in, 200000);
	zstd_pack(&packed, &in);
	zstd_pack(&packed, &in);
	assert_int_equal(zstd_decompress(&out, packed.data, packed.len, 2 * in.len, &err), 0);
	assert_int_equal(out.len, 2 * in.len);
	assert_memory_equal(out.data + in.len, in.data, in.len);
	bytes_clear(&out);
	assert_int_equal(zstd_decompress(&out, packed.data, packed.len, 2 * in.len - 1, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	error_clear(&err);
	assert_int_equal(zstd_decompress(&out, packed.data, packed.len - 1, 2 * in.len, &err), -1);
	assert_int_equal(err.code, ERROR_TRUNCATED);
	error_clear(&err);
	packed.data[0] ^= 1;
	assert_int_equal(zstd_decompress(&out, packed.data, packed.len, 2 * in.len, &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	bytes_release(&in);
	bytes_release(&packed);
	bytes_release(&out);
}

static void test_zstd_stream_in_pieces(void **state)
{
	struct bytes in = { 0 }, packed = { 0 }, out = { 0 };
	struct zstd_stream *s = zstd_stream_new();
	struct error err = { 0 };

	(void)state;
	fill(&in, 200000);
	zstd_pack(&packed, &in);
	for (size_t i = 0; i < packed.len; i += 7) {
		size_t n = packed.len - i < 7 ? packed.len - i : 7;
		assert_int_equal(zstd_stream_feed(s, packed.data + i, n, &out, in.len, &err), 0);
	}
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.data, in.data, in.len);
	zstd_stream_free(s);
	zstd_stream_free(NULL);
	bytes_release(&in);
	bytes_release(&packed);
	bytes_release(&out);
}

int test_compress_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc32c_vectors),
		cmocka_unit_test(test_crc32c_in_pieces),
		cmocka_unit_test(test_zlib_round_trip),
		cmocka_unit_test(test_zlib_bounds_and_damage),
		cmocka_unit_test(test_zstd_frames),
		cmocka_unit_test(test_zstd_stream_in_pieces),
	};

	return cmocka_run_group_tests_name("compress", tests, NULL, NULL);
}
