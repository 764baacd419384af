/* Reading prof.data: from chunks to one indexed profile, within bounds that follow the file's size.
 */
#include "profile/reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/compress.h"
#include "profile/chunk.h"
#include "profile/merge.h"
#include "profile/rows.h"
#include "profile/schema.h"

/* What a file may become. Real recordings need about 10 times their size, repetitive ones more. */
#define MEMORY_BASE    ((uint64_t)48 << 20)
#define INFLATED_BASE  ((uint64_t)256 << 20)
#define GROWTH_ALLOWED ((uint64_t)48)

struct reading {
	struct chunk_source *source;
	struct profile_read_report *report;
	struct merge merge;
	struct row_decoder rows;
	struct file_schema schema;
	bool has_schema;
	uint32_t epoch;
	struct bytes body;
	uint64_t inflated_total, memory_granted;
};

/* What was read and used: what was skipped gives no right to memory. */
static uint64_t bytes_used(const struct reading *r)
{
	uint64_t skipped = r->report->skipped_bytes;

	return skipped < r->source->total ? r->source->total - skipped : 0;
}

/* The more has been read, the more it may take. */
static void grant_memory(struct reading *r)
{
	uint64_t granted = MEMORY_BASE + GROWTH_ALLOWED * bytes_used(r);

	if (granted <= r->memory_granted)
		return;
	r->rows.memory_left += granted - r->memory_granted;
	r->memory_granted = granted;
}

static void chunk_is_damaged(struct reading *r, const struct chunk *c)
{
	r->report->damaged_chunks++;
	r->report->skipped_bytes += CHUNK_HEADER_LEN + (uint64_t)c->stored_len;
}

enum { BODY_GOOD, BODY_DAMAGED, BODY_LIMIT };

/* The chunk's body, inflated when it has to be. */
static int open_body(struct reading *r, const struct chunk *c, struct bytes_reader *out)
{
	if (!(c->flags & CHUNK_ZLIB)) {
		reader_init(out, c->body, c->stored_len);
		return c->inflated_len == c->stored_len ? BODY_GOOD : BODY_DAMAGED;
	}
	r->inflated_total += c->inflated_len;
	if (r->inflated_total > INFLATED_BASE + GROWTH_ALLOWED * bytes_used(r))
		return BODY_LIMIT;
	bytes_clear(&r->body);
	if (zlib_inflate(&r->body, c->body, c->stored_len, c->inflated_len, NULL) < 0 ||
	    r->body.len != c->inflated_len)
		return BODY_DAMAGED;
	reader_init(out, r->body.data, r->body.len);
	return BODY_GOOD;
}

/* A schema is the same in all epochs of a file: one that was lost is replaced by the one before. */
static bool take_schema(struct reading *r, struct bytes_reader *body)
{
	struct file_schema schema;

	if (!schema_decode(&schema, body))
		return false;
	r->schema = schema;
	r->has_schema = true;
	return true;
}

static bool take_end(struct reading *r, struct bytes_reader *body)
{
	reader_u64(body); /* where the index is: help for others */
	uint32_t flags = reader_u32(body);

	r->report->complete = 1;
	r->merge.p->health.complete = flags & END_COMPLETE;
	return !body->failed;
}

static enum rows_result take_rows(struct reading *r, struct bytes_reader *body)
{
	if (!r->has_schema)
		return ROWS_DAMAGED;
	grant_memory(r);
	return rows_read(&r->rows, &r->merge, &r->schema, body);
}

static enum rows_result take_body(struct reading *r, const struct chunk *c,
				  struct bytes_reader *body)
{
	switch (c->type) {
	case CHUNK_SCHEMA:
		return take_schema(r, body) ? ROWS_GOOD : ROWS_DAMAGED;
	case CHUNK_ROWS:
		return take_rows(r, body);
	case CHUNK_END:
		return take_end(r, body) ? ROWS_GOOD : ROWS_DAMAGED;
	default:
		return ROWS_GOOD;
	}
}

static void enter_epoch(struct reading *r, uint32_t epoch)
{
	if (r->report->epochs && epoch == r->epoch)
		return;
	r->epoch = epoch;
	r->report->epochs++;
	merge_begin_epoch(&r->merge);
}

/* False when a bound is reached and reading ends. */
static bool take_chunk(struct reading *r, const struct chunk *c)
{
	struct bytes_reader body;

	if (c->type < CHUNK_SCHEMA || c->type > CHUNK_END) {
		r->report->unknown_chunks++;
		return true;
	}
	if (c->type == CHUNK_INDEX)
		return true;
	if (c->type != CHUNK_END)
		enter_epoch(r, c->epoch);
	int opened = open_body(r, c, &body);
	enum rows_result result = opened == BODY_GOOD ? take_body(r, c, &body) : ROWS_DAMAGED;
	if (opened == BODY_LIMIT || result == ROWS_LIMIT)
		return false;
	if (result == ROWS_DAMAGED)
		chunk_is_damaged(r, c);
	return true;
}

static void read_chunks(struct reading *r)
{
	struct chunk c;

	while (chunk_next(r->source, &c, r->report)) {
		r->report->chunks++;
		if (!take_chunk(r, &c)) {
			r->report->limited = 1;
			break;
		}
	}
}

static int check_version(uint32_t version, bool header_good, const char *name, struct error *err)
{
	/* With a damaged header the version means nothing; the chunks have checksums of their own.
	 */
	if (!header_good || version <= FORMAT_VERSION)
		return 0;
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s: written in format version %" PRIu32
			 ", this prof reads up to version %u; use a newer prof",
			 name, version, FORMAT_VERSION);
}

static int read_header(struct reading *r, const char *name, struct error *err)
{
	struct chunk_source *s = r->source;
	bool whole = chunk_source_need(s, FILE_HEADER_LEN);
	size_t at_hand = s->len - s->pos;

	if (s->read_errno)
		return error_set_errno(err, s->read_errno, "cannot read %s", name);
	if (at_hand == 0)
		return error_set(err, ERROR_TRUNCATED, "%s is empty", name);
	if (memcmp(s->data, FILE_MAGIC, at_hand < FILE_MAGIC_LEN ? at_hand : FILE_MAGIC_LEN) != 0)
		return error_set(err, ERROR_FORMAT, "%s is not a prof.data file", name);
	if (!whole)
		return error_set(err, ERROR_TRUNCATED, "%s is cut after %zu bytes: nothing to read",
				 name, at_hand);

	struct bytes_reader h;
	reader_init(&h, s->data + FILE_MAGIC_LEN, FILE_HEADER_LEN - FILE_MAGIC_LEN);
	r->report->version = reader_u32(&h);
	bool good = reader_u32(&h) == crc32c(0, s->data, FILE_HEADER_LEN - 4);
	if (!good)
		r->report->damaged_chunks++;
	s->pos += FILE_HEADER_LEN;
	return check_version(r->report->version, good, name, err);
}

static int check_result(const struct reading *r, const char *name, struct error *err)
{
	if (r->source->read_errno && r->report->chunks == 0)
		return error_set_errno(err, r->source->read_errno, "cannot read %s", name);
	if (r->report->chunks == 0)
		return error_set(err, r->report->damaged_chunks ? ERROR_FORMAT : ERROR_TRUNCATED,
				 "%s has nothing that can be read: it is %s", name,
				 r->report->damaged_chunks ? "damaged"
							   : "cut before the first data");
	return 0;
}

static int read_source(struct profile *p, struct chunk_source *source, const char *name,
		       struct profile_read_report *report, struct error *err)
{
	struct profile_read_report own;
	struct reading *r = xcalloc(1, sizeof(*r));

	r->report = report ? report : &own;
	memset(r->report, 0, sizeof(*r->report));
	r->source = source;
	merge_init(&r->merge, p, r->report);
	int result = read_header(r, name, err);
	if (result == 0) {
		read_chunks(r);
		result = check_result(r, name, err);
	}
	r->report->file_bytes = source->total;
	if (source->read_errno)
		r->report->truncated = 1;
	merge_release(&r->merge);
	row_decoder_release(&r->rows);
	bytes_release(&r->body);
	free_ptr(&r);
	if (result == 0)
		profile_index(p);
	return result;
}

int profile_read_fd(struct profile *p, int fd, const char *name, struct profile_read_report *report,
		    struct error *err)
{
	struct chunk_source source;

	chunk_source_fd(&source, fd);
	int result = read_source(p, &source, name, report, err);
	chunk_source_release(&source);
	return result;
}

int profile_read_memory(struct profile *p, const void *data, size_t len, const char *name,
			struct profile_read_report *report, struct error *err)
{
	struct chunk_source source;

	chunk_source_memory(&source, data, len);
	return read_source(p, &source, name, report, err);
}

int profile_has_magic(const void *data, size_t len)
{
	return len >= FILE_MAGIC_LEN && memcmp(data, FILE_MAGIC, FILE_MAGIC_LEN) == 0;
}
