/*
 * Groups of events that are to be counted at the same time: whether they can be, and what to do
 * when they cannot, since a PMU has few counters and others may hold some (the NMI watchdog of x86
 * takes one on every CPU).
 */
#ifndef PROF_EVENT_SCHEDULE_H
#define PROF_EVENT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "event/spec.h"

/* Can these events be counted at the same time? */
struct event_group_tester {
	bool (*fits)(void *ctx, const struct event_spec *events, size_t count);
	void *ctx;
};

/* Asks the kernel: opens the events as one group, runs it, and looks whether it had counters. An
 * event that cannot be opened at all is no obstacle. Takes a few microseconds when they fit, up to
 * 30 ms when not. */
extern const struct event_group_tester event_group_kernel;

/* The number of items from first on that share a group. */
size_t event_group_length(const struct event_list *list, size_t first);
/* Cut the group that begins at first into as few groups as fit, in its order, with numbers that the
 * list does not have yet; what does not fit even alone is left alone. Only
 * the first stays pinned or exclusive. Returns how many groups there
 * are now, and appends one line to note where it is more than one. */
size_t event_group_split(struct event_list *list, size_t first,
			 const struct event_group_tester *tester, struct bytes *note);
/* All groups of the list, by the kernel's answer: a line for each that was cut. */
void event_groups_fit(struct event_list *list, const struct event_group_tester *tester,
		      struct bytes *notes);

#endif
