/* The function symbols of a module, one name per address, ready for lookups. */
#ifndef PROF_SYMBOLIZE_SYMBOL_INDEX_H
#define PROF_SYMBOLIZE_SYMBOL_INDEX_H

#include "base/memory.h"
#include "symbolize/flatten.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Another symbol of the same place, or what the symbol's own name does not say. */
struct symbol_other {
	const char *name;    /* the whole name as in the file, or its part in front of version */
	const char *version; /* "@@V2", or NULL */
	uint8_t flags;
};

enum {
	OTHER_BINDING = 3, /* as elf_symbol's */
	OTHER_UNIQUE = 3,  /* one of them */
	OTHER_IFUNC = 4,
	OTHER_ELSEWHERE = 8, /* both are local, and of different source files */
	OTHER_OWN =
		16, /* not another one: name is "" and version the symbol's own, if it has one */
	OTHER_MORE = 32, /* name is how many were left out, in decimal */
};

/* What one place can have. */
#define SYMBOL_OTHERS_MAX 18u

struct symbol {
	uint64_t start, end;
	const char *name; /* borrowed from the image or from the index's arena; no version suffix */
	const char *version; /* "@@V2", or NULL */

	union {
		uint32_t file;	 /* while adding: as elf_symbol's */
		uint32_t others; /* finished: the number of the first one + 1, 0 when there is none
				  */
	};

	uint8_t rank;  /* among names of one address: higher is better, see symbol_rank */
	bool sized;    /* end is what the file says; otherwise it reaches to the next symbol */
	uint8_t flags; /* OTHER_BINDING, OTHER_IFUNC */
};

struct symbol_index { /* zeroed is valid and empty */
	VEC(struct symbol) symbols;
	VEC(struct symbol_other) others; /* each symbol's in one piece, ended by a name of NULL */
	struct flat_map map;
	struct arena arena;
};

/* binding as elf_symbol's: 0 local, 1 global, 2 weak, 3 unique. What the file calls a function
 * comes before the name of what a resolver chooses (code there is the resolver's), and that before
 * a mere label. */
enum symbol_type { SYMBOL_LABEL, SYMBOL_IFUNC, SYMBOL_FUNCTION };

uint8_t symbol_rank(bool sized, enum symbol_type type, uint8_t binding);
/* Add symbols in any order, then finish once. limit bounds a symbol without size (0: none but the
 * next). */
void symbol_index_add(struct symbol_index *x, const struct symbol *s, uint64_t limit);
void symbol_index_finish(struct symbol_index *x);
/* The symbol that covers address, or NULL: never the one before. */
const struct symbol *symbol_index_find(struct symbol_index *x, uint64_t address);
/* What else is to be said of a symbol that was found: at most max, how many. */
size_t symbol_index_others(const struct symbol_index *x, const struct symbol *s,
			   struct symbol_other *out, size_t max);
void symbol_index_release(struct symbol_index *x);

#endif
