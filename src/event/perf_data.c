/*
 * perf.data as a source of records: raw records go into the orderer with their time, the perf
 * tool's FINISHED_ROUND marks end its rounds, and what comes out is decoded. Records without a time
 * (made up by perf for what ran before) come out at once, as perf itself treats them.
 */
#include "event/perf_data.h"

#include <stdlib.h>

#include "event/perf_data_parts.h"

#define ORDER_MAX_BYTES ((size_t)64 << 20)
#define PLAIN_LIMIT_DEFAULT                                                   \
	((uint64_t)32 << 20) /* where the file does not tell perf's ring size \
			      */

enum { TAG_TIMED, TAG_UNTIMED };

static void set_defaults(struct perf_data *p, int fd)
{
	p->in.fd = fd;
	p->in.end = UINT64_MAX;
	p->plain_limit = PLAIN_LIMIT_DEFAULT;
	p->info.hostname = p->info.kernel_release = p->info.architecture = "";
	p->info.cpu_model = p->info.command = "";
	p->info.clock = "unknown";
	p->decoder = record_decoder_new();
	p->order = order_new(ORDER_MAX_BYTES);
	arena_init(&p->arena);
}

static int read_descriptions(struct perf_data *p, const char *name, struct error *err)
{
	if (!p->is_pipe)
		perf_features_read(p);
	else if (perf_stream_read_prologue(p, err) < 0)
		return error_context(err, "%s", name);
	if (p->events.len == 0)
		return error_set(err, ERROR_TRUNCATED, "%s: ends before it describes any event",
				 name);
	perf_header_settle(p);
	return 0;
}

int perf_data_open(struct perf_data **out, int fd, const char *name, struct error *err)
{
	struct perf_data *p = xcalloc(1, sizeof(*p));

	*out = NULL;
	set_defaults(p, fd);
	if (perf_header_read(p, name, err) < 0 || read_descriptions(p, name, err) < 0) {
		perf_data_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void perf_data_free(struct perf_data *p)
{
	if (!p)
		return;
	record_decoder_free(p->decoder);
	order_free(p->order);
	zstd_stream_free(p->zstd);
	bytes_release(&p->in.buf);
	bytes_release(&p->plain);
	vec_release(&p->events);
	vec_release(&p->desc_names);
	vec_release(&p->build_ids);
	arena_release(&p->arena);
	free(p);
}

uint32_t perf_data_event_count(const struct perf_data *p)
{
	return (uint32_t)p->events.len;
}

const struct perf_data_event *perf_data_event(const struct perf_data *p, uint32_t i)
{
	return &p->events.data[i];
}

uint32_t perf_data_build_id_count(const struct perf_data *p)
{
	return (uint32_t)p->build_ids.len;
}

const struct perf_data_build_id *perf_data_build_id(const struct perf_data *p, uint32_t i)
{
	return &p->build_ids.data[i];
}

const struct perf_data_info *perf_data_info(const struct perf_data *p)
{
	return &p->info;
}

uint64_t perf_data_bad_records(const struct perf_data *p)
{
	return p->bad_records;
}

static void take_in(struct perf_data *p, const uint8_t *bytes, size_t len)
{
	struct record_header h;

	if (!record_header_read(&h, bytes, len))
		return;
	if (h.type < PERF_RECORD_USER_TYPE_START) {
		uint64_t time_ns = record_time(p->decoder, bytes, len);
		bool timed = time_ns != 0 && time_ns != UINT64_MAX;
		order_push(p->order, timed ? time_ns : 0, timed ? TAG_TIMED : TAG_UNTIMED, bytes,
			   len);
	} else if (h.type == PERF_DATA_FINISHED_ROUND) {
		order_end_round(p->order);
	} else if (!perf_stream_tool_record(p, bytes, len)) {
		p->info.truncated = true;
		p->finished = true;
	}
}

/* One more raw record into the orderer; 0 when there is none. */
static int advance(struct perf_data *p, struct error *err)
{
	const uint8_t *bytes;
	size_t len;
	size_t events = p->events.len;
	int more = perf_stream_next(p, &bytes, &len, err);

	if (more > 0)
		take_in(p, bytes, len);
	if (p->events.len != events)
		perf_header_settle(p); /* a pipe may add events late */
	return more;
}

int perf_data_next(struct perf_data *p, struct record *out, struct error *err)
{
	for (;;) {
		size_t len;
		uint32_t tag;
		uint64_t time_ns;
		const void *bytes = order_pop(p->order, &len, &tag, &time_ns);
		if (bytes) {
			if (record_decode(p->decoder, bytes, len, out) < 0)
				p->bad_records++;
			else if (out->kind != RECORD_OTHER)
				return 1;
			continue;
		}
		if (p->flushed)
			return 0;
		int more = advance(p, err);
		if (more < 0)
			return -1;
		if (more == 0) {
			order_flush(p->order);
			p->flushed = true;
		}
	}
}
