/*
 * Filling struct perf_event_attr and giving up, step by step, what a kernel does not know. Inside
 * of the event layer only: linux/perf_event.h goes no further.
 */
#ifndef PROF_EVENT_ATTR_H
#define PROF_EVENT_ATTR_H

#include <linux/perf_event.h>

#include "event/open.h"

/* -1 when this build's architecture has no register mask for STACK_COPY. */
int attr_fill(struct perf_event_attr *attr, const struct event_spec *spec,
	      const struct event_sampling *how);
/* Make attr ask for less after a refusal. False when nothing of it may be the reason. */
bool attr_ask_less(struct perf_event_attr *attr, int errnum);
/* A generic event of one of several PMUs → that PMU's own code, as all Arm cores have it. False
 * when it is no such event. */
bool attr_use_pmuv3_code(struct perf_event_attr *attr);
void attr_layout(const struct perf_event_attr *attr, struct record_layout *layout);
/* Only the event itself, for counting. */
void attr_fill_spec(struct perf_event_attr *attr, const struct event_spec *spec);
/* perf_event_open(2): the descriptor, or -1 with errno. Always close-on-exec. */
int attr_open(struct perf_event_attr *attr, pid_t pid, int cpu);
/* The same in the group of an event that is open; -1: in one of its own. */
int attr_open_in_group(struct perf_event_attr *attr, pid_t pid, int cpu, int leader);
/* Fill err with the event's name and event_explain_refusal's line. Returns -1. */
int event_set_refusal(struct error *err, int errnum, const struct event_spec *spec,
		      const struct event_limits *limits);

#endif
