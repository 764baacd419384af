/*
 * What differs between architectures, as one table each. All are always compiled: a recording is
 * unwound on any machine.
 */
#ifndef PROF_UNWIND_ARCH_H
#define PROF_UNWIND_ARCH_H

#include "unwind/unwind.h"

#define ARCH_NO_REG 0xff

struct simulate_code;
union simulated_rule;

/*
 * What following code found. It is certain when the way to the return assumes nothing, or when all
 * ways that end in a right return address end in the same one and each assumes no more than that
 * calls return and that a jump to an unknown place is a tail call.
 */
enum simulated {
	SIMULATED_NO_END,  /* the code has no return at all */
	SIMULATED_NOTHING, /* none that is right */
	SIMULATED_GUESS,
	SIMULATED_CERTAIN,
};

struct arch {
	uint8_t reg_count;   /* DWARF registers tracked */
	uint8_t sp, fp;	     /* DWARF numbers */
	uint8_t pc_reg;	     /* holds the pc in expressions and, after a step, the return address */
	uint8_t link_reg;    /* a leaf's return address, or ARCH_NO_REG */
	uint8_t stack_align; /* of the stack pointer where a frame record stands */
	uint64_t kept;	     /* bit per register that a function preserves for its caller */
	uint64_t pc_mask;    /* bits of a return address that are address (the rest: PAC, tags) */

	const uint8_t *kernel_order; /* DWARF number by the kernel's register number */
	uint8_t kernel_count, kernel_sp, kernel_pc;

	/* A call instruction in the last of n bytes, which end where the return address points. */
	bool (*ends_with_call)(const uint8_t *code, size_t n);
	uint8_t call_min, call_max; /* lengths */
	/* The same for a direct call: *distance from the return address to what it calls. */
	bool (*direct_call)(const uint8_t *code, size_t n, int64_t *distance);
	/* The code begins with a jump to another place, perhaps behind a landing pad. */
	bool (*is_jump)(const uint8_t *code, size_t n);
	/* It begins with a direct jump: *distance from there to where it goes. */
	bool (*direct_jump)(const uint8_t *code, size_t n, int64_t *distance);
	/* Registers that a function saves only to pass them on when it resumes an exception: bits.
	 */
	uint64_t eh_data;
	/* Code at pc that a signal handler returns to. */
	bool (*is_sigreturn)(const uint8_t *code, size_t n);
	/* Code at a return address that ends the thread: the caller is its start. */
	bool (*is_thread_exit)(const uint8_t *code, size_t n);
	/* Bytes of code up to and with the first instruction that nothing falls through; NULL: not
	 * known. */
	size_t (*straight_length)(const uint8_t *code, size_t n);
	/* Code that a coroutine's function returns to, although nothing called it from there. */
	bool (*is_context_end)(const uint8_t *code, size_t n);
	/* Follow code to its return; NULL where that is not known (simulate.h). */
	enum simulated (*simulate)(const struct simulate_code *code, uint64_t pc,
				   union simulated_rule *out);
	/* Offset from the stack pointer at is_sigreturn of each register's saved value; -1: none.
	 */
	const int16_t *sigframe;
	int16_t sigframe_pc;
};

const struct arch *arch_get(enum unwind_arch arch);
extern const struct arch arch_x86_64, arch_aarch64;

#endif
