/*
 * Which event a record belongs to, and where its time is. The kernel writes a sample's fields in
 * the order of the PERF_SAMPLE list and ends other records with the sample_id trailer, so id and
 * time have fixed places per event: counted from the start in samples, from the end elsewhere.
 */
#include "event/record_layout.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define TRAILER_FIELDS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static uint16_t fields_bytes(uint64_t sample_type, uint64_t fields)
{
	return (uint16_t)(8 * __builtin_popcountll(sample_type & fields));
}

static uint16_t sample_id_offset(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return RECORD_HEADER_BYTES;
	if (!(type & PERF_SAMPLE_ID))
		return OFFSET_NONE;
	return (uint16_t)(RECORD_HEADER_BYTES +
			  fields_bytes(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						     PERF_SAMPLE_ADDR));
}

static uint16_t sample_time_offset(uint64_t type)
{
	if (!(type & PERF_SAMPLE_TIME))
		return OFFSET_NONE;
	return (uint16_t)(RECORD_HEADER_BYTES +
			  fields_bytes(type,
				       PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
}

static uint16_t trailer_id_offset(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return OFFSET_NONE;
	return fields_bytes(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
}

static uint16_t trailer_time_offset(uint64_t type)
{
	if (!(type & PERF_SAMPLE_TIME))
		return OFFSET_NONE;
	return fields_bytes(type, TRAILER_FIELDS & ~(uint64_t)PERF_SAMPLE_TID);
}

struct record_decoder *record_decoder_new(void)
{
	struct record_decoder *d = xcalloc(1, sizeof(*d));

	d->same_sample_id = d->same_trailer_id = true;
	return d;
}

void record_decoder_free(struct record_decoder *d)
{
	if (!d)
		return;
	vec_release(&d->events);
	hmap_release(&d->by_id);
	free(d);
}

uint32_t record_decoder_add_event(struct record_decoder *d, const struct record_layout *layout)
{
	struct record_event e = { .layout = *layout };
	uint64_t type = layout->sample_type;

	e.sample_id_at = sample_id_offset(type);
	e.sample_time_at = sample_time_offset(type);
	if (layout->sample_id_all) {
		e.trailer_bytes = fields_bytes(type, TRAILER_FIELDS);
		e.trailer_id_at = trailer_id_offset(type);
		e.trailer_time_at = trailer_time_offset(type);
	}
	if (d->events.len) {
		const struct record_event *first = &d->events.data[0];
		d->same_sample_id &= first->sample_id_at == e.sample_id_at;
		d->same_trailer_id &= first->trailer_id_at == e.trailer_id_at;
	}
	vec_push(&d->events, e);
	return (uint32_t)d->events.len - 1;
}

void record_decoder_add_id(struct record_decoder *d, uint64_t id, uint32_t event)
{
	if (event < d->events.len)
		hmap_put(&d->by_id, id, event);
}

bool record_header_read(struct record_header *h, const void *bytes, size_t len)
{
	struct bytes_reader r;

	reader_init(&r, bytes, len);
	h->type = reader_u32(&r);
	h->misc = reader_u16(&r);
	h->size = reader_u16(&r);
	return !r.failed && h->size == len && len >= RECORD_HEADER_BYTES;
}

static uint64_t load_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The u64 at an offset from the start of a sample or the end of another record; 0 when not there.
 */
static uint64_t fixed_field(const uint8_t *bytes, const struct record_header *h,
			    uint16_t from_start, uint16_t from_end)
{
	if (h->type == PERF_RECORD_SAMPLE)
		return from_start && from_start + 8u <= h->size ? load_u64(bytes + from_start) : 0;
	if (h->type >= PERF_RECORD_USER_TYPE_START || !from_end ||
	    from_end + (unsigned)RECORD_HEADER_BYTES > h->size)
		return 0;
	return load_u64(bytes + h->size - from_end);
}

const struct record_event *record_find_event(const struct record_decoder *d, const uint8_t *bytes,
					     const struct record_header *h, uint64_t *id)
{
	bool is_sample = h->type == PERF_RECORD_SAMPLE;

	*id = 0;
	if (d->events.len == 0)
		return NULL;
	const struct record_event *first = &d->events.data[0];
	if (d->events.len > 1 && !(is_sample ? d->same_sample_id : d->same_trailer_id))
		return first;
	*id = fixed_field(bytes, h, first->sample_id_at, first->trailer_id_at);
	/* Records that perf makes up itself carry id 0: they belong to the first event. */
	if (d->events.len == 1 || *id == 0)
		return first;
	uint32_t event = hmap_get(&d->by_id, *id);
	if (event != HMAP_NONE)
		return &d->events.data[event];
	return is_sample ? NULL : first;
}

uint64_t record_time(const struct record_decoder *d, const void *bytes, size_t len)
{
	struct record_header h;
	uint64_t id;

	if (!record_header_read(&h, bytes, len))
		return 0;
	const struct record_event *e = record_find_event(d, bytes, &h, &id);
	return e ? fixed_field(bytes, &h, e->sample_time_at, e->trailer_time_at) : 0;
}
