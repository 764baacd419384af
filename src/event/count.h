/*
 * Opening events for counting, alone or scheduled together in a group, and reading what they have
 * counted. Sampling is open.h's.
 */
#ifndef PROF_EVENT_COUNT_H
#define PROF_EVENT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "event/open.h"
#include "event/spec.h"

#define EVENT_GROUP_MAX 256 /* events of one group, more than a kernel takes */

struct event_counting {
	bool inherit;	     /* follow forks and new threads */
	bool enable_on_exec; /* a leader only: its members go with it */
	bool disabled;	     /* likewise; until event_enable */
	bool exclude_kernel; /* not permitted: the user part only */
	bool grouped;	     /* read with event_read_group: a leader and all its members */
	bool exact_at_exit;  /* inherit_stat, for a ring: a READ record for each task that ends */
	bool track;	     /* for a ring: COMM, FORK and EXIT records */
	/* Tasks that switch with each other keep their counters (see count.c). Of one event, whose
	 * fellows then do as well; EINVAL before Linux 6.12. */
	bool never_swapped;
};

/* Opens one counter on (pid, cpu), either may be -1; group_fd: its leader's, or -1. Retries without
 * what old kernels do not know. The descriptor, or -1 with errno kept; it is for the caller to say
 * why (event_why_not_counted), since much of what is refused here is tried in another way. */
int event_open_counter(const struct event_spec *spec, const struct event_counting *how,
		       int group_fd, pid_t pid, int cpu);
/* The reason of such a refusal as one line, which begins with no name: "not permitted at …". */
void event_why_not_counted(int errnum, const struct event_spec *spec, char *buf, size_t size);
/* How its records in a ring are built. */
void event_counting_layout(const struct event_spec *spec, const struct event_counting *how,
			   struct record_layout *layout);

/* Of a counter by itself. -1 with errno: EIO when the kernel has given it up. */
int event_read_counter(int fd, uint64_t *value, uint64_t *enabled_ns, uint64_t *running_ns);
/* Of a leader that was opened as grouped, with count - 1 members: values in the order they were
 * opened. The times are the whole group's. */
int event_read_group(int fd, uint64_t *values, size_t count, uint64_t *enabled_ns,
		     uint64_t *running_ns);

/* Is this a kernel that may mix up counters of tasks which are not never_swapped? */
bool event_kernel_mixes_tasks(void);
/* Counts what happens in the kernel only, so that without the kernel it always reads 0. */
bool event_is_kernel_only(const struct event_spec *spec);
/* Counted by software: never waits for a counter of a PMU. */
bool event_is_software(const struct event_spec *spec);
/* Counted by a PMU of the processor, of which a virtual machine may have none. */
bool event_is_hardware(const struct event_spec *spec);

#endif
