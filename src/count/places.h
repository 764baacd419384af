/*
 * Where counters are opened: on a task, a CPU, or a task on a CPU; and which row of the table each
 * belongs to.
 */
#ifndef PROF_COUNT_PLACES_H
#define PROF_COUNT_PLACES_H

#include "base/error.h"
#include "count/options.h"
#include "counters/counters.h"

struct count_place {
	pid_t pid; /* -1: whatever runs there */
	int cpu;   /* -1: wherever it runs */
	uint32_t row;
};

struct count_places {
	VEC(struct count_place) items;
	VEC(struct counter_row) rows; /* labels are owned */
	VEC(pid_t) pids;	      /* the processes that are counted; empty for whole CPUs */
};

void count_places_release(struct count_places *p);
/* How often the kernel switched away from the tasks of the places so far, as /proc/TID/status says;
 * false when one of them cannot be read (it may have ended). */
bool count_places_switches(const struct count_places *p, uint64_t *switches);
/* Threads of the processes that run now and are in none of the places: they began since these were
 * found, and count only where the thread that began them was counted by then. */
size_t count_places_began(const struct count_places *p);
/* command: the launched process, or 0. */
int count_places_find(struct count_places *p, const struct count_options *o, pid_t command,
		      struct error *err);

#endif
