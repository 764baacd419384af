/*
 * Counters from a file instead of a kernel: recorded ones, or made ones whose truth is known. Lines
 * of JSON, each an object of one of these kinds; events come first, then rows (none: one row of
 * all), then readings, at least one:
 *
 *   {"event": "cycles", "group": 1}
 *       and, where they are not as usual: "type", "unit", "reason" (texts), "scale" (a number),
 *       "software" (true: never multiplexed), "state" ("not supported", "not permitted")
 *   {"row": "thread", "id": 12, "id2": 10, "label": "worker"}
 *       the row's kind is all, thread, cpu, core, socket or type
 *   {"time_ns": 100000000, "read": [[1000, 100, 50], null]}
 *       what the counters show at that time: value, enabled and running time (ns) since the
 *       beginning, at time 0, for each event of each row, row after row; null: nothing
 */
#ifndef PROF_COUNTERS_FIXTURE_H
#define PROF_COUNTERS_FIXTURE_H

#include <stddef.h>

#include "base/error.h"
#include "counters/counters.h"
#include "counters/source.h"

#define COUNTER_FIXTURE_MAX_BYTES  ((size_t)16 << 20)
#define COUNTER_FIXTURE_MAX_EVENTS 256
#define COUNTER_FIXTURE_MAX_ROWS   4096

struct counter_fixture {
	struct counter_table table;	/* events and rows, as a source's reader needs them */
	VEC(enum counter_state) states; /* of each event's readings */
	VEC(uint64_t) times_ns;
	VEC(struct counter_reading) readings; /* of each time, rows x events */
	size_t next;			      /* the time that is read next */
};

/* name: for messages. -1 with "NAME:LINE: what is wrong". */
int counter_fixture_parse(struct counter_fixture *f, const char *name, const char *text, size_t len,
			  struct error *err);
void counter_fixture_release(struct counter_fixture *f);
/* Fills the table to read into, which is the caller's, and returns the source, which borrows f. */
struct counter_source counter_fixture_source(struct counter_fixture *f, struct counter_table *t);

#endif
