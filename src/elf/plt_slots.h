/* Which function each slot of the global offset table leads to, as relocations say. */
#ifndef PROF_ELF_PLT_SLOTS_H
#define PROF_ELF_PLT_SLOTS_H

#include "elf/elf_private.h"

struct plt_slot {
	uint64_t address;
	const char *name;
	uint8_t rank; /* among names of one address: lower is better */
};

struct plt_slots {		    /* zeroed is valid and empty */
	VEC(struct plt_slot) slots; /* sorted by address and rank */
	VEC(struct plt_slot)
	resolvers;		    /* the same of functions that choose their code at load time */
	VEC(const char *) by_index; /* names of .rela.plt in its order, NULL where there is none */
};

void plt_slots_read(struct plt_slots *s, struct elf_image *e);
const char *plt_slots_find(const struct plt_slots *s, uint64_t address); /* NULL when unknown */
void plt_slots_release(struct plt_slots *s);

#endif
