/*
 * perf.data for tests: bytes in memory opened as a file, recordings from the fuzz target's seeds,
 * and files written by hand with two tracepoint events (ids 100 and 200).
 */
#ifndef PROF_TESTS_EVENT_PERF_FILE_H
#define PROF_TESTS_EVENT_PERF_FILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "event/perf_data.h"

struct source {
	struct perf_data *data;
	int fd;
};

/* NULL and err filled when it is refused; to be closed all the same. */
struct perf_data *source_open(struct source *s, const void *bytes, size_t len, struct error *err);
void source_close(struct source *s);
void read_seed(const char *name, struct bytes *out);

struct writer {
	struct bytes file, record;
	size_t data_at;
};

void writer_begin(struct writer *w);
void write_sample(struct writer *w, uint64_t id, uint64_t time_ns); /* ip: time + 1000 */
void write_round_end(struct writer *w);
void writer_end(struct writer *w); /* fills in where the data is */
void writer_release(struct writer *w);
void put_u64_at(struct bytes *b, size_t at, uint64_t v);

#endif
