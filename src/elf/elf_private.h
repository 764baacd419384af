/* What the files of this layer share: an opened image and its raw pieces. */
#ifndef PROF_ELF_ELF_PRIVATE_H
#define PROF_ELF_ELF_PRIVATE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "elf/elf_image.h"
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The file's bytes at stable addresses, read on demand (elf_bytes.c). */
struct elf_bytes {
	uint8_t *base;
	size_t size;
	int fd;		  /* -1 when everything is in memory */
	uint64_t *loaded; /* a bit per block that was read; NULL when everything is in memory */
	size_t loaded_blocks;
	struct timespec modified; /* the file, as far as we know it */
	bool was_changed;	  /* it holds something else by now: nothing more is read */
};

int elf_bytes_open_fd(struct elf_bytes *b, int fd, struct error *err);
int elf_bytes_open_memory(struct elf_bytes *b, const void *bytes, size_t len, struct error *err);
/* A pointer to [offset, offset + len); NULL when it is not wholly in the file (any more), or when it would have to be
 * read and the file was written over since it was opened. */
const uint8_t *elf_bytes_at(struct elf_bytes *b, uint64_t offset, uint64_t len);
/* The same bytes, which are not kept; false when they are not wholly in the file. */
bool elf_bytes_copy(const struct elf_bytes *b, uint64_t offset, void *out, size_t len);
/* Gives back the whole blocks inside; they are read again when asked for. Nothing for memory
 * images. */
void elf_bytes_forget(struct elf_bytes *b, uint64_t offset, uint64_t len);
void elf_bytes_release(struct elf_bytes *b);

struct elf_phdr {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct elf_shdr {
	uint32_t name, type, link, info;
	uint64_t flags, addr, offset, size, entsize;
	const char *name_text; /* "" when damaged */
	bool decompressed;     /* data was asked for: plain_data holds the answer */
	const uint8_t *plain_data;
	size_t plain_len;
};

struct elf_image {
	struct elf_bytes bytes;
	char *name;
	const char *damage; /* see elf_image_damage */
	bool is_64bit;
	uint16_t type, machine;
	VEC(struct elf_phdr) phdrs;
	VEC(struct elf_segment) segments; /* PT_LOAD */
	VEC(struct elf_shdr) sections;
	struct arena arena;		  /* names */
	VEC(struct bytes) decompressed;	  /* buffers that plain_data points into */
	struct elf_section_keeper keeper; /* zeroed when there is none */
	const char *go_build_id;
	bool go_build_id_known;
	VEC(const char *) versions; /* by index: "@V", then "@@V"; NULL where there is none */
	const uint8_t *version_numbers; /* of dynamic symbols, two bytes each */
	size_t version_count;
	bool versions_known;
	struct elf_image *mini; /* .gnu_debugdata */
	bool mini_known;
};

/* what: a literal that goes on after "FILE is damaged: ". The first one stays. */
static inline void elf_damaged(struct elf_image *e, const char *what)
{
	e->damage = e->damage ? e->damage : what;
}

/* The section's bytes, decompressed when it is compressed; false for NOBITS, damage and beyond the
 * end. */
bool elf_section_bytes(struct elf_image *e, struct elf_shdr *s, const uint8_t **data, size_t *len);
/* The same of a table that may be forged: no longer than to the section behind it, or to the file's
 * end. */
bool elf_table_bytes(struct elf_image *e, struct elf_shdr *s, const uint8_t **data, size_t *len);
struct elf_shdr *elf_section_find(struct elf_image *e, const char *name);
struct elf_shdr *elf_section_of_type(struct elf_image *e, uint32_t type);

/* A file-backed virtual address range, see elf_image_bytes. *left: bytes from there to the
 * segment's file end. */
const uint8_t *elf_vaddr_bytes(struct elf_image *e, uint64_t vaddr, uint64_t len, uint64_t *left);

/* A symbol table's place: from section headers, or from PT_DYNAMIC when there are none. */
struct elf_symtab {
	const uint8_t *symbols;
	size_t count;
	const char *strings;
	size_t strings_len;
	bool dynamic;
};

struct elf_raw_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t binding, type;
	uint16_t section;
};

bool elf_symtab_of_section(struct elf_image *e, struct elf_shdr *s, struct elf_symtab *out);
bool elf_symtab_of_dynamic(struct elf_image *e, struct elf_symtab *out);
/* .symtab, else .dynsym, else what PT_DYNAMIC leads to. */
bool elf_symtab_best(struct elf_image *e, struct elf_symtab *out);
bool elf_symtab_get(const struct elf_image *e, const struct elf_symtab *t, size_t i,
		    struct elf_raw_symbol *out);

/* The version of the dynamic symbol at index, as elf_symbol has it (versions.c). */
const char *elf_symbol_version(struct elf_image *e, size_t index);

typedef int (*elf_symbol_each)(void *ctx, const struct elf_symbol *s);
int elf_plt_symbols(struct elf_image *e, elf_symbol_each each, void *ctx);
/* The image inside .gnu_debugdata, NULL when there is none. */
struct elf_image *elf_minidebug(struct elf_image *e);

/* Reads a word of the file's class. */
static inline uint64_t elf_read_word(const struct elf_image *e, struct bytes_reader *r)
{
	return e->is_64bit ? reader_u64(r) : reader_u32(r);
}

#endif
