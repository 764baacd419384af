/* What to count, of whom, and for how long. */
#ifndef PROF_COUNT_OPTIONS_H
#define PROF_COUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/watch.h"
#include "counters/counters.h"
#include "event/cpus.h"
#include "event/spec.h"

struct count_options {
	char *const *command;	  /* NULL-terminated, or NULL */
	const pid_t *pids, *tids; /* running ones */
	size_t pid_count, tid_count;
	bool system_wide;
	const struct event_cpus *cpus;		     /* only on these; NULL: all */
	uint64_t duration_ns, delay_ns, interval_ns; /* 0: none */
	const struct event_list *events;
	/* Of these, [from, to) are left out where they cannot be counted. */
	size_t optional_from, optional_to;
	enum counter_row_kind by;
	bool no_inherit; /* not what is started later */
	const struct count_watch *watch;
	/* Called every interval_ns with what was counted in it. NULL: nobody wants it. */
	void (*interval)(void *ctx, const struct counter_table *t);
	void *ctx;
};

#endif
