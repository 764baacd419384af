/*
 * Go's functions: their table tells the depth of the stack at every instruction, and which ones
 * begin a stack. A few change to another stack; see go.c.
 */
#ifndef PROF_UNWIND_GO_H
#define PROF_UNWIND_GO_H

#include "elf/go_table.h"
#include "unwind/rule.h"

/* The row of the function at vaddr; its kind is in *kind: RULE_FRAME, RULE_ROOT, RULE_GO_SWITCH or
 * RULE_NO_CFI. False when the table has no such function. */
bool go_row(const struct go_table *t, const struct arch *arch, const struct elf_image *image,
	    uint64_t vaddr, enum rule_kind *kind, struct cfi_row *row);
/* vaddr, a return address, is behind a direct call of a function that changes the stack; *depth:
 * of its own function's stack there. */
bool go_calls_switch(const struct go_table *t, const struct arch *arch,
		     const struct elf_image *image, uint64_t vaddr, int32_t *depth);

#endif
