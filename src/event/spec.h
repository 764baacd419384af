/*
 * Event names as users type them → what to open. Software events, raw (r1a2), tracepoints
 * (subsystem:name, patterns too, ids from tracefs), sysfs PMUs (pmu/term=value,…/), breakpoints
 * refused with the reason, hardware names and everything else through libpfm4. Modifiers :u :k :p…
 * Unknown: near matches.
 */
#ifndef PROF_EVENT_SPEC_H
#define PROF_EVENT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

struct event_spec {
	char *name;    /* owned; as typed, normalized */
	uint32_t type; /* perf_event_attr.type, config… */
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_idle;
	bool count_guest;	/* what virtual machines run here too */
	bool pinned, exclusive; /* of a group's first event; a pinned event that gets no counter
				   reads as end of file */
	unsigned precise;	/* precise_ip asked for */
	bool is_clock;		/* cpu-clock or task-clock: unit is nanoseconds */
	char *pmu;    /* owned; which PMU counts it where several do ("cpu_core"), else NULL */
	char *cpus;   /* owned; the CPUs that it can be opened on ("0-7,16"); NULL: all */
	bool no_task; /* counts CPUs only (uncore, power): not for a command, process or thread */
	char *unit;   /* owned; of value x scale; NULL: a count, or ns for a clock */
	double scale; /* 0: 1 */
	/* Both from 1 on, unique in the list. Of a group whose events are counted by several PMUs
	 * each PMU's part is a group. */
	uint32_t group; /* events in one pair of braces share a number, others have one each */
	uint32_t asked; /* which of the texts it came from: a hybrid's core types share one, and are
			   never added up; so do instances of an uncore PMU (no_task), which may be
			 */
	char *asked_name; /* owned; the name without the PMU that was found for it, the same for all
			     that share `asked` */
};

void event_spec_release(struct event_spec *spec);

struct event_list {
	VEC(struct event_spec) items;
};

/* Comma-separated, {a,b} for a group, whose events follow each other in the list; may be called
 * repeatedly to append. An event counted by several PMUs gives several items. */
int event_parse(struct event_list *list, const char *text, struct error *err);
void event_list_release(struct event_list *list);

/* A unit mask of a processor's event: which of what the event can tell is counted. */
struct event_umask {
	const char *name, *description;
};

/* For `prof list`. kind is "software", "hardware", "cache", "raw", "processor" (libpfm4's tables),
 * "pmu" (sysfs) or "tracepoint". Everything is valid during the call. */
struct event_name {
	const char *name, *kind, *description;
	const char *pmu;       /* the PMU that has it, or libpfm4's table; NULL: none */
	const char *unit;      /* of what it counts, times a scale; NULL: a count */
	const char *modifiers; /* of libpfm4's tables: "k u c=N"; NULL: none but prof's own */
	const struct event_umask *umasks;
	size_t umask_count;
	bool is_pattern; /* stands for many: rNNN, cpu/TERM=N,.../ */
};

/* Every known name, kind after kind. The callback returns nonzero to stop. pattern: part of the
 * name, a glob, or a kind; NULL = all. */
int event_list_names(const char *pattern, int (*each)(void *ctx, const struct event_name *n),
		     void *ctx, struct error *err);
/* ", did you mean …?" for a pattern that nothing matches; "" when nothing is near. */
void event_list_near(const char *pattern, char *buf, size_t size);
/* Why event_list_names finds no tracepoints, where pattern may be meant for some; else NULL. */
const char *event_list_obstacle(const char *pattern);
/* How many operations a core begins in a cycle at most, as its PMU's caps/slots says; 0 where none
 * says it, or cores differ. */
uint32_t event_pmu_slots(void);
/* Why there are no events of the processor's manual; NULL when there are. */
const char *event_processor_obstacle(void);
/* What to do instead of naming a uprobe or kprobe. */
const char *event_probes_obstacle(void);
/* Can it be opened here and now? 0, or -1 with the reason and the remedy. */
int event_probe(const struct event_spec *spec, struct error *err);
/* The same for a name from the list: an event that needs a unit mask is tried with one, a pattern
 * with zeros. */
int event_probe_listed(const struct event_name *n, struct error *err);
/* The highest precise level up to what is asked for that samples can have here: of this process, or
 * of whole CPUs. -1: the event cannot be opened at all. */
int event_precise_level(const struct event_spec *spec, bool whole_cpus);
/* Ask for this level, and say it in the name. */
void event_spec_set_precise(struct event_spec *spec, unsigned level);
/* True when cycles can be counted and sampled here. */
bool event_has_hardware_pmu(void);

#endif
