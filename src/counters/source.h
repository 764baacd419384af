/*
 * Where readings come from: the kernel's counters, a recorded fixture. Whoever opens a source gets
 * a table with its events; reading fills in what its counters show at that moment.
 */
#ifndef PROF_COUNTERS_SOURCE_H
#define PROF_COUNTERS_SOURCE_H

#include "base/error.h"
#include "counters/counters.h"

struct counter_source {
	/* What the counters show now, since they were opened, into t: its events stay as they are,
	 * rows may come to it, never go. Sets t->time_ns. 1; 0 when nothing more will come; -1 with
	 * err. */
	int (*read)(void *ctx, struct counter_table *t, struct error *err);
	/* Begin to count, where that was put off. 0 or -1 with err. NULL: it counts already. */
	int (*enable)(void *ctx, struct error *err);
	void (*release)(void *ctx);
	void *ctx;
};

#endif
