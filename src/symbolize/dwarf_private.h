/* What the DWARF files of this layer share. libdw's types stay inside them. */
#ifndef PROF_SYMBOLIZE_DWARF_PRIVATE_H
#define PROF_SYMBOLIZE_DWARF_PRIVATE_H

#include <elfutils/libdw.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "symbolize/dwarf_info.h"
#include "symbolize/flatten.h"

#define NO_NODE UINT32_MAX
#define NO_FILE UINT32_MAX

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ADDR,
	DWARF_TYPES,
	DWARF_SECTION_COUNT
};

struct dwarf_bytes {
	const uint8_t *data;
	size_t len;
};

/* The debug sections of one file as libdw reads them (dwarf_image.c). */
struct dwarf_image {
	struct bytes elf; /* a small ELF file in memory: debug sections only, uncompressed */

	struct {
		size_t offset, len;
	} sections[DWARF_SECTION_COUNT]; /* in elf; len 0 when absent */

	Elf *handle;
	Dwarf *dwarf;
};

/* What a .dwo file uses of the program's own sections, from where its unit's part begins. */
struct dwarf_split_base {
	struct dwarf_bytes addr, ranges;
};

/* false when the file has no DWARF that libdw takes; *damaged: a debug section could not be
 * decompressed. */
bool dwarf_image_open(struct dwarf_image *out, struct elf_image *from, bool *damaged);
/* The same of a .dwo file. */
bool dwarf_image_open_split(struct dwarf_image *out, struct elf_image *from,
			    const struct dwarf_split_base *base);
struct dwarf_bytes dwarf_image_section(const struct dwarf_image *i, enum dwarf_section which);
void dwarf_image_close(struct dwarf_image *i);

/* What a DIE stands in, up to the unit: namespaces, types and functions. */
struct dwarf_scope {
	Dwarf_Die *die;
	const struct dwarf_scope *outer;
};

/* Remembers the full name of a function that has no linkage name to tell it (lambdas, local
 * classes). */
void dwarf_qualify(struct dwarf_info *d, Dwarf_Die *die, const struct dwarf_scope *scope);
/* The name remembered for the DIE or for what it is an instance of, or NULL. */
const char *dwarf_qualified_name(const struct dwarf_info *d, const Dwarf_Die *die);

/* A physical function, or a call that was inlined into its parent node. */
struct dwarf_node {
	Dwarf_Die die;
	uint32_t parent; /* NO_NODE for a physical function */
	uint32_t depth;
	uint32_t call_file, call_line; /* where the parent calls it */
};

struct dwarf_unit {
	Dwarf_Die die;
	uint16_t version;
	const char *dwo;	   /* skeleton: the file that holds the rest; else NULL */
	struct dwarf_image *split; /* that file, once loaded; NULL when it was not found */
	bool loaded;
	struct flat_map map; /* address → index in nodes, the deepest one */
	VEC(struct dwarf_node) nodes;
	Dwarf_Lines *lines;
	size_t line_count;
	Dwarf_Files *files;
	size_t file_count;
};

/* Fills nodes, map and lines, and d's qualified names (dwarf_unit.c). */
void dwarf_unit_load(struct dwarf_info *d, struct dwarf_unit *u);
/* The row of the line table for address; false when it has none. *file is NULL or lives as long as
 * libdw's handle. */
bool dwarf_unit_line(const struct dwarf_unit *u, uint64_t address, const char **file,
		     uint32_t *line);
const char *dwarf_unit_file(const struct dwarf_unit *u, uint32_t index);
void dwarf_unit_release(struct dwarf_unit *u);
/* Finds and opens a skeleton's .dwo file. *die: the unit in it (dwarf_split.c). */
bool dwarf_split_open(struct dwarf_info *d, struct dwarf_unit *u, Dwarf_Die *die);

struct dwarf_info {
	struct dwarf_image main, alternate;
	struct dwarf_dwo_files dwo_files;
	VEC(struct dwarf_unit) units;
	struct flat_map unit_map;
	struct hmap functions; /* address of a DIE's bytes → index in function_list */
	VEC(struct dwarf_function *) function_list;
	struct hmap qualified; /* address of a DIE's bytes → index in qualified_list */
	VEC(const char *) qualified_list;
	struct arena arena;
	const char *missing_dwo;
};

#endif
