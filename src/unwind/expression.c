/*
 * DWARF expressions as CFI uses them: a stack machine over the frame's registers and memory. The
 * stack and the number of operations are bounded; what needs a debugger's knowledge is refused.
 */
#include "base/bytes.h"
#include "unwind/walk.h"

enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

#define STACK_MAX 64
#define STEPS_MAX 1000

struct machine {
	struct walk *w;
	const struct unwind_regs *regs;
	struct bytes_reader r;
	const uint8_t *begin;
	uint64_t stack[STACK_MAX];
	unsigned depth;
	bool failed;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == STACK_MAX)
		m->failed = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth == 0) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->depth];
}

static void pick(struct machine *m, unsigned index)
{
	if (index >= m->depth)
		m->failed = true;
	else
		push(m, m->stack[m->depth - 1 - index]);
}

static void push_register(struct machine *m, uint64_t reg)
{
	int64_t offset = reader_sleb128(&m->r);
	if (reg >= UNWIND_MAX_REGS || !(m->regs->valid >> reg & 1))
		m->failed = true;
	else
		push(m, m->regs->value[reg] + (uint64_t)offset);
}

static void dereference(struct machine *m, size_t size)
{
	uint64_t value = 0, address = pop(m);
	if (m->failed || size == 0 || size > 8 || !walk_load_slow(m->w, address, &value, size))
		m->failed = true;
	push(m, value);
}

static void branch(struct machine *m, bool taken)
{
	int16_t distance = (int16_t)reader_u16(&m->r);
	ptrdiff_t at = m->r.pos - m->begin, to = at + distance;
	if (!taken)
		return;
	if (to < 0 || to > m->r.end - m->begin)
		m->failed = true;
	else
		m->r.pos = m->begin + to;
}

/* Signed division and remainder that cannot trap. */
static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (b == 0)
		m->failed = true;
	if (b == 0 || b == -1)
		return 0 - (uint64_t)a;
	return (uint64_t)(a / b);
}

static uint64_t modulo(struct machine *m, uint64_t a, uint64_t b)
{
	if (b == 0)
		m->failed = true;
	return b == 0 ? 0 : a % b;
}

static uint64_t shift(uint8_t op, uint64_t a, uint64_t by)
{
	if (op == OP_SHRA)
		return (uint64_t)((int64_t)a >> (by < 63 ? by : 63));
	if (by > 63)
		return 0;
	return op == OP_SHL ? a << by : a >> by;
}

/* clang-format off */
static bool run_binary(struct machine *m, uint8_t op)
{
	uint64_t b = pop(m), a = pop(m), out;
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (op) {
	case OP_AND: out = a & b; break;
	case OP_DIV: out = divide(m, sa, sb); break;
	case OP_MINUS: out = a - b; break;
	case OP_MOD: out = modulo(m, a, b); break;
	case OP_MUL: out = a * b; break;
	case OP_OR: out = a | b; break;
	case OP_PLUS: out = a + b; break;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA: out = shift(op, a, b); break;
	case OP_XOR: out = a ^ b; break;
	case OP_EQ: out = a == b; break;
	case OP_GE: out = sa >= sb; break;
	case OP_GT: out = sa > sb; break;
	case OP_LE: out = sa <= sb; break;
	case OP_LT: out = sa < sb; break;
	case OP_NE: out = a != b; break;
	default: return false;
	}
	push(m, out);
	return true;
}

static bool run_constant(struct machine *m, uint8_t op)
{
	switch (op) {
	case OP_CONST1U: push(m, reader_u8(&m->r)); break;
	case OP_CONST1S: push(m, (uint64_t)(int8_t)reader_u8(&m->r)); break;
	case OP_CONST2U: push(m, reader_u16(&m->r)); break;
	case OP_CONST2S: push(m, (uint64_t)(int16_t)reader_u16(&m->r)); break;
	case OP_CONST4U: push(m, reader_u32(&m->r)); break;
	case OP_CONST4S: push(m, (uint64_t)(int32_t)reader_u32(&m->r)); break;
	case OP_CONST8U:
	case OP_CONST8S: push(m, reader_u64(&m->r)); break;
	case OP_CONSTU: push(m, reader_varint(&m->r)); break;
	case OP_CONSTS: push(m, (uint64_t)reader_sleb128(&m->r)); break;
	default: return false;
	}
	return true;
}

static bool run_stack(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;
	switch (op) {
	case OP_DUP: pick(m, 0); break;
	case OP_DROP: pop(m); break;
	case OP_OVER: pick(m, 1); break;
	case OP_PICK: pick(m, reader_u8(&m->r)); break;
	case OP_SWAP:
		a = pop(m), b = pop(m);
		push(m, a), push(m, b);
		break;
	case OP_ROT:
		a = pop(m), b = pop(m), c = pop(m);
		push(m, a), push(m, c), push(m, b);
		break;
	default: return false;
	}
	return true;
}

static bool run_unary(struct machine *m, uint8_t op)
{
	uint64_t a;
	switch (op) {
	case OP_ABS:
		a = pop(m);
		push(m, (int64_t)a < 0 ? 0 - a : a);
		break;
	case OP_NEG: push(m, 0 - pop(m)); break;
	case OP_NOT: push(m, ~pop(m)); break;
	case OP_PLUS_UCONST: push(m, pop(m) + reader_varint(&m->r)); break;
	case OP_DEREF: dereference(m, 8); break;
	case OP_DEREF_SIZE: dereference(m, reader_u8(&m->r)); break;
	default: return false;
	}
	return true;
}

/* clang-format on */

static void run_operation(struct machine *m, uint8_t op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		push(m, (uint64_t)(op - OP_LIT0));
	else if (op >= OP_BREG0 && op <= OP_BREG31)
		push_register(m, (uint64_t)(op - OP_BREG0));
	else if (op == OP_BREGX)
		push_register(m, reader_varint(&m->r));
	else if (op == OP_SKIP)
		branch(m, true);
	else if (op == OP_BRA)
		branch(m, pop(m) != 0);
	else if (op != OP_NOP && !run_constant(m, op) && !run_stack(m, op) && !run_unary(m, op) &&
		 !run_binary(m, op))
		m->failed = true;
}

bool expression_value(struct walk *w, const struct cfi_section *s, int32_t offset,
		      const struct unwind_regs *regs, const uint64_t *initial, uint64_t *out)
{
	struct machine m = { .w = w, .regs = regs };
	reader_init(&m.r, s->data + offset, s->len - (size_t)offset);
	uint64_t len = reader_varint(&m.r);
	m.begin = reader_take(&m.r, len);
	w->end = END_NO_CFI;
	if (!m.begin)
		return false;
	reader_init(&m.r, m.begin, (size_t)len);
	if (initial)
		push(&m, *initial);
	for (unsigned steps = 0; reader_left(&m.r) != 0; steps++) {
		if (steps == STEPS_MAX)
			return false;
		run_operation(&m, reader_u8(&m.r));
		if (m.failed || m.r.failed)
			return false;
	}
	*out = pop(&m);
	return !m.failed;
}
