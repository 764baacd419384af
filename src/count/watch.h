/* Signals of a process that counts, taken over once for all its runs. */
#ifndef PROF_COUNT_WATCH_H
#define PROF_COUNT_WATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "launch/launch.h"

struct count_watch {
	struct launch_state saved; /* what commands get */
	int signals;		   /* signalfd */
};

/* closed_descriptors: see launch_save_state. 0 or -1 with err. */
int count_watch_begin(struct count_watch *w, unsigned closed_descriptors, struct error *err);
/* Has a signal come that says stop, while nothing ran? */
bool count_watch_was_stopped(const struct count_watch *w);
void count_watch_end(struct count_watch *w);

#endif
