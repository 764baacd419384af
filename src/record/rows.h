/*
 * Rows of the model in the writer's current epoch. Threads, spaces, mappings and modules live as
 * long as the recording; their ids in the file live for one epoch. A row is written when it is
 * first needed in an epoch.
 */
#ifndef PROF_RECORD_ROWS_H
#define PROF_RECORD_ROWS_H

#include "base/hash.h"
#include "base/memory.h"
#include "profile/writer.h"
#include "task/task.h"
#include <stdint.h>

enum rows_synthetic {
	ROWS_NOT_SAMPLED,
	ROWS_KERNEL_NOT_PERMITTED,
	ROWS_LOST,
	ROWS_THROTTLED,
	ROWS_TRUNCATED, /* from here on: where frames are missing in a stack */
	ROWS_CUT_NO_CFI,
	ROWS_CUT_UNREADABLE,
	ROWS_CUT_NO_MAPPING,
	ROWS_CUT_DEPTH,
	ROWS_CUT_LOOP,
	ROWS_CUT_OTHER_STACK,
	ROWS_SYNTHETIC_COUNT,
};

struct rows {
	struct profile_writer *writer;		  /* borrowed */
	struct hmap threads;			  /* task_thread.id → row */
	struct hmap spaces;			  /* task_space.id → row */
	struct hmap mappings;			  /* task_mapping.id → done */
	VEC(uint32_t) modules;			  /* task_module.index → row */
	uint32_t synthetic[ROWS_SYNTHETIC_COUNT]; /* → module row */
	uint32_t unknown_module;
};

void rows_init(struct rows *r, struct profile_writer *w);
void rows_release(struct rows *r);
/* After profile_writer_begin_epoch: every row has to be written again. */
void rows_new_epoch(struct rows *r);

uint32_t rows_thread(struct rows *r, const struct task_thread *t);
void rows_thread_end(struct rows *r, const struct task_thread *t, uint64_t time_ns);
uint32_t rows_space(struct rows *r, const struct task_space *s);
uint32_t rows_module(struct rows *r, const struct task_module *m);
/* Code at an address no mapping covers. */
uint32_t rows_unknown_module(struct rows *r);
/* The mapping (with its space and module), once per epoch. */
void rows_mapping(struct rows *r, const struct task_space *s, const struct task_mapping *m);
/* The synthetic module, with the location that names it. */
uint32_t rows_synthetic(struct rows *r, enum rows_synthetic which);

/* What symbolizing found out about a module. */
struct rows_names {
	uint8_t symbols;
	const char *debug_path, *note;
	bool no_debug_file;
};

void rows_module_names(struct rows *r, const struct task_module *m, const struct rows_names *names);

#endif
