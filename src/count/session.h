/*
 * One counting: of a command from its exec to its end, of running tasks or whole CPUs until
 * somebody says stop. Steps: start, wait, and for a command that runs on after the counting, its
 * end.
 */
#ifndef PROF_COUNT_SESSION_H
#define PROF_COUNT_SESSION_H

#include "base/error.h"
#include "count/options.h"
#include "counters/run.h"

struct count_session;

/* Opens all counters and executes the command. NULL with err: nothing was run; err->code tells 125,
 * 126 and 127 as launch_go does. The options must outlive it. */
struct count_session *count_start(const struct count_options *o, struct error *err);
/* Until the command or the tasks have ended, the time is over, or a signal says stop. Fills *run,
 * whose parts are the caller's then. 0, or -1 with err. */
int count_wait(struct count_session *s, struct counter_run *run, struct error *err);
/* Waits for a command that still runs (it has been told to end when a signal said stop) and fills
 * the rest of *run: how it ended. */
void count_end(struct count_session *s, struct counter_run *run);
/* Things a user should know, one line each; borrowed. */
size_t count_notes(const struct count_session *s, char *const **notes);
/* A signal ended the counting: there is to be no further run. */
bool count_was_stopped(const struct count_session *s);
void count_free(struct count_session *s);

#endif
