/*
 * Perf map files: lines "START SIZE name" (hex, with or without 0x) that JIT compilers append to
 * /tmp/perf-PID.map. Text comes in pieces of any length.
 */
#ifndef PROF_SYMBOLIZE_PERF_MAP_H
#define PROF_SYMBOLIZE_PERF_MAP_H

#include "base/bytes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_line {
	uint64_t start, size;
	const char *name; /* not terminated; valid during the call */
	size_t name_len;  /* at least 1 */
	uint64_t end;	  /* where the line ends in the text */
};

typedef void (*perf_map_each)(void *ctx, const struct perf_map_line *line);

struct perf_map {	     /* zeroed is valid: at the beginning of the text */
	struct bytes rest;   /* the last line, while its newline is missing */
	uint64_t text_bytes; /* of the text so far */
	bool in_middle;	     /* of a line whose start was not read */
};

/* Take in the next piece of the text. Lines that are no entries are skipped. */
void perf_map_append(struct perf_map *m, const char *text, size_t len, perf_map_each each,
		     void *ctx);
/* The text is over: a last line without a newline counts. */
void perf_map_end(struct perf_map *m, perf_map_each each, void *ctx);
/* Go on at this offset of the text, which may be the middle of a line: that one is not taken. */
void perf_map_skip_to(struct perf_map *m, uint64_t offset);
void perf_map_release(struct perf_map *m);

#endif
