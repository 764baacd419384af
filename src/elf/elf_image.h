/*
 * An ELF image read from a descriptor prof opened, or from memory: segments, identity, sections
 * (decompressed), symbols, unwind bytes. A parser of our own: every offset and count is checked, no other file
 * is ever opened. Read-only after opening; one thread uses an image at a time. Works without section headers
 * (program headers are enough for segments, build ID, .eh_frame_hdr and .dynsym).
 */
#ifndef PROF_ELF_ELF_IMAGE_H
#define PROF_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

struct elf_image;

/* Takes a duplicate of fd (the caller keeps its own). name is for messages. The file is read in blocks when they
 * are first needed and never mapped, so one that is cut under our hands costs answers, not the process. */
int elf_image_open_fd(struct elf_image **out, int fd, const char *name, struct error *err);
int elf_image_open_memory(struct elf_image **out, const void *bytes, size_t len, const char *name, struct error *err); /* bytes are copied */
void elf_image_free(struct elf_image *e);
/* What was found to be damaged so far, the first thing only ("its section headers lie outside of the file"), or NULL.
 * What can be read nevertheless is. Opening looks at headers, asking for symbols at symbol tables, and so on. */
const char *elf_image_damage(const struct elf_image *e);

enum elf_machine { ELF_MACHINE_OTHER, ELF_MACHINE_X86_64, ELF_MACHINE_AARCH64, ELF_MACHINE_I386 };
enum elf_machine elf_image_machine(const struct elf_image *e);
bool elf_image_is_64bit(const struct elf_image *e);
bool elf_image_is_pie(const struct elf_image *e); /* ET_DYN */

struct elf_segment { /* PT_LOAD */
	uint64_t vaddr, file_offset, file_size, mem_size;
	bool executable;
};
size_t elf_image_segment_count(const struct elf_image *e);
const struct elf_segment *elf_image_segment(const struct elf_image *e, size_t i);
/* ELF virtual address of a file offset inside a PT_LOAD (executable ones first); false when in none. */
bool elf_image_vaddr_of_offset(const struct elf_image *e, uint64_t file_offset, uint64_t *vaddr);

/* GNU build ID (up to 64 bytes), from program headers or sections; returns its length, 0 when none. */
size_t elf_image_build_id(const struct elf_image *e, uint8_t out[64]);
/* Go's build ID text, or NULL. */
const char *elf_image_go_build_id(const struct elf_image *e);
uint64_t elf_image_content_hash(struct elf_image *e); /* of headers, and of both ends of the text and of the strings */

struct elf_section {
	const char *name;
	const uint8_t *data; /* decompressed (zlib, zlib-gnu, zstd); NULL for NOBITS or damage */
	size_t len;
	uint64_t vaddr;
	uint64_t offset; /* of its bytes in the file, as they stand there; 0 when not known */
	bool nobits;
};
/* By name; ".debug_info" also finds ".zdebug_info". false when absent. Decompressed data is cached. */
bool elf_image_section(struct elf_image *e, const char *name, struct elf_section *out);
/* The same of all sections with that name, one behind the other: object files have one for each of their groups.
 * Made anew with each call. */
bool elf_image_joined_section(struct elf_image *e, const char *name, struct elf_section *out);

/* Somebody who keeps decompressed sections from run to run. recall: a section's plain bytes, which stay as long as
 * ctx, or NULL. Both get the section as it lies in the file. */
struct elf_section_keeper {
	const uint8_t *(*recall)(void *ctx, const char *section, uint64_t offset, uint64_t size, size_t *len);
	void (*keep)(void *ctx, const char *section, uint64_t offset, uint64_t size, const uint8_t *plain, size_t len);
	void *ctx;
};
void elf_image_set_keeper(struct elf_image *e, const struct elf_section_keeper *keeper);

/* Gives back the memory of a section that was copied elsewhere; its data pointers are void after that. */
void elf_image_forget_section(struct elf_image *e, const char *name);

/* Bytes that a virtual address range holds in the file; NULL when not (wholly) file-backed. */
const uint8_t *elf_image_bytes(const struct elf_image *e, uint64_t vaddr, size_t len);

/* Unwind bytes. hdr may be absent (len 0) while eh_frame is there, and the reverse when stripped oddly. */
struct elf_unwind_bytes {
	struct elf_section eh_frame, eh_frame_hdr, debug_frame;
};
void elf_image_unwind_bytes(struct elf_image *e, struct elf_unwind_bytes *out);

/* Symbols: functions (FUNC, GNU_IFUNC, and NOTYPE in executable sections) of .symtab, else .dynsym, with
 * addresses; PLT stubs as "name@plt" computed from relocations (.plt, .plt.sec, .plt.got). */
struct elf_symbol {
	uint64_t address, size; /* size 0: unknown */
	const char *name;	/* borrowed from the image (plt names from its arena) */
	const char *version;	/* "@@V2" or "@V1", where it stands apart from the name; else NULL */
	uint8_t binding;	/* 0 local, 1 global, 2 weak, 3 unique */
	uint8_t type;		/* STT_*; 255 for a PLT stub */
	bool from_dynsym;
	uint32_t file;	      /* of a local symbol: which of the table's source files it is from, from 1; else 0 */
	uint64_t section_end; /* end of the section that holds it, 0 when unknown: a bound for size 0 */
};
int elf_image_symbols(struct elf_image *e, int (*each)(void *ctx, const struct elf_symbol *s), void *ctx, struct error *err);
/* Where symbols of these names are that a 64-bit image defines, of any kind, in .dynsym or else in .symtab, among the
 * first 64 MB of names; vaddr 0: there is none. All names begin with the same character and have no more than 60; at
 * most 32. meanwhile (may be NULL) is called every few milliseconds: a large program's names take some. */
struct elf_search {
	const char *const *names;
	size_t count;
	void (*meanwhile)(void *ctx);
	void *ctx;
};
struct elf_place {
	uint64_t vaddr, size;
};
void elf_image_find_symbols(struct elf_image *e, const struct elf_search *what, struct elf_place *out);
/* Gives back the memory of symbol tables. What elf_image_symbols told is void after that, and can be asked again. */
void elf_image_forget_symbols(struct elf_image *e);
bool elf_image_has_symtab(struct elf_image *e);
bool elf_image_has_debug_info(struct elf_image *e); /* .debug_info with content */
/* .gnu_debuglink: file name and CRC-32; NULL when absent. */
const char *elf_image_debuglink(struct elf_image *e, uint32_t *crc);
/* The file with common debug information (dwz), from .gnu_debugaltlink or, in DWARF 5, .debug_sup: path and
 * identity; NULL when absent. */
const char *elf_image_debugaltlink(struct elf_image *e, uint8_t build_id[64], size_t *build_id_len);
/* Of such a common file that has .debug_sup instead of a build ID: its identity's length, 0 when it is none. */
size_t elf_image_supplement_id(struct elf_image *e, uint8_t id[64]);
int elf_image_fd(const struct elf_image *e); /* borrowed; -1 for memory images */

#endif
