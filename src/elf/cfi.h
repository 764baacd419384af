/*
 * Call frame information as bytes: CIEs and FDEs of .eh_frame and .debug_frame and their search.
 * What an FDE's program means is not known here; every byte is hostile.
 */
#ifndef PROF_ELF_CFI_H
#define PROF_ELF_CFI_H

#include "base/memory.h"
#include "elf/elf_image.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sections above this are not looked at: offsets inside are kept in 32 bits. */
#define CFI_SECTION_MAX INT32_MAX
#define CFI_NO_OFFSET	UINT64_MAX

struct cfi_section {
	const uint8_t *data;
	size_t len;
	uint64_t vaddr;
	uint64_t text_base; /* of textrel; 0: refused */
	bool is_debug;	    /* .debug_frame's form of the CIE pointer */
};

struct cfi_cie {
	uint64_t offset; /* in its section; CFI_NO_OFFSET: not read yet */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;
	const uint8_t *program;
	size_t program_len;
	uint8_t fde_encoding;
	bool has_augmentation_data; /* 'z': the FDE carries a length of its own */
	bool is_signal;		    /* 'S' */
};

struct cfi_fde {
	struct cfi_cie cie;
	uint64_t offset;     /* of the entry itself */
	uint64_t start, end; /* ELF virtual addresses it covers: [start, end) */
	const uint8_t *program;
	size_t program_len;
};

enum cfi_entry_kind { CFI_END, CFI_BAD, CFI_CIE, CFI_FDE };

/* The FDE at offset. The CIE in out->cie is read again only when it is another one, so start with
 * cie.offset = CFI_NO_OFFSET. 0 or -1. */
int cfi_read_fde(const struct cfi_section *s, uint64_t offset, struct cfi_fde *out);
/* Read the entry at *offset and move *offset to the next; CFI_BAD is skipped the same way. */
enum cfi_entry_kind cfi_next(const struct cfi_section *s, uint64_t *offset, struct cfi_fde *out);

/* A pointer in DW_EH_PE encoding. field_vaddr is where it stands; data_base serves datarel
 * (CFI_NO_OFFSET: refused). Indirect, text- and function-relative ones are refused here. */
struct bytes_reader;
bool cfi_read_pointer(struct bytes_reader *r, uint8_t encoding, uint64_t field_vaddr,
		      uint64_t data_base, uint64_t *out);

/* .eh_frame_hdr's binary search table. */
struct cfi_table {
	const uint8_t *entries;
	uint64_t count;
	uint64_t base; /* of datarel: the section's address */
	uint64_t entries_vaddr;
	uint8_t encoding, value_size;
	bool usable, order_known;
};

/* hdr: the section's bytes. Leaves t->usable false when there is no table that can be searched. */
void cfi_table_init(struct cfi_table *t, const struct cfi_section *hdr, uint64_t *eh_frame_vaddr);
/* The virtual addresses of the last function at or below vaddr, and of its FDE. */
bool cfi_table_find(const struct cfi_table *t, uint64_t vaddr, uint64_t *start, uint64_t *fde);
bool cfi_table_is_sorted(const struct cfi_table *t);

/* Our own sorted index of a section's FDEs. */
struct cfi_index_entry {
	uint64_t start;
	uint32_t offset;
};

struct cfi_index {
	VEC(struct cfi_index_entry) entries;
	bool built;
};

void cfi_index_build(struct cfi_index *x, const struct cfi_section *s);
bool cfi_index_find(const struct cfi_index *x, uint64_t vaddr, uint64_t *offset);
void cfi_index_release(struct cfi_index *x);

/* All unwind tables of one module. Zeroed is valid and empty. */
enum cfi_place { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_DEBUG_FILE, CFI_PLACES };

struct cfi_finder {
	struct cfi_section sections[CFI_PLACES];
	struct cfi_index indexes[CFI_PLACES];
	struct cfi_table table;
	struct cfi_fde fde; /* the last one read: keeps its CIE */
};

/* debug: the debug file, for its .debug_frame; may be NULL. Both must outlive the finder. Images
 * that are not 64-bit have nothing to find. */
void cfi_finder_init(struct cfi_finder *f, struct elf_image *image, struct elf_image *debug);
/* A debug file found later, under the same conditions. */
void cfi_finder_add_debug(struct cfi_finder *f, struct elf_image *debug);
/* The FDE that covers vaddr, in f->fde, and where it stands; false when there is none. */
bool cfi_finder_find(struct cfi_finder *f, uint64_t vaddr, enum cfi_place *place, uint64_t *offset);
void cfi_finder_release(struct cfi_finder *f);

#endif
