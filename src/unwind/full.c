/*
 * The step with all registers: rules whose CFA or return address needs more than the stack and
 * frame pointers, and signal frames. Also the replay of the steps in the trail, which brings all
 * registers up to date.
 */
#include "unwind/judge.h"

static bool get(const struct unwind_regs *regs, uint64_t reg, uint64_t *out)
{
	if (reg >= UNWIND_MAX_REGS || !(regs->valid >> reg & 1))
		return false;
	*out = regs->value[reg];
	return true;
}

static void set(struct unwind_regs *regs, unsigned reg, uint64_t value)
{
	regs->value[reg] = value;
	regs->valid |= 1ull << reg;
}

/*
 * A slot outside the frame is dead: in an epilogue the register was already taken back, while CFI
 * goes on naming a slot, now below the stack pointer or worked out from the caller's own frame
 * pointer. The register then holds the caller's value.
 */
static bool is_restored(const struct walk *w, const struct rule *rule,
			const struct unwind_regs *from, uint64_t cfa, uint64_t slot)
{
	return !rule->is_signal && (slot < from->value[w->arch->sp] || slot >= cfa);
}

static bool register_value(struct walk *w, const struct rule *rule, const struct rule_register *r,
			   const struct unwind_regs *from, uint64_t cfa, uint64_t *out)
{
	uint64_t address = cfa + (uint64_t)(int64_t)r->value;
	switch (r->how) {
	case CFI_SAME:
		return get(from, r->reg, out);
	case CFI_AT_CFA:
		if (is_restored(w, rule, from, cfa, address))
			return get(from, r->reg, out);
		return walk_load(w, address, out);
	case CFI_AT_FP:
		return get(from, w->arch->fp, &address) &&
		       walk_load(w, address + (uint64_t)(int64_t)r->value, out);
	case CFI_IS_CFA:
		*out = address;
		return true;
	case CFI_REGISTER:
		return get(from, (uint64_t)r->value, out);
	case CFI_AT_EXPRESSION:
		if (!expression_value(w, rule->section, r->value, from, &cfa, &address))
			return false;
		if (is_restored(w, rule, from, cfa, address))
			return get(from, r->reg, out);
		return walk_load(w, address, out);
	case CFI_IS_EXPRESSION:
		return expression_value(w, rule->section, r->value, from, &cfa, out);
	default:
		return false;
	}
}

/* Make *to, which is as *from, the caller's registers after rule; the return address stands in
 * pc_reg, where it is known. */
static void apply(struct walk *w, const struct rule *rule, uint64_t cfa,
		  const struct unwind_regs *from, struct unwind_regs *to)
{
	const struct arch *arch = w->arch;
	uint64_t value;
	set(to, arch->sp, cfa);
	for (unsigned i = 0; i < rule->register_count; i++) {
		const struct rule_register *r = &rule->registers[i];
		if (register_value(w, rule, r, from, cfa, &value))
			set(to, r->reg, value);
		else
			to->valid &= ~(1ull << r->reg);
	}
	if (rule->ra_reg != arch->pc_reg && get(to, rule->ra_reg, &value))
		set(to, arch->pc_reg, value & w->pc_mask);
}

/* By the frame record that the frame pointer named: nothing else is known of the caller. */
static void know_record(struct walk *w, const struct trail_frame *caller)
{
	w->known.value[w->arch->fp] = caller->fp;
	w->known.value[w->arch->sp] = caller->sp;
	w->known.valid = 1ull << w->arch->fp | 1ull << w->arch->sp;
}

static void apply_in_place(struct walk *w, const struct rule *rule, uint64_t cfa)
{
	struct unwind_regs before;
	walk_copy_regs(w, &before, &w->known);
	apply(w, rule, cfa, &before, &w->known);
}

void walk_materialize(struct walk *w)
{
	uint8_t end = w->end;
	const struct trail_frame *f = w->trail->frames;
	size_t first = w->known_at, last = w->trail->count - 1;
	if (!w->is_known)
		walk_copy_regs(w, &w->known, w->rq->regs);
	w->is_known = true;
	for (size_t at = last; at > first; at--) { /* nothing from before is known behind */
		if (f[at - 1].rule->kind == RULE_JIT) {
			know_record(w, &f[at]);
			first = at;
		}
	}
	for (size_t at = first; at < last; at++)
		apply_in_place(w, f[at].rule, f[at + 1].sp);
	w->known_at = w->trail->count - 1;
	w->end = end;
	set(&w->known, w->arch->pc_reg, w->pc);
	set(&w->known, w->arch->sp, w->sp);
}

bool walk_find_cfa(struct walk *w, const struct rule *rule, uint64_t *cfa)
{
	if (rule->cfa_is_expression)
		return expression_value(w, rule->section, rule->cfa_offset, &w->known, NULL, cfa);
	w->end = END_NO_CFI;
	if (!get(&w->known, rule->cfa_reg, cfa))
		return false;
	if (rule->cfa_is_loaded) {
		uint64_t slot = *cfa + (uint64_t)(int64_t)rule->cfa_slot;
		w->end = END_UNREADABLE;
		if (slot < w->sp || !walk_load(w, slot, cfa)) /* below: the code writes it yet */
			return false;
	}
	*cfa += (uint64_t)(int64_t)rule->cfa_offset;
	return true;
}

static bool rule_names(const struct rule *rule, uint8_t reg)
{
	for (unsigned i = 0; i < rule->register_count; i++)
		if (rule->registers[i].reg == reg)
			return rule->registers[i].how != CFI_SAME;
	return false;
}

/* The return address may be in the link register only as long as no call was made. */
static bool find_return_address(struct walk *w, const struct rule *rule, struct unwind_regs *next,
				uint64_t *pc)
{
	uint8_t pc_reg = rule->is_signal ? rule->ra_reg : w->arch->pc_reg;
	if (rule_names(rule, rule->ra_reg))
		return get(next, pc_reg, pc);
	w->end = END_NO_CFI;
	if (rule->ra_reg != w->arch->link_reg || !w->exact ||
	    !get(&w->known, w->arch->link_reg, pc))
		return false;
	set(next, w->arch->pc_reg, *pc & w->pc_mask);
	return true;
}

/* Make next the frame at hand. */
static bool enter(struct walk *w, const struct unwind_regs *next, uint64_t pc, bool leaves_signal)
{
	pc &= w->pc_mask;
	if (!walk_advance(w, pc, next->value[w->arch->sp], leaves_signal))
		return false;
	walk_copy_regs(w, &w->known, next);
	walk_knows_caller(w);
	w->fp = next->value[w->arch->fp];
	w->fp_known = next->valid >> w->arch->fp & 1;
	return true;
}

bool step_full(struct walk *w, const struct rule *rule, uint8_t *how)
{
	struct unwind_regs next;
	uint64_t cfa, pc;
	w->slow_steps++;
	walk_materialize(w);
	if (!walk_find_cfa(w, rule, &cfa))
		return false;
	w->end = END_UNREADABLE;
	walk_copy_regs(w, &next, &w->known);
	apply(w, rule, cfa, &w->known, &next);
	if (!find_return_address(w, rule, &next, &pc) || !(next.valid >> w->arch->sp & 1))
		return false;
	*how = rule->is_signal ? FRAME_SIGNAL : FRAME_CFI;
	/* That a call keeps another register than the convention says (assembler does so for its
	 * own functions) is the CFI's word for it, which the code has to bear out. */
	bool is_odd =
		!rule->cfa_is_expression && !w->exact && !(w->arch->kept >> rule->cfa_reg & 1);
	if (is_odd && judge_return(w, pc) == IS_NO_RETURN) {
		w->end = END_NO_CFI;
		return false;
	}
	/* While it puts the handler's frame in place of its own, there is no telling. */
	if (rule->resumes && (judge_return(w, pc) == IS_NO_RETURN ||
			      !judge_may_have_called(w, pc, w->pc, w->exact))) {
		w->end = END_NO_CFI;
		return false;
	}
	return enter(w, &next, pc, rule->is_signal);
}

bool step_sigreturn(struct walk *w, uint8_t *how)
{
	const struct arch *arch = w->arch;
	struct unwind_regs next = { 0 };
	uint64_t pc;
	w->slow_steps++;
	for (unsigned i = 0; i < arch->reg_count; i++) {
		uint64_t value, slot = w->sp + (uint64_t)arch->sigframe[i];
		if (!walk_load(w, slot, &value))
			return false;
		set(&next, i, value);
	}
	if (!walk_load(w, w->sp + (uint64_t)arch->sigframe_pc, &pc))
		return false;
	*how = FRAME_SIGNAL;
	return enter(w, &next, pc, true);
}
