/* CFI of generated code: one address at a time, without a table or an index. */
#include "unwind/generated.h"

#define ENTRIES_MAX 64 /* of one piece of code: it has one CIE and one FDE */

struct wanted_row {
	uint64_t address;
	bool found;
	struct cfi_row row; /* the last one that begins at or before the address */
};

static int take_row(void *ctx, uint64_t start, const struct cfi_row *row)
{
	struct wanted_row *wanted = ctx;

	if (start > wanted->address)
		return 1;
	wanted->row = *row;
	wanted->found = true;
	return 0;
}

static bool has_expression(const struct cfi_row *row)
{
	for (unsigned i = 0; i < UNWIND_MAX_REGS; i++)
		if (row->reg[i].how == CFI_AT_EXPRESSION || row->reg[i].how == CFI_IS_EXPRESSION)
			return true;
	return row->cfa_is_expression;
}

static bool find_fde(const struct cfi_section *s, uint64_t address, struct cfi_fde *out)
{
	uint64_t offset = 0;

	*out = (struct cfi_fde){ .cie.offset = CFI_NO_OFFSET };
	for (int i = 0; i < ENTRIES_MAX; i++) {
		enum cfi_entry_kind kind = cfi_next(s, &offset, out);
		if (kind == CFI_END)
			return false;
		if (kind == CFI_FDE && address >= out->start && address < out->end)
			return true;
	}
	return false;
}

const struct rule *generated_rule_at(struct rule_set *set, const struct arch *arch,
				     const struct unwind_cfi *cfi, uint64_t address)
{
	struct cfi_section section = { .data = cfi->eh_frame,
				       .len = cfi->len,
				       .vaddr = cfi->address,
				       .text_base = cfi->text_base };
	struct wanted_row wanted = { .address = address };
	struct cfi_fde fde;

	if (cfi->len == 0 || cfi->len > CFI_SECTION_MAX ||
	    set->rules.len > (size_t)2 * GENERATED_RULES_KEPT || !find_fde(&section, address, &fde))
		return NULL;
	if (cfi_run(&section, &fde, take_row, &wanted) < 0 || !wanted.found ||
	    has_expression(&wanted.row))
		return NULL;
	uint32_t index = rule_intern(set, arch, NULL, &fde.cie, &wanted.row);
	const struct rule *rule = set->rules.data[index];
	return rule->kind == RULE_NO_CFI ? NULL : rule;
}
