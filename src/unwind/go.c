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

#define FUNCTION_BYTES 65536 /* of one function, that are looked at */
#define GROWTH_DEPTH   1024  /* the frame of what is called then is no larger */

enum { FP = 6, SP = 7, PC = 16 };

/* Where the stack begins, whatever lies above. */
static bool is_root(const struct go_function *f)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return strncmp(f->name, "_rt0_", 5) == 0; /* where the kernel enters the program */
}

/* Called where a function begins, before it has a frame. */
static bool is_growth(const struct go_function *f)
{
	return strcmp(f->name, "runtime.morestack") == 0 ||
	       strcmp(f->name, "runtime.morestack_noctxt") == 0;
}

static bool is_switch(const struct go_function *f)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.mcall",
					     "runtime.asmcgocall" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return is_growth(f);
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
	    uint64_t vaddr, enum rule_kind *kind, struct cfi_row *row, bool *is_signal)
{
	struct go_function f;
	int32_t depth;
	if (!go_table_find(t, vaddr, &f))
		return false;
	*kind = RULE_NO_CFI;
	*is_signal = strcmp(f.name, "runtime.asyncPreempt") == 0;
	if (is_trampoline(arch, image, &f, vaddr))
		return true;
	if (is_root(&f))
		*kind = RULE_ROOT;
	else if (is_switch(&f))
		*kind = is_growth(&f) ? RULE_GO_GROWTH : RULE_GO_SWITCH;
	else if (go_table_depth(t, &f, vaddr, &depth)) {
		/* One with a frame of its own may go elsewhere inside (the clock's calls of the
		 * vdso do) and comes back by the frame pointer. */
		fill_row(row, (f.flags & GO_WRITES_SP) && depth >= 8, depth);
		*kind = RULE_FRAME;
	}
	return true;
}

/* How long the name of the function is that a literal stands in: it ends before ".func1", or, of a
 * literal in a literal, before ".1". 0: it is none. */
static size_t parent_length(const char *name)
{
	const char *dot = strrchr(name, '.'), *number = dot ? dot + 1 : "";
	if (strncmp(number, "func", 4) == 0)
		number += 4;
	size_t digits = strspn(number, "0123456789");
	return digits != 0 && number[digits] == '\0' ? (size_t)(dot - name) : 0;
}

static bool calls_directly(const struct arch *arch, const struct elf_image *image,
			   const struct go_function *f, uint64_t callee)
{
	int64_t distance;
	for (uint64_t end = f->start + 5; end <= f->end && end - f->start < FUNCTION_BYTES; end++) {
		const uint8_t *code = elf_image_bytes(image, end - 5, 5);
		if (code && arch->direct_call(code, 5, &distance) &&
		    end + (uint64_t)distance == callee)
			return true;
	}
	return false;
}

bool go_literal_parent(const struct go_table *t, const struct arch *arch,
		       const struct elf_image *image, uint64_t vaddr, uint64_t callee,
		       uint32_t *index)
{
	struct go_function literal, f, called;
	size_t len = go_table_find(t, vaddr, &literal) && go_table_find(t, callee, &called)
			     ? parent_length(literal.name)
			     : 0;
	for (uint32_t i = 0; len != 0 && i < t->count; i++) {
		if (!go_table_at(t, i, &f) || strncmp(f.name, literal.name, len) != 0 ||
		    f.name[len] != '\0')
			continue;
		*index = i;
		return calls_directly(arch, image, &f, called.start);
	}
	return false;
}

bool go_depth_before(const struct go_table *t, uint64_t vaddr, int32_t *depth)
{
	struct go_function f;
	return go_table_find(t, vaddr - 1, &f) && go_table_depth(t, &f, vaddr - 1, depth);
}

bool go_calls_switch(const struct go_table *t, const struct arch *arch,
		     const struct elf_image *image, uint64_t vaddr, int32_t *depth)
{
	struct go_function callee;
	int64_t distance;
	const uint8_t *code = elf_image_bytes(image, vaddr - 5, 5);
	return code && arch->direct_call(code, 5, &distance) &&
	       go_table_find(t, vaddr + (uint64_t)distance, &callee) && is_switch(&callee) &&
	       go_depth_before(t, vaddr, depth);
}

/* At the very call, nothing has been changed yet. */
static bool step_before_switch(struct walk *w)
{
	uint64_t ra;
	if (!w->exact || !walk_load(w, w->sp, &ra) || !judge_entered(w, ra))
		return false;
	w->known.valid = 1ull << w->arch->sp | (w->fp_known ? 1ull << w->arch->fp : 0);
	w->known.value[w->arch->fp] = w->fp;
	walk_knows_caller(w);
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

/* What is called when a stack must grow keeps the caller of the function that has no frame so far:
 * the stack pointer in it, which fits the frame pointer, and the address to return to. */
bool go_find_grown(struct walk *w, uint64_t *ra)
{
	struct place p;
	int32_t depth;
	uint64_t sp;
	uint8_t end = w->end;
	bool found = false;
	w->late = false;
	for (uint64_t below = 16; w->fp_known && below < GROWTH_DEPTH && !found; below += 8) {
		if (!walk_load(w, w->sp - below, &sp) || !walk_load(w, w->sp - below + 8, ra) ||
		    w->late)
			break;
		found = sp <= w->fp && *ra >= LOWEST_CODE && place_find(w, *ra, false, &p) &&
			p.range.module && module_go_depth(p.range.module, p.vaddr, &depth) &&
			sp + (uint64_t)depth == w->fp + 8;
	}
	w->end = end;
	return found;
}

bool step_go_switch(struct walk *w, uint8_t *how)
{
	uint64_t slot, ra;
	*how = FRAME_CODE;
	w->slow_steps++;
	if (step_before_switch(w))
		return true;
	/* A chain of the sample's own time says better what memory says now. Nothing tells whether
	 * memory read later is still as it was: the copy is of another stack, which stays. */
	if (w->rq->chain_count != 0 || !w->fp_known || w->fp % 8 != 0 ||
	    !find_switch_call(w, &slot, &ra) || w->late) {
		w->end = END_OTHER_STACK;
		return false;
	}
	walk_knows_caller(w);
	w->known.value[w->arch->fp] = w->fp;
	w->known.valid = 1ull << w->arch->sp | 1ull << w->arch->fp;
	return walk_advance(w, ra, slot + 8, false);
}
