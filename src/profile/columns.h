/*
 * Column encodings of prof.data: a column of u64 values as bytes, and back. Every encoding ends in
 * packed integers: the smallest value, then byte planes of what is above it (all lowest bytes, all
 * second bytes, …), which zlib compresses better than varints. docs/format.md has the exact layout.
 */
#ifndef PROF_PROFILE_COLUMNS_H
#define PROF_PROFILE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum column_encoding {
	ENCODING_PLAIN, /* packed as they are */
	ENCODING_DELTA, /* against the row before */
	ENCODING_KEYED, /* against the last row with the same value in a key column */
	ENCODING_FRONT, /* against the largest value so far: ids handed out in order */
	ENCODING_DICT,	/* sorted distinct values, then an index per row */
	ENCODING_BYTES, /* lengths, then all the bytes */
};

void pack_integers(struct bytes *out, const uint64_t *values, size_t n);
bool unpack_integers(struct bytes_reader *r, uint64_t *values, size_t n);

/* Append values encoded as wanted and return the encoding used: DICT falls back to PLAIN where few
 * values repeat. Overwrites values. key: the key column's values for KEYED, else NULL. Not for
 * BYTES. */
enum column_encoding column_encode(struct bytes *out, enum column_encoding wanted, uint64_t *values,
				   const uint64_t *key, size_t n);
/* The n values of the payload in r; false when it is damaged or the encoding is unknown. */
bool column_decode(struct bytes_reader *r, unsigned encoding, uint64_t *values, const uint64_t *key,
		   size_t n);

static inline uint64_t zigzag(uint64_t delta)
{
	return delta << 1 ^ (0 - (delta >> 63));
}

static inline uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

#endif
