/*
 * What counters counted between two samples. A group's values are read with each sample of its
 * leader; what is less than at the sample before is this sample's part. Each thread has counters of
 * its own on each CPU (the kernel's id tells which), or each CPU has.
 *
 * Nothing is allocated once each (thread, CPU) has had a sample.
 */
#ifndef PROF_RECORD_DELTAS_H
#define PROF_RECORD_DELTAS_H

#include "event/record.h"
#include <stdbool.h>
#include <stdint.h>

struct deltas;

enum deltas_state {
	DELTAS_KNOWN,
	DELTAS_FIRST,	   /* of counters that may have begun before the recording */
	DELTAS_BACKWARDS,  /* a value is smaller than before: wrapped, or other counters */
	DELTAS_IMPOSSIBLE, /* it ran for longer than it was enabled, or the group is not whole */
	DELTAS_STATES,
};

struct deltas_stats {
	uint64_t samples[DELTAS_STATES];
	/* How long the counters were wanted and how long they counted, between samples of a thread
	 * that follow each other on one CPU: while it is on another one they are wanted there. */
	uint64_t enabled_ns, running_ns;
};

/* members: of the group, with its leader. from_zero: counters begin with the recording or with
 * their thread, so that the first value is a difference too. */
struct deltas *deltas_new(uint32_t members, bool from_zero);
void deltas_free(struct deltas *d);
/* out: `members` values, when DELTAS_KNOWN. owner: whose the counters are, a thread's or a CPU's
 * number; a thread has others on each CPU. */
enum deltas_state deltas_take(struct deltas *d, uint32_t owner, const struct record *sample,
			      uint64_t *out);
/* The sample was of somebody else on a CPU whose counters had to be followed: it does not count. */
void deltas_uncount(struct deltas *d, enum deltas_state state);
/* The number may be another thread's from now on. */
void deltas_thread_end(struct deltas *d, uint32_t tid);
void deltas_get_stats(const struct deltas *d, struct deltas_stats *out);

#endif
