/*
 * Where a walk went, frame by frame, innermost first: what a later step needs to work out all
 * registers, and what the next walk over the same thread's stack can take over. A plain step
 * follows from the frame's registers (program counter, stack and frame pointer) and two words of
 * the stack. So where the next walk comes to a frame with the same registers, and those words stand
 * in its stack too, it would do the same step: it only compares the words.
 */
#ifndef PROF_UNWIND_TRAIL_H
#define PROF_UNWIND_TRAIL_H

#include "unwind/rule.h"
#include <string.h>

#define TRAIL_MAX   2048
#define TRAIL_AHEAD 24 /* frames whose words are asked for before they are compared */
#define TRAIL_END   4  /* frames behind the last: their stack pointer is above all */
#define TRAILS	    32 /* threads that are told apart */

/* Whether the step to the next frame is a plain one; perhaps only because no other registers were
 * known: the step to this frame was by a frame record, and would have to be again. */
enum trail_plain { NOT_PLAIN, PLAIN, PLAIN_BEHIND_RECORD };

/* A cache line. */
struct trail_frame {
	_Alignas(64) uint64_t pc;
	void *user;
	uint64_t sp;
	const struct rule *rule;
	uint64_t fp;
	/* What a plain step to the caller read, from sp on and below the caller's: the return
	 * address, which is the next frame's pc, and the word at fp_at: the caller's frame pointer
	 * or, when that is this frame's, the return address again. */
	uint64_t fp_word;
	uint32_t ra_at, fp_at;
	uint8_t how;   /* enum frame_how: how this frame was found */
	uint8_t plain; /* enum trail_plain */
};

struct trail {
	uint64_t thread, key, pc_mask; /* what it is of; as the walk's */
	size_t count;
	size_t joined; /* where its first frame that was taken over is */
	struct trail_frame frames[TRAIL_MAX + TRAIL_END];
};

/* The latest trail of each of some threads, and the one that the next walk leaves. */
struct trails {
	struct trail *of[TRAILS], *spare;
};

void trails_init(struct trails *t);
void trails_release(struct trails *t);
/* Begin a trail; *former is the latest one of the thread, which may be empty. Returns where
 * trails_keep puts the new one in its place. */
struct trail **trails_begin(struct trails *t, uint64_t thread, uint64_t key, uint64_t pc_mask);
void trails_keep(struct trails *t, struct trail **former);

/* The stack copy that a trail is compared with. */
struct trail_stack {
	const uint8_t *bytes;
	uint64_t address, end;
	uint64_t pc_mask;
};

static inline uint64_t trail_word(const struct trail_stack *s, uint64_t address)
{
	uint64_t value;
	memcpy(&value, s->bytes + (address - s->address), sizeof(value));
	return value;
}

/* Whether the step from f, which is in this stack, to the next frame would be the same. */
static inline bool trail_holds(const struct trail_frame *f, const struct trail_stack *s)
{
	if (f->plain == NOT_PLAIN || f[1].sp > s->end)
		return false;
	uint64_t ra = trail_word(s, f->sp + f->ra_at) & s->pc_mask;
	return !((ra ^ f[1].pc) | (trail_word(s, f->sp + f->fp_at) ^ f->fp_word));
}

/* Where a word of frame f stands, if the stack is as it was: to be asked for, not to be read. */
static inline const void *trail_place(const struct trail_frame *f, const struct trail_stack *s)
{
	return (const void *)((uintptr_t)s->bytes + (f->sp + f->ra_at - s->address));
}

/* Ask for a line of memory: into the second level of the CPU's cache, as the first one has room for
 * few lines that are on their way, and what is asked for beyond these keeps all else waiting. */
static inline void trail_ask(const void *line)
{
	__builtin_prefetch(line, 0, 2);
}

/* The first frame from f on whose stack pointer is not below sp, or one a little before it: without
 * branches, as where stacks part nothing is foreseeable. */
static inline const struct trail_frame *trail_advance(const struct trail_frame *f, uint64_t sp)
{
	return f + (f[0].sp < sp) + (f[1].sp < sp) + (f[2].sp < sp);
}

#endif
