/* What perf_source.c and perf_open.c share. */
#ifndef PROF_COUNT_PERF_PARTS_H
#define PROF_COUNT_PERF_PARTS_H

#include "count/perf_source.h"
#include "count/perf_threads.h"
#include "event/count.h"

/* What the table shows as one event. Several instances of one PMU (uncore) share a slot. */
struct perf_slot {
	const struct event_spec *spec; /* the first */
	uint32_t unit;
	bool optional, dropped; /* dropped: an optional one that is left out */
	bool opened, user_only;
	bool alone;		    /* its group does not take it */
	enum counter_state refused; /* COUNTER_NOT_COUNTED and no errnum: it is not */
	int errnum;
	char *reason;
	ptrdiff_t index; /* in the table; -1 */
};

/* Events that are counted at the same time. */
struct perf_unit {
	uint32_t group; /* of the specs, 0: none */
	const char *pmu;
	VEC(uint32_t) specs;
};

#define PERF_NO_REFERENCE UINT32_MAX

/* A dummy event on the same (task, CPU) as others. An event on both is enabled whenever the task
 * runs, wherever: the dummy tells for how long that was on this CPU. */
struct perf_reference {
	int fd;
	uint64_t running_ns; /* as of the last reading */
};

struct perf_counter {
	int fd;
	uint32_t reference;
	uint32_t slot, row;
	uint32_t members; /* of a leader that is read for all of them: itself and the next ones */
	bool grouped;	  /* such a leader */
};

struct perf_source {
	const struct count_options *options;
	struct perf_how how;
	VEC(struct perf_slot) slots;
	VEC(uint32_t) slot_of;		/* per spec */
	VEC(struct event_cpus) cpus_of; /* per spec; empty: all */
	VEC(struct perf_unit) units;
	VEC(struct perf_counter) counters;
	VEC(struct perf_reference) references;
	struct perf_threads *threads; /* NULL: not apart */
	VEC(char *) notes;
	pid_t reference_pid; /* of the last reference; 0: none yet */
	int reference_cpu;
	bool user_only, no_group_reads, whole_cpus;
	bool may_be_swapped; /* counters of threads that switch with each other */
	bool no_pmu;	     /* generic hardware events do not exist here */
};

void perf_source_note(struct perf_source *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Slots and units for the options' events. */
void perf_plan(struct perf_source *s);
/* What every counter is opened with. */
struct event_counting perf_how_to_open(const struct perf_source *s, bool grouped, bool leads);
/* Every event on every place. */
int perf_open_all(struct perf_source *s, const struct count_places *p, struct error *err);

#endif
