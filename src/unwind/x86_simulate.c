/*
 * The simulation keeps the stack and frame pointers as offsets from what they are now, and for each
 * register that is taken back from the stack the slot. Both ways of a conditional branch are tried,
 * the near one first; the number of instructions is bounded. The depth of the stack at an
 * instruction is the same whichever way led there, so ways that agree confirm each other.
 */
#include "unwind/simulate.h"
#include "unwind/x86_decode.h"
#include <string.h>

#define INSTRUCTIONS_MAX 3000
#define PATH_MAX_LENGTH	 1000
#define CONFIRM_MAX	 600 /* instructions after the first right return, to confirm it */
#define TARGETS_MAX	 256
#define TARGET_LISTS	 64 /* by the low bits of the address */
#define BRANCHES_MAX	 64
#define BORDERS_MAX	 16
#define ROUNDS_MAX	 5    /* of loops that move the stack pointer, on one way */
#define ROUND_LENGTH	 1200 /* instructions that each may have more */
#define EXTRA_MAX	 12000
#define STORES_MAX	 4

enum { HW_BX = 3, HW_SP = 4, HW_BP = 5 }; /* the processor's register numbers */

enum {
	UNKNOWN,
	FROM_AX,
	FROM_SP = FROM_AX + HW_SP,
	FROM_SLOT = FROM_AX + 16,
}; /* a base: what register FROM_AX + n held at first; what the state's slot holds */

/* DWARF numbers by the processor's. */
static const uint8_t dwarf_number[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

struct address {
	uint8_t base;
	int32_t offset;
};

struct state {
	uint64_t pc;
	uint64_t jumped;	/* how far, of a way that is tried later */
	struct address reg[16]; /* by hardware number */
	uint8_t assumes;	/* enum assumption: the boldest on the way */
	uint8_t rounds;		/* of loops that move the stack pointer */
	bool after_call;	/* the last instruction was one */
	bool in_padding;	/* and nothing but padding has followed */
	uint16_t borders;	/* bit per border that was passed */
	uint16_t taken;		/* bit per register: loaded from saved[] */
	struct address saved[16];
	struct address slot; /* that values are FROM_SLOT of: the latest one that was used so */

	struct store { /* pointers that this way put on the stack, the latest ones */
		struct address slot, value;
	} stores[STORES_MAX];

	uint8_t store_count;
};

struct simulation {
	const struct simulate_code *code;
	struct state now;
	unsigned later_count, target_count;
	uint16_t latest_target[TARGET_LISTS]; /* 1 + its index, 0: none */
	unsigned limit;			      /* of instructions */
	uint64_t borders[BORDERS_MAX];	      /* where functions seem to begin behind a call */
	unsigned border_count;
	uint16_t same_function; /* bit per border that a jump crosses: none, then */
	bool has_end;
	bool has_right, differs; /* right ends that assume least, and whether they disagree */
	uint8_t assumes;	 /* what these assume */
	union simulated_rule *out;

	/* Up to here all is zero at first; below, what the counts say is there. */
	struct state later[BRANCHES_MAX];

	struct target {
		uint64_t pc;
		struct address sp;
		uint16_t before; /* as latest_target: the one before in the same list */
	} targets[TARGETS_MAX];	 /* of jumps: loops end */
};

enum outcome { GO_ON, RETURNS, DEAD_END };

enum assumption {
	ASSUMES_NOTHING,
	ASSUMES_RETURN,	  /* of a call, or that a jump to an unknown place is a tail call */
	ASSUMES_TOO_MUCH, /* that a call returns although a function seems to end there */
};

static void assume(struct state *s, enum assumption what)
{
	if (s->assumes < what)
		s->assumes = (uint8_t)what;
}

static struct address moved(struct address a, int64_t by)
{
	int64_t offset = a.offset + by;
	if (offset > INT32_MAX / 2 || offset < INT32_MIN / 2)
		a.base = UNKNOWN;
	else
		a.offset = (int32_t)offset;
	return a;
}

static void assign(struct state *s, uint8_t reg, struct address value)
{
	s->taken &= (uint16_t) ~(1u << reg);
	s->reg[reg] = value;
}

static bool same_address(struct address a, struct address b)
{
	return a.base == b.base && a.offset == b.offset;
}

static void forget_slot(struct state *s)
{
	for (uint8_t i = 0; i < 16; i++) {
		if (s->reg[i].base == FROM_SLOT)
			s->reg[i].base = UNKNOWN;
		if (s->saved[i].base == FROM_SLOT)
			s->saved[i].base = UNKNOWN;
	}
}

/* What reg holds. Code that moves the stack far keeps what the pointer was in the new place, and
 * takes it and the registers from there in the end: one such slot is known at a time. */
static struct address value_of(struct state *s, uint8_t reg)
{
	struct address slot = s->saved[reg];
	if (!(s->taken >> reg & 1) || slot.base == UNKNOWN || slot.base == FROM_SLOT)
		return s->reg[reg];
	if (!same_address(slot, s->slot)) {
		if (s->reg[HW_SP].base == FROM_SLOT)
			return s->reg[reg];
		forget_slot(s);
		s->slot = slot;
	}
	return (struct address){ FROM_SLOT, 0 };
}

static void move_sp(struct state *s, int64_t by)
{
	s->reg[HW_SP] = moved(s->reg[HW_SP], by);
}

/* What a call leaves behind in the registers that it need not keep. */
static void forget_scratch(struct state *s)
{
	static const uint8_t scratch[] = { 0, 1, 2, 6, 7, 8, 9, 10, 11 };
	for (size_t i = 0; i < sizeof(scratch); i++)
		assign(s, scratch[i], (struct address){ UNKNOWN, 0 });
}

/* What stands in slot now is no longer what was put there before; a pointer that calls need not
 * keep is remembered: a prologue that realigns the stack has the caller's stack pointer in one. */
static void store(struct state *s, struct address slot, uint8_t reg)
{
	static const uint16_t scratch = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 6 | 1u << 7 | 0xf00;
	struct address value = s->reg[reg];
	for (unsigned i = 0; i < s->store_count; i++)
		if (same_address(s->stores[i].slot, slot))
			s->stores[i].slot.base = UNKNOWN;
	bool is_scratch = value.base >= FROM_AX && value.base < FROM_SLOT &&
			  (scratch >> (value.base - FROM_AX) & 1);
	if (slot.base != UNKNOWN && is_scratch && s->store_count < STORES_MAX)
		s->stores[s->store_count++] = (struct store){ slot, value };
}

static const struct store *find_store(const struct state *s, struct address slot)
{
	for (unsigned i = 0; i < s->store_count; i++)
		if (slot.base != UNKNOWN && same_address(s->stores[i].slot, slot))
			return &s->stores[i];
	return NULL;
}

static void load(struct state *s, uint8_t reg, struct address slot)
{
	const struct store *stored = find_store(s, slot);
	assign(s, reg, (struct address){ UNKNOWN, 0 });
	if (stored) {
		s->reg[reg] = stored->value;
		return;
	}
	if (slot.base != UNKNOWN) {
		s->taken |= (uint16_t)(1u << reg);
		s->saved[reg] = slot;
	}
	if (reg == HW_SP)
		assign(s, reg, value_of(s, reg));
}

static void pop(struct state *s, uint8_t reg)
{
	struct address slot = s->reg[HW_SP];
	move_sp(s, 8);
	load(s, reg, slot);
}

/* The slot a memory operand names, when it is sp or fp and a constant. */
static struct address operand_slot(struct state *s, const struct x86_instruction *x)
{
	if (x->has_index || x->rip_relative)
		return (struct address){ UNKNOWN, 0 };
	return moved(value_of(s, x->rm), x->displacement);
}

/* Each jump is followed once. Only where a loop moves the stack pointer, how often it runs matters:
 * for a few rounds on each way it is found out. s: behind the jump. */
static bool is_new_target(struct simulation *m, struct state *s)
{
	struct address sp = s->reg[HW_SP];
	uint16_t *latest = &m->latest_target[s->pc % TARGET_LISTS];
	bool is_round = false;
	for (uint16_t i = *latest; i != 0; i = m->targets[i - 1].before) {
		const struct target *known = &m->targets[i - 1];
		if (known->pc != s->pc)
			continue;
		if (sp.base == UNKNOWN || same_address(known->sp, sp))
			return false;
		is_round = true;
	}
	s->rounds += is_round;
	if (m->target_count == TARGETS_MAX || s->rounds == ROUNDS_MAX)
		return false;
	m->targets[m->target_count++] = (struct target){ s->pc, sp, *latest };
	*latest = (uint16_t)m->target_count;
	if (is_round && !m->has_right && m->limit < INSTRUCTIONS_MAX + EXTRA_MAX)
		m->limit += ROUND_LENGTH;
	return true;
}

/* Loops that are aligned look like functions that begin. A jump back there tells them apart. */
static void note_jump(struct simulation *m, uint64_t target)
{
	for (unsigned i = 0; i < m->border_count; i++)
		if (m->borders[i] == target && m->now.pc > target)
			m->same_function |= (uint16_t)(1u << i);
}

static void branch_later(struct simulation *m, uint64_t target)
{
	note_jump(m, target);
	if (m->later_count == BRANCHES_MAX)
		return;
	struct state *later = &m->later[m->later_count];
	*later = m->now;
	later->pc = target;
	later->jumped = target < m->now.pc ? m->now.pc - target : target - m->now.pc;
	if (is_new_target(m, later))
		m->later_count++;
}

/* The shortest jump first: an inner loop before the one around it, which it comes back to at
 * another depth as long as it has rounds to go. */
static void take_nearest(struct simulation *m)
{
	unsigned nearest = 0, last = --m->later_count;
	for (unsigned i = 1; i <= last; i++)
		if (m->later[i].jumped <= m->later[nearest].jumped)
			nearest = i;
	m->now = m->later[nearest];
	if (nearest != last)
		m->later[nearest] = m->later[last];
}

/* add, sub, and others on a register with an immediate. */
static void run_immediate_group(struct state *s, const struct x86_instruction *x)
{
	if (x->mod != 3 || x->reg % 8 == 7)
		return;
	struct address value = value_of(s, x->rm);
	if (x->reg % 8 == 0)
		value = moved(value, x->immediate);
	else if (x->reg % 8 == 5)
		value = moved(value, -x->immediate);
	else
		value.base = UNKNOWN;
	assign(s, x->rm, value);
}

/* Group 5: calls fall through to what follows, a jump leaves (as a tail call does). */
static enum outcome run_group5(struct state *s, const struct x86_instruction *x)
{
	switch (x->reg % 8) {
	case 4:
		if (!x->rip_relative) /* one through the GOT is a tail call */
			assume(s, ASSUMES_RETURN);
		return RETURNS;
	case 6:
		move_sp(s, -8);
		return GO_ON;
	case 3:
	case 5:
	case 7:
		return DEAD_END;
	case 2:
		assume(s, ASSUMES_RETURN);
		s->after_call = true;
		forget_scratch(s);
		return GO_ON;
	default:
		return GO_ON;
	}
}

/* Instructions without ModRM. */
static enum outcome run_plain(struct simulation *m, const struct x86_instruction *x)
{
	struct state *s = &m->now;
	uint8_t op = x->opcode;
	if ((op & 0xf8) == 0x50) {
		move_sp(s, -8);
		store(s, s->reg[HW_SP], x->rm);
	} else if (op == 0x68 || op == 0x6a || op == 0x9c) {
		move_sp(s, -8);
	} else if ((op & 0xf8) == 0x58) {
		pop(s, x->rm);
	} else if (op == 0x9d) {
		move_sp(s, 8);
	} else if (op == 0xc9) {
		s->reg[HW_SP] = value_of(s, HW_BP);
		pop(s, HW_BP);
	} else if ((op & 0xf8) == 0xb8 || ((op & 0xf8) == 0x90 && x->rm != 0)) {
		assign(s, x->rm, (struct address){ UNKNOWN, 0 });
	} else if (op == 0xe8) {
		assume(s, ASSUMES_RETURN);
		s->after_call = true;
		forget_scratch(s);
	} else if (op == 0xe9 || op == 0xeb) {
		note_jump(m, s->pc + (uint64_t)x->immediate);
		s->pc += (uint64_t)x->immediate;
		return is_new_target(m, s) ? GO_ON : DEAD_END;
	} else if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3)) {
		branch_later(m, s->pc + (uint64_t)x->immediate);
	} else if (op == 0xc2 || op == 0xc3) {
		return RETURNS;
	} else if (op == 0xcc || op == 0xf4 || op == 0xcf || op == 0xcb || op == 0xca) {
		return DEAD_END;
	}
	return GO_ON;
}

/* Instructions with ModRM: moves, address computations, arithmetic whose target may be sp or fp. */
static enum outcome run_modrm(struct state *s, const struct x86_instruction *x)
{
	uint8_t op = x->opcode;
	static const struct address unknown = { UNKNOWN, 0 };
	if (op == 0xff)
		return run_group5(s, x);
	if (op == 0x8f && x->mod == 3)
		pop(s, x->rm);
	else if (op == 0x8f)
		move_sp(s, 8);
	else if (op == 0x81 || op == 0x83)
		run_immediate_group(s, x);
	else if (op == 0x8d)
		assign(s, x->reg, x->wide ? operand_slot(s, x) : unknown);
	else if (op == 0x8b && x->mod != 3)
		load(s, x->reg, x->wide ? operand_slot(s, x) : unknown);
	else if (op == 0x8b)
		assign(s, x->reg, x->wide ? value_of(s, x->rm) : unknown);
	else if (op == 0x89 && x->mod == 3)
		assign(s, x->rm, x->wide ? value_of(s, x->reg) : unknown);
	else if (op == 0x89)
		store(s, operand_slot(s, x), x->reg);
	else if (op < 0x38 && (op & 2))
		assign(s, x->reg, unknown);
	else if (op < 0x38 && x->mod == 3)
		assign(s, x->rm, unknown);
	else if (op == 0x63 || op == 0x69 || op == 0x6b)
		assign(s, x->reg, unknown);
	else if (op == 0xc7 && x->mod == 3)
		assign(s, x->rm, unknown);
	return GO_ON;
}

/* The 0f map: conditional branches, traps, and what writes a general register. */
static enum outcome run_two_byte(struct simulation *m, const struct x86_instruction *x)
{
	uint8_t op = x->opcode;
	if ((op & 0xf0) == 0x80)
		branch_later(m, m->now.pc + (uint64_t)x->immediate);
	else if (op == 0x0b)
		return DEAD_END;
	else if ((op & 0xf0) == 0x40 || op == 0xaf || (op >= 0xb6 && op <= 0xbf && op != 0xba))
		assign(&m->now, x->reg, (struct address){ UNKNOWN, 0 });
	return GO_ON;
}

static void add_register(struct rule *rule, uint8_t reg, uint8_t how, int32_t value)
{
	struct rule_register *r = &rule->registers[rule->register_count++];
	r->reg = reg;
	r->how = how;
	r->value = value;
}

/* Where the caller's value of a kept register is. */
static void add_kept(const struct state *s, uint8_t hw, struct rule *rule)
{
	struct address sp = s->reg[HW_SP], slot = s->saved[hw], now = s->reg[hw];
	if (s->taken >> hw & 1) {
		if (slot.base == sp.base)
			add_register(rule, dwarf_number[hw], CFI_AT_CFA,
				     slot.offset - rule->cfa_offset);
		else if (slot.base == FROM_AX + HW_BP)
			add_register(rule, dwarf_number[hw], CFI_AT_FP, slot.offset);
		else
			add_register(rule, dwarf_number[hw], CFI_UNDEFINED, 0);
	} else if (now.base != FROM_AX + hw || now.offset != 0) {
		add_register(rule, dwarf_number[hw], CFI_UNDEFINED, 0);
	}
}

/* The state at a return as a rule: the CFA lies above the return address. */
static bool make_rule(const struct state *s, union simulated_rule *out)
{
	static const uint8_t kept[] = { HW_BP, HW_BX, 12, 13, 14, 15 };
	struct rule *rule = &out->rule;
	struct address sp = s->reg[HW_SP];
	if (sp.base == UNKNOWN || (sp.base == FROM_SP && sp.offset < 0))
		return false;
	memset(out, 0, sizeof(*out));
	rule->kind = RULE_FULL;
	rule->cfa_is_loaded = sp.base == FROM_SLOT;
	if (rule->cfa_is_loaded)
		rule->cfa_slot = s->slot.offset;
	rule->cfa_reg = dwarf_number[(rule->cfa_is_loaded ? s->slot.base : sp.base) - FROM_AX];
	rule->ra_reg = 16;
	rule->cfa_offset = sp.offset + 8;
	add_register(rule, rule->ra_reg, CFI_AT_CFA, -8);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		add_kept(s, kept[i], rule);
	return true;
}

/*
 * The first entry of a procedure linkage table (lld describes none): the resolver's arguments, of
 * which the stub has pushed one, lie on top of the return address when it jumps.
 */
static bool is_plt_push(const uint8_t *code, size_t n)
{
	return n >= 8 && code[0] == 0xff && code[1] == 0x35 && code[6] == 0xff && code[7] == 0x25;
}

static void skip_plt_push(struct simulation *m)
{
	uint8_t code[8];
	size_t n = m->code->fetch(m->code->ctx, m->now.pc - 6, code, sizeof(code));
	if (is_plt_push(code, n))
		move_sp(&m->now, 16);
}

static bool is_landing_pad(const uint8_t *code, size_t n)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	return n >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0;
}

static bool is_padding(const struct x86_instruction *x)
{
	return (x->map == 0 && (x->opcode == 0x90 || x->opcode == 0xcc)) ||
	       (x->map == 1 && x->opcode == 0x1f);
}

/* The call before may be the last instruction of its function, which does not return. */
static void pass_border(struct simulation *m)
{
	struct state *s = &m->now;
	if (m->border_count == BORDERS_MAX) {
		assume(s, ASSUMES_TOO_MUCH);
		return;
	}
	m->borders[m->border_count] = s->pc;
	s->borders |= (uint16_t)(1u << m->border_count++);
}

/* Behind a call: padding, then the begin of a function or of a loop. */
static void watch_border(struct simulation *m, const struct x86_instruction *x, const uint8_t *code,
			 size_t n)
{
	struct state *s = &m->now;
	if (s->after_call && is_landing_pad(code, n))
		assume(s, ASSUMES_TOO_MUCH);
	if (s->in_padding && !is_padding(x))
		pass_border(m);
	s->in_padding = (s->after_call || s->in_padding) && is_padding(x);
	s->after_call = false;
}

static enum outcome run_one(struct simulation *m)
{
	uint8_t code[X86_INSTRUCTION_MAX];
	struct x86_instruction x;
	size_t n = m->code->fetch(m->code->ctx, m->now.pc, code, sizeof(code));
	if (is_plt_push(code, n)) {
		move_sp(&m->now, 8);
		return RETURNS;
	}
	if (!x86_decode(code, n, &x))
		return DEAD_END;
	watch_border(m, &x, code, n);
	m->now.pc += x.length;
	if (x.is_vector || x.map > 1)
		return GO_ON;
	if (x.map == 1)
		return run_two_byte(m, &x);
	return x.has_modrm ? run_modrm(&m->now, &x) : run_plain(m, &x);
}

static bool same_place(const struct rule *a, const struct rule *b)
{
	return a->cfa_reg == b->cfa_reg && a->cfa_offset == b->cfa_offset &&
	       a->cfa_is_loaded == b->cfa_is_loaded && a->cfa_slot == b->cfa_slot;
}

/* Weigh a way that ended. */
static void take_end(struct simulation *m)
{
	union simulated_rule found;
	struct state *s = &m->now;
	if (!make_rule(s, &found))
		return;
	m->has_end = true;
	if (s->borders & ~m->same_function)
		assume(s, ASSUMES_TOO_MUCH);
	if ((m->has_right && s->assumes > m->assumes) ||
	    !m->code->is_right(m->code->ctx, &found.rule))
		return;
	if (!m->has_right || s->assumes < m->assumes) {
		*m->out = found;
		m->assumes = s->assumes;
		m->has_right = true;
		m->differs = false;
	} else {
		m->differs |= !same_place(&m->out->rule, &found.rule);
	}
}

static enum simulated judge_ends(const struct simulation *m)
{
	if (!m->has_right)
		return m->has_end ? SIMULATED_NOTHING : SIMULATED_NO_END;
	return m->differs || m->assumes == ASSUMES_TOO_MUCH ? SIMULATED_GUESS : SIMULATED_CERTAIN;
}

enum simulated x86_simulate(const struct simulate_code *code, uint64_t pc,
			    union simulated_rule *out)
{
	struct simulation m;
	memset(&m, 0, offsetof(struct simulation, later));
	m.code = code;
	m.out = out;
	m.now.pc = pc;
	m.limit = INSTRUCTIONS_MAX;
	for (uint8_t i = 0; i < 16; i++)
		m.now.reg[i].base = (uint8_t)(FROM_AX + i);
	skip_plt_push(&m);
	for (unsigned i = 0, length = 0; i < m.limit; i++) {
		enum outcome outcome = run_one(&m);
		if ((outcome == GO_ON && length++ < PATH_MAX_LENGTH) ||
		    (outcome == DEAD_END && i == 0)) /* a trap that was just taken */
			continue;
		length = 0;
		bool had_right = m.has_right;
		if (outcome == RETURNS)
			take_end(&m);
		if (!had_right && m.has_right && m.limit - i > CONFIRM_MAX)
			m.limit = i + CONFIRM_MAX;
		if (m.later_count == 0 || (m.has_right && m.assumes == ASSUMES_NOTHING))
			break;
		take_nearest(&m);
	}
	return judge_ends(&m);
}
