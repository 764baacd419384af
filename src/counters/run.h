/*
 * One run of a command, or one look at what runs already: its counters, how long it took, what the
 * kernel accounts to it. Shown by output/.
 */
#ifndef PROF_COUNTERS_RUN_H
#define PROF_COUNTERS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counters.h"
#include "counters/slices.h"
#include "counters/surroundings.h"

/* Of a command and its descendants that were waited for (wait4(2), getrusage(2)). */
struct counter_usage {
	bool known;
	uint64_t user_ns, system_ns;
	uint64_t max_rss_bytes; /* of the largest process */
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
};

/* Of whole CPUs, as the kernel accounts their time (/proc/stat). */
struct counter_machine {
	bool known;
	uint64_t busy_ns, steal_ns; /* summed over CPUs; steal: a hypervisor let others run */
};

struct counter_run { /* zeroed: nothing */
	struct counter_table total;
	struct counter_slices slices; /* none when every event ran all the time */
	struct counter_usage usage;
	struct counter_machine machine;
	struct counter_surroundings around;
	uint64_t wall_ns;	      /* from its exec until it was reaped; or of counting */
	bool launched, ended;	      /* a command; it has ended */
	int exit_status, exit_signal; /* of one that has ended; the signal 0: none */
	bool delayed, cut_short;      /* counting began after its start, ended before its end */
};

void counter_run_release(struct counter_run *run);

#endif
