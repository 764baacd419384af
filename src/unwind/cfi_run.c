/* Running an FDE's program: the DW_CFA instructions, turned into rows. */
#include "base/bytes.h"
#include "unwind/cfi.h"

enum {
	CFA_ADVANCE = 1, /* the top two bits */
	CFA_OFFSET = 2,
	CFA_RESTORE = 3,

	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_1 = 0x02,
	CFA_ADVANCE_2 = 0x03,
	CFA_ADVANCE_4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_ADVANCE_8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE_RA = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f,
};

#define REMEMBER_MAX 16

struct program {
	const struct cfi_section *section;
	const struct cfi_fde *fde;
	struct bytes_reader r;
	uint64_t loc, row_start;
	struct cfi_row row, initial, remembered[REMEMBER_MAX];
	unsigned remembered_len;
	bool in_cie;
	int (*emit)(void *ctx, uint64_t start, const struct cfi_row *row);
	void *ctx;
};

/* A product of an operand and an alignment factor that fits, or failure. */
static int32_t scaled(struct program *p, int64_t value, int64_t factor)
{
	int64_t product;
	if (__builtin_mul_overflow(value, factor, &product) || product < INT32_MIN / 2 ||
	    product > INT32_MAX / 2) {
		p->r.failed = true;
		return 0;
	}
	return (int32_t)product;
}

static int32_t factored(struct program *p)
{
	uint64_t v = reader_varint(&p->r);
	if (v > INT32_MAX)
		p->r.failed = true;
	return scaled(p, (int64_t)v, p->fde->cie.data_align);
}

static int32_t factored_signed(struct program *p)
{
	return scaled(p, reader_sleb128(&p->r), p->fde->cie.data_align);
}

static int32_t unfactored(struct program *p)
{
	uint64_t v = reader_varint(&p->r);
	if (v > INT32_MAX)
		p->r.failed = true;
	return scaled(p, (int64_t)v, 1);
}

/* Pass an expression and return its offset in the section. */
static int32_t expression(struct program *p)
{
	int32_t offset = (int32_t)(p->r.pos - p->section->data);
	reader_take(&p->r, reader_varint(&p->r));
	return offset;
}

/* Registers above those tracked (vector ones) are passed over. */
static void set_register(struct program *p, uint64_t reg, enum cfi_how how, int32_t value)
{
	if (reg < UNWIND_MAX_REGS)
		p->row.reg[reg] = (struct cfi_register){ (uint8_t)how, value };
}

static void restore_register(struct program *p, uint64_t reg)
{
	if (reg < UNWIND_MAX_REGS)
		p->row.reg[reg] = p->initial.reg[reg];
}

static void set_cfa(struct program *p, uint64_t reg, int32_t offset)
{
	p->row.cfa_known = reg < UNWIND_MAX_REGS;
	p->row.cfa_is_expression = false;
	p->row.cfa_reg = (uint8_t)reg;
	p->row.cfa_offset = offset;
}

static int advance_to(struct program *p, uint64_t loc)
{
	if (p->in_cie || loc < p->loc)
		return -1;
	if (loc > p->loc && p->loc < p->fde->end && p->emit(p->ctx, p->loc, &p->row) != 0)
		return 1;
	p->loc = loc;
	return 0;
}

static int advance(struct program *p, uint64_t delta)
{
	uint64_t bytes, loc;
	if (__builtin_mul_overflow(delta, p->fde->cie.code_align, &bytes) ||
	    __builtin_add_overflow(p->loc, bytes, &loc))
		return -1;
	return advance_to(p, loc);
}

static int set_loc(struct program *p)
{
	uint64_t field = p->section->vaddr + (uint64_t)(p->r.pos - p->section->data), loc;
	if (!cfi_read_pointer(&p->r, p->fde->cie.fde_encoding, field, CFI_NO_OFFSET, &loc))
		return -1;
	return advance_to(p, loc);
}

static int remember(struct program *p)
{
	if (p->remembered_len == REMEMBER_MAX)
		return -1;
	p->remembered[p->remembered_len++] = p->row;
	return 0;
}

static int restore(struct program *p)
{
	if (p->remembered_len == 0)
		return -1;
	p->row = p->remembered[--p->remembered_len];
	return 0;
}

/* The instructions that say where the CFA is. */
static bool run_cfa_rule(struct program *p, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case CFA_DEF_CFA:
		reg = reader_varint(&p->r);
		set_cfa(p, reg, unfactored(p));
		return true;
	case CFA_DEF_CFA_SF:
		reg = reader_varint(&p->r);
		set_cfa(p, reg, factored_signed(p));
		return true;
	case CFA_DEF_CFA_REGISTER:
		set_cfa(p, reader_varint(&p->r), p->row.cfa_offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		p->row.cfa_offset = unfactored(p);
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		p->row.cfa_offset = factored_signed(p);
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		p->row.cfa_offset = expression(p);
		p->row.cfa_is_expression = p->row.cfa_known = true;
		return true;
	default:
		return false;
	}
}

/* The instructions that say where a register is: each names the register first. */
static bool run_register_rule(struct program *p, uint8_t op)
{
	uint64_t reg = reader_varint(&p->r);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_register(p, reg, CFI_AT_CFA, factored(p));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_register(p, reg, CFI_AT_CFA, factored_signed(p));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET:
		set_register(p, reg, CFI_AT_CFA, -factored(p));
		return true;
	case CFA_VAL_OFFSET:
		set_register(p, reg, CFI_IS_CFA, factored(p));
		return true;
	case CFA_VAL_OFFSET_SF:
		set_register(p, reg, CFI_IS_CFA, factored_signed(p));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore_register(p, reg);
		return true;
	case CFA_UNDEFINED:
		set_register(p, reg, CFI_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_register(p, reg, CFI_SAME, 0);
		return true;
	case CFA_REGISTER:
		set_register(p, reg, CFI_REGISTER, unfactored(p));
		return true;
	case CFA_EXPRESSION:
		set_register(p, reg, CFI_AT_EXPRESSION, expression(p));
		return true;
	case CFA_VAL_EXPRESSION:
		set_register(p, reg, CFI_IS_EXPRESSION, expression(p));
		return true;
	default:
		return false;
	}
}

/* Instructions in the low six bits. 0; 1 when emit stopped the run; -1 when not valid. */
static int run_extended(struct program *p, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA_WITH_PC:
	case CFA_AARCH64_NEGATE_RA: /* signatures are cut off return addresses anyway */
		return 0;
	case CFA_SET_LOC:
		return set_loc(p);
	case CFA_ADVANCE_1:
		return advance(p, reader_u8(&p->r));
	case CFA_ADVANCE_2:
		return advance(p, reader_u16(&p->r));
	case CFA_ADVANCE_4:
		return advance(p, reader_u32(&p->r));
	case CFA_ADVANCE_8:
		return advance(p, reader_u64(&p->r));
	case CFA_REMEMBER_STATE:
		return remember(p);
	case CFA_RESTORE_STATE:
		return restore(p);
	case CFA_GNU_ARGS_SIZE:
		reader_varint(&p->r);
		return 0;
	default:
		return run_cfa_rule(p, op) || run_register_rule(p, op) ? 0 : -1;
	}
}

static int run_instruction(struct program *p)
{
	uint8_t op = reader_u8(&p->r), low = op & 0x3f;
	switch (op >> 6) {
	case CFA_ADVANCE:
		return advance(p, low);
	case CFA_OFFSET:
		set_register(p, low, CFI_AT_CFA, factored(p));
		return 0;
	case CFA_RESTORE:
		restore_register(p, low);
		return 0;
	default:
		return run_extended(p, low);
	}
}

static int run_program(struct program *p, const uint8_t *code, size_t len)
{
	reader_init(&p->r, code, len);
	while (reader_left(&p->r) != 0) {
		int result = run_instruction(p);
		if (p->r.failed)
			return -1;
		if (result != 0)
			return result;
	}
	return 0;
}

int cfi_run(const struct cfi_section *s, const struct cfi_fde *fde,
	    int (*emit)(void *ctx, uint64_t start, const struct cfi_row *row), void *ctx)
{
	struct program p;
	p.section = s;
	p.fde = fde;
	p.emit = emit;
	p.ctx = ctx;
	p.loc = fde->start;
	p.remembered_len = 0;
	memset(&p.row, 0, sizeof(p.row));
	p.initial = p.row;
	p.in_cie = true;
	int result = run_program(&p, fde->cie.program, fde->cie.program_len);
	if (result != 0)
		return -1;
	p.in_cie = false;
	p.initial = p.row;
	result = run_program(&p, fde->program, fde->program_len);
	if (result == 0 && p.loc < fde->end)
		result = p.emit(ctx, p.loc, &p.row);
	return result;
}
