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

/* How the counters of a group are read with samples. */
enum plan_counters {
	COUNTERS_NONE,	     /* there are no groups */
	COUNTERS_INHERITED,  /* each thread has its own, those of threads that start later too */
	COUNTERS_PER_CPU,    /* each CPU has its own */
	COUNTERS_PER_THREAD, /* threads that run at the start have their own, others none */
};

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
	enum plan_counters counters;
	bool filtered;	  /* events are on whole CPUs, but only what the user named is wanted */
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
/* How event i is opened that only counts, in the group of a leader of this size class. */
struct event_sampling plan_member(const struct plan *p, size_t event, uint32_t size_class,
				  int leader_fd);
/* How the event is opened that only tracks, with plan->track_apart. */
struct event_sampling plan_tracking(const struct plan *p);
/* The first event of its group, which takes the samples: i itself for most. */
size_t plan_leader(const struct plan *p, size_t i);
/* Does event i lead others, whose counts its samples hold? */
bool plan_leads(const struct plan *p, size_t i);
/* Which of the kernel's ways to read groups works here; plan_counters.c. Events that cannot be
 * counted are taken out, with a note. */
int plan_choose_counters(struct plan *p, struct error *err);
/* The period event i is sampled with on average; 0: by frequency. */
uint64_t plan_period(const struct plan *p, size_t event);
void plan_note(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
