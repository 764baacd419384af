/*
 * What a table counted, cut into slices of time: how far a scaled value may be off. A counter that
 * shared the PMU with others ran for a part of the time only; its value is an estimate by the ratio
 * (counted / time that it ran) x time. Slices tell how that ratio varies.
 *
 * There are never more than COUNTER_SLICES_MAX: before one more comes, each two become one, which
 * covers twice the time from then on.
 */
#ifndef PROF_COUNTERS_SLICES_H
#define PROF_COUNTERS_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "counters/counters.h"

#define COUNTER_SLICES_MAX   64
#define COUNTER_SLICES_LEAST 5 /* fewer tell nothing */
/* How long the kernel leaves counters on the PMU before others have their turn:
 * perf_event_mux_interval_ms, one tick (PERF_CPU_HRTIMER in kernel/events/core.c) unless it was
 * changed. */
#define COUNTER_TURN_NS UINT64_C(4000000)

struct counter_slice {
	struct counter_reading *readings; /* owned; len of them, in the table's order */
	size_t len;
};

struct counter_slices { /* zeroed: none yet */
	struct counter_slice items[COUNTER_SLICES_MAX];
	size_t count;
	unsigned looks_each; /* deltas that make one slice, 0 and 1: one */
	unsigned looks;	     /* that the last one has */
};

void counter_slices_release(struct counter_slices *s);
/* What was counted since the last call: len readings (rows x events, row after row), which may
 * become more from call to call. */
void counter_slices_add(struct counter_slices *s, const struct counter_reading *delta, size_t len);
/*
 * The 95 % half width of counter_reading_scaled(total), by the delete-one jackknife of the ratio
 * estimator over slices (Tukey 1958), narrowed by the share of the time that was seen (the finite
 * population correction). To that is added what slices cannot tell: something rare, as a program's
 * start, may have fallen altogether into a turn of others. So COUNTER_TURN_NS of the time in which
 * the counter did not run may hold nothing, or twice the usual. index: the reading's place in the
 * table. 0 when it ran all the time; NaN when it was not counted, or in fewer than
 * COUNTER_SLICES_LEAST slices.
 */
double counter_slices_half_width(const struct counter_slices *s,
				 const struct counter_reading *total, size_t index);

#endif
