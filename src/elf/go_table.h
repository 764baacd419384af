/*
 * Go's own table of functions (.gopclntab), which stays when a program is stripped and is all that
 * pure Go programs have: where functions begin, what they are called, how deep the stack is at
 * each instruction. Formats of Go 1.2, 1.16, 1.18 and 1.20. Every byte is hostile.
 */
#ifndef PROF_ELF_GO_TABLE_H
#define PROF_ELF_GO_TABLE_H

#include "elf/elf_image.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_table {	     /* zeroed is valid and empty */
	const uint8_t *data; /* borrowed from the image */
	size_t len;
	uint64_t text_start; /* that offsets of functions count from; 0: they are addresses */
	uint64_t count;
	uint64_t functions; /* offset of the sorted table of functions */
	uint64_t records;   /* offset that records of functions count from */
	uint64_t numbers;   /* offset that tables of numbers by address count from */
	uint64_t names;
	uint64_t units,
		files;	/* offsets of compilation units' file numbers, and of file names; 0: none */
	uint64_t vaddr; /* of the table, where it was found in an image */
	uint8_t version;      /* enum go_table_version */
	uint8_t quantum;      /* bytes of the shortest instruction */
	uint8_t entry_size;   /* of a value in the table of functions: 4 or 8 */
	uint8_t flags_offset; /* in a record; 0: it has none */
};

enum go_table_version { GO_TABLE_1_2, GO_TABLE_1_16, GO_TABLE_1_18, GO_TABLE_1_20 };

struct go_function {
	uint64_t start, end; /* ELF virtual addresses; end: where the next one begins */
	const char *name;    /* ends with a NUL inside the table; "" when it cannot be read */
	uint64_t record;     /* offset of the numbers behind its address in its record */
	uint32_t depth;	     /* where its table of stack depths stands; 0: none */
	uint8_t flags;
};

/* Of go_function.flags. */
enum { GO_TOP_FRAME = 1, GO_WRITES_SP = 2 };

/* False when the bytes are no such table, or one of an unknown format. text: where the program's
 * text begins, for tables that leave it to the loader. */
bool go_table_open(struct go_table *t, const uint8_t *data, size_t len, uint64_t text);
/* The image's table. */
bool go_table_init(struct go_table *t, struct elf_image *image);
bool go_table_find(const struct go_table *t, uint64_t vaddr, struct go_function *out);
/* The function at this place of the sorted table, up to t->count. */
bool go_table_at(const struct go_table *t, uint64_t index, struct go_function *out);
/* Bytes between the stack pointer and the return address at the instruction at vaddr, in f. */
bool go_table_depth(const struct go_table *t, const struct go_function *f, uint64_t vaddr,
		    int32_t *out);

/* The number of f at vaddr from the table of numbers that stands at `table`. */
bool go_table_number(const struct go_table *t, const struct go_function *f, uint32_t table,
		     uint64_t vaddr, int32_t *out);
/* A string at this offset of the table; "" when there is none. */
const char *go_table_string(const struct go_table *t, uint64_t offset);

#endif
