/*
 * Tasks that have ended, for what the kernel counts only for all of them together: each gets an
 * equal part. Memory is bounded: of very many, those that are remembered one by one are chosen by
 * chance, and get the parts of the others of the same command.
 */
#ifndef PROF_RECORD_ENDED_H
#define PROF_RECORD_ENDED_H

#include "base/hash.h"
#include "base/memory.h"
#include "task/task.h"
#include <stdint.h>

#define ENDED_MAX	   32768 /* remembered one by one */
#define ENDED_MAX_COMMANDS 4096	 /* told apart */

struct ended_task {
	struct task_thread thread; /* a copy, without space */
	uint32_t command;
	uint64_t time_ns;
};

struct ended_command {
	struct ended_task first;
	uint64_t tasks;
};

struct ended { /* zeroed: empty */
	VEC(struct ended_task) tasks;
	VEC(struct ended_command) commands;
	struct hmap by_command; /* hash of comm → index */
	uint64_t count, random_state;
};

void ended_release(struct ended *e);
void ended_add(struct ended *e, const struct task_thread *t, uint64_t time_ns);
/* Takes those with these numbers out again, as far as they are remembered one by one. */
void ended_drop(struct ended *e, const struct hmap *tids);
/* Shares weight out; the parts sum to it, unless nothing has ended. */
void ended_share(const struct ended *e, uint64_t weight,
		 void (*give)(void *ctx, const struct ended_task *t, uint64_t part), void *ctx);

#endif
