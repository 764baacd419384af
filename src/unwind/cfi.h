/*
 * What an FDE's program describes: rows of rules, each for a range of addresses. Knows no
 * registers' values and no memory; every byte is hostile.
 */
#ifndef PROF_UNWIND_CFI_H
#define PROF_UNWIND_CFI_H

#include "elf/cfi.h"
#include "unwind/unwind.h"

/* Where a register of the caller is, or what it is. */
enum cfi_how {
	CFI_UNSPECIFIED,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,	   /* at [cfa + value] */
	CFI_IS_CFA,	   /* cfa + value */
	CFI_REGISTER,	   /* in register value */
	CFI_AT_EXPRESSION, /* at [expression] */
	CFI_IS_EXPRESSION,
	CFI_AT_FP, /* at [frame pointer + value]: no CFI says so, only code that was followed */
};

struct cfi_register {
	uint8_t how;
	int32_t value; /* of an expression: its offset in the section (a ULEB length, then the
			  bytes) */
};

struct cfi_row {
	bool cfa_is_expression, cfa_known;
	uint8_t cfa_reg;
	int32_t cfa_offset; /* or the expression's offset in the section */
	struct cfi_register reg[UNWIND_MAX_REGS];
};

/* Run the FDE's program: emit is called for every row in ascending order with the address where the
 * row begins (it ends at the next, the last at the FDE's end); non-zero stops. 0, 1 when emit
 * stopped the run, -1 when the program is not valid. */
int cfi_run(const struct cfi_section *s, const struct cfi_fde *fde,
	    int (*emit)(void *ctx, uint64_t start, const struct cfi_row *row), void *ctx);

#endif
