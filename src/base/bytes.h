/*
 * Reading and writing byte sequences. The reader is a bounds-checked cursor: a read past the end
 * returns zero and sets `failed`, which stays set, so a parser may check once per record. Integers
 * are little-endian unless named otherwise; varint is LEB128; zigzag for signed deltas.
 */
#ifndef PROF_BASE_BYTES_H
#define PROF_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes_reader {
	const uint8_t *pos, *end;
	bool failed;
};

static inline void reader_init(struct bytes_reader *r, const void *data, size_t len)
{
	r->pos = data;
	r->end = len ? r->pos + len : r->pos; /* data may be NULL then */
	r->failed = false;
}

static inline size_t reader_left(const struct bytes_reader *r)
{
	return (size_t)(r->end - r->pos);
}

/* A pointer to the next n bytes, which it passes; NULL (and failed) when fewer are left. */
static inline const uint8_t *reader_take(struct bytes_reader *r, uint64_t n)
{
	if (r->failed || n > reader_left(r)) {
		r->failed = true;
		return NULL;
	}
	const uint8_t *p = r->pos;
	r->pos += n;
	return p;
}

static inline bool reader_copy(struct bytes_reader *r, void *out, size_t n)
{
	const uint8_t *p = reader_take(r, n);
	if (p)
		memcpy(out, p, n);
	else
		memset(out, 0, n);
	return p != NULL;
}

static inline uint8_t reader_u8(struct bytes_reader *r)
{
	const uint8_t *p = reader_take(r, 1);
	return p ? *p : 0;
}

uint16_t reader_u16(struct bytes_reader *r);
uint32_t reader_u32(struct bytes_reader *r);
uint64_t reader_u64(struct bytes_reader *r);
uint64_t reader_varint(struct bytes_reader *r); /* ULEB128; more than 64 bits fails */
int64_t reader_zigzag(struct bytes_reader *r);
int64_t reader_sleb128(struct bytes_reader *r);
/* A NUL-terminated string inside the bytes; NULL (and failed) when no NUL is left. */
const char *reader_cstring(struct bytes_reader *r, size_t *len);

struct bytes { /* a growable buffer; zeroed is valid */
	uint8_t *data;
	size_t len, cap;
};

void bytes_reserve(struct bytes *b, size_t extra);
void bytes_append(struct bytes *b, const void *data, size_t len);
void bytes_u8(struct bytes *b, uint8_t v);
void bytes_u16(struct bytes *b, uint16_t v);
void bytes_u32(struct bytes *b, uint32_t v);
void bytes_u64(struct bytes *b, uint64_t v);
void bytes_varint(struct bytes *b, uint64_t v);
void bytes_zigzag(struct bytes *b, int64_t v);
void bytes_printf(struct bytes *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void bytes_clear(struct bytes *b)
{
	b->len = 0;
}

void bytes_release(struct bytes *b);

#endif
