/* What code says about addresses in it; see judge.c. */
#ifndef PROF_UNWIND_JUDGE_H
#define PROF_UNWIND_JUDGE_H

#include "unwind/walk.h"

#define LOWEST_CODE 4096 /* no program has code in its first page */

struct place {
	struct unwind_range range;
	uint64_t vaddr; /* of the address, in the module */
};

/* exact: pc is the instruction itself, else a return address, which belongs to the code before it.
 */
bool place_find(struct walk *w, uint64_t pc, bool exact, struct place *out);
/* Up to max bytes of code at vaddr; as many as there are, at least min, else NULL. */
const uint8_t *place_code(const struct place *p, uint64_t vaddr, size_t min, size_t max, size_t *n);

/* Whether pc can be a return address: in code, and after a call where the bytes can be read. */
enum verdict { IS_NO_RETURN, MAY_RETURN, DOES_RETURN };
enum verdict judge_return(struct walk *w, uint64_t pc);
/* Whether the call before ra can have called the function that pc is in (exact: as in place_find).
 * Only a direct call of another function speaks against it, and one that jumps on does not. */
bool judge_may_have_called(struct walk *w, uint64_t ra, uint64_t pc, bool exact);
/* What the direct call before ra calls; false when it is none. */
bool judge_called(struct walk *w, uint64_t ra, uint64_t *function);
/* ra lies in a function that begins a stack, by its rule, and follows a call; Go's goexit was never
 * called: its address is put there. */
bool judge_is_root(struct walk *w, uint64_t ra);
/* pc, which no call left, is the begin of code that begins a stack: the end of a coroutine, which
 * was put there to be returned to. */
bool judge_begins_root(struct walk *w, uint64_t pc);
/* ra follows a direct call of the very instruction at hand, or is a trampoline, where handlers
 * return to. */
bool judge_entered(struct walk *w, uint64_t ra);
/* pc is a return address in a program's entry code, or in what starts its threads. */
bool judge_is_start(struct walk *w, uint64_t pc);

enum { CODE_PLAIN, CODE_GENERATED, CODE_SIGNAL_RULE, CODE_SIGRETURN, CODE_ROOT };
/* What is known of the code at hand, which no CFI describes; NULL when nothing is mapped there. */
struct walk_undescribed *judge_code(struct walk *w);

#endif
