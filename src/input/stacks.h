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

/* What a frame is, as far as its text tells. */
enum stacks_kind { STACKS_USER, STACKS_KERNEL, STACKS_JIT, STACKS_KINDS };

struct stacks {
	struct profile *p;
	uint32_t modules[STACKS_KINDS]; /* PROFILE_NONE: none yet */
	struct hmap functions;		/* name << 2 | kind → function */
	struct hmap chains;		/* outer location << 32 | function → location */
	VEC(uint32_t) of_function; /* function → its location alone, PROFILE_NONE: none yet */
	uint32_t *slots;	   /* of the trie: node + 1 by (parent, module, address) */
	size_t slot_cap, indexed;  /* nodes that are in slots */
};

void stacks_init(struct stacks *s, struct profile *p);
void stacks_release(struct stacks *s);
/* A function in code of its own, by its location. */
uint32_t stacks_function(struct stacks *s, const char *name, size_t len, enum stacks_kind kind);
/* The same code with a function inlined into the innermost one of outer. */
uint32_t stacks_inline(struct stacks *s, uint32_t outer, const char *name, size_t len);
/* The trie node of a call made at location, below parent (PROFILE_NONE: a root). is_new: the caller
 * knows that there is none yet, which saves looking for it. */
uint32_t stacks_call(struct stacks *s, uint32_t parent, uint32_t location, bool is_new);
/* A sample whose innermost frames are those of location, called from node; what else it needs to
 * have is in *like. */
void stacks_sample(struct stacks *s, uint32_t node, uint32_t location,
		   const struct profile_sample *like);

#endif
