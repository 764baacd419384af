/*
 * The frame of prof.data: a file header, then chunks. A chunk stands alone: mark, type, epoch,
 * lengths and checksums, then its body. docs/format.md is the specification.
 */
#ifndef PROF_PROFILE_CHUNK_H
#define PROF_PROFILE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "profile/reader.h"

#define FORMAT_VERSION	 1u
#define FILE_MAGIC	 "\x89PROF\r\n\x1a"
#define FILE_MAGIC_LEN	 8u
#define FILE_HEADER_LEN	 16u /* magic, u32 version, u32 CRC-32C of these 12 bytes */
#define CHUNK_MARK	 0xc7e1b5f0u
#define CHUNK_HEADER_LEN 28u
#define CHUNK_BODY_MAX	 ((uint32_t)32 << 20) /* stored and inflated */
#define CHUNK_ROWS_MAX	 65536u

enum chunk_type { CHUNK_SCHEMA = 1, CHUNK_ROWS, CHUNK_INDEX, CHUNK_END };

enum { CHUNK_ZLIB = 1 }; /* chunk flag: the body is a zlib stream */

enum { ROWS_LISTED = 1 }; /* rows flag: a list of ids in place of the first */

enum { END_COMPLETE = 1 };

struct chunk {
	uint16_t type, flags;
	uint32_t epoch;
	uint32_t stored_len, inflated_len;
	const uint8_t *body; /* as stored; valid until the next chunk_next */
};

void chunk_encode_file_header(struct bytes *out);
/* Append header and body; the body is compressed when that makes it smaller (never at
 * level 0). Returns the bytes added. */
size_t chunk_encode(struct bytes *out, uint16_t type, uint32_t epoch, const struct bytes *body,
		    int level);

/* Where chunks are read from: memory, or a descriptor read in order. */
struct chunk_source {
	const uint8_t *data; /* what is at hand */
	size_t len, pos;
	int fd; /* -1: all is at hand */
	bool ended;
	int read_errno;
	uint64_t total; /* bytes seen so far */
	struct bytes buffer;
};

void chunk_source_memory(struct chunk_source *s, const void *data, size_t len);
void chunk_source_fd(struct chunk_source *s, int fd);
void chunk_source_release(struct chunk_source *s);
/* Have n bytes at data + pos, unless the input ends before. */
bool chunk_source_need(struct chunk_source *s, size_t n);
/* The next whole and undamaged chunk; false at the end. Damage passed over is counted in report. */
bool chunk_next(struct chunk_source *s, struct chunk *out, struct profile_read_report *report);

#endif
