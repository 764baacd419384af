/*
 * Framing chunks and finding them again. The header has a checksum of its own: where it holds, the
 * length can be trusted and a damaged body is passed in one step; where it does not, the reader
 * looks for the next mark. So reading takes time linear in the input, whatever is in it.
 */
#include "profile/chunk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/io.h"

#define READ_STEP ((size_t)256 << 10)

void chunk_encode_file_header(struct bytes *out)
{
	size_t start = out->len;

	bytes_append(out, FILE_MAGIC, FILE_MAGIC_LEN);
	bytes_u32(out, FORMAT_VERSION);
	bytes_u32(out, crc32c(0, out->data + start, out->len - start));
}

size_t chunk_encode(struct bytes *out, uint16_t type, uint32_t epoch, const struct bytes *body,
		    int level)
{
	struct bytes packed = { 0 };
	size_t start = out->len;

	if (level)
		zlib_deflate(&packed, body->data, body->len, level);
	bool smaller = level && packed.len < body->len;
	const struct bytes *stored = smaller ? &packed : body;

	bytes_u32(out, CHUNK_MARK);
	bytes_u16(out, type);
	bytes_u16(out, smaller ? CHUNK_ZLIB : 0);
	bytes_u32(out, epoch);
	bytes_u32(out, (uint32_t)stored->len);
	bytes_u32(out, (uint32_t)body->len);
	bytes_u32(out, crc32c(0, stored->data, stored->len));
	bytes_u32(out, crc32c(0, out->data + start, out->len - start));
	bytes_append(out, stored->data, stored->len);
	bytes_release(&packed);
	return out->len - start;
}

void chunk_source_memory(struct chunk_source *s, const void *data, size_t len)
{
	memset(s, 0, sizeof(*s));
	s->data = data;
	s->len = len;
	s->total = len;
	s->fd = -1;
	s->ended = true;
}

void chunk_source_fd(struct chunk_source *s, int fd)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
}

void chunk_source_release(struct chunk_source *s)
{
	bytes_release(&s->buffer);
}

/* Drop what was passed and read at least `want` more bytes, or to the end. */
static void refill(struct chunk_source *s, size_t want)
{
	struct bytes *b = &s->buffer;

	if (s->pos) {
		memmove(b->data, b->data + s->pos, b->len - s->pos);
		b->len -= s->pos;
		s->pos = 0;
	}
	if (want < READ_STEP)
		want = READ_STEP;
	bytes_reserve(b, want);
	ssize_t n = io_read_full(s->fd, b->data + b->len, want);
	if (n < 0)
		s->read_errno = errno;
	if (n < (ssize_t)want)
		s->ended = true;
	b->len += n > 0 ? (size_t)n : 0;
	s->total += n > 0 ? (uint64_t)n : 0;
	s->data = b->data;
	s->len = b->len;
}

bool chunk_source_need(struct chunk_source *s, size_t n)
{
	if (s->len - s->pos < n && !s->ended)
		refill(s, n - (s->len - s->pos));
	return s->len - s->pos >= n;
}

static const uint8_t mark_bytes[4] = { CHUNK_MARK & 0xff, CHUNK_MARK >> 8 & 0xff,
				       CHUNK_MARK >> 16 & 0xff, CHUNK_MARK >> 24 };

/* The first place from which a mark starts, or could when more bytes follow. */
static size_t find_mark(const uint8_t *data, size_t from, size_t len)
{
	while (from < len) {
		const uint8_t *found = memchr(data + from, mark_bytes[0], len - from);
		if (!found)
			break;
		size_t at = (size_t)(found - data);
		size_t known = len - at < sizeof(mark_bytes) ? len - at : sizeof(mark_bytes);
		if (memcmp(found, mark_bytes, known) == 0)
			return at;
		from = at + 1;
	}
	return len;
}

/* Pass the hole that a sparse file may have where the bytes at hand end. */
static uint64_t skip_hole(struct chunk_source *s)
{
	off_t here = s->fd < 0 || s->ended ? -1 : lseek(s->fd, 0, SEEK_CUR);

	if (here < 0)
		return 0;
	off_t data = lseek(s->fd, here, SEEK_DATA);
	if (data < 0)
		data = errno == ENXIO ? lseek(s->fd, 0, SEEK_END) : here;
	if (data < here)
		data = here;
	lseek(s->fd, data, SEEK_SET);
	return (uint64_t)(data - here);
}

/* Move to the next mark after pos, or to where none can start any more. */
static void skip_to_mark(struct chunk_source *s, struct profile_read_report *report)
{
	size_t next = find_mark(s->data, s->pos + 1, s->len);

	report->skipped_bytes += next - s->pos;
	s->pos = next;
	if (next < s->len)
		return;
	uint64_t hole = skip_hole(s);
	s->total += hole;
	report->skipped_bytes += hole;
}

static bool decode_header(const uint8_t *p, struct chunk *out, uint32_t *body_crc)
{
	struct bytes_reader r;

	reader_init(&r, p, CHUNK_HEADER_LEN);
	uint32_t mark = reader_u32(&r);
	out->type = reader_u16(&r);
	out->flags = reader_u16(&r);
	out->epoch = reader_u32(&r);
	out->stored_len = reader_u32(&r);
	out->inflated_len = reader_u32(&r);
	*body_crc = reader_u32(&r);
	uint32_t header_crc = reader_u32(&r);
	return mark == CHUNK_MARK && header_crc == crc32c(0, p, CHUNK_HEADER_LEN - 4) &&
	       out->stored_len <= CHUNK_BODY_MAX && out->inflated_len <= CHUNK_BODY_MAX;
}

/* Too few bytes are left for a chunk: the beginning of one, or of none. */
static void skip_rest(struct chunk_source *s, struct profile_read_report *report, bool in_damage)
{
	size_t rest = s->len - s->pos;
	size_t known = rest < sizeof(mark_bytes) ? rest : sizeof(mark_bytes);

	if (!in_damage && memcmp(s->data + s->pos, mark_bytes, known) == 0)
		report->truncated = 1;
	else
		report->damaged_chunks += !in_damage;
	report->skipped_bytes += rest;
	s->pos = s->len;
}

bool chunk_next(struct chunk_source *s, struct chunk *out, struct profile_read_report *report)
{
	bool in_damage = false;

	while (chunk_source_need(s, CHUNK_HEADER_LEN)) {
		uint32_t body_crc;
		if (!decode_header(s->data + s->pos, out, &body_crc)) {
			report->damaged_chunks += !in_damage;
			in_damage = true;
			skip_to_mark(s, report);
			continue;
		}
		in_damage = false;
		size_t size = CHUNK_HEADER_LEN + (size_t)out->stored_len;
		if (!chunk_source_need(s, size))
			break;
		out->body = s->data + s->pos + CHUNK_HEADER_LEN;
		s->pos += size;
		if (crc32c(0, out->body, out->stored_len) == body_crc)
			return true;
		report->damaged_chunks++;
		report->skipped_bytes += size;
	}
	if (s->len > s->pos)
		skip_rest(s, report, in_damage);
	return false;
}
