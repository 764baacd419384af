/*
 * A thread's memory at another time than its sample's: what the stack copy does not hold, because
 * it was too small, because a page was not there, or because the stack goes on elsewhere (signal
 * stacks, coroutines). Whatever was read is only handed out for samples whose copy ends in the same
 * bytes as memory has there: then the thread has not left the frames around the copy's end, whose
 * callers are the ones that are looked for. Blocks are kept for the samples to come, so that a deep
 * stack that stays costs nothing more.
 */
#ifndef PROF_RECORD_LATE_H
#define PROF_RECORD_LATE_H

#include "event/record.h"
#include "files/files.h"
#include "task/task.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct late;

/* files is borrowed. */
struct late *late_new(struct files *files);
void late_free(struct late *l);
/* The sample that the next reads are for; its copy begins at address. */
void late_begin(struct late *l, const struct task_thread *t, const struct record *r,
		uint64_t address);
/* 0, or -1: not to be had, or not to be believed. A struct unwind_memory's read, of a struct late.
 */
int late_read(void *late, uint64_t address, void *out, size_t len);

#endif
