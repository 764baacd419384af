/*
 * Names, lines and inlined calls of Go programs from their own table, which a stripped one has too.
 * Layouts of Go 1.16, 1.18 and 1.20 (and of later ones with the same marks); of older programs
 * names only.
 */
#ifndef PROF_SYMBOLIZE_GO_NAMES_H
#define PROF_SYMBOLIZE_GO_NAMES_H

#include "base/memory.h"
#include "elf/elf_image.h"
#include "elf/go_table.h"
#include <stdbool.h>
#include <stdint.h>

struct go_names {
	struct go_table table;
	struct elf_image *image; /* for inlined calls, which stand outside the table; NULL: none */
	uint64_t inlined;	 /* what their offsets count from, 0 unknown */
	uint64_t bytes_left; /* of tables that may still be walked through: the work is bounded */
};

struct go_frame {
	const char *name; /* borrowed from the image */
	const char *file; /* of the line; NULL unknown */
	uint32_t line;
	uint32_t first_line; /* of the function, 0 unknown */
};

struct go_frames {		   /* zeroed is valid */
	VEC(struct go_frame) list; /* innermost first */
};

/* False: not a Go program, or a layout that is not known. image must outlive it. */
bool go_names_init(struct go_names *g, struct elf_image *image);
/* Replaces what is in out. False when no function covers the address. */
bool go_names_find(struct go_names *g, uint64_t address, struct go_frames *out);

#endif
