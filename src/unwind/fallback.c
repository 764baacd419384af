/*
 * Steps where no CFI describes the code: generated code, hand-written assembler, programs built
 * without unwind tables. What is found is checked against the code (a return address follows a
 * call); what cannot be checked is not believed.
 */
#include "unwind/judge.h"

#define SCAN_SLOTS	32
#define START_SLOTS	128
#define SIMULATIONS_MAX 24	   /* new ones in one walk; what they find is kept for the next */
#define FRAME_FAR	(8u << 20) /* no frame pointer is farther from the stack pointer */

static bool take_frame(struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp)
{
	if (!walk_advance(w, pc & w->pc_mask, sp, false))
		return false;
	walk_knows_caller(w);
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
	ra &= w->pc_mask;
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
		if (!walk_load(w, slot, &value))
			break;
		if (judge_return(w, value) == DOES_RETURN)
			return take_frame(w, value, slot + 8, w->fp);
	}
	w->end = END_NO_CFI;
	return false;
}

/* At a function's very first instruction the return address is on top. */
static bool step_entry(struct walk *w)
{
	uint64_t ra;
	return w->exact && w->arch->link_reg == ARCH_NO_REG && walk_load(w, w->sp, &ra) &&
	       judge_entered(w, ra) && take_frame(w, ra, w->sp + 8, w->fp);
}

struct follower {
	struct walk *w;
	struct place place;
	struct walk_end ends[WALK_ENDS];
	unsigned end_count; /* WALK_ENDS + 1: there are more */
};

static size_t fetch_code(void *ctx, uint64_t pc, uint8_t *buf, size_t max)
{
	const struct follower *f = ctx;
	const struct unwind_range *range = &f->place.range;
	const struct unwind_memory *m = f->w->rq->memory;
	size_t n = 0;
	if (range->module) {
		const uint8_t *code = place_code(&f->place, pc - range->bias, 1, max, &n);
		if (code)
			memcpy(buf, code, n);
		return code ? n : 0;
	}
	if (pc < range->start || pc >= range->end || !m->read)
		return 0;
	n = range->end - pc < max ? (size_t)(range->end - pc) : max;
	return m->read(m->read_ctx, pc, buf, n) == 0 ? n : 0;
}

/* Where a function returns to through the link register, the rule says where that was saved, if it
 * was. */
static bool linked_address(struct walk *w, const struct rule *rule, uint64_t cfa, uint64_t *ra)
{
	for (unsigned i = 0; i < rule->register_count; i++)
		if (rule->registers[i].reg == rule->ra_reg)
			return walk_load(w, cfa + (uint64_t)(int64_t)rule->registers[i].value, ra);
	*ra = w->known.value[rule->ra_reg];
	return w->exact && (w->known.valid >> rule->ra_reg & 1);
}

static bool is_near(const struct walk *w, uint64_t cfa)
{
	bool leaf = cfa == w->sp && w->arch->link_reg != ARCH_NO_REG;
	return (cfa > w->sp || leaf) && cfa - w->sp <= FRAME_FAR;
}

/* Whether the return address that rule names is one. */
static bool is_right(struct walk *w, const struct rule *rule, bool generated)
{
	uint64_t ra, cfa;
	if (!walk_find_cfa(w, rule, &cfa) || !is_near(w, cfa))
		return false;
	if (w->arch->link_reg == ARCH_NO_REG ? !walk_load(w, cfa - 8, &ra)
					     : !linked_address(w, rule, cfa, &ra))
		return false;
	enum verdict verdict = judge_return(w, ra & w->pc_mask);
	return verdict == DOES_RETURN || (verdict == MAY_RETURN && generated);
}

/* Remember where a return takes its address from; with a link register that is more than one place.
 */
static void note_end(struct follower *f, const struct rule *rule)
{
	for (unsigned i = 0; i < f->end_count && i < WALK_ENDS; i++)
		if (f->ends[i].reg == rule->cfa_reg && f->ends[i].offset == rule->cfa_offset &&
		    f->ends[i].is_loaded == rule->cfa_is_loaded &&
		    f->ends[i].slot == rule->cfa_slot)
			return;
	if (f->end_count < WALK_ENDS && f->w->arch->link_reg == ARCH_NO_REG)
		f->ends[f->end_count++] = (struct walk_end){ rule->cfa_reg, rule->cfa_is_loaded,
							     rule->cfa_slot, rule->cfa_offset };
	else
		f->end_count = WALK_ENDS + 1;
}

static bool is_right_return(void *ctx, const struct rule *rule)
{
	struct follower *f = ctx;
	note_end(f, rule);
	return is_right(f->w, rule, !f->place.range.module);
}

/* Following the code would find nothing again: all its returns are known, and none is right on this
 * stack either. */
static bool has_no_right_end(struct walk *w, const struct walk_undescribed *at)
{
	for (unsigned i = 0; i < at->end_count; i++)
		if (is_right(w,
			     &(const struct rule){ .cfa_reg = at->ends[i].reg,
						   .cfa_is_loaded = at->ends[i].is_loaded,
						   .cfa_slot = at->ends[i].slot,
						   .cfa_offset = at->ends[i].offset },
			     false))
			return false;
	return at->end_count > 0;
}

/* Follow the code to its return. That there is none is remembered as such only when the code has
 * none at all: one that was not right may be so on another stack. */
static bool simulate(struct walk *w, struct walk_undescribed *at)
{
	struct follower f = { .w = w };
	struct simulate_code code = { fetch_code, is_right_return, &f };
	at->simulated = at->found = false;
	at->end_count = 0;
	if (!w->arch->simulate || w->simulations++ >= SIMULATIONS_MAX ||
	    !place_find(w, w->pc, w->exact, &f.place))
		return false;
	enum simulated result = w->arch->simulate(&code, w->pc, &at->rule);
	at->found = result >= SIMULATED_GUESS;
	at->certain = result == SIMULATED_CERTAIN;
	at->simulated = at->found || result == SIMULATED_NO_END;
	/* Generated code may be other code the next time. */
	if (result == SIMULATED_NOTHING && f.end_count <= WALK_ENDS && f.place.range.module) {
		memcpy(at->ends, f.ends, sizeof(at->ends));
		at->end_count = (uint8_t)f.end_count;
	}
	return at->found;
}

static bool step_simulated(struct walk *w, struct walk_undescribed *at, uint8_t *how)
{
	bool generated = at->what == CODE_GENERATED;
	if (at->simulated && !at->found)
		return false;
	walk_materialize(w);
	/* Generated code may have been replaced since. */
	const struct rule *rule = &at->rule.rule;
	bool known = at->simulated && !generated && is_right(w, rule, false);
	if (!known && (has_no_right_end(w, at) || !simulate(w, at)))
		return false;
	bool by_fp = w->fp_known && !rule->cfa_is_loaded &&
		     w->known.value[rule->cfa_reg] + (uint64_t)rule->cfa_offset ==
			     w->fp + 2 * sizeof(uint64_t);
	if (!step_full(w, rule, how))
		return false;
	w->followed = rule;
	*how = by_fp ? FRAME_FP : at->certain ? FRAME_CODE : FRAME_GUESSED;
	return true;
}

bool step_by_code(struct walk *w, uint8_t *how)
{
	struct walk_undescribed *at = judge_code(w);
	w->slow_steps++;
	return at && step_simulated(w, at, how) && *how != FRAME_GUESSED;
}

/* Code that never returns has no return to follow. Near the stack's beginning a return address into
 * the entry code is its caller's, whoever's frame it lies in; and where nothing between here and
 * there can be a return address, there is no other caller. */
static bool step_to_start(struct walk *w, uint8_t *how)
{
	uint64_t value;
	*how = FRAME_CODE;
	for (uint64_t slot = w->sp; slot < w->sp + 8 * START_SLOTS; slot += 8) {
		if (!walk_load(w, slot, &value))
			break;
		if (judge_return(w, value) == IS_NO_RETURN)
			continue;
		if (judge_is_start(w, value))
			return take_frame(w, value, slot + 8, w->fp);
		*how = FRAME_GUESSED;
	}
	w->end = END_NO_CFI;
	return false;
}

static bool step_generated(struct walk *w, struct walk_undescribed *at, uint8_t *how)
{
	bool stepped = w->exact && step_simulated(w, at, how);
	*how = FRAME_JIT;
	return stepped || step_pushed_frame(w) || step_frame_pointer(w, how);
}

static bool step_plain(struct walk *w, struct walk_undescribed *at, uint8_t *how)
{
	*how = FRAME_FP;
	if (step_entry(w) || step_simulated(w, at, how))
		return true;
	*how = FRAME_FP;
	if (step_pushed_frame(w) || step_frame_pointer(w, how))
		return true;
	*how = FRAME_GUESSED;
	return w->end == END_NO_CFI && ((w->exact && step_scan(w)) || step_to_start(w, how));
}

bool step_without_cfi(struct walk *w, uint8_t *how)
{
	struct walk_undescribed *at = judge_code(w);
	w->slow_steps++;
	if (!at) {
		w->end = END_NO_MAPPING;
		return false;
	}
	switch (at->what) {
	case CODE_GENERATED:
		return step_generated(w, at, how);
	case CODE_SIGNAL_RULE:
		return step_full(w, at->signal, how);
	case CODE_SIGRETURN:
		return step_sigreturn(w, how);
	case CODE_ROOT:
		w->end = END_ROOT;
		return false;
	default:
		return step_plain(w, at, how);
	}
}

bool step_jit(struct walk *w, uint8_t *how)
{
	if (w->exact)
		return step_without_cfi(w, how);
	/* Behind a call nothing but the frame pointer is tried, so nothing has to be remembered. */
	w->slow_steps++;
	*how = FRAME_JIT;
	return step_frame_pointer(w, how);
}
