/*
 * Decoded records in time order → tasks, stacks, samples, names, file. The same code for live rings
 * and for perf.data. One thread.
 */
#ifndef PROF_RECORD_PIPELINE_H
#define PROF_RECORD_PIPELINE_H

#include "base/error.h"
#include "event/record.h"
#include "files/files.h"
#include "profile/writer.h"
#include "record/accounts.h"
#include "task/task.h"
#include "unwind/unwind.h"
#include <stdbool.h>
#include <stdint.h>

struct pipeline;

struct pipeline_event {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t period, frequency;
	uint8_t unit;  /* enum profile_unit */
	uint8_t flags; /* EVENT_* */
	/* Events of one number but 0 are read with the samples of the first of them. */
	uint32_t group;
};

struct pipeline_config {
	struct files *files;	  /* for tasks; NULL: nothing can be opened */
	struct files *name_files; /* for the naming thread; NULL: no names */
	const struct pipeline_event *events;
	uint32_t event_count;
	enum unwind_arch arch;
	uint32_t check_every;
	uint8_t counters;	/* enum profile_counters: whose the groups' values are */
	bool account;		/* exact counts are expected (READ records, final values) */
	uint64_t naming_cpu_ns; /* see names_limit: for one module at the end; 0: any */
	bool inner_pidns;	/* see task_set_inner_pidns */
	bool imported;		/* from a file: processes named in it are not those that live now */
	struct profile_run run; /* strings below instead of ids */
	struct profile_machine machine;
	const char *command, *clock, *tool;
	const char *hostname, *architecture, *cpu_model, *kernel_release, *boot_id;
	uint64_t requested_hz;
	uint64_t made_realtime_ns; /* imported: when the file was made */
};

struct pipeline *pipeline_new(const struct pipeline_config *config, struct profile_writer *writer);
void pipeline_free(struct pipeline *p);
/* Naming was given up: a thread still uses everything, and the process has to end without
 * pipeline_free. */
bool pipeline_gave_up(const struct pipeline *p);
struct task_table *pipeline_tasks(struct pipeline *p);
void pipeline_note(struct pipeline *p, const char *text); /* into the file, once each */

/* With pipeline_only set, samples of tasks outside the named processes and their descendants are
 * dropped. */
void pipeline_only(struct pipeline *p, const uint32_t *pids, size_t count);
/* The threads of these processes are known by now: theirs are wanted too. */
void pipeline_only_known(struct pipeline *p);

/* Processes followed that have not ended, as far as records tell. */
struct pipeline_living {
	VEC(uint32_t) pids;
};

void pipeline_list_living(struct pipeline *p, struct pipeline_living *out);
/* From now on samples of the first event come from whole CPUs: those of the tasks known and of
 * their descendants are taken, those of the tasks' own events no more. */
void pipeline_widen(struct pipeline *p);
bool pipeline_is_wide(const struct pipeline *p);
/* Is so much of the time unsampled, because tasks are shorter than the period, that widening would
 * help? */
bool pipeline_wants_widening(const struct pipeline *p);
void pipeline_launched(struct pipeline *p, uint32_t pid);

/* The rings were emptied at now_ns: look what code generators have written by then. Before the
 * records are passed on. */
void pipeline_look(struct pipeline *p, uint64_t now_ns);
/* The hot path. Records must come in time order. wide: from an event on a whole CPU, after
 * pipeline_widen. */
void pipeline_record(struct pipeline *p, const struct record *r, bool wide);

/* Once in a while (ten times a second): settle accounts, collect names; flush when half a second
 * has passed, submit names every few seconds, end the epoch when it is due. */
int pipeline_tick(struct pipeline *p, uint64_t now_ns, struct error *err);
int pipeline_flush(struct pipeline *p, struct error *err);
void pipeline_clock(struct pipeline *p, const struct profile_clock *c);

/* What was counted outside the record stream. */
struct pipeline_end {
	const uint64_t *exact_totals;	   /* per event, 0 unknown; NULL: none */
	const struct accounts_root *roots; /* tasks events were opened on */
	size_t root_count;
	uint64_t lost_samples, lost_records, lost_own, out_of_order;
	uint64_t rusage_ns;
	int32_t exit_status;
	uint64_t end_ns;
	uint64_t cpu_busy_ns, cpu_steal_ns; /* of the machine, as in struct profile_run */
	uint64_t other_cpu_ns; /* CPU time of prof's other processes; this one's is added */
	uint64_t ring_bytes, stack_bytes, openers_killed, detached;
	bool system_wide;
	bool is_cut; /* what the samples come from is not whole */
};

/* Settles, names everything, writes the end. The writer is finished afterwards. */
int pipeline_finish(struct pipeline *p, const struct pipeline_end *end, struct error *err);

struct pipeline_stats {
	/* known: how the stack ended */
	uint64_t samples, samples_first, known, whole; /* all but samples: of the first event */
	uint64_t guessed, truncated, elsewhere /* cut on another stack */, stacks;
	bool has_go;	       /* samples of Go programs, which run many stacks */
	uint64_t lost_records; /* from LOST records */
	uint64_t throttled_ns, throttle_count;
	uint64_t first_ns, last_ns;   /* times of samples */
	struct profile_health health; /* as written at the end */
};

void pipeline_get_stats(const struct pipeline *p, struct pipeline_stats *out);

#endif
