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

enum dwarf_build { DWARF_BUILD_UNKNOWN, DWARF_BUILD_UNOPTIMIZED, DWARF_BUILD_OPTIMIZED };

struct dwarf_frame { /* strings may be NULL; they live as long as what they were asked of */
	const char *linkage, *name; /* of the function */
	const char *declaration_file;
	uint32_t declaration_line;
	uint32_t function; /* from 1 on, the same for each frame of one function; 0: only the line
			      is known */
	uint32_t line;
	const char *file;	/* of the line; NULL unknown */
	enum dwarf_build build; /* of the function that the code is in; others' is not known */
};

struct dwarf_frames {
	VEC(struct dwarf_frame)
	list;		     /* innermost first; the last one is the function the code is in */
	uint64_t function;   /* a number for that last one, see dwarf_info_function; 0 none */
	uint64_t start, end; /* these addresses have the same answer; both 0 when that is unknown */
};

/* How the files of split DWARF are opened; the answers are the dwarf_info's to free, NULL when
 * there is none. */
struct dwarf_dwo_files {
	struct elf_image *(*open)(void *ctx, const char *name, const char *compilation_folder);
	struct elf_image *(*open_package)(void *ctx); /* the module's .dwp; asked for once */
	void *ctx;
};

/* image: the file with the debug sections, which must live as long as the result; alternate: its
 * dwz file or NULL, taken over in any case. dwo_files: NULL when none can be opened. NULL when
 * there is no usable DWARF; note (never NULL) says what is damaged ("its .debug_str
 * cannot be read"), or is "". */
struct dwarf_info *dwarf_info_new(struct elf_image *image, struct elf_image *alternate,
				  const struct dwarf_dwo_files *dwo_files, char *note,
				  size_t note_size);
/* Fills out (cleared first); empty when the address is in no unit. */
void dwarf_info_find(struct dwarf_info *d, uint64_t address, struct dwarf_frames *out);
/* A number for the outermost function at address, the same for all parts of one that is not
 * contiguous; 0 when there is none. */
uint64_t dwarf_info_function(struct dwarf_info *d, uint64_t address);
/* The first .dwo file that was needed so far but not found, or NULL. */
const char *dwarf_info_missing_dwo(const struct dwarf_info *d);
void dwarf_info_free(struct dwarf_info *d);

#endif
