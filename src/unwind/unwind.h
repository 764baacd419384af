/*
 * The unwinder: a pure function from registers, stack bytes and modules to frames. No I/O, no
 * globals; one struct unwinder per thread. Works from files and for another architecture's samples
 * as well as live.
 */
#ifndef PROF_UNWIND_UNWIND_H
#define PROF_UNWIND_UNWIND_H

#include "base/error.h"
#include "elf/elf_image.h"
#include "profile/profile.h" /* enum frame_how, enum stack_end */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_arch { UNWIND_X86_64, UNWIND_AARCH64 };

#define UNWIND_MAX_REGS 33

/* Of a stack deeper than the frames asked for, so many are its outermost ones, when that leaves
 * most for the innermost. */
#define UNWIND_ROOT_FRAMES 64

/* By DWARF number (x86-64: 0 rax 1 rdx 2 rcx 3 rbx 4 rsi 5 rdi 6 rbp 7 rsp 8..15 r8..r15 16 return
 * address). */
struct unwind_regs {
	uint64_t pc;
	uint64_t value[UNWIND_MAX_REGS];
	uint64_t valid; /* bit per register */
};

/* From the kernel's numbering (perf_event sample_regs_user). */
bool unwind_regs_from_kernel(struct unwind_regs *out, enum unwind_arch arch,
			     const uint64_t *value_by_kernel_number, uint64_t mask);

/* Memory at the time of the sample: the stack copy, and optionally more through a callback (0 or
 * -1). */
struct unwind_memory {
	uint64_t stack_address;
	const uint8_t *stack;
	size_t stack_len;
	bool stack_is_cut; /* more was there than fitted */
	int (*read)(void *ctx, uint64_t address, void *out, size_t len); /* may be NULL */
	void *read_ctx;
	bool read_is_late; /* what read gives may be of another time: check it, and say so */
};

/* One module's compiled unwind data; shared by all address spaces that map it. Compiles FDEs when
 * first hit. */
struct unwind_module;
/* Borrows image, which must outlive it. debug: a separate debug file with .debug_frame, or NULL. */
struct unwind_module *unwind_module_new(struct elf_image *image, struct elf_image *debug);
/* Where to look for the debug file when code is met that the image's own CFI does not describe;
 * asked once. The image it gives is borrowed like the other. */
void unwind_module_on_miss(struct unwind_module *m, struct elf_image *(*find)(void *ctx),
			   void *ctx);
/* Every unwinder that used it must be invalidated before it unwinds again. */
void unwind_module_free(struct unwind_module *m);

/* Where the function begins that CFI describes at vaddr (an ELF virtual address). */
bool unwind_module_function(struct unwind_module *m, uint64_t vaddr, uint64_t *start);

/* A Go program: its threads run many stacks, which have nothing but their first function in common.
 */
bool unwind_module_is_go(const struct unwind_module *m);

/* CFI of one piece of generated code, as its generator told it. */
struct unwind_cfi {
	const uint8_t *eh_frame; /* used until the step's range was found and no longer */
	size_t len;		 /* 0: none */
	uint64_t address;   /* where it would stand: what is relative to it counts from there */
	uint64_t text_base; /* what is relative to the text counts from there; 0: none is */
};

enum unwind_range_kind { UNWIND_RANGE_ELF, UNWIND_RANGE_JIT, UNWIND_RANGE_UNKNOWN_FILE };

/* What an address belongs to, at the sample's time. */
struct unwind_range {
	uint64_t start, end;	      /* [start, end) of executable memory */
	uint64_t bias;		      /* pc - bias = ELF virtual address */
	struct unwind_module *module; /* NULL when there is no ELF image for it */
	enum unwind_range_kind kind;
	void *user;	       /* the caller's mapping, handed back in the frames */
	struct unwind_cfi cfi; /* UNWIND_RANGE_JIT: of the code at the address asked for */
};

struct unwind_frame {
	uint64_t pc; /* absolute: the exact one of the first frame and of interrupted ones, else the
			return address */
	void *user;  /* from the range */
	uint8_t how; /* enum frame_how */
};

struct unwind_stats {
	uint64_t frames, cache_hits, cache_misses, slow_steps;
	uint64_t taken_over; /* frames whose steps were those of the thread's stack before */
};

struct unwinder;
struct unwinder *unwinder_new(enum unwind_arch arch);
void unwinder_free(struct unwinder *u);
/* Forget cached rules: call when a space's mappings change, or generated code's CFI. (The cache key
 * is (space, pc).) */
void unwinder_invalidate(struct unwinder *u);

/*
 * find: fill *out for address; false when nothing is mapped there.
 * space identifies the address space for the rule cache (different mappings: different number).
 * frames[0] is the sampled instruction (FRAME_REGISTER). Returns the number of frames (at least 1
 * when max is), *end says why it stopped (enum stack_end). A stack deeper than max ends with
 * END_DEPTH and keeps the innermost ones; where its root was reached nevertheless, the last
 * UNWIND_ROOT_FRAMES are the outermost ones, and the one before them, of no address, is FRAME_CUT.
 * The code a signal interrupted and the trampoline between
 * it and the handler are FRAME_SIGNAL: their addresses are exact. A return address in no mapping
 * is no frame.
 */
struct unwind_request {
	const struct unwind_regs *regs;
	const struct unwind_memory *memory;
	bool (*find)(void *ctx, uint64_t address, struct unwind_range *out);
	void *find_ctx;
	uint64_t space;
	/* Any number. Of the thread's stack before, what is the same is not worked out again. */
	uint64_t thread;
	/* The kernel's frame-pointer chain at the sample, innermost first, from the sampled
	 * instruction on; NULL when there is none. It reaches what the copy does not (other
	 * stacks), and is believed where each return address fits the function inside. */
	const uint64_t *chain;
	size_t chain_count;
};

size_t unwind_stack(struct unwinder *u, const struct unwind_request *rq,
		    struct unwind_frame *frames, size_t max, uint8_t *end);
void unwinder_get_stats(const struct unwinder *u, struct unwind_stats *out);

/*
 * The second opinion: the same request through libunwind's remote interface. Slow; for checks.
 * Needs each module's image. Returns frames as unwind_stack does (how = FRAME_CFI), or 0 when it
 * cannot be set up.
 */
size_t unwind_check_libunwind(const struct unwind_request *rq, struct unwind_frame *frames,
			      size_t max);

#endif
