/* What the parts of the pipeline share. */
#ifndef PROF_RECORD_PIPELINE_PARTS_H
#define PROF_RECORD_PIPELINE_PARTS_H

#include "base/hash.h"
#include "event/open.h"
#include "record/accounts.h"
#include "record/codes.h"
#include "record/deltas.h"
#include "record/kernel_code.h"
#include "record/names.h"
#include "record/pipeline.h"
#include "record/rows.h"
#include "record/stacks.h"

struct event_state {
	uint32_t row; /* in the current epoch */
	struct accounts *accounts;
	uint64_t exact_total, total; /* total: of all rows */
	uint64_t throttled_since_ns;
	struct deltas *deltas; /* of the group that it leads; NULL: none */
	uint32_t member_count; /* with itself */
	bool is_member;
};

struct pipeline {
	struct pipeline_config config;
	VEC(struct pipeline_event) events;
	VEC(struct event_state) states;
	struct profile_writer *writer;
	struct rows rows;
	struct task_table *tasks;
	struct codes *codes;
	struct kernel_code *kernel_code;
	struct names *names;
	struct stacks *stacks;
	VEC(char *) notes;
	uint32_t run_row, machine_row;
	uint64_t flush_due_ns, names_due_ns, epoch_start_ns;
	struct hmap only; /* living threads that are recorded, with has_only; numbers are reused */
	bool has_only;
	bool wide; /* pipeline_widen was called */
	uint32_t launched_pid;
	struct pipeline_stats stats;
	uint64_t stack_bytes;
	uint64_t deltas[EVENT_READ_MAX]; /* of the sample at hand */
};

/* Is what this thread does recorded? */
bool pipeline_wants(const struct pipeline *p, uint32_t tid);

/* Rows of the file as far as they are known by now; strings are added to the current epoch. */
struct profile_run pipeline_run_row(struct pipeline *p);
struct profile_event pipeline_event_row(struct pipeline *p, size_t event);

/* pipeline_counters.c: groups' values in samples. */
void pipeline_counters_init(struct pipeline *p);
void pipeline_counters_release(struct pipeline *p);
/* Before the sample is judged: counters of a CPU go on whoever runs there. Fills p->deltas. */
enum deltas_state pipeline_count_sample(struct pipeline *p, const struct record *r);
/* p->deltas as rows of the sample. */
void pipeline_write_counts(struct pipeline *p, const struct record *r, uint32_t sample);
void pipeline_write_groups(struct pipeline *p);

/* Notes of files whose names are incomplete because they are damaged. */
void pipeline_say_damage(struct pipeline *p);

#endif
