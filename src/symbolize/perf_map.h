/*
 * Perf map files: lines "START SIZE name" (hex, with or without 0x) that JIT compilers append to
 * /tmp/perf-PID.map. Code is moved and replaced, so a later line wins over earlier ones where they
 * overlap. Of more than fixed bounds allow, the newest lines are kept.
 */
#ifndef PROF_SYMBOLIZE_PERF_MAP_H
#define PROF_SYMBOLIZE_PERF_MAP_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "symbolize/flatten.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_entry {
	uint64_t start, end;
	const char *name; /* in the map's arena */
};

struct perf_map { /* zeroed is valid and empty */
	VEC(struct perf_map_entry) entries;
	struct bytes rest;   /* the last line, while its newline is missing */
	uint64_t text_bytes; /* of the file so far */
	struct flat_map map;
	struct arena arena;
	bool stale;	/* entries were added since map was built */
	bool left_out;	/* older lines were dropped */
	bool in_middle; /* of a line whose start was not read */
};

/* Take in the next piece of the file's text. Bad lines are skipped. Names from before are gone when
 * older lines have to be dropped. */
void perf_map_append(struct perf_map *m, const char *text, size_t len);
/* Read on from where the last call stopped; a file that is shorter than that is read anew,
 * and of very much text only the end is read. */
int perf_map_read(struct perf_map *m, int fd, struct error *err);
/* The latest entry that covers address, or NULL. */
const struct perf_map_entry *perf_map_find(struct perf_map *m, uint64_t address);
void perf_map_clear(struct perf_map *m);
void perf_map_release(struct perf_map *m);

#endif
