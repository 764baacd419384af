/*
 * A rule says how the caller's registers follow from this frame's. Rules are interned: a module has
 * hundreds of thousands of rows and a few hundred different rules. What nearly every step needs
 * (CFA, return address, frame pointer) is worked out once; the rest is kept for the steps that need
 * all registers.
 */
#ifndef PROF_UNWIND_RULE_H
#define PROF_UNWIND_RULE_H

#include "base/hash.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"

enum rule_kind {
	RULE_FRAME,  /* CFA = sp or fp + offset, return address and fp saved at constant offsets */
	RULE_FULL,   /* anything else CFI can say */
	RULE_ROOT,   /* the return address is undefined: the thread's first frame */
	RULE_NO_CFI, /* code of an ELF file that nothing describes */
	RULE_JIT,    /* generated code; in a trail, any step by the frame record */
	RULE_GO_SWITCH,	   /* Go's change from one stack to another */
	RULE_GO_GROWTH,	   /* the same, from a function that has no frame so far */
	RULE_UNKNOWN_FILE, /* mapped from a file that could not be read */
};

#define RULE_FP_SAME INT32_MIN

struct rule_register {
	uint8_t reg, how; /* enum cfi_how */
	int32_t value;
};

struct rule {
	uint8_t kind;
	bool is_signal; /* the frame is a signal trampoline */
	bool cfa_is_fp; /* RULE_FRAME: base of the CFA */
	bool cfa_is_expression;
	bool cfa_is_loaded; /* CFA = what stands at cfa_reg + cfa_slot, + cfa_offset; by code only
			     */
	bool resumes; /* the function may put another return address and frame in place of its own
		       */
	uint8_t cfa_reg;
	uint8_t ra_reg;
	uint16_t register_count;
	int32_t cfa_offset;

	union {
		int32_t ra_offset; /* RULE_FRAME: from the CFA */
		int32_t cfa_slot;  /* cfa_is_loaded: from cfa_reg */
	};

	int32_t fp_offset;		   /* RULE_FRAME: from the CFA, or RULE_FP_SAME */
	const struct cfi_section *section; /* of expressions */
	struct rule_register registers[];
};

struct rule_set {
	struct arena arena;
	struct hmap by_hash; /* → index */
	VEC(const struct rule *) rules;
};

/* The index of the rule that row means; fde gives the signal flag and the return address's
 * register. */
uint32_t rule_intern(struct rule_set *set, const struct arch *arch,
		     const struct cfi_section *section, const struct cfi_cie *cie,
		     const struct cfi_row *row);
/* The index of a copy of a rule that is otherwise not kept: one that was found by following code.
 */
uint32_t rule_intern_copy(struct rule_set *set, const struct rule *rule);
void rule_set_release(struct rule_set *set);

#endif
