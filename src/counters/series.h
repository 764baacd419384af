/*
 * Readings over time. A source shows what has been counted since the beginning; a series makes of
 * it what was counted since the last interval, slices for the uncertainty, and the total, and
 * notices counters that went backwards.
 */
#ifndef PROF_COUNTERS_SERIES_H
#define PROF_COUNTERS_SERIES_H

#include "base/error.h"
#include "counters/counters.h"
#include "counters/slices.h"
#include "counters/source.h"

struct counter_readings {
	VEC(struct counter_reading) items;
	uint64_t time_ns;
};

struct counter_series {		  /* zeroed, but for now's events and rows: nothing read yet */
	struct counter_table now; /* since the beginning, as last read */
	struct counter_readings interval; /* as of the last interval, last slice, last look */
	struct counter_readings sliced, seen;
	struct counter_slices slices;
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
};

void counter_series_release(struct counter_series *s);
/* Counting begins at begin_ns, where all counters are 0. */
void counter_series_begin(struct counter_series *s, uint64_t begin_ns);
/* Reads the source; as its read. */
int counter_series_read(struct counter_series *s, const struct counter_source *source,
			struct error *err);
/* Of what was read last: what was counted since the last call becomes a slice. */
void counter_series_slice(struct counter_series *s);
/* Of what was read last: what was counted since the last call, into a table of its own, which the
 * caller releases. Its time_ns is when it ends, elapsed_ns how long it is. */
void counter_series_interval(struct counter_series *s, struct counter_table *out);
/* Did some event run for a part of its time only? */
bool counter_series_is_shared(const struct counter_series *s);

#endif
