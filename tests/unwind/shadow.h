/*
 * The true stack of a program that is stepped from its first instruction: every call pushes the
 * slot of its return address, every return removes it. It owes nothing to CFI or frame pointers.
 */
#ifndef TESTS_UNWIND_SHADOW_H
#define TESTS_UNWIND_SHADOW_H

#include "target.h"

struct shadow_call {
	uint64_t slot, return_address;
	bool interrupted; /* not a call: the code a signal interrupted; slot is where its frame
			     begins */
};

struct shadow {
	VEC(struct shadow_call) calls;
	uint64_t last_pc, last_sp;
	uint8_t code[16]; /* of the instruction at last_pc */
	size_t code_len;
	uint64_t last_rax;
	uint64_t vfork_slot; /* of a return address that is in a register; 0: none */
	bool delivering;     /* a signal comes with the next step */
};

/* Before a step: note the instruction about to run. After it: follow what it did. */
void shadow_before(struct shadow *s, const struct target *t);
void shadow_after(struct shadow *s, const struct target *t);
/* The instruction noted may have changed the mappings. */
bool shadow_maps_changed(const struct shadow *s);
/* The frames, innermost first: the pc, then return addresses. At most max. */
size_t shadow_frames(const struct shadow *s, const struct target *t, uint64_t *pcs, size_t max);
void shadow_release(struct shadow *s);

#endif
