/*
 * One stack being unwound: the registers of the frame at hand and the ways to the next one. The
 * common step moves pc, sp and fp only and leaves its rule in the trail; the other registers are
 * worked out from there when a rare rule asks for them.
 */
#ifndef PROF_UNWIND_WALK_H
#define PROF_UNWIND_WALK_H

#include "unwind/module.h"
#include "unwind/simulate.h"
#include "unwind/trail.h"
#include <string.h>

/* What was found out about code that no CFI describes, and about return addresses; see judge.h. */
#define WALK_UNDESCRIBED 2048
#define WALK_VERDICTS	 1024
#define WALK_ENDS	 12

struct walk_undescribed {
	uint64_t address, key;
	bool exact;
	uint8_t what;
	bool is_read;	       /* from memory, where other code may stand later */
	bool simulated, found; /* the code was followed; a return was found and is in rule */
	bool certain;
	const struct rule *signal;
	/* Where the returns that were asked for take their address from, and whether that was
	 * right: of all, where nothing was found or the code is read. */
	uint8_t end_count;

	struct walk_end {
		uint8_t reg;
		bool is_loaded, right;
		int32_t slot, offset;
	} ends[WALK_ENDS];

	/* Code in memory that was followed, as it was then. */
	struct walk_code {
		uint64_t start;
		size_t len; /* 0: not kept */
		uint8_t *bytes;
	} code;

	union simulated_rule rule;
};

struct walk_verdict {
	uint64_t address, key;
	uint8_t verdict;
	uint8_t begins_root; /* a verdict too, when it was asked for; see judge_begins_root */
};

struct walk_memory {
	/* In pairs: an address is in one of the two that it may be in, the one not used latest is
	 * given up for a new one. */
	struct walk_undescribed undescribed[WALK_UNDESCRIBED];
	uint8_t latest[WALK_UNDESCRIBED / 2];
	struct walk_verdict verdicts[WALK_VERDICTS];
};

/* A step by the frame record whose outcome follows from the frame pointer and the record's two
 * words: always, or where no more is known of the frame's registers than what a record tells. */
enum by_record { NOT_BY_RECORD, BY_RECORD, BY_RECORD_ALONE };

struct walk {
	const struct arch *arch;
	const struct unwind_request *rq;
	const uint8_t *stack;
	uint64_t stack_address;
	uint64_t stack_words; /* bytes at which a word may start: len - 7, or 0 */
	uint64_t pc, sp, fp;
	bool fp_known;
	bool exact;		     /* pc is the very instruction, not a return address */
	uint8_t end;		     /* enum stack_end: why the last step failed */
	bool late;		     /* this step used memory read at another time */
	const struct rule *followed; /* by which code was followed in this step, or NULL */
	uint8_t by_record;	     /* enum by_record: this step */
	uint32_t descents;	     /* steps that did not move the stack pointer up */
	uint32_t simulations;	     /* of undescribed code, made in this walk */
	uint64_t slow_steps;
	uint64_t key;	  /* of the space, in caches */
	uint64_t pc_mask; /* the bits of a return address that are address */
	struct walk_memory *memory;
	struct trail *trail; /* its last frame is the one at hand */
	/* All registers of an inner frame, and which in the trail that is. At first, of the first
	 * frame, they are in the request only. */
	struct unwind_regs known;
	size_t known_at;
	bool is_known;
};

/* Only those that the architecture has; they are fewer than there is room for. */
static inline void walk_copy_regs(const struct walk *w, struct unwind_regs *to,
				  const struct unwind_regs *from)
{
	to->pc = from->pc;
	to->valid = from->valid & ((1ull << w->arch->reg_count) - 1);
	memcpy(to->value, from->value, w->arch->reg_count * sizeof(to->value[0]));
}

/* The registers in w->known are those of the caller. */
static inline void walk_knows_caller(struct walk *w)
{
	w->known_at = w->trail->count;
	w->is_known = true;
}

/* Any length up to 8, from the stack copy or the caller's memory. On failure w->end says why. */
bool walk_load_slow(struct walk *w, uint64_t address, void *out, size_t len);

static inline bool walk_load(struct walk *w, uint64_t address, uint64_t *out)
{
	uint64_t offset = address - w->stack_address;
	if (__builtin_expect(offset < w->stack_words, 1)) {
		memcpy(out, w->stack + offset, sizeof(*out));
		return true;
	}
	return walk_load_slow(w, address, out, sizeof(*out));
}

/* full.c: bring w->known up to the frame at hand. */
void walk_materialize(struct walk *w);
/* full.c: where rule puts the CFA, by the registers in w->known. */
bool walk_find_cfa(struct walk *w, const struct rule *rule, uint64_t *cfa);

/* Each returns true after a step to the caller, with *how set (enum frame_how); false with w->end
 * set. */
bool step_full(struct walk *w, const struct rule *rule, uint8_t *how); /* full.c: RULE_FULL */
bool step_without_cfi(struct walk *w, uint8_t *how);		       /* fallback.c */
/* follow.c: where the code at hand returns, by following it or as is known of it: in at->rule. All
 * registers are known. False when no return is right on this stack. */
bool follow_to_return(struct walk *w, struct walk_undescribed *at);
/* fallback.c: by the code alone, only where that is certain. */
bool step_by_code(struct walk *w, uint8_t *how);
bool step_jit(struct walk *w, uint8_t *how);	   /* fallback.c: RULE_JIT */
bool step_go_switch(struct walk *w, uint8_t *how); /* go.c: RULE_GO_SWITCH, RULE_GO_GROWTH */
/* Where RULE_GO_GROWTH ended: the return address in the function that called the growing one. */
bool go_find_grown(struct walk *w, uint64_t *ra);
/* full.c: registers that the kernel saved at the stack pointer for the code a signal interrupted.
 */
bool step_sigreturn(struct walk *w, uint8_t *how);

/* Take the caller's state as the frame at hand; false (END_LOOP) when it cannot be one. */
bool walk_advance(struct walk *w, uint64_t pc, uint64_t sp, bool leaves_signal);

/* expression.c: *out = the value of the expression at offset (ULEB length, bytes) of the section,
 * over the registers in regs, with initial pushed first when it is not NULL. */
bool expression_value(struct walk *w, const struct cfi_section *s, int32_t offset,
		      const struct unwind_regs *regs, const uint64_t *initial, uint64_t *out);

#endif
