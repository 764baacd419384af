/*
 * Building a profile from stacks that are given by names alone, as text formats have them. Equal
 * stacks share the trie. Names are kept as they are; views escape them.
 */
#ifndef PROF_INPUT_STACKS_H
#define PROF_INPUT_STACKS_H

#include "base/hash.h"
#include "profile/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code: where it is said to be, or, since names are all there is to tell it by, where it is put. */
struct stacks_place {
	uint64_t address;
	uint32_t module;
};

struct stacks {
	struct profile *p;
	struct hmap modules;	   /* path << 8 | kind → module */
	struct hmap functions;	   /* name << 32 | module → function */
	struct hmap chains;	   /* outer location << 32 | function → location */
	VEC(uint32_t) of_function; /* function → its location alone, PROFILE_NONE: none yet */
	uint32_t *slots;	   /* of the trie: node + 1 by (parent, code); see stacks_call */
	size_t slot_cap, indexed;  /* nodes that are in slots */
};

void stacks_init(struct stacks *s, struct profile *p);
void stacks_release(struct stacks *s);
/* kind: enum module_kind. */
uint32_t stacks_module(struct stacks *s, const char *path, size_t len, uint8_t kind);
/* A function in code of its own: its location. */
uint32_t stacks_function(struct stacks *s, const char *name, size_t len, uint32_t module);
/* The same code with a function inlined into the innermost one of outer; outer itself where that
 * has STACKS_FRAMES_MAX, all that views show of a location: each chain is kept whole, and a file
 * must not make them grow without end. */
#define STACKS_FRAMES_MAX 128
uint32_t stacks_inline(struct stacks *s, uint32_t outer, const char *name, size_t len);
/* A location of its own, with the frames that were added to the profile from first_frame on. */
uint32_t stacks_location(struct stacks *s, uint32_t module, uint32_t first_frame);
struct stacks_place stacks_place(const struct stacks *s, uint32_t location);
/* The trie node of a call made at place, below parent (PROFILE_NONE: a root). is_new: the caller
 * knows that there is none yet, which saves looking for it. */
uint32_t stacks_call(struct stacks *s, uint32_t parent, struct stacks_place place, bool is_new);
/* A sample taken in place, called from node; what else it needs to have is in *like. */
void stacks_sample(struct stacks *s, uint32_t node, struct stacks_place place,
		   const struct profile_sample *like);

#endif
