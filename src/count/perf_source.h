/*
 * The kernel's counters as a source of readings. Each event is opened on each place where it can
 * be; events that were asked for together form one group there, so that they are counted at the
 * same time. What is refused has a reason in the table, and is never tried in silence again.
 */
#ifndef PROF_COUNT_PERF_SOURCE_H
#define PROF_COUNT_PERF_SOURCE_H

#include "base/error.h"
#include "count/options.h"
#include "count/places.h"
#include "counters/counters.h"
#include "counters/source.h"

struct perf_source;

struct perf_how {
	bool inherit;
	bool enable_on_exec; /* else they wait for enable */
	pid_t threads_of;    /* tell this command's threads apart; 0: no */
};

/* Opens everything. The table gets its events and rows. NULL with err when nothing can be counted
 * at all, or when descriptors do not suffice. */
struct perf_source *perf_source_open(const struct count_options *o, const struct count_places *p,
				     const struct perf_how *how, struct counter_table *t,
				     struct error *err);
/* Frees it too. */
struct counter_source perf_source_interface(struct perf_source *s);
/* With threads_of: to be called every few milliseconds, so that nothing is lost. */
void perf_source_drain(struct perf_source *s);
/* Threads of which records were lost nevertheless, as of the last reading. */
uint64_t perf_source_incomplete(const struct perf_source *s);
/* Things that a user should know about what could be opened, one line each; borrowed. */
size_t perf_source_notes(const struct perf_source *s, char *const **notes);
/* The kernel's part is not counted: not permitted. */
bool perf_source_is_user_only(const struct perf_source *s);

#endif
