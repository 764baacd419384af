/* What the parts of stacks share. */
#ifndef PROF_RECORD_STACKS_PARTS_H
#define PROF_RECORD_STACKS_PARTS_H

#include "record/bases.h"
#include "record/late.h"
#include "record/stacks.h"
#include "unwind/unwind.h"

#define MAX_FRAMES	  2048
#define MAX_KERNEL_FRAMES 512
#define MAX_CHAIN	  512

/* A frame before it is interned, innermost first. */
struct raw_frame {
	const struct task_mapping *mapping; /* NULL: kernel, or not mapped */
	uint64_t pc;
	uint8_t how;
	bool kernel;
	uint8_t cut; /* FRAME_CUT: enum rows_synthetic */
};

/* A frame as it was interned. */
struct known_frame {
	struct raw_frame frame;
	uint32_t node;
};

struct debug_search;

struct stacks {
	struct stacks_config config;
	struct unwinder *unwinder;
	struct late *late; /* NULL: memory cannot be read later */
	struct bases bases;
	VEC(struct unwind_module *) modules; /* by task_module.index */
	VEC(struct debug_search *) searches; /* the same */
	uint32_t node_count;		     /* of this epoch: a higher id is a new node */
	uint64_t counter;
	struct stacks_stats stats;
	/* The stack before, outermost first: the next one mostly begins with the same frames. */
	struct known_frame known[MAX_FRAMES + MAX_KERNEL_FRAMES + BASES_FRAMES + 1];
	size_t known_count;
	uint64_t known_space;
	uint64_t known_code; /* code_version */
	uint64_t known_cfi;  /* codes_cfi_version */
	struct raw_frame frames[MAX_FRAMES + MAX_KERNEL_FRAMES + BASES_FRAMES + 1];
	uint64_t chain[MAX_CHAIN]; /* user part of the kernel's */
	struct unwind_frame unwound[MAX_FRAMES];
	struct unwind_frame checked[MAX_FRAMES];
};

struct find_ctx {
	struct stacks *stacks;
	const struct task_space *space;
};

/* The module's rules, opened when they are first asked for; NULL: none can be. */
struct unwind_module *stacks_rules_of(struct stacks *s, const struct task_module *m);
void stacks_release_modules(struct stacks *s);

/* Of mappings that change, both the number and the version do: an address means the same as before
 * as long as this is equal. */
static inline uint64_t stacks_space_key(const struct task_thread *t)
{
	return t->space ? (uint64_t)t->space->id << 32 | t->space->version : 0;
}

/* The root that the thread's stacks have, from one that is whole. frames: the user's part. */
void stacks_learn_root(struct stacks *s, const struct task_thread *t,
		       const struct raw_frame *frames, size_t n);
/* Put the thread's root below a stack (s->frames, n of them) that does not reach it, and between
 * them a frame that says so. false: not known, or not needed. */
bool stacks_graft_root(struct stacks *s, const struct task_thread *t, size_t kernel_frames,
		       size_t *n, uint8_t end);

/* Frames innermost first → leaf and trie node, and their addresses to whoever names them. */
void stacks_intern(struct stacks *s, const struct task_thread *t, const struct raw_frame *frames,
		   size_t n, struct stacks_result *out);

#endif
