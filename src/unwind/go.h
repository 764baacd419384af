/*
 * Go's functions: their table tells the depth of the stack at every instruction, and which ones
 * begin a stack. A few change to another stack; see go.c.
 */
#ifndef PROF_UNWIND_GO_H
#define PROF_UNWIND_GO_H

#include "elf/go_table.h"
#include "unwind/rule.h"

/* The row of the function at vaddr; its kind is in *kind: RULE_FRAME, RULE_ROOT, RULE_GO_SWITCH,
 * RULE_GO_GROWTH or RULE_NO_CFI. False when the table has no such function. *is_signal: it returns
 * to where a signal interrupted other code, which seems to have called it. */
bool go_row(const struct go_table *t, const struct arch *arch, const struct elf_image *image,
	    uint64_t vaddr, enum rule_kind *kind, struct cfi_row *row, bool *is_signal);
/* Whose body the function at vaddr is a literal in ("f" of "f.func1"), when it has a direct call of
 * the function at callee: its place in the table. */
bool go_literal_parent(const struct go_table *t, const struct arch *arch,
		       const struct elf_image *image, uint64_t vaddr, uint64_t callee,
		       uint32_t *index);
/* How deep its function's stack is before vaddr, a return address. */
bool go_depth_before(const struct go_table *t, uint64_t vaddr, int32_t *depth);
/* vaddr, a return address, is behind a direct call of a function that changes the stack; *depth:
 * of its own function's stack there. */
bool go_calls_switch(const struct go_table *t, const struct arch *arch,
		     const struct elf_image *image, uint64_t vaddr, int32_t *depth);

#endif
