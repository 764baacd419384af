/*
 * Exact CPU time beside samples: what every task really used (READ records at exit, the counters'
 * final values), what its samples add up to, and synthetic rows for the difference, so that weights
 * sum to the counter.
 */
#ifndef PROF_RECORD_ACCOUNTS_H
#define PROF_RECORD_ACCOUNTS_H

#include "record/rows.h"
#include "task/task.h"
#include <stdbool.h>
#include <stdint.h>

struct accounts;

struct accounts_config {
	struct rows *rows;
	struct task_table *tasks;
	uint32_t event;	    /* index in the file of the event that is accounted */
	uint64_t period;    /* nominal, in the event's unit; 0: by frequency, accounts only sum */
	bool kernel_hidden; /* counted, but not sampled: a long task's rest is the kernel's */
};

struct accounts *accounts_new(const struct accounts_config *config);
void accounts_free(struct accounts *a);

/* One sample of the event. */
void accounts_sample(struct accounts *a, const struct task_thread *t, uint64_t weight);
/* A task ended; its READ records, if it has some, are still to come. */
void accounts_exit(struct accounts *a, const struct task_thread *t, uint64_t time_ns);
/* A READ record: value of the event on one CPU for a task that exited. */
void accounts_read(struct accounts *a, const struct task_thread *t, uint64_t value,
		   uint64_t time_ns);
/* The kernel could not write this many samples (from LOST records): rests of long tasks are theirs
 * first. */
void accounts_lost(struct accounts *a, uint64_t samples);
/* What exited tasks used beyond their samples, so far: large when tasks are shorter than the
 * period. */
uint64_t accounts_shortfall(const struct accounts *a, uint64_t *all, uint64_t *exits);
/* Exited tasks whose READ records must all have come by now get their rows, those without any wait
 * for the end. */
void accounts_settle(struct accounts *a, uint64_t now_ns);

/* A task the event was opened on: its counters' final value, with what descendants of it counted.
 */
struct accounts_root {
	uint32_t tid, event;
	uint64_t exact;
};

struct accounts_end {
	uint64_t exact_total; /* sum of the counters' final values; 0 unknown (system-wide) */
	uint64_t lost_samples, throttled_ns;
	/* Of the launched command, from its start, and of descendants it waited for; 0 unknown.
	 * What it has more than all rows is shared out evenly among the tasks that ended. */
	uint64_t rusage_ns;
	const struct accounts_root *roots; /* of all events */
	size_t root_count;
	uint32_t root_event; /* which of them count here */
	uint64_t time_ns;
};

/* Weights of all samples. */
uint64_t accounts_sampled(const struct accounts *a);
/* Everything left: settles all, then gives what the exact total still lacks its rows. Returns the
 * sum of all weights written for the event, samples included. */
uint64_t accounts_finish(struct accounts *a, const struct accounts_end *how);

#endif
