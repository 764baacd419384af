/* The index of a .dwp package: a hash table from unit id to the unit's part of each section. */
#include <string.h>

#include "symbolize/dwarf_private.h"

#define MAX_COLUMNS 16

struct package_index {
	uint64_t columns, units, slots;
	struct bytes_reader hashes, rows, contents; /* contents: ids, offsets, sizes */
};

static bool read_header(const struct elf_section *s, struct package_index *x, uint16_t *version)
{
	struct bytes_reader r;

	reader_init(&r, s->data, s->len);
	/* Version 2 is a word, version 5 half of one with padding behind. */
	uint32_t word = reader_u32(&r);
	*version = (uint16_t)word;
	x->columns = reader_u32(&r);
	x->units = reader_u32(&r);
	x->slots = reader_u32(&r);
	const uint8_t *hashes = reader_take(&r, x->slots * 8);
	const uint8_t *rows = reader_take(&r, x->slots * 4);
	if (r.failed || (word != 2 && *version != 5) || !x->columns || x->columns > MAX_COLUMNS ||
	    !x->slots || (x->slots & (x->slots - 1)))
		return false;
	reader_init(&x->hashes, hashes, x->slots * 8);
	reader_init(&x->rows, rows, x->slots * 4);
	x->contents = r;
	return true;
}

/* A word or double word of a table; 0 beyond its end. */
static uint64_t at(struct bytes_reader table, uint64_t index, size_t width)
{
	return reader_take(&table, index * width) ? dwarf_fixed(&table, width) : 0;
}

/* The row of id, counted from 1; 0 when it is not there. */
static uint64_t find_row(const struct package_index *x, uint64_t id)
{
	uint64_t mask = x->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;

	for (uint64_t i = 0; i < x->slots; i++) {
		uint64_t row = at(x->rows, slot, 4);
		if (!row || row > x->units)
			return 0;
		if (at(x->hashes, slot, 8) == id)
			return row;
		slot = (slot + step) & mask;
	}
	return 0;
}

static enum dwarf_section section_of(uint64_t id, uint16_t version)
{
	switch (id) {
	case DW_SECT_INFO:
		return DWARF_INFO;
	case DW_SECT_ABBREV:
		return DWARF_ABBREV;
	case DW_SECT_LINE:
		return DWARF_LINE;
	case DW_SECT_STR_OFFSETS:
		return DWARF_STR_OFFSETS;
	case DW_SECT_RNGLISTS: /* macros, before version 5 */
		return version == 5 ? DWARF_RNGLISTS : DWARF_SECTION_COUNT;
	default:
		return DWARF_SECTION_COUNT;
	}
}

static bool section_bytes(struct elf_image *package, enum dwarf_section which,
			  struct dwarf_bytes *out)
{
	static const char *const names[DWARF_SECTION_COUNT] = {
		[DWARF_INFO] = ".debug_info.dwo",
		[DWARF_ABBREV] = ".debug_abbrev.dwo",
		[DWARF_LINE] = ".debug_line.dwo",
		[DWARF_STR] = ".debug_str.dwo",
		[DWARF_STR_OFFSETS] = ".debug_str_offsets.dwo",
		[DWARF_RNGLISTS] = ".debug_rnglists.dwo",
	};
	struct elf_section s;

	if (!names[which] || !elf_image_section(package, names[which], &s) || !s.data)
		return false;
	*out = (struct dwarf_bytes){ s.data, s.len };
	return true;
}

/* Cuts the unit's part out of a section. */
static void take_part(struct elf_image *package, enum dwarf_section which, uint64_t offset,
		      uint64_t size, struct dwarf_bytes sections[DWARF_SECTION_COUNT])
{
	struct dwarf_bytes whole;

	if (which != DWARF_SECTION_COUNT && section_bytes(package, which, &whole) &&
	    offset <= whole.len && size <= whole.len - offset)
		sections[which] = (struct dwarf_bytes){ whole.data + offset, size };
}

bool dwarf_package_find(struct elf_image *package, uint64_t id,
			struct dwarf_bytes sections[DWARF_SECTION_COUNT])
{
	struct package_index x;
	struct elf_section s;
	uint16_t version;

	if (!elf_image_section(package, ".debug_cu_index", &s) || !s.data ||
	    !read_header(&s, &x, &version))
		return false;
	uint64_t row = find_row(&x, id);
	if (!row)
		return false;
	for (uint64_t i = 0; i < x.columns; i++) {
		uint64_t cell = x.columns * row + i;
		take_part(package, section_of(at(x.contents, i, 4), version),
			  at(x.contents, cell, 4), at(x.contents, cell + x.columns * x.units, 4),
			  sections);
	}
	section_bytes(package, DWARF_STR, &sections[DWARF_STR]);
	return sections[DWARF_INFO].len && sections[DWARF_ABBREV].len;
}
