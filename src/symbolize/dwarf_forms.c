/* Values of attributes: how long each form is, and what a value means. */
#include <string.h>

#include "symbolize/dwarf_private.h"

#define LEB_BYTES 16 /* linkers pad numbers; nobody pads further than this */

uint64_t dwarf_uleb_long(struct bytes_reader *r)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < LEB_BYTES; i++) {
		uint8_t byte = reader_u8(r);
		if (i < 10)
			v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return v;
	}
	r->failed = true;
	return 0;
}

int64_t dwarf_sleb(struct bytes_reader *r)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < LEB_BYTES; i++) {
		uint8_t byte = reader_u8(r);
		if (i < 10)
			v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && i < 9)
			v |= ~(uint64_t)0 << (7 * (i + 1));
		return (int64_t)v;
	}
	r->failed = true;
	return 0;
}

/* Bytes of the forms of constant width. */
static const uint8_t widths[] = {
	[DW_FORM_data1] = 1,   [DW_FORM_flag] = 1,  [DW_FORM_ref1] = 1,	    [DW_FORM_strx1] = 1,
	[DW_FORM_addrx1] = 1,  [DW_FORM_data2] = 2, [DW_FORM_ref2] = 2,	    [DW_FORM_strx2] = 2,
	[DW_FORM_addrx2] = 2,  [DW_FORM_strx3] = 3, [DW_FORM_addrx3] = 3,   [DW_FORM_data4] = 4,
	[DW_FORM_ref4] = 4,    [DW_FORM_strx4] = 4, [DW_FORM_addrx4] = 4,   [DW_FORM_ref_sup4] = 4,
	[DW_FORM_data8] = 8,   [DW_FORM_ref8] = 8,  [DW_FORM_ref_sig8] = 8, [DW_FORM_ref_sup8] = 8,
	[DW_FORM_data16] = 16,
};

bool dwarf_form_width(uint16_t form, const struct dwarf_widths *w, uint8_t *out)
{
	*out = form < ARRAY_LEN(widths) ? widths[form] : 0;
	if (*out)
		return true;
	switch (form) {
	case DW_FORM_addr:
		*out = w->address;
		return true;
	case DW_FORM_ref_addr:
		*out = w->version < 3 ? w->address : w->offset;
		return true;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		*out = w->offset;
		return true;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
	case DW_FORM_string:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_indirect:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return true;
	default:
		return false;
	}
}

/* The length in front of a block; false when the form is no block. */
static bool block_length(struct bytes_reader *r, uint16_t form, uint64_t *len)
{
	switch (form) {
	case DW_FORM_block:
	case DW_FORM_exprloc:
		*len = dwarf_uleb(r);
		return true;
	case DW_FORM_block1:
		*len = dwarf_fixed(r, 1);
		return true;
	case DW_FORM_block2:
		*len = dwarf_fixed(r, 2);
		return true;
	case DW_FORM_block4:
		*len = dwarf_fixed(r, 4);
		return true;
	default:
		return false;
	}
}

/* An indirect form stands in front of its value, and is never indirect itself. */
static uint16_t read_indirect(struct bytes_reader *r)
{
	uint64_t form = dwarf_uleb(r);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		r->failed = true;
		return 0;
	}
	return (uint16_t)form;
}

struct dwarf_value dwarf_value_read(struct bytes_reader *r, uint16_t form,
				    const struct dwarf_widths *w, const uint8_t *data)
{
	struct dwarf_value v = { .form = form };
	uint64_t len;
	uint8_t width;

	if (form == DW_FORM_indirect)
		v.form = read_indirect(r);
	if (!dwarf_form_width(v.form, w, &width)) {
		r->failed = true;
	} else if (width) {
		v.number = dwarf_fixed(r, width < 8 ? width : 8);
		if (width > 8)
			reader_take(r, width - 8u);
	} else if (v.form == DW_FORM_flag_present) {
		v.number = 1;
	} else if (v.form == DW_FORM_sdata) {
		v.number = (uint64_t)dwarf_sleb(r);
	} else if (v.form == DW_FORM_string) {
		v.number = (uint64_t)(r->pos - data);
		reader_cstring(r, NULL);
	} else if (block_length(r, v.form, &len)) {
		reader_take(r, len);
	} else {
		v.number = dwarf_uleb(r);
	}
	return v;
}

void dwarf_value_skip(struct bytes_reader *r, uint16_t form, const struct dwarf_widths *w)
{
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
		dwarf_uleb(r);
		break;
	case DW_FORM_exprloc:
		reader_take(r, dwarf_uleb(r));
		break;
	default:
		dwarf_value_read(r, form, w, r->pos);
	}
}

/* The string at an offset of a section, when it ends inside. */
static const char *string_in(struct dwarf_bytes section, uint64_t offset)
{
	if (offset >= section.len)
		return NULL;
	/* Sections of strings end with NUL, so the search is for damaged ones. */
	if (section.data[section.len - 1] != '\0' &&
	    !memchr(section.data + offset, 0, section.len - offset))
		return NULL;
	return (const char *)section.data + offset;
}

static const char *indexed_string(const struct dwarf_unit *u, uint64_t index)
{
	struct dwarf_bytes offsets = u->file->sections[DWARF_STR_OFFSETS];
	struct bytes_reader r;
	uint64_t at;

	if (__builtin_mul_overflow(index, u->widths.offset, &at) ||
	    __builtin_add_overflow(at, u->str_offsets_base, &at) || at >= offsets.len)
		return NULL;
	reader_init(&r, offsets.data + at, offsets.len - at);
	uint64_t offset = dwarf_fixed(&r, u->widths.offset);
	return r.failed ? NULL : string_in(u->file->sections[DWARF_STR], offset);
}

const char *dwarf_value_string(const struct dwarf_unit *u, struct dwarf_value v)
{
	switch (v.form) {
	case DW_FORM_string:
		return string_in(u->file->sections[u->section], v.number);
	case DW_FORM_strp:
		return string_in(u->file->sections[DWARF_STR], v.number);
	case DW_FORM_line_strp:
		return string_in(u->file->sections[DWARF_LINE_STR], v.number);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return u->file->alternate
			       ? string_in(u->file->alternate->sections[DWARF_STR], v.number)
			       : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(u, v.number);
	default:
		return NULL;
	}
}

bool dwarf_address_at(const struct dwarf_unit *u, uint64_t index, uint64_t *out)
{
	struct dwarf_bytes addresses = u->file->sections[DWARF_ADDR];
	struct bytes_reader r;
	uint64_t at;

	if (__builtin_mul_overflow(index, u->widths.address, &at) ||
	    __builtin_add_overflow(at, u->addr_base, &at) || at >= addresses.len)
		return false;
	reader_init(&r, addresses.data + at, addresses.len - at);
	*out = dwarf_fixed(&r, u->widths.address);
	return !r.failed;
}

bool dwarf_value_address(const struct dwarf_unit *u, struct dwarf_value v, uint64_t *out)
{
	switch (v.form) {
	case DW_FORM_addr:
		*out = v.number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_address_at(u, v.number, out);
	default:
		return false;
	}
}

static bool found_in(struct dwarf_unit *u, uint64_t die, struct dwarf_unit **unit, uint64_t *out)
{
	*unit = u;
	*out = die;
	return u && die >= u->first_die && die < u->end;
}

bool dwarf_value_die(struct dwarf_unit *u, struct dwarf_value v, struct dwarf_unit **unit,
		     uint64_t *die)
{
	struct dwarf_file *other = u->file->alternate;
	struct dwarf_unit *type;

	switch (v.form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return v.number < u->end - u->offset &&
		       found_in(u, u->offset + v.number, unit, die);
	case DW_FORM_ref_addr:
		return found_in(dwarf_file_unit_at(u->file, v.number), v.number, unit, die);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return other && found_in(dwarf_file_unit_at(other, v.number), v.number, unit, die);
	case DW_FORM_ref_sig8:
		type = dwarf_file_type_unit(u->file, v.number);
		return type && found_in(type, type->type_die, unit, die);
	default:
		return false;
	}
}
