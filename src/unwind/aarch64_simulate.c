/*
 * Following aarch64 code that no CFI describes to its return. Known are the stack pointer, x29 and
 * x30, each as what a register held at the start plus a number or as a slot of the stack, and what
 * was stored in the frame on the way. Whatever else writes them makes them unknown; a way on which
 * the stack pointer or the return address is not known leads nowhere. Both sides of every branch
 * are tried.
 */
#include "base/memory.h"
#include "unwind/simulate.h"
#include <string.h>

#define INSTRUCTIONS_MAX 400
#define PATH_MAX_LENGTH	 120
#define BRANCHES_MAX	 32
#define STORES_MAX	 16

enum { FP = 29, LR = 30, SP = 31, FIRST_KEPT = 19, KEPT = 12 /* x19..x30 */ };

enum kind {
	OF_START, /* what register base held at the start, plus offset */
	IN_SLOT,  /* in memory at that place */
	UNKNOWN,
};

struct value {
	uint8_t kind, base; /* SP or FP; of a whole register its own number */
	int64_t offset;
};

struct store {
	struct value place, what;
};

struct state {
	uint64_t pc;
	struct value sp, kept[KEPT];
	struct store stores[STORES_MAX];
	uint8_t store_count;
	bool called; /* calls are assumed to return */
};

enum outcome { GO_ON, RETURNS, DEAD_END };

struct simulation {
	const struct simulate_code *code;
	union simulated_rule *out;
	struct state now, later[BRANCHES_MAX];
	unsigned later_count;
	uint64_t targets[BRANCHES_MAX];
	unsigned target_count;
	bool has_end, has_right, differs, cut;
};

static int64_t sign_extend(uint32_t field, unsigned bits)
{
	return (int64_t)((uint64_t)field << (64 - bits)) >> (64 - bits);
}

static uint32_t field(uint32_t w, unsigned low, unsigned bits)
{
	return w >> low & ((1u << bits) - 1);
}

static const struct value unknown = { UNKNOWN, 0, 0 };

static struct value *kept_register(struct state *s, unsigned reg)
{
	return reg >= FIRST_KEPT && reg <= LR ? &s->kept[reg - FIRST_KEPT] : NULL;
}

static void set_register(struct state *s, unsigned reg, struct value v)
{
	struct value *kept = kept_register(s, reg);
	if (kept)
		*kept = v;
}

static bool same_value(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->base == b->base && a->offset == b->offset;
}

/* The stack pointer's or a frame pointer's value as a place; false when it is none. */
static bool place_of(const struct state *s, unsigned reg, int64_t offset, struct value *out)
{
	if (reg != SP && reg != FP)
		return false;
	*out = reg == SP ? s->sp : s->kept[FP - FIRST_KEPT];
	out->offset += offset;
	return out->kind == OF_START && out->offset > -(1 << 24) && out->offset < 1 << 24;
}

static void store(struct state *s, const struct value *place, struct value what)
{
	for (unsigned i = 0; i < s->store_count; i++) {
		if (same_value(&s->stores[i].place, place)) {
			s->stores[i].what = what;
			return;
		}
	}
	if (s->store_count < STORES_MAX)
		s->stores[s->store_count++] = (struct store){ *place, what };
	else
		s->pc = 0; /* more than can be kept: the way ends at the next fetch */
}

static struct value load(const struct state *s, const struct value *place)
{
	for (unsigned i = 0; i < s->store_count; i++)
		if (same_value(&s->stores[i].place, place))
			return s->stores[i].what;
	return (struct value){ IN_SLOT, place->base, place->offset };
}

static void move_register(struct state *s, unsigned reg, bool is_load, int64_t offset,
			  unsigned base)
{
	struct value place, *kept = kept_register(s, reg);
	bool known = place_of(s, base, offset, &place);
	if (is_load && kept)
		*kept = known ? load(s, &place) : unknown;
	else if (!is_load && known)
		store(s, &place, kept ? *kept : unknown);
}

static void write_back(struct state *s, unsigned base, int64_t offset)
{
	if (base == SP)
		s->sp.offset += offset;
	else if (kept_register(s, base))
		kept_register(s, base)->offset += offset;
}

/* ldp, stp, of general or vector registers. */
static void run_pair(struct state *s, uint32_t w)
{
	unsigned mode = field(w, 23, 2), base = field(w, 5, 5), size = field(w, 30, 2);
	bool vector = field(w, 26, 1), is_load = field(w, 22, 1);
	int64_t width = vector ? 4 << size : size == 2 ? 8 : 4;
	int64_t offset = sign_extend(field(w, 15, 7), 7) * width;
	int64_t at = mode == 1 ? 0 : offset; /* 1: after the access */
	if (mode == 3)
		write_back(s, base, offset), at = 0;
	if (!vector) {
		move_register(s, field(w, 0, 5), is_load, at, base);
		move_register(s, field(w, 10, 5), is_load, at + width, base);
	}
	if (mode == 1)
		write_back(s, base, offset);
}

/* ldr, str with an immediate: unsigned and scaled, or signed, perhaps with write-back. */
static void run_single(struct state *s, uint32_t w)
{
	unsigned base = field(w, 5, 5), size = field(w, 30, 2), mode = field(w, 10, 2);
	bool vector = field(w, 26, 1), is_scaled = field(w, 24, 1), is_load = field(w, 22, 2) != 0;
	bool is_immediate = is_scaled || !field(w, 21, 1);
	int64_t offset =
		is_scaled ? (int64_t)field(w, 10, 12) << size : sign_extend(field(w, 12, 9), 9);
	bool before = !is_scaled && is_immediate && mode == 3,
	     after = !is_scaled && is_immediate && mode == 1;
	if (before)
		write_back(s, base, offset);
	if (!vector && (is_immediate || is_load))
		move_register(s, field(w, 0, 5), is_load, before || after ? 0 : offset,
			      is_immediate && size == 3 ? base : 0);
	if (after)
		write_back(s, base, offset);
}

/* add, sub with an immediate, which moves to and from the stack pointer are too. */
static void run_add(struct state *s, uint32_t w)
{
	unsigned to = field(w, 0, 5), from = field(w, 5, 5);
	int64_t n = (int64_t)field(w, 10, 12) << (field(w, 22, 1) ? 12 : 0);
	struct value v = unknown;
	bool sets_flags = field(w, 29, 1);
	if (field(w, 31, 1) && !place_of(s, from, field(w, 30, 1) ? -n : n, &v))
		v = unknown;
	if (to != SP)
		set_register(s, to, v);
	else if (!sets_flags)
		s->sp = v;
}

/* mov between registers is orr with the zero register. */
static void run_other(struct state *s, uint32_t w)
{
	unsigned to = field(w, 0, 5);
	if ((w & 0xffe0ffe0) == 0xaa0003e0) {
		struct value *from = kept_register(s, field(w, 16, 5));
		set_register(s, to, from ? *from : unknown);
		return;
	}
	/* Logical operations with an immediate may write the stack pointer: and sp, x9, #-64. */
	if ((w & 0x1f800000) == 0x12000000 && to == SP && field(w, 29, 2) != 3)
		s->sp = unknown;
	/* add and sub of extended registers: sub sp, sp, x9 */
	if ((w & 0x1fe00000) == 0x0b200000 && to == SP && !field(w, 29, 1))
		s->sp = unknown;
	set_register(s, to, unknown);
}

static void call(struct state *s)
{
	s->called = true;
	s->kept[LR - FIRST_KEPT] = unknown;
}

static bool is_new_target(struct simulation *m, uint64_t pc)
{
	for (unsigned i = 0; i < m->target_count; i++)
		if (m->targets[i] == pc)
			return false;
	if (m->target_count == BRANCHES_MAX) {
		m->cut = true;
		return false;
	}
	m->targets[m->target_count++] = pc;
	return true;
}

static void branch_later(struct simulation *m, int64_t distance)
{
	uint64_t to = m->now.pc + (uint64_t)distance;
	if (!is_new_target(m, to))
		return;
	m->later[m->later_count] = m->now;
	m->later[m->later_count++].pc = to;
}

/* Branches; m->now.pc is the instruction's. True when w was one. */
static bool run_branch(struct simulation *m, uint32_t w, enum outcome *outcome)
{
	struct state *s = &m->now;
	*outcome = GO_ON;
	if ((w & 0xfffffc1f) == 0xd65f0000) { /* ret */
		*outcome = field(w, 5, 5) == LR ? RETURNS : DEAD_END;
	} else if ((w & 0xfffffbff) == 0xd65f0bff) { /* retaa, retab */
		*outcome = RETURNS;
	} else if ((w & 0xfefff800) == 0xd61f0800 || (w & 0xfffffc1f) == 0xd61f0000) {
		*outcome = RETURNS; /* br: a tail call; a stub's way to its function */
	} else if ((w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800 ||
		   (w & 0xfc000000) == 0x94000000) { /* blr, blraa…, bl */
		call(s);
	} else if ((w & 0xfc000000) == 0x14000000) { /* b */
		s->pc += (uint64_t)(sign_extend(field(w, 0, 26), 26) * 4);
		*outcome = is_new_target(m, s->pc) ? GO_ON : DEAD_END;
		s->pc -= 4;
	} else if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000) {
		branch_later(m, sign_extend(field(w, 5, 19), 19) * 4); /* b.cond, cbz, cbnz */
	} else if ((w & 0x7e000000) == 0x36000000) {
		branch_later(m, sign_extend(field(w, 5, 14), 14) * 4); /* tbz, tbnz */
	} else {
		return false;
	}
	return true;
}

static bool is_trap(uint32_t w)
{
	return (w & 0xffff0000) == 0 || (w & 0xffe0001f) == 0xd4200000; /* udf, brk */
}

static enum outcome run_one(struct simulation *m)
{
	struct state *s = &m->now;
	uint32_t w;
	enum outcome outcome;
	if (s->pc == 0 || s->pc % 4 != 0 ||
	    m->code->fetch(m->code->ctx, s->pc, (uint8_t *)&w, sizeof(w)) != sizeof(w) ||
	    is_trap(w))
		return DEAD_END;
	if (!run_branch(m, w, &outcome)) {
		if ((w & 0x3a000000) == 0x28000000)
			run_pair(s, w);
		else if ((w & 0x3a000000) == 0x38000000)
			run_single(s, w);
		else if ((w & 0x1f800000) == 0x11000000)
			run_add(s, w);
		else if ((w & 0x0a000000) != 0x08000000 && (w & 0xff000000) != 0xd5000000 &&
			 (w & 0xff000000) != 0xd4000000)
			run_other(s, w); /* neither memory nor system */
		else if ((w & 0x0a000000) == 0x08000000 && field(w, 22, 1))
			set_register(s, field(w, 0, 5), unknown);
		outcome = s->sp.kind == OF_START ? GO_ON : DEAD_END;
	}
	s->pc += 4;
	return outcome;
}

static bool add_register(struct rule *rule, unsigned reg, const struct value *v,
			 const struct value *cfa)
{
	struct rule_register *r = &rule->registers[rule->register_count];
	if (v->kind == OF_START && v->base == reg && v->offset == 0)
		return true; /* as it is */
	*r = (struct rule_register){ (uint8_t)reg, CFI_UNDEFINED, 0 };
	if (v->kind == IN_SLOT && v->base == cfa->base) {
		r->how = CFI_AT_CFA;
		r->value = (int32_t)(v->offset - cfa->offset);
	}
	rule->register_count++;
	return reg != LR || r->how == CFI_AT_CFA;
}

/* The stack pointer at the return is the CFA. False where the return address is not known. */
static bool make_rule(const struct state *s, union simulated_rule *out)
{
	struct rule *rule = &out->rule;
	memset(out, 0, sizeof(*out));
	rule->kind = RULE_FULL;
	rule->cfa_reg = s->sp.base;
	rule->cfa_offset = (int32_t)s->sp.offset;
	rule->ra_reg = LR;
	for (unsigned i = KEPT; i-- > 0;)
		if (!add_register(rule, FIRST_KEPT + i, &s->kept[i], &s->sp))
			return false;
	return true;
}

static bool same_place(const struct rule *a, const struct rule *b)
{
	return a->cfa_reg == b->cfa_reg && a->cfa_offset == b->cfa_offset &&
	       a->register_count == b->register_count &&
	       memcmp(a->registers, b->registers, a->register_count * sizeof(a->registers[0])) == 0;
}

static void take_end(struct simulation *m)
{
	union simulated_rule found;
	if (!make_rule(&m->now, &found))
		return;
	m->has_end = true;
	if (!m->code->is_right(m->code->ctx, &found.rule))
		return;
	if (m->has_right)
		m->differs |= !same_place(&m->out->rule, &found.rule);
	else
		*m->out = found;
	m->has_right = true;
}

enum simulated aarch64_simulate(const struct simulate_code *code, uint64_t pc,
				union simulated_rule *out)
{
	struct simulation m = { .code = code, .out = out, .now = { .pc = pc } };
	m.now.sp = (struct value){ OF_START, SP, 0 };
	for (uint8_t i = 0; i < KEPT; i++)
		m.now.kept[i] = (struct value){ OF_START, (uint8_t)(FIRST_KEPT + i), 0 };
	for (unsigned i = 0, length = 0; i < INSTRUCTIONS_MAX; i++) {
		enum outcome outcome = run_one(&m);
		if (outcome == GO_ON && length++ < PATH_MAX_LENGTH)
			continue;
		m.cut |= outcome == GO_ON;
		length = 0;
		if (outcome == RETURNS)
			take_end(&m);
		if (m.later_count == 0)
			return !m.has_right ? m.has_end ? SIMULATED_NOTHING : SIMULATED_NO_END
			       : m.differs || m.cut ? SIMULATED_GUESS
						    : SIMULATED_CERTAIN;
		m.now = m.later[--m.later_count];
	}
	return m.has_right ? SIMULATED_GUESS : SIMULATED_NOTHING;
}
