/* Writing a small ELF file: header, two segments, the text and the unwind sections. */
#include "tiny_elf.h"
#include <elf.h>
#include <string.h>

#define STRINGS	 0x2c00u
#define SECTIONS 0x2c80u

static const char names[] =
	"\0.text\0.eh_frame\0.eh_frame_hdr\0.debug_frame\0.shstrtab\0.gopclntab";

static size_t put(uint8_t *out, uint32_t at, size_t room, const struct tiny_part *part)
{
	size_t len = part->len < room ? part->len : room;
	if (len != 0)
		memcpy(out + at, part->data, len);
	return len;
}

static void put_section(uint8_t *out, unsigned *count, uint32_t name, uint32_t type, uint64_t flags,
			uint32_t at, size_t len)
{
	Elf64_Shdr s = { .sh_name = name,
			 .sh_type = type,
			 .sh_flags = flags,
			 .sh_offset = at,
			 .sh_size = len,
			 .sh_addralign = 1 };
	if (flags & SHF_ALLOC)
		s.sh_addr = at;
	if (len == 0 && type != SHT_NULL)
		return;
	memcpy(out + SECTIONS + *count * sizeof(s), &s, sizeof(s));
	++*count;
}

static void put_header(const struct tiny_elf *t, uint8_t *out, unsigned sections, size_t hdr_len)
{
	Elf64_Ehdr e = { .e_ident = ELFMAG,
			 .e_type = ET_DYN,
			 .e_machine = t->machine,
			 .e_version = EV_CURRENT,
			 .e_entry = t->entry,
			 .e_phoff = sizeof(e),
			 .e_shoff = SECTIONS,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = hdr_len ? 2 : 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = (Elf64_Half)sections,
			 .e_shstrndx = (Elf64_Half)(sections - 1) };
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_filesz = STRINGS,
			    .p_memsz = STRINGS,
			    .p_align = 1 };
	Elf64_Phdr hdr = { .p_type = PT_GNU_EH_FRAME,
			   .p_flags = PF_R,
			   .p_offset = TINY_HDR,
			   .p_vaddr = TINY_HDR,
			   .p_filesz = hdr_len,
			   .p_memsz = hdr_len };
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(out, &e, sizeof(e));
	memcpy(out + sizeof(e), &load, sizeof(load));
	memcpy(out + sizeof(e) + sizeof(load), &hdr, sizeof(hdr));
}

void tiny_elf_write(const struct tiny_elf *t, uint8_t *out)
{
	unsigned n = 0;
	memset(out, 0, TINY_SIZE);
	size_t text = put(out, TINY_TEXT, TINY_TEXT_MAX, &t->text);
	size_t frame = put(out, TINY_EH_FRAME, TINY_EH_FRAME_MAX, &t->eh_frame);
	size_t hdr = put(out, TINY_HDR, TINY_HDR_MAX, &t->hdr);
	size_t debug = put(out, TINY_DEBUG, TINY_DEBUG_MAX, &t->debug_frame);
	size_t go = put(out, TINY_GO, TINY_GO_MAX, &t->go);
	memcpy(out + STRINGS, names, sizeof(names));
	put_section(out, &n, 0, SHT_NULL, 0, 0, 0);
	put_section(out, &n, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TINY_TEXT, text);
	put_section(out, &n, 7, SHT_PROGBITS, SHF_ALLOC, TINY_EH_FRAME, frame);
	put_section(out, &n, 17, SHT_PROGBITS, SHF_ALLOC, TINY_HDR, hdr);
	put_section(out, &n, 31, SHT_PROGBITS, 0, TINY_DEBUG, debug);
	put_section(out, &n, 54, SHT_PROGBITS, SHF_ALLOC, TINY_GO, go);
	put_section(out, &n, 44, SHT_STRTAB, 0, STRINGS, sizeof(names));
	put_header(t, out, n, hdr);
}
