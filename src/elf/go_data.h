/* Where a Go program's tables are: in its sections, or found by their first bytes, and what the
 * runtime's own description of the program says. */
#ifndef PROF_ELF_GO_DATA_H
#define PROF_ELF_GO_DATA_H

#include "elf/elf_image.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The table of functions, to the end of what holds it. False when there is none. */
bool go_data_find_table(struct elf_image *image, const uint8_t **data, size_t *len,
			uint64_t *vaddr);
/* The word at vaddr as the dynamic linker leaves it. False: *out is unchanged, it is as in the
 * file. */
bool go_data_word(struct elf_image *image, uint64_t vaddr, uint8_t word, uint64_t *out);
/* A word of the moduledata whose first word is the table's address; 0 when it is not found. */
uint64_t go_data_moduledata_word(struct elf_image *image, uint64_t table, uint8_t word,
				 uint32_t index);

#endif
