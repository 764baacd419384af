/*
 * What a recording will open, decided before anything is opened: events, rate, kernel or not, CPUs,
 * stack sizes. Every choice prof makes for the user is a note, said once and kept in the file.
 */
#ifndef PROF_RECORD_PLAN_H
#define PROF_RECORD_PLAN_H

#include "base/error.h"
#include "base/memory.h"
#include "event/open.h"
#include "event/spec.h"
#include "record/session.h"
#include <stdbool.h>
#include <stdint.h>

#define PLAN_MAX_CPUS 1024

struct plan {
	const struct record_options *options; /* borrowed */
	struct event_list events;
	struct event_limits limits;
	uint32_t cpus[PLAN_MAX_CPUS];
	uint32_t cpu_count;
	bool system_wide, kernel, kernel_denied; /* denied: wanted, not permitted */
	enum event_stack_mode stack_mode;
	uint32_t stack_bytes[2]; /* first size and the larger one prepared beside it; [1] 0: none */
	uint64_t requested_hz;	 /* 0: by period */
	uint64_t ring_pages;	 /* first try, per CPU */
	bool ring_fixed;	 /* asked for with -m */
	bool track_apart; /* mappings, forks and names come from events of their own, which are
			     never switched off */
	bool count_exits; /* exact counts of tasks that exit are wanted */
	uint64_t cpu_clock_config; /* perf_event_attr.config of cpu-clock */
	bool silent;		   /* notes are kept, not printed: the other process prints them */
	VEC(char *) notes;
};

int plan_make(struct plan *p, const struct record_options *options, struct error *err);
void plan_release(struct plan *p);
/* The kernel lowers its limit by itself when interrupts take long: sample at most so often, with a
 * note. false: that is not less than before. */
bool plan_lower_rate(struct plan *p, uint64_t max_hz);
/* Stack sizes that fit the rings that could be mapped. */
void plan_fit_stacks(struct plan *p, uint64_t ring_bytes);
/* How event i is opened. size_class: enum control_size_class. */
struct event_sampling plan_sampling(const struct plan *p, size_t event, uint32_t size_class,
				    uint32_t cpu);
/* How the event is opened that only tracks, with plan->track_apart. */
struct event_sampling plan_tracking(const struct plan *p);
/* The period event i is sampled with on average; 0: by frequency. */
uint64_t plan_period(const struct plan *p, size_t event);
void plan_note(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
