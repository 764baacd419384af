/*
 * What is kept between walks: a cache from (space, address) to (rule, mapping), which serves nearly
 * every step, and the trails of former walks.
 */
#ifndef PROF_UNWIND_UNWINDER_H
#define PROF_UNWIND_UNWINDER_H

#include "unwind/walk.h"

#define CACHE_BITS 15

/* A cache line, with all that a plain step needs. */
struct cached {
	_Alignas(64) uint64_t address;
	uint64_t key;
	const struct rule *rule;
	void *user;
	/* Of a plain rule, from the stack pointer or, where base is not 0, from the frame pointer:
	 * the CFA, the return address below it, and, below that, the caller's frame pointer or,
	 * where keeps_fp is not 0, the return address again. */
	int32_t cfa, ra, fp;
	int8_t base, keeps_fp; /* 0 or -1 */
	bool is_plain;
	uint8_t kind;
	uint32_t next; /* the slot of the latest caller: most likely that of the next one, too */
};

/* A walk where code was interrupted: all registers are known. */
struct interrupted {
	struct unwind_regs known;
	uint64_t pc, sp, fp;
	bool fp_known;
	uint32_t descents;
};

struct unwinder {
	const struct arch *arch;
	void *cache_memory;
	struct cached *cache; /* in there, from the first cache line on */
	uint64_t generation;
	uint64_t mix; /* of the walk's key, so that spaces do not share slots */
	struct unwind_stats stats;
	struct interrupted interrupted;
	struct rule_set generated; /* rules of generated code */
	/* Each frame's place follows only from the one inside it, so a walk waits for memory at
	 * every frame. But most frames are those of the thread's stack before: to compare them
	 * waits for nothing. */
	struct trails trails;
	const struct trail *former;
	const struct trail_frame *ahead; /* in there: the ones before are farther in */
	/* Bytes of the copy inside of the first frame that was taken over; about, lately. */
	uint64_t met, near;
	/* The caller's room, NULL when it is full and nothing is wanted any more; the frames in
	 * it, and for how many it is. */
	struct unwind_frame *out;
	size_t count, max;
	struct walk walk;
};

/* Where address is looked for first. Every step waits for this, so it is short: the low bits of
 * addresses are mixed enough. */
static inline struct cached *unwinder_slot(const struct unwinder *u, uint64_t address)
{
	uint64_t hash = address ^ address >> CACHE_BITS ^ u->mix;
	return &u->cache[hash & ((1u << CACHE_BITS) - 1)];
}

/* An address is in one of two slots, side by side. */
static inline struct cached *unwinder_other_slot(const struct unwinder *u,
						 const struct cached *slot)
{
	return &u->cache[(size_t)(slot - u->cache) ^ 1];
}

static inline bool is_cached(const struct cached *slot, uint64_t address, uint64_t key)
{
	return __builtin_expect(slot->address == address && slot->key == key, 1);
}

/* Where address of the walk's space is; NULL when it is not. */
static inline struct cached *unwinder_find(const struct unwinder *u, uint64_t address, uint64_t key)
{
	struct cached *slot = unwinder_slot(u, address);
	if (is_cached(slot, address, key))
		return slot;
	slot = unwinder_other_slot(u, slot);
	return slot->address == address && slot->key == key ? slot : NULL;
}

/* The rule and mapping of address in the walk's space; NULL when nothing is mapped there. */
const struct cached *unwinder_lookup(struct unwinder *u, uint64_t address);

/* chain.c: whether the walk's end comes from memory that is not there, not from what the stack is,
 * and there is a chain. */
bool chain_goes_on(const struct walk *w);
/* chain.c: the walk ended behind its last frame; take the rest from the chain. Returns the number
 * of frames. */
size_t chain_follow(struct unwinder *u, const struct unwind_frame *last);

/* plain.c: look for the former walk's frames, and ask for the memory that it read. */
void plain_start(struct unwinder *u);
/* plain.c: a plain step of the frame at hand, the first one, when it leads behind a call. */
bool plain_first(struct unwinder *u, const struct cached *at);
/* plain.c: from the caller that was reached, found as *how says, outward as far as steps are plain.
 * Returns where the frame at hand was found, whose step is another one; or NULL before a frame that
 * is not noted yet, found as *how says. */
const struct cached *plain_walk(struct unwinder *u, uint8_t *how);

#endif
