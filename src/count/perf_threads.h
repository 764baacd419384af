/*
 * A launched command's threads apart. Counters that are inherited tell only the sum; but when a
 * thread ends, the kernel writes a record with what it counted for it (attr.inherit_stat), and
 * records of names and forks beside it, into a ring for each CPU. What no ended thread has counted
 * is the first thread's (and of processes that outlive it).
 */
#ifndef PROF_COUNT_PERF_THREADS_H
#define PROF_COUNT_PERF_THREADS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "counters/counters.h"
#include "event/record.h"

#define PERF_THREADS_REFERENCE (UINT32_MAX - 1) /* in place of a slot: the dummy event */

struct perf_threads;

/* Of a command with this pid; layout: how the records of all its counters are built. */
struct perf_threads *perf_threads_new(pid_t command, const struct record_layout *layout,
				      uint32_t slots);
void perf_threads_free(struct perf_threads *t);
/* The first event on a CPU, which gets the ring. -1 with err. */
int perf_threads_add_ring(struct perf_threads *t, int fd, struct error *err);
/* A counter of a slot, or the dummy (PERF_THREADS_REFERENCE), on the CPU whose ring was added last.
 */
int perf_threads_add_counter(struct perf_threads *t, int fd, uint32_t slot, struct error *err);
/* Take what the rings hold. Often enough that they do not run over. */
void perf_threads_drain(struct perf_threads *t);
/* After the first row of the table got the sums: gives each thread that has ended its row and takes
 * from the first one what is theirs. column: of each slot, in the table; -1: none. */
void perf_threads_tell_apart(struct perf_threads *t, struct counter_table *table,
			     const ptrdiff_t *column);
/* Ended threads of which records are missing. What these counted is not all in their rows. */
uint64_t perf_threads_incomplete(const struct perf_threads *t);

#endif
