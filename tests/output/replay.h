/* A fixture of counters as a run that prof stat shows. */
#ifndef TESTS_OUTPUT_REPLAY_H
#define TESTS_OUTPUT_REPLAY_H

#include "base/error.h"
#include "counters/run.h"

typedef void replay_interval(void *ctx, const struct counter_table *t, uint64_t since_begin_ns);

/* Every reading is a slice, and an interval when somebody wants them (NULL: nobody). The run is the
 * caller's. */
int replay_fixture(struct counter_run *run, const char *name, const char *text, size_t len,
		   replay_interval *interval, void *ctx, struct error *err);

#endif
