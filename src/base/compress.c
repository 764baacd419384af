/* libdeflate, zlib and zstd behind append-to-buffer functions with hard output bounds, and CRC-32C.
 */
#include "base/compress.h"

#include <libdeflate.h>
#include <limits.h>
#include <zlib.h>
#include <zstd.h>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "base/memory.h"

#define INFLATE_STEP ((size_t)64 << 10)

/* Reflected polynomial 0x82f63b78, four bits at a time. */
static const uint32_t crc_nibble[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t crc32c_table(uint32_t crc, const uint8_t *p, size_t len)
{
	for (; len; p++, len--) {
		crc ^= *p;
		crc = crc >> 4 ^ crc_nibble[crc & 15];
		crc = crc >> 4 ^ crc_nibble[crc & 15];
	}
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const uint8_t *p,
							       size_t len)
{
	uint64_t wide = crc;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t v;
		memcpy(&v, p, 8);
		wide = _mm_crc32_u64(wide, v);
	}
	crc = (uint32_t)wide;
	for (; len; p++, len--)
		crc = _mm_crc32_u8(crc, *p);
	return crc;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return ~crc32c_sse42(~crc, data, len);
#endif
	return ~crc32c_table(~crc, data, len);
}

static uInt clamp_uint(size_t n)
{
	return n > UINT_MAX ? UINT_MAX : (uInt)n;
}

/* zlib's next_in lacks const in its default build. */
static Bytef *unconst(const uint8_t *p)
{
	return (Bytef *)(uintptr_t)p;
}

/* No bytes may come as NULL, to which nothing can be added. */
static const uint8_t *start_of(const void *data, size_t len)
{
	static const uint8_t nothing[1];

	return len ? data : nothing;
}

void zlib_deflate(struct bytes *out, const void *data, size_t len, int level)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);

	if (!c)
		xmalloc(SIZE_MAX); /* for want of memory only */
	size_t bound = libdeflate_zlib_compress_bound(c, len);
	bytes_reserve(out, bound);
	out->len +=
		libdeflate_zlib_compress(c, start_of(data, len), len, out->data + out->len, bound);
	libdeflate_free_compressor(c);
}

void compress_prepare(void)
{
	static const char some[] = "anything";
	struct bytes out = { 0 };

	zlib_deflate(&out, some, sizeof(some), 1);
	bytes_release(&out);
}

/* One stream to its end; z is prepared and is released here. *in moves behind what was read. */
static int inflate_stream(z_stream *z, struct bytes *out, const uint8_t **in, const uint8_t *end,
			  size_t max_len, struct error *err)
{
	size_t produced = 0;
	int status = Z_OK;

	z->next_in = unconst(*in);
	while (status == Z_OK) {
		/* One byte more than allowed shows that there is more. */
		size_t room =
			max_len - produced < INFLATE_STEP ? max_len - produced + 1 : INFLATE_STEP;
		bytes_reserve(out, room);
		z->avail_in = clamp_uint((size_t)(end - z->next_in));
		z->next_out = out->data + out->len;
		z->avail_out = (uInt)room;
		status = inflate(z, Z_NO_FLUSH);
		size_t got = room - z->avail_out;
		out->len += got;
		produced += got;
		if (produced > max_len) {
			inflateEnd(z);
			return error_set(err, ERROR_LIMIT,
					 "compressed data inflates beyond %zu bytes", max_len);
		}
	}
	*in = z->next_in;
	inflateEnd(z);
	if (status != Z_STREAM_END)
		return error_set(err, status == Z_BUF_ERROR ? ERROR_TRUNCATED : ERROR_FORMAT,
				 "compressed data is damaged (zlib status %d)", status);
	return 0;
}

int zlib_inflate(struct bytes *out, const void *data, size_t len, size_t max_len, struct error *err)
{
	z_stream z = { 0 };
	const uint8_t *in = start_of(data, len), *end = in + len;

	if (inflateInit(&z) != Z_OK)
		xmalloc(SIZE_MAX); /* for want of memory only */
	if (inflate_stream(&z, out, &in, end, max_len, err) < 0)
		return -1;
	if (in != end)
		return error_set(err, ERROR_FORMAT, "%zu bytes follow the compressed data",
				 (size_t)(end - in));
	return 0;
}

int gzip_inflate(struct bytes *out, const void *data, size_t len, size_t max_len, struct error *err)
{
	const uint8_t *in = start_of(data, len), *end = in + len;
	size_t before = out->len;

	do {
		z_stream z = { 0 };
		if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
			xmalloc(SIZE_MAX);
		if (inflate_stream(&z, out, &in, end, max_len - (out->len - before), err) < 0)
			return -1;
	} while (in < end);
	return 0;
}

struct zstd_stream {
	ZSTD_DStream *stream;
	size_t hint; /* what the last call returned: 0 at a frame's end */
};

struct zstd_stream *zstd_stream_new(void)
{
	struct zstd_stream *s = xcalloc(1, sizeof(*s));

	s->stream = ZSTD_createDStream();
	if (!s->stream)
		xmalloc(SIZE_MAX);
	ZSTD_DCtx_setParameter(s->stream, ZSTD_d_windowLogMax, 27);
	return s;
}

int zstd_stream_feed(struct zstd_stream *s, const void *data, size_t len, struct bytes *out,
		     size_t max_len, struct error *err)
{
	ZSTD_inBuffer in = { data, len, 0 };
	size_t produced = 0;

	for (;;) {
		size_t room =
			max_len - produced < INFLATE_STEP ? max_len - produced + 1 : INFLATE_STEP;
		bytes_reserve(out, room);
		ZSTD_outBuffer piece = { out->data + out->len, room, 0 };
		size_t before = in.pos;
		size_t status = ZSTD_decompressStream(s->stream, &piece, &in);
		if (ZSTD_isError(status))
			return error_set(err, ERROR_FORMAT, "zstd data is damaged: %s",
					 ZSTD_getErrorName(status));
		s->hint = status;
		out->len += piece.pos;
		produced += piece.pos;
		if (produced > max_len)
			return error_set(err, ERROR_LIMIT, "zstd data expands beyond %zu bytes",
					 max_len);
		int stalled = in.pos == before && piece.pos == 0;
		if (stalled || (in.pos == in.size && piece.pos < room))
			return 0;
	}
}

void zstd_stream_free(struct zstd_stream *s)
{
	if (!s)
		return;
	ZSTD_freeDStream(s->stream);
	free_ptr(&s);
}

int zstd_decompress(struct bytes *out, const void *data, size_t len, size_t max_len,
		    struct error *err)
{
	struct zstd_stream *s = zstd_stream_new();
	int result = zstd_stream_feed(s, data, len, out, max_len, err);

	if (result == 0 && (s->hint != 0 || len == 0))
		result = error_set(err, ERROR_TRUNCATED, "zstd data ends early");
	zstd_stream_free(s);
	return result;
}
