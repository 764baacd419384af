/*
 * Steps where no CFI describes the code: generated code, hand-written assembler, programs built
 * without unwind tables. What is found is checked against the code (a return address follows a
 * call); what cannot be checked is not believed.
 */
#include "unwind/walk.h"

#define SCAN_SLOTS  32
#define ENTRY_SLOTS 128
#define CODE_AHEAD  16
#define FRAME_FAR   (8u << 20) /* no frame pointer is farther from the stack pointer */

struct place {
	struct unwind_range range;
	uint64_t vaddr; /* of pc, in the module */
};

static bool find_place(struct walk *w, uint64_t pc, bool exact, struct place *out)
{
	if (!w->rq->find(w->rq->find_ctx, exact ? pc : pc - 1, &out->range))
		return false;
	out->vaddr = pc - out->range.bias;
	return true;
}

/* Up to max bytes of code at vaddr; as many as there are, at least min. */
static const uint8_t *code_at(const struct unwind_range *range, uint64_t vaddr, size_t min,
			      size_t max, size_t *n)
{
	for (*n = max; range->module && *n >= min; --*n) {
		const uint8_t *code = module_code(range->module, vaddr, *n);
		if (code)
			return code;
	}
	return NULL;
}

/* The bytes that end at pc, of the longest call that fits; NULL when they cannot be read. */
static const uint8_t *code_before(const struct arch *arch, const struct place *p, size_t *n)
{
	for (*n = arch->call_max; p->range.module && *n >= arch->call_min; --*n) {
		const uint8_t *code = module_code(p->range.module, p->vaddr - *n, *n);
		if (code)
			return code;
	}
	return NULL;
}

static bool is_sigreturn_code(const struct arch *arch, const struct place *p, uint64_t vaddr)
{
	size_t n;
	const uint8_t *code = code_at(&p->range, vaddr, 7, 9, &n);
	return code && arch->is_sigreturn(code, n);
}

/* A trampoline that its own FDE describes only from its first byte on (*rule), or none at all
 * (musl). */
static bool is_sigreturn(struct walk *w, const struct place *p, const struct rule **rule)
{
	*rule = NULL;
	if (!p->range.module)
		return false;
	*rule = w->exact ? NULL : module_rule_at(p->range.module, p->vaddr);
	if (*rule && (*rule)->is_signal && (*rule)->kind == RULE_FULL)
		return true;
	*rule = NULL;
	return is_sigreturn_code(w->arch, p, p->vaddr) ||
	       (w->exact && is_sigreturn_code(w->arch, p, p->vaddr - w->arch->sigreturn_first));
}

/* A handler returns to its trampoline, which made no call. */
static bool is_trampoline(struct walk *w, const struct place *p)
{
	const struct rule *rule =
		p->range.module ? module_rule_at(p->range.module, p->vaddr) : NULL;
	return (rule && rule->is_signal) || is_sigreturn_code(w->arch, p, p->vaddr);
}

enum verdict { IS_NO_RETURN, MAY_RETURN, DOES_RETURN };

/* Whether pc can be a return address: in code, and after a call where the bytes can be read. */
static enum verdict judge_return(struct walk *w, uint64_t pc)
{
	struct place p;
	size_t n;
	if (pc < 4096 || !find_place(w, pc, false, &p))
		return IS_NO_RETURN;
	const uint8_t *code = code_before(w->arch, &p, &n);
	if (!code)
		return MAY_RETURN;
	return w->arch->ends_with_call(code, n) || is_trampoline(w, &p) ? DOES_RETURN
									: IS_NO_RETURN;
}

static bool is_root(struct walk *w, const struct place *p)
{
	size_t n;
	const uint8_t *code;
	if (!p->range.module)
		return false;
	if (module_is_entry(p->range.module, p->vaddr))
		return true;
	code = w->exact ? NULL : code_at(&p->range, p->vaddr, 8, CODE_AHEAD, &n);
	return code && w->arch->is_thread_exit(code, n);
}

static bool take_frame(struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp)
{
	if (!walk_advance(w, pc & w->arch->pc_mask, sp, false))
		return false;
	w->note_count = 0;
	w->fp = fp;
	w->known.value[w->arch->fp] = fp;
	/* What else such code keeps for its caller is not known. */
	w->known.valid = (w->fp_known ? 1ull << w->arch->fp : 0) | 1ull << w->arch->sp;
	return true;
}

/* A frame pointer a caller can have: none, or farther out in the same stack. */
static bool may_follow(const struct walk *w, uint64_t saved)
{
	return saved == 0 ||
	       (saved > w->fp && saved - w->fp <= FRAME_FAR && saved % w->arch->stack_align == 0);
}

/* The frame record that the frame pointer names: the caller's frame pointer, then the return
 * address. A record that does not continue a chain may be something else that looks like one. */
static bool step_frame_pointer(struct walk *w, uint8_t *how)
{
	uint64_t ra, fp;
	w->end = END_NO_CFI;
	if (!w->fp_known || w->fp < w->sp || w->fp - w->sp > FRAME_FAR ||
	    w->fp % w->arch->stack_align != 0)
		return false;
	if (!walk_load(w, w->fp, &fp) || !walk_load(w, w->fp + 8, &ra))
		return false;
	ra &= w->arch->pc_mask;
	bool is_root = ra == 0 && fp == 0 && !w->exact;
	if (!is_root && judge_return(w, ra) == IS_NO_RETURN) {
		w->end = END_NO_CFI;
		return false;
	}
	if (!may_follow(w, fp))
		*how = FRAME_GUESSED;
	return take_frame(w, ra, w->fp + 16, fp);
}

/* Between the push of the frame pointer and its set-up: the slot on top equals the register. */
static bool step_pushed_frame(struct walk *w)
{
	uint64_t saved, ra;
	if (!w->exact || w->arch->link_reg != ARCH_NO_REG || !w->fp_known ||
	    !walk_load(w, w->sp, &saved) || saved != w->fp || !walk_load(w, w->sp + 8, &ra) ||
	    judge_return(w, ra) == IS_NO_RETURN)
		return false;
	return take_frame(w, ra, w->sp + 16, w->fp);
}

/* The first slot that holds an address after a call. Only where code was interrupted: deeper,
 * everything that was ever called has left its return address behind. */
static bool step_scan(struct walk *w)
{
	uint64_t value;
	for (uint64_t slot = w->sp; slot < w->sp + 8 * SCAN_SLOTS; slot += 8) {
		if (slot - w->stack_address >= w->stack_words)
			break;
		if (walk_load(w, slot, &value) && judge_return(w, value) == DOES_RETURN)
			return take_frame(w, value, slot + 8, w->fp);
	}
	w->end = END_NO_CFI;
	return false;
}

/* At a function's very first instruction: the word on top follows a direct call to here, or is
 * where a handler returns to. */
static bool step_entry(struct walk *w)
{
	uint64_t ra;
	struct place p;
	size_t n;
	int64_t distance;
	if (!w->exact || w->arch->link_reg != ARCH_NO_REG || !walk_load(w, w->sp, &ra) ||
	    ra < 4096 || !find_place(w, ra, false, &p))
		return false;
	const uint8_t *code = code_before(w->arch, &p, &n);
	bool calls_here = code && w->arch->direct_call(code, n, &distance) &&
			  ra + (uint64_t)distance == w->pc;
	if (!calls_here && !is_trampoline(w, &p))
		return false;
	return take_frame(w, ra, w->sp + 8, w->fp);
}

struct follower {
	struct walk *w;
	const struct place *place;
};

static size_t fetch_code(void *ctx, uint64_t pc, uint8_t *buf, size_t max)
{
	const struct follower *f = ctx;
	const struct unwind_range *range = &f->place->range;
	const struct unwind_memory *m = f->w->rq->memory;
	size_t n = 0;
	if (range->module) {
		const uint8_t *code = code_at(range, pc - range->bias, 1, max, &n);
		if (code)
			memcpy(buf, code, n);
		return code ? n : 0;
	}
	if (pc < range->start || pc >= range->end || !m->read)
		return 0;
	n = range->end - pc < max ? (size_t)(range->end - pc) : max;
	return m->read(m->read_ctx, pc, buf, n) == 0 ? n : 0;
}

/* Whether the return address that rule names is one. */
static bool accept_return(void *ctx, const struct rule *rule)
{
	const struct follower *f = ctx;
	struct walk *w = f->w;
	uint64_t ra, cfa = w->known.value[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_offset;
	if (!(w->known.valid >> rule->cfa_reg & 1) || cfa <= w->sp || cfa - w->sp > FRAME_FAR ||
	    !walk_load(w, cfa - 8, &ra))
		return false;
	enum verdict verdict = judge_return(w, ra);
	return verdict == DOES_RETURN || (verdict == MAY_RETURN && !f->place->range.module);
}

/* Follow the code from pc to its return. What was found once for an address serves again. */
static bool step_simulated(struct walk *w, const struct place *p, uint8_t *how)
{
	struct follower f = { w, p };
	struct simulate_code code = { fetch_code, accept_return, &f };
	struct walk_simulation *known = &w->simulations[(w->pc ^ w->pc >> 8) % WALK_SIMULATIONS];
	if (!w->arch->simulate)
		return false;
	walk_materialize(w);
	bool is_known = known->address == w->pc && known->key == w->key;
	if (!is_known || (known->found && !accept_return(&f, &known->rule.rule))) {
		known->address = w->pc;
		known->key = w->key;
		known->found = w->arch->simulate(&code, w->pc, &known->rule);
	}
	if (!known->found)
		return false;
	bool by_fp = known->rule.rule.cfa_reg == w->arch->fp;
	if (!step_full(w, &known->rule.rule, how))
		return false;
	*how = by_fp ? FRAME_FP : FRAME_GUESSED;
	return true;
}

/* Code that never returns has no return to follow. Near the stack's beginning a return address into
 * the entry code is its caller, whoever's frame it lies in. */
static bool step_to_entry(struct walk *w)
{
	uint64_t value;
	struct place p;
	for (uint64_t slot = w->sp; slot < w->sp + 8 * ENTRY_SLOTS; slot += 8) {
		if (slot - w->stack_address >= w->stack_words)
			break;
		if (walk_load(w, slot, &value) && judge_return(w, value) == DOES_RETURN &&
		    find_place(w, value, false, &p) && module_is_entry(p.range.module, p.vaddr))
			return take_frame(w, value, slot + 8, w->fp);
	}
	w->end = END_NO_CFI;
	return false;
}

static bool step_generated(struct walk *w, const struct place *p, uint8_t *how)
{
	bool stepped = w->exact && step_simulated(w, p, how);
	*how = FRAME_JIT;
	return stepped || step_pushed_frame(w) || step_frame_pointer(w, how);
}

bool step_without_cfi(struct walk *w, uint8_t *how)
{
	struct place p;
	const struct rule *rule;
	w->slow_steps++;
	if (!find_place(w, w->pc, w->exact, &p)) {
		w->end = END_NO_MAPPING;
		return false;
	}
	if (p.range.kind == UNWIND_RANGE_JIT && !p.range.module)
		return step_generated(w, &p, how);
	if (is_sigreturn(w, &p, &rule))
		return rule ? step_full(w, rule, how) : step_sigreturn(w, how);
	if (is_root(w, &p)) {
		w->end = END_ROOT;
		return false;
	}
	*how = FRAME_FP;
	if (step_entry(w) || step_simulated(w, &p, how))
		return true;
	*how = FRAME_FP;
	if (step_pushed_frame(w) || step_frame_pointer(w, how))
		return true;
	*how = FRAME_GUESSED;
	return w->end == END_NO_CFI && ((w->exact && step_scan(w)) || step_to_entry(w));
}
