/*
 * DWARF of one module: which function, inlined calls and source lines an address has. Units are
 * read when an address in them is first asked for, each into a flat table that answers by binary
 * search.
 */
#ifndef PROF_SYMBOLIZE_DWARF_INFO_H
#define PROF_SYMBOLIZE_DWARF_INFO_H

#include "base/memory.h"
#include "elf/elf_image.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_info;

struct dwarf_function { /* strings may be NULL; they live as long as the dwarf_info */
	const char *linkage, *name;
	const char *file; /* of the declaration */
	uint32_t line;
};

struct dwarf_frame {
	const struct dwarf_function *function; /* NULL: only the line is known */
	const char *file;		       /* of the line; NULL unknown */
	uint32_t line;
};

struct dwarf_frames {
	VEC(struct dwarf_frame)
	list; /* innermost first; the last one is the function the code is in */
};

/* How .dwo files are opened; the answer is the dwarf_info's to free, NULL when there is none. */
struct dwarf_dwo_files {
	struct elf_image *(*open)(void *ctx, const char *name, const char *compilation_folder);
	void *ctx;
};

/* image: the file with the debug sections; alternate: its dwz file or NULL; both are only read here
 * and now. dwo_files: NULL when none can be opened. NULL when there is no usable DWARF; note (never
 * NULL) says what is missing, or is "". */
struct dwarf_info *dwarf_info_new(struct elf_image *image, struct elf_image *alternate,
				  const struct dwarf_dwo_files *dwo_files, char *note,
				  size_t note_size);
/* Fills out (cleared first); empty when the address is in no unit. */
void dwarf_info_find(struct dwarf_info *d, uint64_t address, struct dwarf_frames *out);
/* True when both addresses belong to the same outermost function. */
bool dwarf_info_same_function(struct dwarf_info *d, uint64_t a, uint64_t b);
/* The first .dwo file that was needed so far but not found, or NULL. */
const char *dwarf_info_missing_dwo(const struct dwarf_info *d);
void dwarf_info_free(struct dwarf_info *d);

#endif
