/*
 * What each thread's stacks begin with: the start code and the function it calls (main, a thread's
 * function), learned from whole stacks. A stack whose outer frames are missing is put below them.
 */
#ifndef PROF_RECORD_BASES_H
#define PROF_RECORD_BASES_H

#include "base/hash.h"
#include "base/memory.h"
#include "task/task.h"
#include <stddef.h>
#include <stdint.h>

#define BASES_FRAMES 4
/* Stacks of a space without any frame in common so often: the thread has several roots. */
#define BASES_CONFLICTS 2

struct base {
	uint32_t space;
	uint32_t conflicts;	      /* in this space */
	uint32_t count;		      /* common to all whole stacks so far, outermost first */
	uint64_t pc[BASES_FRAMES];    /* as in the last stack that was looked at */
	uint64_t start[BASES_FRAMES]; /* of the function, absolute; 0: unknown */
};

struct bases {
	struct hmap by_thread; /* tid → index */
	VEC(struct base) items;
};

/* A frame as its function's begin; 0 when that is not known. */
typedef uint64_t bases_function_of(void *ctx, uint64_t pc);

void bases_release(struct bases *r);
/* pcs: the outermost frames of a whole stack, outermost first, return addresses; with each the
 * module it belongs to, as any number. */
void bases_learn(struct bases *r, const struct task_thread *t, const uint64_t *pcs,
		 const uint32_t *modules, size_t count, bases_function_of *function_of, void *ctx);
/* Does the dynamic loader have this path? What the main thread does there has another root than the
 * program. */
bool bases_is_loader(const char *path);
/* NULL when nothing is known, or the thread runs on several stacks (coroutines). */
const struct base *bases_find(const struct bases *r, const struct task_thread *t);

#endif
