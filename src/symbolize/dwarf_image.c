/*
 * What libdw gets to see: an ELF file in memory with the debug sections only. So it works on bytes
 * that cannot change under it, needs no decompression of its own (it knows no zstd, and no bounds),
 * has no path and no link from which it could search for further files.
 */
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

static const char *const section_names[] = {
	".debug_info",	 ".debug_abbrev",   ".debug_line", ".debug_line_str", ".debug_str",
	".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_types",    ".debug_str_offsets",
};

#define SECTION_COUNT ARRAY_LEN(section_names)

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

static void append_names(struct bytes *b, struct placed *sections, struct placed *names)
{
	names->offset = b->len;
	bytes_u8(b, 0);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		sections[i].name = b->len - names->offset;
		bytes_append(b, section_names[i], strlen(section_names[i]) + 1);
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
	for (size_t i = 0; i < SECTION_COUNT; i++)
		append_section_header(b, &sections[i], sections[i].len ? SHT_PROGBITS : SHT_NULL);
	append_section_header(b, names, SHT_STRTAB);
}

/* Copies the debug sections of `from`, which forgets them. */
static void compose(struct bytes *out, struct elf_image *from, bool *damaged)
{
	struct placed sections[SECTION_COUNT] = { 0 }, names = { 0 };

	while (out->len < sizeof(Elf64_Ehdr))
		bytes_u8(out, 0);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		struct elf_section s;
		if (!elf_image_section(from, section_names[i], &s))
			continue;
		*damaged |= !s.data && !s.nobits;
		align_to(out, 16);
		sections[i].offset = out->len;
		sections[i].len = s.len;
		if (s.data)
			bytes_append(out, s.data, s.len);
		elf_image_forget_section(from, section_names[i]);
	}
	append_names(out, sections, &names);
	align_to(out, 16);
	size_t headers = out->len;
	append_section_headers(out, sections, &names);
	write_file_header(out->data, headers, SECTION_COUNT + 2);
}

bool dwarf_image_open(struct dwarf_image *out, struct elf_image *from, bool *damaged)
{
	elf_version(EV_CURRENT);
	compose(&out->elf, from, damaged);
	out->handle = elf_memory((char *)out->elf.data, out->elf.len);
	if (out->handle)
		out->dwarf = dwarf_begin_elf(out->handle, DWARF_C_READ, NULL);
	if (out->dwarf)
		return true;
	dwarf_image_close(out);
	return false;
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
