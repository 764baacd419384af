/*
 * Call frame information as bytes: CIEs and FDEs of .eh_frame and .debug_frame, their search, and
 * the rows their programs describe. Knows no registers' values and no memory; every byte is
 * hostile.
 */
#ifndef PROF_UNWIND_CFI_H
#define PROF_UNWIND_CFI_H

#include "base/memory.h"
#include "unwind/unwind.h"

/* Sections above this are not looked at: offsets inside are kept in 32 bits. */
#define CFI_SECTION_MAX INT32_MAX
#define CFI_NO_OFFSET	UINT64_MAX

struct cfi_section {
	const uint8_t *data;
	size_t len;
	uint64_t vaddr;
	bool is_debug; /* .debug_frame's form of the CIE pointer */
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
 * (CFI_NO_OFFSET: refused). Indirect, text- and function-relative ones are refused. */
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

/* Where a register of the caller is, or what it is. */
enum cfi_how {
	CFI_UNSPECIFIED,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,	   /* at [cfa + value] */
	CFI_IS_CFA,	   /* cfa + value */
	CFI_REGISTER,	   /* in register value */
	CFI_AT_EXPRESSION, /* at [expression] */
	CFI_IS_EXPRESSION,
};

struct cfi_register {
	uint8_t how;
	int32_t value; /* of an expression: its offset in the section (a ULEB length, then the
			  bytes) */
};

struct cfi_row {
	bool cfa_is_expression, cfa_known;
	uint8_t cfa_reg;
	int32_t cfa_offset; /* or the expression's offset in the section */
	struct cfi_register reg[UNWIND_MAX_REGS];
};

/* Run the FDE's program: emit is called for every row in ascending order with the address where the
 * row begins (it ends at the next, the last at the FDE's end); non-zero stops. 0, 1 when emit
 * stopped the run, -1 when the program is not valid. */
int cfi_run(const struct cfi_section *s, const struct cfi_fde *fde,
	    int (*emit)(void *ctx, uint64_t start, const struct cfi_row *row), void *ctx);

#endif
