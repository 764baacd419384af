/* The function symbols of a module, one name per address, ready for lookups. */
#ifndef PROF_SYMBOLIZE_SYMBOL_INDEX_H
#define PROF_SYMBOLIZE_SYMBOL_INDEX_H

#include "base/memory.h"
#include "symbolize/flatten.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start, end;
	const char *name; /* borrowed from the image or from the index's arena; no version suffix */
	uint8_t rank;	  /* among names of one address: higher is better, see symbol_rank */
	bool sized;	  /* end is what the file says; otherwise it reaches to the next symbol */
};

struct symbol_index { /* zeroed is valid and empty */
	VEC(struct symbol) symbols;
	struct flat_map map;
	struct arena arena;
};

/* binding as elf_symbol's: 0 local, 1 global, 2 weak. function: the file calls it one, not just a
 * label. */
uint8_t symbol_rank(bool sized, bool function, uint8_t binding);
/* Add symbols in any order, then finish once. limit bounds a symbol without size (0: none but the
 * next). */
void symbol_index_add(struct symbol_index *x, const struct symbol *s, uint64_t limit);
void symbol_index_finish(struct symbol_index *x);
/* The symbol that covers address, or NULL: never the one before. */
const struct symbol *symbol_index_find(const struct symbol_index *x, uint64_t address);
void symbol_index_release(struct symbol_index *x);

#endif
