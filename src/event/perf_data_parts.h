/*
 * Inside of the perf.data reader: the handle and what its files call of each other. Not for other
 * layers.
 *
 *   perf_data_input.c     bytes of a file or pipe, as they are needed
 *   perf_data_header.c    file header, attributes and ids
 *   perf_data_features.c  feature sections and the same data as records of a pipe
 *   perf_data_stream.c    the next raw record, out of compressed chunks too
 *   perf_data.c           time order, decoding, the public functions
 */
#ifndef PROF_EVENT_PERF_DATA_PARTS_H
#define PROF_EVENT_PERF_DATA_PARTS_H

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/memory.h"
#include "event/order.h"
#include "event/perf_data.h"
#include "event/record_layout.h"
#include "event/spec_source.h"

/* Records made by the perf tool (enum perf_user_event_type of tools/lib/perf/include/perf/event.h).
 */
enum perf_record_type {
	PERF_DATA_ATTR = 64,
	PERF_DATA_TRACING_DATA = 66,
	PERF_DATA_BUILD_ID = 67,
	PERF_DATA_FINISHED_ROUND = 68,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_FEATURE = 80,
	PERF_DATA_COMPRESSED = 81,
	PERF_DATA_COMPRESSED2 = 83,
};

struct perf_data_input {
	int fd;
	uint64_t offset; /* of the next byte that is read from fd */
	uint64_t end;	 /* of the data; UINT64_MAX: as far as the file goes */
	bool seekable;
	struct bytes buf;
	size_t pos; /* consumed part of buf */
};

struct perf_data {
	struct perf_data_input in;
	bool is_pipe;		/* the file's format, not what fd is */
	bool finished, flushed; /* no raw record is left; the orderer was told */
	uint64_t file_size;	/* 0 when not seekable */
	uint64_t features_at;
	uint64_t features[4]; /* bit set of adds_features */
	struct record_decoder *decoder;
	struct order *order;
	VEC(struct perf_data_event) events;
	VEC(const char *) desc_names; /* EVENT_DESC, by event index */
	VEC(struct perf_data_build_id) build_ids;
	struct perf_data_info info;
	struct zstd_stream *zstd;
	uint64_t plain_limit; /* of one decompressed chunk */
	struct bytes plain;   /* decompressed records */
	size_t plain_pos;
	uint64_t bad_records;
	struct arena arena; /* strings */
};

/* n bytes, valid until the next call; NULL at the end of the data, *eof_left then tells what is
 * left. -1 in *status on an I/O error. */
const uint8_t *perf_input_peek(struct perf_data_input *in, size_t n, int *status,
			       struct error *err);
void perf_input_consume(struct perf_data_input *in, size_t n);
/* Skip n bytes; false when the data ends before. */
bool perf_input_skip(struct perf_data_input *in, uint64_t n);
/* A part of a seekable file into out (cleared before). */
int perf_input_read_at(const struct perf_data *p, uint64_t offset, uint64_t len, struct bytes *out,
		       struct error *err);

/* Reads the file header up to where the records begin. */
int perf_header_read(struct perf_data *p, const char *name, struct error *err);
/* One perf_event_attr and its ids; -1 when it cannot be one. */
int perf_header_add_event(struct perf_data *p, const uint8_t *bytes, size_t len,
			  struct bytes_reader *ids);
/* Name the events, state the clock: when all attributes and features are known. */
void perf_header_settle(struct perf_data *p);

void perf_features_read(struct perf_data *p); /* all sections of a file */
void perf_feature_read(struct perf_data *p, uint64_t feature, struct bytes_reader *r);
/* A build-ID record: the body after its header. */
void perf_build_id_add(struct perf_data *p, uint16_t misc, struct bytes_reader *r);

/* The next record as it lies in the file: 1, 0 at the end, -1. Compressed ones are replaced by
 * their content. */
int perf_stream_next(struct perf_data *p, const uint8_t **bytes, size_t *len, struct error *err);
/* A record of the perf tool (type 64 and up). False when its payload is cut. */
bool perf_stream_tool_record(struct perf_data *p, const uint8_t *bytes, size_t len);
/* Read the records before the first one of the kernel, which describe a pipe's events. */
int perf_stream_read_prologue(struct perf_data *p, struct error *err);

#endif
