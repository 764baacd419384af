/*
 * Abbreviation tables, compiled to steps: attributes that nobody looks at become one number of
 * bytes to pass over. Tables are read when a unit needs them and shared by the units of a file that
 * refer to the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

#define MAX_SKIP ((uint32_t)1 << 30)

/* Which slot an attribute goes to. */
static enum dwarf_slot slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_name:
		return SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return SLOT_LINKAGE_NAME;
	case DW_AT_low_pc:
		return SLOT_LOW_PC;
	case DW_AT_high_pc:
		return SLOT_HIGH_PC;
	case DW_AT_ranges:
		return SLOT_RANGES;
	case DW_AT_abstract_origin:
		return SLOT_ORIGIN;
	case DW_AT_specification:
		return SLOT_SPECIFICATION;
	case DW_AT_sibling:
		return SLOT_SIBLING;
	case DW_AT_declaration:
		return SLOT_DECLARATION;
	case DW_AT_call_file:
		return SLOT_CALL_FILE;
	case DW_AT_call_line:
		return SLOT_CALL_LINE;
	case DW_AT_decl_file:
		return SLOT_DECL_FILE;
	case DW_AT_decl_line:
		return SLOT_DECL_LINE;
	case DW_AT_signature:
		return SLOT_SIGNATURE;
	default:
		return SLOT_NONE;
	}
}

static enum dwarf_slot slot_of_unit(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_low_pc:
		return SLOT_LOW_PC;
	case DW_AT_high_pc:
		return SLOT_HIGH_PC;
	case DW_AT_ranges:
		return SLOT_RANGES;
	case DW_AT_stmt_list:
		return SLOT_STMT_LIST;
	case DW_AT_comp_dir:
		return SLOT_COMP_DIR;
	case DW_AT_producer:
		return SLOT_PRODUCER;
	case DW_AT_str_offsets_base:
		return SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return SLOT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return SLOT_GNU_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return SLOT_DWO_ID;
	default:
		return SLOT_NONE;
	}
}

static enum dwarf_slot wanted_slot(uint16_t tag, uint64_t attribute)
{
	enum dwarf_slot slot;

	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_type_unit:
		return slot_of_unit(attribute);
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return slot_of(attribute);
	default:
		slot = slot_of(attribute);
		return slot == SLOT_NAME || slot == SLOT_DECL_LINE || slot == SLOT_SIBLING ||
				       slot == SLOT_ORIGIN || slot == SLOT_SPECIFICATION ||
				       slot == SLOT_SIGNATURE
			       ? slot
			       : SLOT_NONE;
	}
}

/* Only scopes have names that matter; variables and members are passed over. */
static bool is_leaf(uint16_t tag, bool children)
{
	return !children && tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
	       tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit &&
	       tag != DW_TAG_skeleton_unit && tag != DW_TAG_type_unit && tag != DW_TAG_namespace &&
	       tag != DW_TAG_class_type && tag != DW_TAG_structure_type && tag != DW_TAG_union_type;
}

/* Joins a step that passes over fixed bytes to one before it. */
static void add_step(struct dwarf_abbrevs *out, uint32_t first, struct dwarf_step step)
{
	struct dwarf_step *last =
		out->steps.len > first ? &out->steps.data[out->steps.len - 1] : NULL;

	if (step.slot == SLOT_NONE && step.skip && last && last->slot == SLOT_NONE && last->skip &&
	    last->skip < MAX_SKIP)
		last->skip += step.skip;
	else
		vec_push(&out->steps, step);
}

/* The attributes of one declaration. */
static bool read_steps(struct bytes_reader *r, const struct dwarf_widths *w, struct dwarf_abbrev *a,
		       struct dwarf_abbrevs *out)
{
	bool leaf = is_leaf(a->tag, a->children);

	for (;;) {
		uint64_t name = dwarf_uleb(r), form = dwarf_uleb(r);
		struct dwarf_step step = { 0 };
		if (form == DW_FORM_implicit_const)
			step.constant = dwarf_sleb(r);
		if (r->failed || form > UINT16_MAX)
			return false;
		if (!name && !form)
			break;
		step.form = (uint16_t)form;
		step.slot = (uint8_t)(leaf ? SLOT_NONE : wanted_slot(a->tag, name));
		if (!dwarf_form_width(step.form, w, &step.fixed))
			return false;
		step.skip = step.slot == SLOT_NONE ? step.fixed : 0;
		/* Flags that are only their presence have no bytes. */
		if (step.slot == SLOT_NONE &&
		    (step.form == DW_FORM_flag_present || step.form == DW_FORM_implicit_const))
			continue;
		add_step(out, a->first_step, step);
	}
	a->step_count = (uint32_t)out->steps.len - a->first_step;
	return true;
}

/* The next declaration of a table. false at its end (*end) or at damage. */
static bool read_declaration(struct bytes_reader *r, const struct dwarf_widths *w,
			     struct dwarf_abbrevs *out, struct dwarf_abbrev *a, bool *end)
{
	*a = (struct dwarf_abbrev){ .code = dwarf_uleb(r), .first_step = (uint32_t)out->steps.len };
	*end = r->failed || a->code == 0;
	if (*end)
		return false;
	uint64_t tag = dwarf_uleb(r);
	a->children = reader_u8(r) != 0;
	a->tag = (uint16_t)tag;
	return tag <= UINT16_MAX && read_steps(r, w, a, out);
}

static int compare_codes(const void *left, const void *right)
{
	const struct dwarf_abbrev *a = left, *b = right;

	return a->code < b->code ? -1 : a->code > b->code;
}

static void sort_codes(struct dwarf_abbrevs *a)
{
	for (size_t i = 1; i < a->list.len; i++)
		if (a->list.data[i - 1].code >= a->list.data[i].code) {
			qsort(a->list.data, a->list.len, sizeof(*a->list.data), compare_codes);
			return;
		}
}

static bool start_reading(const struct dwarf_unit *u, struct bytes_reader *r)
{
	struct dwarf_bytes section = u->file->sections[DWARF_ABBREV];

	if (u->abbrev_offset >= section.len)
		return false;
	reader_init(r, section.data + u->abbrev_offset, section.len - u->abbrev_offset);
	return true;
}

/* Tables of which each is read once have no more bytes than the section; for each combination of
 * widths. More is a file whose units point into the middle of each other's. */
static bool is_too_much(const struct dwarf_file *f)
{
	return f->abbrev_bytes > 8 * (uint64_t)f->sections[DWARF_ABBREV].len + 4096;
}

static struct dwarf_abbrevs *read_table(struct dwarf_unit *u)
{
	struct dwarf_abbrevs *a;
	struct dwarf_abbrev next;
	struct bytes_reader r;
	bool end = true;

	if (is_too_much(u->file) || !start_reading(u, &r))
		return NULL;
	const uint8_t *start = r.pos;
	a = xcalloc(1, sizeof(*a));
	while (read_declaration(&r, &u->widths, a, &next, &end))
		vec_push(&a->list, next);
	u->file->abbrev_bytes += (uint64_t)(r.pos - start);
	/* What is before the damage still serves. */
	sort_codes(a);
	return a;
}

const struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_unit *u)
{
	struct dwarf_file *f = u->file;
	uint64_t key = u->abbrev_offset << 16 ^ (uint64_t)u->widths.version << 8 ^
		       (uint64_t)u->widths.address << 4 ^ u->widths.offset;

	if (u->abbrevs)
		return u->abbrevs;
	uint32_t index = hmap_get(&f->abbrevs_at, key);
	if (index == HMAP_NONE) {
		struct dwarf_abbrevs *a = read_table(u);
		if (!a)
			return NULL;
		index = (uint32_t)f->abbrev_list.len;
		vec_push(&f->abbrev_list, a);
		hmap_put(&f->abbrevs_at, key, index);
	}
	u->abbrevs = f->abbrev_list.data[index];
	return u->abbrevs;
}

const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *a, uint64_t code)
{
	size_t low = 0, high = a->list.len;

	/* Compilers number from 1 without gaps. */
	if (code - 1 < a->list.len && a->list.data[code - 1].code == code)
		return &a->list.data[code - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (a->list.data[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->list.len && a->list.data[low].code == code ? &a->list.data[low] : NULL;
}

/* Passes over the rest of a declaration, from its tag on. */
static void skip_declaration(struct bytes_reader *r)
{
	uint64_t name = 1, form = 1;

	dwarf_uleb(r);
	reader_u8(r);
	while ((name || form) && !r->failed) {
		name = dwarf_uleb(r);
		form = dwarf_uleb(r);
		if (form == DW_FORM_implicit_const)
			dwarf_sleb(r);
	}
}

bool dwarf_abbrev_read_one(const struct dwarf_unit *u, uint64_t code, struct dwarf_abbrevs *out)
{
	struct dwarf_abbrev found;
	struct bytes_reader r;
	bool end;

	vec_clear(&out->list);
	vec_clear(&out->steps);
	if (!start_reading(u, &r))
		return false;
	const uint8_t *start = r.pos;
	for (;;) {
		struct bytes_reader declaration = r;
		uint64_t next = dwarf_uleb(&r);
		if (r.failed || next == 0)
			break;
		if (next == code) {
			if (read_declaration(&declaration, &u->widths, out, &found, &end))
				vec_push(&out->list, found);
			r = declaration;
			break;
		}
		skip_declaration(&r);
	}
	return dwarf_spend(u->file->info, (uint64_t)(r.pos - start)) && out->list.len > 0;
}

void dwarf_abbrevs_release(struct dwarf_abbrevs *a)
{
	vec_release(&a->list);
	vec_release(&a->steps);
}
