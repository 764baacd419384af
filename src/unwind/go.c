/*
 * Go runs goroutines on stacks of their own, and its runtime on the thread's. systemstack, mcall,
 * morestack and asmcgocall change from the one to the other; what they call finds the frame pointer
 * of the goroutine's frame in its register. The call that made the change lies right below that
 * frame, at a distance the table tells, so that it is found without knowing Go's structs.
 */
#include "unwind/go.h"
#include "unwind/judge.h"
#include <string.h>

#define SWITCH_DEPTH 8192 /* the caller's frame is no larger */

enum { FP = 6, SP = 7, PC = 16 };

/* Where the stack begins, whatever lies above. */
static bool is_root(const struct go_function *f)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return false;
}

static bool is_switch(const struct go_function *f)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.mcall",
					     "runtime.morestack", "runtime.asmcgocall",
					     "runtime.morestack_noctxt" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return false;
}

/* The signal trampoline begins here, or right behind vaddr, which then belongs to no call. */
static bool is_trampoline(const struct arch *arch, const struct elf_image *image,
			  const struct go_function *f, uint64_t vaddr)
{
	const uint8_t *at = elf_image_bytes(image, f->start, 9);
	const uint8_t *next = elf_image_bytes(image, vaddr + 1, 9);
	return (at && arch->is_sigreturn(at, 9)) || (next && arch->is_sigreturn(next, 9));
}

static void fill_row(struct cfi_row *row, bool by_fp, int32_t depth)
{
	memset(row, 0, sizeof(*row));
	row->cfa_known = true;
	row->cfa_reg = by_fp ? FP : SP;
	row->cfa_offset = by_fp ? 16 : depth + 8;
	row->reg[PC] = (struct cfi_register){ CFI_AT_CFA, -8 };
	/* Every frame keeps its caller's frame pointer next to the return address. */
	if (depth >= 8)
		row->reg[FP] = (struct cfi_register){ CFI_AT_CFA, -16 };
}

bool go_row(const struct go_table *t, const struct arch *arch, const struct elf_image *image,
	    uint64_t vaddr, enum rule_kind *kind, struct cfi_row *row)
{
	struct go_function f;
	int32_t depth;
	if (!go_table_find(t, vaddr, &f))
		return false;
	*kind = RULE_NO_CFI;
	if (is_trampoline(arch, image, &f, vaddr))
		return true;
	if (is_root(&f))
		*kind = RULE_ROOT;
	else if (is_switch(&f))
		*kind = RULE_GO_SWITCH;
	else if (go_table_depth(t, &f, vaddr, &depth)) {
		/* One with a frame of its own may go elsewhere inside (the clock's calls of the
		 * vdso do) and comes back by the frame pointer. */
		fill_row(row, (f.flags & GO_WRITES_SP) && depth >= 8, depth);
		*kind = RULE_FRAME;
	}
	return true;
}

bool go_calls_switch(const struct go_table *t, const struct arch *arch,
		     const struct elf_image *image, uint64_t vaddr, int32_t *depth)
{
	struct go_function caller, callee;
	int64_t distance;
	const uint8_t *code = elf_image_bytes(image, vaddr - 5, 5);
	return code && arch->direct_call(code, 5, &distance) &&
	       go_table_find(t, vaddr + (uint64_t)distance, &callee) && is_switch(&callee) &&
	       go_table_find(t, vaddr - 1, &caller) && go_table_depth(t, &caller, vaddr - 1, depth);
}

/* At the very call, nothing has been changed yet. */
static bool step_before_switch(struct walk *w)
{
	uint64_t ra;
	if (!w->exact || !walk_load(w, w->sp, &ra) || !judge_entered(w, ra))
		return false;
	w->known.valid = 1ull << w->arch->sp | (w->fp_known ? 1ull << w->arch->fp : 0);
	w->known.value[w->arch->fp] = w->fp;
	w->note_count = 0;
	return walk_advance(w, ra, w->sp + 8, false);
}

/* The slot of the return address of the call that changed stacks. */
static bool find_switch_call(struct walk *w, uint64_t *slot, uint64_t *ra)
{
	struct place p;
	int32_t depth;
	for (uint64_t below = 0; below < SWITCH_DEPTH; below += 8) {
		*slot = w->fp - below;
		if (!walk_load(w, *slot, ra))
			return false;
		if (*ra >= LOWEST_CODE && place_find(w, *ra, false, &p) && p.range.module &&
		    module_calls_go_switch(p.range.module, p.vaddr, &depth) &&
		    ((uint64_t)depth == below || depth == 0))
			return true;
	}
	return false;
}

bool step_go_switch(struct walk *w, uint8_t *how)
{
	uint64_t slot, ra;
	*how = FRAME_CODE;
	w->slow_steps++;
	if (step_before_switch(w))
		return true;
	/* A chain of the sample's own time says better what memory says now. */
	if (w->rq->chain_count != 0 || !w->fp_known || w->fp % 8 != 0 ||
	    !find_switch_call(w, &slot, &ra)) {
		w->end = END_OTHER_STACK;
		return false;
	}
	w->note_count = 0;
	w->known.value[w->arch->fp] = w->fp;
	w->known.valid = 1ull << w->arch->sp | 1ull << w->arch->fp;
	return walk_advance(w, ra, slot + 8, false);
}
