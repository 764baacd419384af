/*
 * The row of raw records. COMPRESSED records carry one zstd stream whose content is a row of
 * records again, cut anywhere; records of the perf tool may be followed by a payload that is not a
 * record. Where the framing breaks, nothing after it can be trusted: the file counts as ending
 * there.
 */
#include <stdlib.h>

#include "event/perf_data_parts.h"

#define UPDATE_NAME 2 /* PERF_EVENT_UPDATE__NAME */

static void end_here(struct perf_data *p)
{
	p->info.truncated = true;
	p->finished = true;
}

static void drop_plain(struct perf_data *p)
{
	size_t left = p->plain.len - p->plain_pos;

	if (left && p->plain_pos)
		memmove(p->plain.data, p->plain.data + p->plain_pos, left);
	p->plain.len = left;
	p->plain_pos = 0;
}

static void decompress(struct perf_data *p, const uint8_t *data, size_t len)
{
	if (!p->zstd)
		p->zstd = zstd_stream_new();
	drop_plain(p);
	if (zstd_stream_feed(p->zstd, data, len, &p->plain, p->plain_limit, NULL) < 0)
		end_here(p);
}

static void feed_compressed(struct perf_data *p, uint32_t type, const uint8_t *bytes, size_t len)
{
	struct bytes_reader r;

	reader_init(&r, bytes + RECORD_HEADER_BYTES, len - RECORD_HEADER_BYTES);
	uint64_t size = type == PERF_DATA_COMPRESSED2 ? reader_u64(&r) : reader_left(&r);
	const uint8_t *data = reader_take(&r, size);
	if (data)
		decompress(p, data, (size_t)size);
	else
		p->bad_records++;
}

/* A whole record out of the decompressed bytes; false when they do not hold one. */
static bool next_plain(struct perf_data *p, const uint8_t **bytes, size_t *len)
{
	struct bytes_reader r;

	if (p->plain_pos == p->plain.len)
		return false;
	reader_init(&r, p->plain.data + p->plain_pos, p->plain.len - p->plain_pos);
	reader_take(&r, 6);
	uint16_t size = reader_u16(&r);
	if (r.failed)
		return false;
	if (size < RECORD_HEADER_BYTES) {
		end_here(p);
		return false;
	}
	if (size > p->plain.len - p->plain_pos)
		return false;
	*bytes = p->plain.data + p->plain_pos;
	*len = size;
	p->plain_pos += size;
	return true;
}

/* The next record's bytes in the input, not consumed. 1, 0 at the end, -1. */
static int peek_record(struct perf_data *p, const uint8_t **bytes, struct record_header *h,
		       struct error *err)
{
	struct bytes_reader r;
	int status;
	const uint8_t *head = perf_input_peek(&p->in, RECORD_HEADER_BYTES, &status, err);

	if (!head) {
		if (p->in.buf.len > p->in.pos || p->plain.len > p->plain_pos)
			p->info.truncated = true;
		return status;
	}
	reader_init(&r, head, RECORD_HEADER_BYTES);
	h->type = reader_u32(&r);
	h->misc = reader_u16(&r);
	h->size = reader_u16(&r);
	if (h->size < RECORD_HEADER_BYTES) {
		end_here(p);
		return 0;
	}
	*bytes = perf_input_peek(&p->in, h->size, &status, err);
	if (*bytes)
		return 1;
	if (status == 0)
		end_here(p);
	return status;
}

int perf_stream_next(struct perf_data *p, const uint8_t **bytes, size_t *len, struct error *err)
{
	struct record_header h;

	while (!p->finished) {
		if (next_plain(p, bytes, len))
			return 1;
		if (p->finished)
			break;
		int more = peek_record(p, bytes, &h, err);
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		perf_input_consume(&p->in, h.size);
		*len = h.size;
		if (h.type != PERF_DATA_COMPRESSED && h.type != PERF_DATA_COMPRESSED2)
			return 1;
		feed_compressed(p, h.type, *bytes, *len);
	}
	p->finished = true;
	return 0;
}

static void read_attr(struct perf_data *p, struct bytes_reader *r)
{
	struct bytes_reader peek = *r;

	reader_u32(&peek);
	uint32_t size = reader_u32(&peek);
	const uint8_t *attr = reader_take(r, size);
	if (!attr || perf_header_add_event(p, attr, size, r) < 0)
		p->bad_records++;
}

static void read_update(struct perf_data *p, struct bytes_reader *r)
{
	uint64_t type = reader_u64(r), id = reader_u64(r);
	size_t len;

	if (type != UPDATE_NAME)
		return;
	uint32_t event = hmap_get(&p->decoder->by_id, id);
	const char *name = reader_cstring(r, &len);
	if (name && event < p->events.len)
		p->events.data[event].name = arena_strndup(&p->arena, name, len);
}

bool perf_stream_tool_record(struct perf_data *p, const uint8_t *bytes, size_t len)
{
	struct record_header h;
	struct bytes_reader r;

	if (!record_header_read(&h, bytes, len))
		return true;
	reader_init(&r, bytes + RECORD_HEADER_BYTES, len - RECORD_HEADER_BYTES);
	switch (h.type) {
	case PERF_DATA_ATTR:
		read_attr(p, &r);
		return true;
	case PERF_DATA_FEATURE: {
		uint64_t feature = reader_u64(&r);
		perf_feature_read(p, feature, &r);
		return true;
	}
	case PERF_DATA_EVENT_UPDATE:
		read_update(p, &r);
		return true;
	case PERF_DATA_BUILD_ID:
		perf_build_id_add(p, h.misc, &r);
		return true;
	case PERF_DATA_TRACING_DATA:
		return perf_input_skip(&p->in, reader_u32(&r));
	case PERF_DATA_AUXTRACE:
		return perf_input_skip(&p->in, reader_u64(&r));
	default:
		return true;
	}
}

static bool describes(uint32_t type)
{
	return type >= PERF_RECORD_USER_TYPE_START && type != PERF_DATA_FINISHED_ROUND &&
	       type != PERF_DATA_COMPRESSED && type != PERF_DATA_COMPRESSED2;
}

int perf_stream_read_prologue(struct perf_data *p, struct error *err)
{
	const uint8_t *bytes = NULL;
	struct record_header h = { 0 };
	int more;

	while (!p->finished && (more = peek_record(p, &bytes, &h, err)) != 0) {
		if (more < 0)
			return -1;
		if (!describes(h.type))
			return 0;
		perf_input_consume(&p->in, h.size);
		if (!perf_stream_tool_record(p, bytes, h.size))
			end_here(p);
	}
	return 0;
}
