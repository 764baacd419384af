/*
 * Generated code of one process as it stands: which entry covers an address. Entries come in the
 * order of time, from a perf map or a jitdump; a later one takes the place of what it covers.
 *
 * An address whose code was replaced means something else from then on. Each address therefore has
 * a generation: it rises when code that was seen (the entry's `used`) gives way to code of another
 * name, so that (generation, address) has one name for ever.
 */
#ifndef PROF_SYMBOLIZE_CODE_MAP_H
#define PROF_SYMBOLIZE_CODE_MAP_H

#include "base/memory.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond this, generations of an address are not told apart any more. */
#define CODE_GENERATION_MAX 4096u
/* An honest function's is a hundredth of it. */
#define CODE_CFI_MAX 16384u

struct code_line {
	uint32_t offset; /* from the entry's start; rising */
	uint32_t line;
	const char *file; /* in the entry's block */
};

struct code_entry { /* one allocation: lines, name, files and CFI stand behind it */
	uint64_t start, end;
	uint64_t serial;      /* order of arrival */
	uint64_t code_offset; /* of its bytes in the jitdump, 0: not there */
	const struct code_line *lines;
	const char *name;
	const uint8_t *cfi; /* .eh_frame, see jitdump_unwinding; NULL: none */
	uint64_t cfi_address;
	uint32_t cfi_len;
	uint32_t line_count;
	uint32_t moment; /* entries of one moment were written together, see code_map_add */
	uint32_t pieces; /* that it has in the map */
	uint32_t bytes;	 /* of the allocation */
	uint8_t symbols; /* who told of it: enum module_symbols */
	bool used;	 /* the caller saw it: its name stands somewhere */
	bool is_gone;	 /* nothing is known from here on; it has no name */
};

/* What an entry is made of; copied. */
struct code_source {
	uint64_t start, size, code_offset;
	const char *name;
	size_t name_len;
	const struct code_line *lines; /* any order */
	size_t line_count;
	const uint8_t *cfi;
	size_t cfi_len;	      /* more than CODE_CFI_MAX: left out */
	uint64_t cfi_address; /* where it would stand */
	uint32_t moment;
	uint8_t symbols;
	bool is_gone; /* without a name: there is no code any more */
};

struct code_piece {
	uint64_t start, end;
	struct code_entry *entry;
	uint32_t generation;
};

struct code_chunk;

struct code_map { /* zeroed is valid and empty */
	VEC(struct code_chunk *) chunks;
	uint64_t serial, parts_left;
	size_t entries;
	size_t bytes;	     /* of memory */
	uint32_t generation; /* the highest of any address */
};

/* NULL when the range is empty or wraps, or there is no name (but of code that is gone). */
struct code_entry *code_entry_new(const struct code_source *from);
void code_entry_free(struct code_entry *e);
/* Does part only say more of what whole is: written in the same moment, within it, and small? */
bool code_entry_is_part(const struct code_entry *part, const struct code_entry *whole);
/* The line of an address in the entry, or NULL. */
const struct code_line *code_entry_line(const struct code_entry *e, uint64_t address);

/*
 * Takes the entry and lays it over what is there. What was written in the same moment and lies
 * inside as a small part stays: runtimes list regions and the code in them in any order, and code
 * cannot be replaced in the moment it is written.
 */
void code_map_add(struct code_map *m, struct code_entry *e);
/* NULL where nothing is known. Valid until the map changes. */
const struct code_piece *code_map_find(const struct code_map *m, uint64_t address);
/* Give up the older half of the entries. */
void code_map_halve(struct code_map *m);
void code_map_release(struct code_map *m);

#endif
