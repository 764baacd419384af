/*
 * What libdw gets to see: an ELF file in memory with the debug sections only. So it works on bytes
 * that cannot change under it, needs no decompression of its own (it knows no zstd, and no bounds),
 * has no path and no link from which it could search for further files.
 */
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

static const char *const section_names[DWARF_SECTION_COUNT] = {
	[DWARF_INFO] = ".debug_info",	  [DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_LINE] = ".debug_line",	  [DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_STR] = ".debug_str",	  [DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_RANGES] = ".debug_ranges", [DWARF_RNGLISTS] = ".debug_rnglists",
	[DWARF_ADDR] = ".debug_addr",	  [DWARF_TYPES] = ".debug_types",
};

/* Where a section is in the file that is written. */
struct placed {
	size_t offset, len, name;
};

static void align_to(struct bytes *b, size_t alignment)
{
	while (b->len % alignment)
		bytes_u8(b, 0);
}

static void append_section_header(struct bytes *b, const struct placed *p, uint32_t type)
{
	bytes_u32(b, (uint32_t)p->name);
	bytes_u32(b, type);
	bytes_u64(b, 0); /* flags */
	bytes_u64(b, 0); /* address */
	bytes_u64(b, p->offset);
	bytes_u64(b, p->len);
	bytes_u32(b, 0); /* link */
	bytes_u32(b, 0); /* info */
	bytes_u64(b, 1); /* alignment */
	bytes_u64(b, 0); /* entry size */
}

static void write_file_header(uint8_t *at, size_t section_headers, size_t section_count)
{
	struct bytes b = { 0 };

	bytes_append(&b, ELFMAG "\2\1\1", 7); /* 64 bits, little-endian, current version */
	while (b.len < EI_NIDENT)
		bytes_u8(&b, 0);
	bytes_u16(&b, ET_DYN);
	bytes_u16(&b, EM_X86_64);
	bytes_u32(&b, EV_CURRENT);
	bytes_u64(&b, 0); /* entry */
	bytes_u64(&b, 0); /* program headers */
	bytes_u64(&b, section_headers);
	bytes_u32(&b, 0); /* flags */
	bytes_u16(&b, sizeof(Elf64_Ehdr));
	bytes_u16(&b, 0);
	bytes_u16(&b, 0);
	bytes_u16(&b, sizeof(Elf64_Shdr));
	bytes_u16(&b, (uint16_t)section_count);
	bytes_u16(&b, (uint16_t)(section_count - 1)); /* the names come last */
	memcpy(at, b.data, sizeof(Elf64_Ehdr));
	bytes_release(&b);
}

static void append_names(struct bytes *b, struct placed *sections, struct placed *names,
			 const char *suffix)
{
	names->offset = b->len;
	bytes_u8(b, 0);
	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++) {
		sections[i].name = b->len - names->offset;
		bytes_printf(b, "%s%s", section_names[i], suffix);
		bytes_u8(b, 0);
	}
	names->name = b->len - names->offset;
	bytes_append(b, ".shstrtab", sizeof(".shstrtab"));
	names->len = b->len - names->offset;
}

static void append_section_headers(struct bytes *b, const struct placed *sections,
				   const struct placed *names)
{
	static const struct placed none = { 0 };

	append_section_header(b, &none, SHT_NULL);
	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++)
		append_section_header(b, &sections[i], sections[i].len ? SHT_PROGBITS : SHT_NULL);
	append_section_header(b, names, SHT_STRTAB);
}

static void append_section(struct bytes *b, struct placed *p, const uint8_t *data, size_t len)
{
	if (!len)
		return;
	align_to(b, 16);
	p->offset = b->len;
	p->len = len;
	bytes_append(b, data, len);
}

/* Copies the debug sections of `from`, which forgets them. */
static void append_sections(struct bytes *b, struct placed *sections, struct elf_image *from,
			    const char *suffix, bool *damaged)
{
	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++) {
		char name[64];
		struct elf_section s;
		snprintf(name, sizeof(name), "%s%s", section_names[i], suffix);
		if (!elf_image_section(from, name, &s))
			continue;
		*damaged |= !s.data && !s.nobits;
		append_section(b, &sections[i], s.data, s.len);
		elf_image_forget_section(from, name);
	}
}

static void compose(struct dwarf_image *out, struct elf_image *from,
		    const struct dwarf_split_base *base, bool *damaged)
{
	struct placed sections[DWARF_SECTION_COUNT] = { 0 }, names = { 0 };
	const char *suffix = base ? ".dwo" : "";
	struct bytes *b = &out->elf;

	while (b->len < sizeof(Elf64_Ehdr))
		bytes_u8(b, 0);
	append_sections(b, sections, from, suffix, damaged);
	if (base) {
		append_section(b, &sections[DWARF_ADDR], base->addr.data, base->addr.len);
		append_section(b, &sections[DWARF_RANGES], base->ranges.data, base->ranges.len);
	}
	append_names(b, sections, &names, suffix);
	align_to(b, 16);
	size_t headers = b->len;
	append_section_headers(b, sections, &names);
	write_file_header(b->data, headers, DWARF_SECTION_COUNT + 2);
	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++) {
		out->sections[i].offset = sections[i].offset;
		out->sections[i].len = sections[i].len;
	}
}

static bool open_composed(struct dwarf_image *out)
{
	elf_version(EV_CURRENT);
	out->handle = elf_memory((char *)out->elf.data, out->elf.len);
	if (out->handle)
		out->dwarf = dwarf_begin_elf(out->handle, DWARF_C_READ, NULL);
	if (out->dwarf)
		return true;
	dwarf_image_close(out);
	return false;
}

bool dwarf_image_open(struct dwarf_image *out, struct elf_image *from, bool *damaged)
{
	compose(out, from, NULL, damaged);
	return open_composed(out);
}

bool dwarf_image_open_split(struct dwarf_image *out, struct elf_image *from,
			    const struct dwarf_split_base *base)
{
	bool damaged = false;

	compose(out, from, base, &damaged);
	return open_composed(out);
}

struct dwarf_bytes dwarf_image_section(const struct dwarf_image *i, enum dwarf_section which)
{
	return (struct dwarf_bytes){ i->elf.data + i->sections[which].offset,
				     i->sections[which].len };
}

void dwarf_image_close(struct dwarf_image *i)
{
	if (i->dwarf)
		dwarf_end(i->dwarf);
	if (i->handle)
		elf_end(i->handle);
	bytes_release(&i->elf);
	memset(i, 0, sizeof(*i));
}
