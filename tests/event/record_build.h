/*
 * Kernel records written by hand: a header, fields in order, the size filled in at the end. And a
 * decoder to try them on.
 */
#ifndef PROF_TESTS_EVENT_RECORD_BUILD_H
#define PROF_TESTS_EVENT_RECORD_BUILD_H

#include "base/bytes.h"
#include "event/record.h"

void build_begin(struct bytes *b, uint32_t type, uint16_t misc); /* clears b */
void build_two_u32(struct bytes *b, uint32_t first, uint32_t second);
void build_string(struct bytes *b, const char *s); /* NUL-padded to a multiple of 8 */
void build_end(struct bytes *b);

/* The sample_id trailer of TRAILER_LAYOUT: pid 7, tid 8, time 1000, cpu 3, id. */
#define TRAILER_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
void build_trailer(struct bytes *b, uint64_t id);

/* What a test of the decoder works on. */
struct fixture {
	struct record_decoder *decoder;
	struct bytes b;
	struct record r;
};

void fixture_open(void **state, const struct record_layout *layout);
int fixture_close(void **state); /* usable as a cmocka teardown */
int fixture_decode(struct fixture *f);

#endif
