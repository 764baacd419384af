/*
 * Inside of the record decoder: where the fixed fields of one event's records lie. Shared by the
 * files that decode; not for other layers.
 */
#ifndef PROF_EVENT_RECORD_LAYOUT_H
#define PROF_EVENT_RECORD_LAYOUT_H

#include "base/bytes.h"
#include "base/hash.h"
#include "event/record.h"

#define RECORD_HEADER_BYTES	    8
#define OFFSET_NONE		    0  /* offset 0 is the header, no field lies there */
#define PERF_RECORD_USER_TYPE_START 64 /* from here on: made by the perf tool, no trailer */

struct record_event {
	struct record_layout layout;
	uint16_t sample_id_at, sample_time_at;	 /* from the record's start */
	uint16_t trailer_id_at, trailer_time_at; /* from the record's end */
	uint16_t trailer_bytes;			 /* 0 without sample_id_all */
};

struct record_decoder {
	VEC(struct record_event) events;
	struct hmap by_id;
	bool same_sample_id, same_trailer_id; /* the id lies at one place for all events */
};

struct record_header {
	uint32_t type;
	uint16_t misc, size;
};

/* False when len is not a whole record. */
bool record_header_read(struct record_header *h, const void *bytes, size_t len);
/* The event whose record this is; NULL when a sample's id is unknown or there is no event. */
const struct record_event *record_find_event(const struct record_decoder *d, const uint8_t *bytes,
					     const struct record_header *h, uint64_t *id);
/* The part of a sample after its header. */
int record_decode_sample(const struct record_layout *layout, struct bytes_reader *r,
			 struct record *out);
/* Bytes of one struct read_format of this layout (the reader tells nr of a group); NULL and failed
 * when cut. */
const uint8_t *record_read_format(const struct record_layout *layout, struct bytes_reader *r,
				  uint32_t *len);

#endif
