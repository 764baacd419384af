/* From a CFI row to an interned rule. */
#include "unwind/rule.h"
#include <string.h>

/* A rule with room for every register. */
union rule_buffer {
	struct rule rule;
	uint8_t bytes[sizeof(struct rule) + UNWIND_MAX_REGS * sizeof(struct rule_register)];
};

static const struct cfi_register *row_register(const struct cfi_row *row, uint64_t reg)
{
	static const struct cfi_register none = { CFI_UNSPECIFIED, 0 };
	return reg < UNWIND_MAX_REGS ? &row->reg[reg] : &none;
}

static bool fits_frame_rule(const struct arch *arch, const struct cfi_row *row, uint64_t ra_reg)
{
	uint8_t fp_how = row->reg[arch->fp].how;
	return !row->cfa_is_expression && (row->cfa_reg == arch->sp || row->cfa_reg == arch->fp) &&
	       row_register(row, ra_reg)->how == CFI_AT_CFA &&
	       (fp_how == CFI_AT_CFA || fp_how == CFI_UNSPECIFIED || fp_how == CFI_SAME) &&
	       row->reg[arch->sp].how == CFI_UNSPECIFIED;
}

static bool resumes_exceptions(const struct arch *arch, const struct cfi_row *row)
{
	for (unsigned i = 0; i < arch->reg_count; i++)
		if ((arch->eh_data >> i & 1) && row->reg[i].how != CFI_AT_CFA)
			return false;
	return true;
}

static uint8_t choose_kind(const struct arch *arch, const struct cfi_cie *cie,
			   const struct cfi_row *row)
{
	if (row_register(row, cie->ra_reg)->how == CFI_UNDEFINED)
		return RULE_ROOT;
	if (!row->cfa_known || cie->ra_reg >= UNWIND_MAX_REGS)
		return RULE_NO_CFI;
	return !cie->is_signal && !resumes_exceptions(arch, row) &&
			       fits_frame_rule(arch, row, cie->ra_reg)
		       ? RULE_FRAME
		       : RULE_FULL;
}

/*
 * Bytes that were pushed before the function was entered. A stub of aarch64's linkage table pushes
 * x16 and the return address; glibc's CFI of what it jumps to (_dl_runtime_resolve) says where that
 * is, but its CFA is the stack pointer at the entry. Nothing else saves a return address in the
 * caller's frame.
 */
static int32_t pushed_before(const struct arch *arch, const struct cfi_cie *cie,
			     const struct cfi_row *row)
{
	const struct cfi_register *ra = row_register(row, cie->ra_reg);
	bool is_stub = arch->link_reg != ARCH_NO_REG && cie->ra_reg == arch->link_reg &&
		       !cie->is_signal && !row->cfa_is_expression && ra->how == CFI_AT_CFA &&
		       ra->value >= 0 && ra->value < arch->stack_align;
	return is_stub ? arch->stack_align : 0;
}

/* The caller's stack pointer is so much higher than the CFA that the rule was made with. */
static void raise_cfa(struct rule *rule, int32_t bytes)
{
	rule->cfa_offset += bytes;
	rule->ra_offset -= bytes;
	if (rule->fp_offset != RULE_FP_SAME)
		rule->fp_offset -= bytes;
	for (unsigned i = 0; i < rule->register_count; i++) {
		struct rule_register *r = &rule->registers[i];
		if (r->how == CFI_AT_CFA || r->how == CFI_IS_CFA)
			r->value -= bytes;
	}
}

static size_t fill(union rule_buffer *b, const struct arch *arch, const struct cfi_section *section,
		   const struct cfi_cie *cie, const struct cfi_row *row)
{
	struct rule *rule = &b->rule;
	memset(b, 0, sizeof(*b)); /* padding too: the bytes are hashed */
	rule->kind = choose_kind(arch, cie, row);
	rule->is_signal = cie->is_signal;
	if (rule->kind == RULE_ROOT || rule->kind == RULE_NO_CFI)
		return sizeof(*rule);
	rule->cfa_is_fp = row->cfa_reg == arch->fp;
	rule->cfa_is_expression = row->cfa_is_expression;
	rule->resumes = !cie->is_signal && resumes_exceptions(arch, row);
	rule->cfa_reg = row->cfa_is_expression ? 0 : row->cfa_reg;
	rule->ra_reg = (uint8_t)cie->ra_reg;
	rule->cfa_offset = row->cfa_offset;
	rule->ra_offset = row->reg[cie->ra_reg].value;
	rule->fp_offset =
		row->reg[arch->fp].how == CFI_AT_CFA ? row->reg[arch->fp].value : RULE_FP_SAME;
	rule->section = section;
	for (unsigned i = 0; i < arch->reg_count; i++) {
		if (row->reg[i].how == CFI_UNSPECIFIED)
			continue;
		struct rule_register *r = &rule->registers[rule->register_count++];
		r->reg = (uint8_t)i;
		r->how = row->reg[i].how;
		r->value = row->reg[i].value;
	}
	raise_cfa(rule, pushed_before(arch, cie, row));
	return sizeof(*rule) + rule->register_count * sizeof(struct rule_register);
}

static uint32_t intern(struct rule_set *set, const union rule_buffer *b, size_t len)
{
	for (uint64_t seed = 0;; seed++) {
		uint64_t hash = hash_bytes(b, len, seed);
		uint32_t index = hmap_get(&set->by_hash, hash);
		if (index == HMAP_NONE) {
			struct rule *copy = arena_alloc(&set->arena, len);
			memcpy(copy, b, len);
			index = (uint32_t)set->rules.len;
			vec_push(&set->rules, copy);
			hmap_put(&set->by_hash, hash, index);
			return index;
		}
		const struct rule *known = set->rules.data[index];
		if (known->register_count == b->rule.register_count && memcmp(known, b, len) == 0)
			return index;
	}
}

uint32_t rule_intern(struct rule_set *set, const struct arch *arch,
		     const struct cfi_section *section, const struct cfi_cie *cie,
		     const struct cfi_row *row)
{
	union rule_buffer b;
	return intern(set, &b, fill(&b, arch, section, cie, row));
}

uint32_t rule_intern_copy(struct rule_set *set, const struct rule *rule)
{
	union rule_buffer b;
	size_t registers = rule->register_count * sizeof(struct rule_register);
	memset(&b, 0, sizeof(b)); /* padding too */
	b.rule.kind = rule->kind;
	b.rule.is_signal = rule->is_signal;
	b.rule.cfa_is_fp = rule->cfa_is_fp;
	b.rule.cfa_is_expression = rule->cfa_is_expression;
	b.rule.cfa_is_loaded = rule->cfa_is_loaded;
	b.rule.resumes = rule->resumes;
	b.rule.cfa_reg = rule->cfa_reg;
	b.rule.ra_reg = rule->ra_reg;
	b.rule.register_count = rule->register_count;
	b.rule.cfa_offset = rule->cfa_offset;
	b.rule.ra_offset = rule->ra_offset;
	b.rule.fp_offset = rule->fp_offset;
	b.rule.section = rule->section;
	memcpy(b.rule.registers, rule->registers, registers);
	return intern(set, &b, sizeof(struct rule) + registers);
}

void rule_set_release(struct rule_set *set)
{
	arena_release(&set->arena);
	hmap_release(&set->by_hash);
	vec_release(&set->rules);
}
