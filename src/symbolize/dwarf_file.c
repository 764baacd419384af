/* The debug sections of one file, the headers of its units, and reading single DIEs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

static const char *const section_names[DWARF_SECTION_COUNT] = {
	[DWARF_INFO] = ".debug_info",
	[DWARF_TYPES] = ".debug_types",
	[DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_LINE] = ".debug_line",
	[DWARF_STR] = ".debug_str",
	[DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_ADDR] = ".debug_addr",
	[DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists",
	[DWARF_ARANGES] = ".debug_aranges",
};

/* In a .dwo file each type has a section of its own, all with one name; they share the other
 * sections. */
static bool take_section(struct elf_image *image, enum dwarf_section which, const char *suffix,
			 struct elf_section *out)
{
	bool joined = suffix[0] && (which == DWARF_INFO || which == DWARF_TYPES);
	char name[64];

	snprintf(name, sizeof(name), "%s%s", section_names[which], suffix);
	return joined ? elf_image_joined_section(image, name, out)
		      : elf_image_section(image, name, out);
}

struct dwarf_file *dwarf_file_new(struct dwarf_info *d, struct elf_image *image, const char *suffix)
{
	struct dwarf_file *f = xcalloc(1, sizeof(*f));

	f->info = d;
	f->split = suffix[0] != '\0';
	for (size_t i = 0; image && i < DWARF_SECTION_COUNT; i++) {
		struct elf_section s;
		if (!take_section(image, (enum dwarf_section)i, suffix, &s))
			continue;
		if (!s.data && !s.nobits && !f->lost)
			f->lost = section_names[i];
		f->sections[i] = (struct dwarf_bytes){ s.data, s.data ? s.len : 0 };
	}
	vec_push(&d->files, f);
	return f;
}

/* The length of a unit, and whether its offsets have 4 or 8 bytes. */
static uint64_t read_length(struct bytes_reader *r, uint8_t *offset_width)
{
	uint64_t len = dwarf_fixed(r, 4);

	*offset_width = len == UINT32_MAX ? 8 : 4;
	if (len == UINT32_MAX)
		return dwarf_fixed(r, 8);
	if (len >= 0xfffffff0u) /* reserved */
		r->failed = true;
	return len;
}

/* What stands between the length and the first DIE. */
static void read_header(struct bytes_reader *r, struct dwarf_unit *u)
{
	u->widths.version = (uint8_t)dwarf_fixed(r, 2);
	if (u->widths.version >= 5) {
		u->type = reader_u8(r);
		u->widths.address = reader_u8(r);
		u->abbrev_offset = dwarf_fixed(r, u->widths.offset);
	} else {
		u->type = u->section == DWARF_TYPES ? DW_UT_type : DW_UT_compile;
		u->abbrev_offset = dwarf_fixed(r, u->widths.offset);
		u->widths.address = reader_u8(r);
	}
	if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
		u->signature = dwarf_fixed(r, 8);
		u->type_die = u->offset + dwarf_fixed(r, u->widths.offset);
	} else if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile) {
		u->signature = dwarf_fixed(r, 8);
	}
}

static bool is_known(const struct dwarf_unit *u)
{
	return u->widths.version >= 2 && u->widths.version <= 5 &&
	       (u->widths.address == 4 || u->widths.address == 8) && u->type >= DW_UT_compile &&
	       u->type <= DW_UT_split_type;
}

/* The unit whose header is at offset, or NULL. *next: where the one behind it is; 0 at damage. */
static struct dwarf_unit *read_unit(struct dwarf_file *f, enum dwarf_section section,
				    uint64_t offset, uint64_t *next)
{
	struct dwarf_bytes bytes = f->sections[section];
	struct dwarf_unit head = { .file = f, .section = section, .offset = offset };
	struct bytes_reader r;

	reader_init(&r, bytes.data + offset, bytes.len - offset);
	uint64_t len = read_length(&r, &head.widths.offset);
	*next = 0;
	if (r.failed)
		return NULL;
	if (len > reader_left(&r)) {
		f->cut = true;
		len = reader_left(&r);
	}
	head.end = bytes.len - reader_left(&r) + len;
	*next = head.end;
	r.end = r.pos + len;
	read_header(&r, &head);
	head.first_die = head.end - reader_left(&r);
	if (r.failed || !is_known(&head))
		return NULL;
	struct dwarf_unit *u = xmalloc(sizeof(*u));
	*u = head;
	return u;
}

static void remember_signature(struct dwarf_file *f, struct dwarf_unit *u)
{
	if (u->type != DW_UT_type && u->type != DW_UT_split_type)
		return;
	hmap_put(&f->by_signature, u->signature, (uint32_t)f->signed_units.len);
	vec_push(&f->signed_units, u);
}

void dwarf_file_read_units(struct dwarf_file *f)
{
	uint64_t next;

	for (uint64_t at = 0; at < f->sections[DWARF_INFO].len; at = next) {
		struct dwarf_unit *u = read_unit(f, DWARF_INFO, at, &next);
		if (u) {
			vec_push(&f->units, u);
			remember_signature(f, u);
		}
		if (!next)
			break;
	}
}

static void read_type_units(struct dwarf_file *f)
{
	uint64_t next;

	f->types_read = true;
	for (uint64_t at = 0; at < f->sections[DWARF_TYPES].len; at = next) {
		struct dwarf_unit *u = read_unit(f, DWARF_TYPES, at, &next);
		if (u) {
			vec_push(&f->types, u);
			remember_signature(f, u);
		}
		if (!next)
			break;
	}
}

struct dwarf_unit *dwarf_file_unit_at(struct dwarf_file *f, uint64_t offset)
{
	size_t low = 0, high = f->units.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->units.data[middle]->end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->units.len && f->units.data[low]->offset <= offset ? f->units.data[low]
									  : NULL;
}

struct dwarf_unit *dwarf_file_type_unit(struct dwarf_file *f, uint64_t signature)
{
	if (!f->types_read)
		read_type_units(f);
	uint32_t index = hmap_get(&f->by_signature, signature);
	return index == HMAP_NONE ? NULL : f->signed_units.data[index];
}

void dwarf_file_free(struct dwarf_file *f)
{
	for (size_t i = 0; i < f->units.len; i++)
		dwarf_unit_release(f->units.data[i]);
	for (size_t i = 0; i < f->types.len; i++)
		dwarf_unit_release(f->types.data[i]);
	for (size_t i = 0; i < f->abbrev_list.len; i++) {
		dwarf_abbrevs_release(f->abbrev_list.data[i]);
		free(f->abbrev_list.data[i]);
	}
	vec_release(&f->units);
	vec_release(&f->types);
	vec_release(&f->signed_units);
	vec_release(&f->abbrev_list);
	hmap_release(&f->by_signature);
	hmap_release(&f->abbrevs_at);
	elf_image_free(f->owned);
	free(f);
}

struct dwarf_bytes dwarf_unit_bytes(const struct dwarf_unit *u)
{
	return u->file->sections[u->section];
}

/* Reads the attributes that the steps say. */
static void read_attributes(const struct dwarf_unit *u, struct bytes_reader *r,
			    const struct dwarf_step *step, uint32_t count, struct dwarf_die *out)
{
	const uint8_t *data = dwarf_unit_bytes(u).data;

	for (const struct dwarf_step *end = step + count; step < end; step++) {
		if (step->skip) {
			reader_take(r, step->skip);
			continue;
		}
		if (step->slot == SLOT_NONE) {
			dwarf_value_skip(r, step->form, &u->widths);
			continue;
		}
		struct dwarf_value *v = &out->values[step->slot];
		if (step->fixed && step->fixed <= 8) {
			v->form = step->form;
			v->number = dwarf_fixed(r, step->fixed);
		} else if (step->form == DW_FORM_implicit_const) {
			v->form = step->form;
			v->number = (uint64_t)step->constant;
		} else {
			*v = dwarf_value_read(r, step->form, &u->widths, data);
		}
		out->seen |= 1u << step->slot;
	}
}

bool dwarf_die_read(const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
		    struct bytes_reader *r, struct dwarf_die *out)
{
	out->offset = (uint64_t)(r->pos - dwarf_unit_bytes(u).data);
	out->seen = 0;
	out->tag = 0;
	out->children = false;
	uint64_t code = dwarf_uleb(r);
	if (code == 0)
		return !r->failed;
	const struct dwarf_abbrev *a = dwarf_abbrev_find(abbrevs, code);
	if (!a || r->failed)
		return false;
	out->tag = a->tag;
	out->children = a->children;
	if (a->step_count)
		read_attributes(u, r, &abbrevs->steps.data[a->first_step], a->step_count, out);
	return !r->failed;
}

static void reader_at(const struct dwarf_unit *u, uint64_t offset, struct bytes_reader *r)
{
	reader_init(r, dwarf_unit_bytes(u).data + offset, u->end - offset);
}

bool dwarf_die_at(struct dwarf_unit *u, uint64_t offset, struct dwarf_die *out)
{
	const struct dwarf_abbrevs *abbrevs = dwarf_abbrevs_of(u);
	struct bytes_reader r;

	if (!abbrevs || offset < u->first_die || offset >= u->end)
		return false;
	reader_at(u, offset, &r);
	return dwarf_die_read(u, abbrevs, &r, out) && out->tag;
}

/* A number, or otherwise if the attribute is missing. */
static uint64_t number_or(const struct dwarf_die *d, enum dwarf_slot slot, uint64_t otherwise)
{
	return dwarf_die_has(d, slot) ? d->values[slot].number : otherwise;
}

static const char *string_or_null(const struct dwarf_unit *u, const struct dwarf_die *d,
				  enum dwarf_slot slot)
{
	return dwarf_die_has(d, slot) ? dwarf_value_string(u, d->values[slot]) : NULL;
}

/* Split units of DWARF 5 do not say where their tables begin: behind the tables' only header. */
static uint64_t implied_base(const struct dwarf_unit *u, uint64_t header)
{
	return u->file->split && u->widths.version >= 5 ? header : 0;
}

static void take_attributes(struct dwarf_unit *u, const struct dwarf_die *die)
{
	uint64_t header = u->widths.offset == 8 ? 16 : 8;

	u->tag = die->tag;
	u->str_offsets_base = number_or(die, SLOT_STR_OFFSETS_BASE, implied_base(u, header));
	u->rnglists_base = number_or(die, SLOT_RNGLISTS_BASE, implied_base(u, header + 4));
	u->addr_base = number_or(die, SLOT_ADDR_BASE, 0);
	u->gnu_ranges_base = number_or(die, SLOT_GNU_RANGES_BASE, 0);
	if (dwarf_die_has(die, SLOT_DWO_ID))
		u->signature = die->values[SLOT_DWO_ID].number;
	u->folder = string_or_null(u, die, SLOT_COMP_DIR);
	u->build = dwarf_producer_build(string_or_null(u, die, SLOT_PRODUCER));
	bool skeleton = u->type == DW_UT_skeleton ||
			(u->widths.version < 5 && dwarf_die_has(die, SLOT_DWO_ID));
	if (skeleton && !u->file->split) {
		u->dwo_name = string_or_null(u, die, SLOT_DWO_NAME);
		if (!u->dwo_name)
			u->dwo_name = "(unnamed)";
	}
	u->has_lines = dwarf_die_has(die, SLOT_STMT_LIST);
	u->line_offset = number_or(die, SLOT_STMT_LIST, 0);
	u->low_pc = 0;
	u->has_low_pc = dwarf_die_has(die, SLOT_LOW_PC) &&
			dwarf_value_address(u, die->values[SLOT_LOW_PC], &u->low_pc);
	u->high_pc = dwarf_die_has(die, SLOT_HIGH_PC) ? die->values[SLOT_HIGH_PC]
						      : (struct dwarf_value){ 0 };
	u->ranges = dwarf_die_has(die, SLOT_RANGES) ? die->values[SLOT_RANGES]
						    : (struct dwarf_value){ 0 };
}

bool dwarf_unit_attributes(struct dwarf_unit *u, struct dwarf_abbrevs *scratch)
{
	const struct dwarf_abbrevs *abbrevs = scratch;
	struct bytes_reader r;
	struct dwarf_die die;

	if (u->has_attributes)
		return u->tag != 0;
	u->has_attributes = true;
	reader_at(u, u->first_die, &r);
	if (!scratch) {
		abbrevs = dwarf_abbrevs_of(u);
	} else {
		struct bytes_reader peek = r;
		if (!dwarf_abbrev_read_one(u, dwarf_uleb(&peek), scratch))
			return false;
	}
	if (!abbrevs || !dwarf_die_read(u, abbrevs, &r, &die) || !die.tag)
		return false;
	take_attributes(u, &die);
	return true;
}
