/* What the file tells of a row's functions besides their name: symbols, versions, other names. Private to output/. */
#ifndef PROF_OUTPUT_NAMES_H
#define PROF_OUTPUT_NAMES_H

#include "analysis/flat.h"
#include "base/hash.h"

struct row_names {
	struct strtab symbols;	/* as in the symbol table */
	struct strtab variants; /* ".isra.0", ".cold": what compilers append to symbols of copies and parts */
	struct strtab versions; /* "@@GLIBC_2.14" */
	struct strtab aliases;	/* other names of the function */
	struct strtab folded;	/* other functions with the same code */
	VEC(const char *) folded_symbols; /* of each of these */
	uint64_t more_aliases, more_folded; /* how many are not in the file */
	bool ifunc;  /* the function resolves what another symbol stands for */
	bool unique; /* its symbol is GNU_UNIQUE */
};

/* Of a row of a function; others have none. */
void row_names_collect(struct row_names *n, const struct profile *p, const struct flat *f,
		       const struct flat_row *row);
void row_names_release(struct row_names *n);
size_t row_names_count(const struct strtab *t);
const char *row_names_get(const struct strtab *t, size_t i);
/* How many other functions share the row's code. */
uint64_t row_names_folded(const struct row_names *n);

#endif
