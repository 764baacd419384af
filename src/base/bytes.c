/* The bounds-checked cursor and the growable buffer. */
#include "base/bytes.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

uint16_t reader_u16(struct bytes_reader *r)
{
	const uint8_t *p = reader_take(r, 2);

	if (!p)
		return 0;
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t reader_u32(struct bytes_reader *r)
{
	const uint8_t *p = reader_take(r, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

uint64_t reader_u64(struct bytes_reader *r)
{
	const uint8_t *p = reader_take(r, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

uint64_t reader_varint(struct bytes_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = reader_u8(r);
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return r->failed ? 0 : v;
	}
	r->failed = true;
	return 0;
}

int64_t reader_zigzag(struct bytes_reader *r)
{
	uint64_t v = reader_varint(r);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

int64_t reader_sleb128(struct bytes_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = reader_u8(r);
		if (shift == 63 && byte != 0 && byte != 0x7f)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift + 7 < 64)
			v |= ~(uint64_t)0 << (shift + 7);
		return r->failed ? 0 : (int64_t)v;
	}
	r->failed = true;
	return 0;
}

const char *reader_cstring(struct bytes_reader *r, size_t *len)
{
	const uint8_t *nul = r->failed ? NULL : memchr(r->pos, 0, reader_left(r));

	if (!nul) {
		r->failed = true;
		return NULL;
	}
	const char *s = (const char *)r->pos;
	if (len)
		*len = (size_t)(nul - r->pos);
	r->pos = nul + 1;
	return s;
}

void bytes_reserve(struct bytes *b, size_t extra)
{
	size_t need;

	if (__builtin_add_overflow(b->len, extra, &need))
		need = SIZE_MAX; /* vec_grow_ ends the process */
	if (need > b->cap)
		b->data = vec_grow_(b->data, &b->cap, need < 64 ? 64 : need, 1);
}

void bytes_append(struct bytes *b, const void *data, size_t len)
{
	if (len == 0)
		return;
	bytes_reserve(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void bytes_u8(struct bytes *b, uint8_t v)
{
	bytes_reserve(b, 1);
	b->data[b->len++] = v;
}

static void append_little_endian(struct bytes *b, uint64_t v, size_t size)
{
	bytes_reserve(b, size);
	for (size_t i = 0; i < size; i++)
		b->data[b->len++] = (uint8_t)(v >> (8 * i));
}

void bytes_u16(struct bytes *b, uint16_t v)
{
	append_little_endian(b, v, 2);
}

void bytes_u32(struct bytes *b, uint32_t v)
{
	append_little_endian(b, v, 4);
}

void bytes_u64(struct bytes *b, uint64_t v)
{
	append_little_endian(b, v, 8);
}

void bytes_varint(struct bytes *b, uint64_t v)
{
	bytes_reserve(b, 10);
	for (; v >= 0x80; v >>= 7)
		b->data[b->len++] = (uint8_t)(v | 0x80);
	b->data[b->len++] = (uint8_t)v;
}

void bytes_zigzag(struct bytes *b, int64_t v)
{
	bytes_varint(b, (uint64_t)v << 1 ^ (v < 0 ? ~(uint64_t)0 : 0));
}

void bytes_printf(struct bytes *b, const char *fmt, ...)
{
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len > 0) {
		/* The NUL lands in reserved space after the text. */
		bytes_reserve(b, (size_t)len + 1);
		vsnprintf((char *)b->data + b->len, (size_t)len + 1, fmt, again);
		b->len += (size_t)len;
	}
	va_end(again);
}

void bytes_release(struct bytes *b)
{
	free(b->data);
	b->data = NULL;
	b->len = b->cap = 0;
}
