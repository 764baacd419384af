/*
 * Steps where no CFI describes the code: generated code, hand-written assembler, programs built
 * without unwind tables. What is found is checked against the code (a return address follows a
 * call); what cannot be checked is not believed.
 */
#include "unwind/judge.h"

#define SCAN_SLOTS  32
#define START_SLOTS 128
#define FRAME_FAR   (8u << 20) /* no frame pointer is farther from the stack pointer */

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

static bool step_simulated(struct walk *w, struct walk_undescribed *at, uint8_t *how)
{
	const struct rule *rule = &at->rule.rule;
	if (at->simulated && !at->found && !at->is_read)
		return false;
	walk_materialize(w);
	if (!follow_to_return(w, at))
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

/* That the return which end is was not right: what that follows from. */
static enum by_record wrong_by(const struct walk *w, const struct walk_end *end)
{
	if (end->reg == w->arch->fp && !end->is_loaded && end->offset == 2 * sizeof(uint64_t))
		return BY_RECORD; /* the record's own words */
	bool is_told = end->reg == w->arch->fp || end->reg == w->arch->sp ||
		       (w->known.valid >> end->reg & 1);
	return is_told ? NOT_BY_RECORD : BY_RECORD_ALONE;
}

/* What it follows from that no return is right, and a step by the frame record is all that is left:
 * not from other words of the stack, if it can be taken over. */
static enum by_record not_followed_by(const struct walk *w, const struct walk_undescribed *at)
{
	enum by_record by = BY_RECORD;
	if (at->is_read || at->found || (!at->simulated && at->end_count == 0))
		return NOT_BY_RECORD;
	for (unsigned i = 0; i < at->end_count && by != NOT_BY_RECORD; i++) {
		enum by_record wrong = wrong_by(w, &at->ends[i]);
		if (wrong != BY_RECORD)
			by = wrong;
	}
	return by;
}

static bool step_plain(struct walk *w, struct walk_undescribed *at, uint8_t *how)
{
	*how = FRAME_FP;
	if (step_entry(w) || step_simulated(w, at, how))
		return true;
	enum by_record by = not_followed_by(w, at);
	*how = FRAME_FP;
	if (step_pushed_frame(w))
		return true;
	if (step_frame_pointer(w, how)) {
		w->by_record = (uint8_t)by;
		return true;
	}
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
	w->by_record = BY_RECORD;
	return step_frame_pointer(w, how);
}
