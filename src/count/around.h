/* The kernel's texts about what goes on around a run, read when it begins and ends. */
#ifndef PROF_COUNT_AROUND_H
#define PROF_COUNT_AROUND_H

#include <sys/types.h>

#include "counters/surroundings.h"

struct around { /* zeroed: not begun */
	struct counter_surroundings then, first_thread;
	char cgroup[256]; /* folder of the command's cgroup; "" */
	size_t root_len;  /* of it: the hierarchy's mount point */
	pid_t pid;
};

/* pid: of the command that is about to begin, 0: none. */
void around_begin(struct around *a, pid_t pid);
/* What its first thread had until now: call it when it has ended and was not yet reaped. */
void around_see_command(struct around *a);
/* What went by since the beginning; with the cost of a page fault where that is of interest, since
 * measuring takes a few milliseconds. */
void around_end(const struct around *a, bool measures_faults, struct counter_surroundings *out);

#endif
