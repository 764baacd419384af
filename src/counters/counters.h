/*
 * Counted events as they were read, whoever read them: the kernel's counters, a recorded fixture, a
 * generator with known truth. Nothing here opens or prints anything. A table holds one reading for
 * each (row, event): a row is what is told apart (everything, a thread, a CPU, a core type…).
 *
 * What was not counted is never 0: it has a state, and a reason where somebody knew one.
 */
#ifndef PROF_COUNTERS_COUNTERS_H
#define PROF_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum counter_state {			  /* from good to bad */
		     COUNTER_NOT_COUNTED, /* the PMU never had a counter for it; what a zeroed
					     reading is */
		     COUNTER_COUNTED,
		     COUNTER_NOT_SUPPORTED, /* no such event on this machine */
		     COUNTER_REFUSED,	    /* not permitted */
		     COUNTER_WRAPPED,	    /* it went backwards between two readings */
		     COUNTER_IMPOSSIBLE,    /* running longer than enabled, or counts while never
					       running */
};

struct counter_reading {
	uint64_t value;			 /* as counted, not scaled up */
	uint64_t enabled_ns, running_ns; /* summed over the tasks and CPUs that were added up */
	enum counter_state state;
};

struct counter_event {
	char *name;	  /* owned; as asked for, normalized: "cycles", "instructions:u" */
	char *type;	  /* owned; the core type or PMU it counts on where there are several:
			     "cpu_core"; "" otherwise */
	char *unit;	  /* owned; of value x scale: "" (a count), "ns", "bytes", "Joules" */
	char *reason;	  /* owned; why it is not supported or refused, or what is special about
			     what was counted; "" */
	double scale;	  /* 1 for most */
	uint32_t group;	  /* events of one number were always counted at the same time */
	bool is_software; /* never multiplexed: may be divided by any other */
};

enum counter_row_kind {
	COUNTER_ROW_ALL,
	COUNTER_ROW_THREAD,
	COUNTER_ROW_CPU,
	COUNTER_ROW_CORE,
	COUNTER_ROW_SOCKET,
	COUNTER_ROW_TYPE,
};

struct counter_row {
	enum counter_row_kind kind;
	uint32_t id, id2; /* tid and pid; CPU; core and socket; socket; number of the type */
	char *label;	  /* owned; comm, "socket 0 core 3", "cpu_core"; "" for all */
};

struct counter_table {
	VEC(struct counter_event) events;
	VEC(struct counter_row) rows;
	VEC(struct counter_reading) readings; /* rows x events, row after row */
	uint64_t elapsed_ns;		      /* of the wall clock, that this table is about */
	uint64_t time_ns;		      /* CLOCK_MONOTONIC at its end; 0: not known */
};

void counter_table_release(struct counter_table *t);
/* The event gets its own copies of the strings; NULL is "". Events first, then rows: readings begin
 * as not counted. */
void counter_table_add_event(struct counter_table *t, const struct counter_event *event);
void counter_table_add_row(struct counter_table *t, const struct counter_row *row);
struct counter_reading *counter_table_at(const struct counter_table *t, size_t row, size_t event);
/* The event of this name (and type, unless NULL); -1: none. */
ptrdiff_t counter_table_find(const struct counter_table *t, const char *name, const char *type);

/* Sums. Some that was never counted leaves an estimate (see the running share); anything worse
 * spoils the sum. */
void counter_reading_add(struct counter_reading *sum, const struct counter_reading *r);
/* Each event's sum over all rows, as a table of one row; the caller releases it. */
void counter_table_sum(const struct counter_table *t, struct counter_table *out);
/* What went by between two readings of one counter; marks what cannot be. */
struct counter_reading counter_reading_since(const struct counter_reading *then,
					     const struct counter_reading *now);
/* Marks what cannot be, and what never ran; call it on what a kernel or a file said. One that is
 * said to be counted and was never due (enabled 0: no task ran) stays counted: it is 0. */
void counter_reading_judge(struct counter_reading *r);
/* value x enabled / running; NaN unless it was counted. */
double counter_reading_scaled(const struct counter_reading *r);
/* running / enabled, 0 to 1; NaN unless it was counted. */
double counter_reading_running(const struct counter_reading *r);
const char *counter_state_text(enum counter_state state); /* "not counted", … */

#endif
