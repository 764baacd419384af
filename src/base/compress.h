/* Compression behind one small interface (libdeflate writes what zlib reads, faster and smaller;
 * zlib reads bounded streams; zstd), and CRC-32C (Castagnoli, RFC 3720 appendix B.4). */
#ifndef PROF_BASE_COMPRESS_H
#define PROF_BASE_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

uint32_t crc32c(uint32_t crc, const void *data, size_t len); /* start with 0; SSE4.2 when present */
/* Have the library find out now what this processor has. On Arm it reads /proc/self/auxv for that,
 * which it cannot do later where the process may open nothing. */
void compress_prepare(void);
/* Append the zlib stream of data to out. level 1 (fast) .. 12. */
void zlib_deflate(struct bytes *out, const void *data, size_t len, int level);
/* Append the inflated data to out. Fails beyond max_len bytes or on damage. */
int zlib_inflate(struct bytes *out, const void *data, size_t len, size_t max_len,
		 struct error *err);
/* The same of a gzip file (RFC 1952): of all its members, at most max_len bytes. */
int gzip_inflate(struct bytes *out, const void *data, size_t len, size_t max_len,
		 struct error *err);
/* One or more zstd frames, appended to out, at most max_len bytes. */
int zstd_decompress(struct bytes *out, const void *data, size_t len, size_t max_len,
		    struct error *err);
/* Streaming zstd for perf.data's compressed records: one stream over several chunks. */
struct zstd_stream;
struct zstd_stream *zstd_stream_new(void);
int zstd_stream_feed(struct zstd_stream *s, const void *data, size_t len, struct bytes *out,
		     size_t max_len, struct error *err);
void zstd_stream_free(struct zstd_stream *s);

#endif
