/*
 * What the DWARF files of this layer share. A file's sections are bytes that do not change under
 * us; every offset that is read in them is checked where it is used. Nothing here recurses.
 */
#ifndef PROF_SYMBOLIZE_DWARF_PRIVATE_H
#define PROF_SYMBOLIZE_DWARF_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "symbolize/ascending.h"
#include "symbolize/dwarf_constants.h"
#include "symbolize/dwarf_info.h"
#include "symbolize/flatten.h"

#define DWARF_NONE UINT32_MAX

/* A unit made flat. Addresses are distances from the start of the file's text. */
struct dwarf_segment { /* ascending; reaches to the next one's start; the last one has no node */
	uint32_t start;
	uint32_t node; /* DWARF_NONE: no function of this unit */
};

struct dwarf_node {	 /* a physical function, or a call that was inlined into its parent */
	uint32_t parent; /* a lower index; DWARF_NONE for a physical function */
	uint32_t function;
	uint32_t call_file, call_line; /* where the parent calls it; a file or DWARF_NONE */
};

struct dwarf_row { /* ascending; holds up to the next one's start; the last one has no file */
	uint32_t start;
	uint32_t file; /* DWARF_NONE: no line from here on */
	uint32_t line;
};

enum dwarf_section {
	DWARF_INFO,
	DWARF_TYPES,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ARANGES,
	DWARF_SECTION_COUNT
};

struct dwarf_bytes {
	const uint8_t *data;
	size_t len;
};

/* The attributes that are looked at; all others are passed over. */
enum dwarf_slot {
	SLOT_NAME,
	SLOT_LINKAGE_NAME,
	SLOT_LOW_PC,
	SLOT_HIGH_PC,
	SLOT_RANGES,
	SLOT_ORIGIN,
	SLOT_SPECIFICATION,
	SLOT_SIBLING,
	SLOT_DECLARATION,
	SLOT_CALL_FILE,
	SLOT_CALL_LINE,
	SLOT_DECL_FILE,
	SLOT_DECL_LINE,
	SLOT_SIGNATURE,
	SLOT_STMT_LIST,
	SLOT_COMP_DIR,
	SLOT_PRODUCER,
	SLOT_STR_OFFSETS_BASE,
	SLOT_ADDR_BASE,
	SLOT_RNGLISTS_BASE,
	SLOT_GNU_RANGES_BASE,
	SLOT_DWO_NAME,
	SLOT_DWO_ID,
	SLOT_COUNT,
	SLOT_NONE
};

/* An attribute as it stands in the file: what number means depends on form. An inline string is its
 * offset in the section. */
struct dwarf_value {
	uint64_t number;
	uint16_t form;
};

struct dwarf_die {
	uint64_t offset; /* in the unit's section */
	uint16_t tag;	 /* 0: the end of a level */
	bool children;
	uint32_t seen; /* a bit for each slot that has a value */
	struct dwarf_value values[SLOT_COUNT];
};

static inline bool dwarf_die_has(const struct dwarf_die *d, enum dwarf_slot slot)
{
	return d->seen >> slot & 1;
}

/* One step of reading a DIE: an attribute to keep, or bytes to pass over. */
struct dwarf_step {
	uint16_t form;
	uint8_t slot;	  /* SLOT_NONE: pass over */
	uint8_t fixed;	  /* bytes, 0 when the form's length is in its bytes */
	uint32_t skip;	  /* bytes to pass over, of one attribute or of several in a row */
	int64_t constant; /* DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first_step, step_count;
	uint16_t tag;
	bool children;
};

/* How wide the forms of a unit are. */
struct dwarf_widths {
	uint8_t version, address, offset;
};

struct dwarf_abbrevs {
	VEC(struct dwarf_abbrev) list; /* ascending codes */
	VEC(struct dwarf_step) steps;
};

/* The innermost scope that a function without linkage name stands in (dwarf_unit.c). */
struct dwarf_scope {
	uint64_t die;
	uint32_t outer; /* index, or DWARF_NONE */
};

struct dwarf_line_file {
	const char *name,
		*folder;  /* folder: NULL, or relative to the unit's own when not absolute */
	const char *path; /* of both, once asked for */
};

struct dwarf_line_files {
	VEC(struct dwarf_line_file) list;
	uint32_t first; /* the number of list.data[0]: 1 before DWARF 5 */
};

struct dwarf_function_ref {
	struct dwarf_unit *unit;
	uint64_t die;
	const struct dwarf_frame *names; /* without line; NULL until somebody asks */
};

struct dwarf_unit {
	struct dwarf_file *file;
	enum dwarf_section section; /* info or types */
	uint64_t offset, first_die, end;
	uint64_t abbrev_offset;
	uint64_t signature; /* of a type unit or of a split one and its skeleton */
	uint64_t type_die;  /* of a type unit */
	struct dwarf_widths widths;
	uint8_t type;
	const struct dwarf_abbrevs *abbrevs; /* NULL until they are needed */

	/* From the unit's DIE (dwarf_unit_attributes). */
	bool has_attributes, has_lines, has_low_pc;
	uint16_t tag;
	uint64_t low_pc, line_offset;
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;
	struct dwarf_value ranges, high_pc;
	const char *folder;   /* of compilation */
	const char *dwo_name; /* skeletons */
	enum dwarf_build build;

	/* Filled when an address or a name in the unit is first asked for. */
	bool has_tree, has_rows, has_files;
	struct dwarf_unit *split; /* a skeleton's other half; NULL when it was not found */
	VEC(struct dwarf_segment) segments;
	VEC(struct dwarf_node) nodes;
	VEC(struct dwarf_row) rows;
	size_t near_segment, near_row; /* where the last searches ended */
	VEC(struct dwarf_function_ref) functions;
	struct dwarf_line_files files;
	VEC(struct dwarf_scope) scopes;
	struct hmap scope_of; /* offset of a function's DIE → index in scopes */
};

/* The sections of one file, or of one unit in a package. */
struct dwarf_file {
	struct dwarf_info *info;
	struct elf_image *owned; /* NULL when somebody else keeps the sections */
	struct dwarf_bytes sections[DWARF_SECTION_COUNT];
	struct dwarf_file *alternate;
	bool split;
	bool cut;			/* the last unit is longer than the section */
	const char *lost;		/* the first section that cannot be read, or NULL */
	VEC(struct dwarf_unit *) units; /* of .debug_info, ascending */
	VEC(struct dwarf_unit *) types; /* of .debug_types */
	bool types_read;
	struct hmap by_signature; /* type units → index in signed_units */
	VEC(struct dwarf_unit *) signed_units;
	struct hmap abbrevs_at; /* offset and widths → index in abbrev_list */
	VEC(struct dwarf_abbrevs *) abbrev_list;
	uint64_t abbrev_bytes; /* parsed so far */
};

struct dwarf_info {
	struct dwarf_file *main;
	struct dwarf_dwo_files dwo_files;
	VEC(struct dwarf_file *) files; /* all, owned */
	struct elf_image *package;	/* .dwp */
	bool package_known;
	struct flat_map unit_map;      /* address → index in main's units */
	uint64_t text_start, text_end; /* ranges outside are of discarded functions */
	uint32_t named_functions;      /* the number of the last one */
	uint64_t work_left;	       /* bytes that may still be read, see dwarf_spend */
	struct arena arena;
	struct dwarf_walk *walk; /* working memory, kept from unit to unit */
	const char *missing_dwo;
};

/* Takes bytes from what may be read in all; false when nothing is left. A file can refer to the
 * same bytes again and again: this is what ends it. */
bool dwarf_spend(struct dwarf_info *d, uint64_t bytes);

/* Little-endian number of 1 to 8 bytes. Widths follow each other in no order a processor could
 * guess: all but the last bytes of a section are read as eight and cut. */
static inline uint64_t dwarf_fixed(struct bytes_reader *r, size_t size)
{
	uint64_t v = 0;

	if (size - 1 < sizeof(v) && !r->failed && reader_left(r) >= sizeof(v)) {
		memcpy(&v, r->pos, sizeof(v));
		r->pos += size;
		return le64toh(v) & UINT64_MAX >> (64 - 8 * size);
	}
	const uint8_t *p = reader_take(r, size);
	for (size_t i = 0; p && i < size; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint64_t dwarf_uleb_long(struct bytes_reader *r);
int64_t dwarf_sleb(struct bytes_reader *r);

static inline uint64_t dwarf_uleb(struct bytes_reader *r)
{
	return r->pos < r->end && *r->pos < 0x80 ? *r->pos++ : dwarf_uleb_long(r);
}

/* Forms and values (dwarf_forms.c). */
/* A form's bytes, 0 when they vary; false for a form that is not known. */
bool dwarf_form_width(uint16_t form, const struct dwarf_widths *w, uint8_t *out);
/* data: where the section begins, for strings. A form that is not known fails the reader. */
struct dwarf_value dwarf_value_read(struct bytes_reader *r, uint16_t form,
				    const struct dwarf_widths *w, const uint8_t *data);
void dwarf_value_skip(struct bytes_reader *r, uint16_t form, const struct dwarf_widths *w);
const char *dwarf_value_string(const struct dwarf_unit *u, struct dwarf_value v);
bool dwarf_value_address(const struct dwarf_unit *u, struct dwarf_value v, uint64_t *out);
bool dwarf_address_at(const struct dwarf_unit *u, uint64_t index, uint64_t *out);
/* The DIE that a value refers to. */
bool dwarf_value_die(struct dwarf_unit *u, struct dwarf_value v, struct dwarf_unit **unit,
		     uint64_t *die);

/* Abbreviations (dwarf_abbrev.c). */
/* The table of the unit, cached; NULL when it is damaged. */
const struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_unit *u);
const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *a, uint64_t code);
/* Only the declaration of code, into a table of the caller's, which is cleared first. */
bool dwarf_abbrev_read_one(const struct dwarf_unit *u, uint64_t code, struct dwarf_abbrevs *out);
void dwarf_abbrevs_release(struct dwarf_abbrevs *a);

/* Files and units (dwarf_file.c). */
/* image: what the sections are taken from; suffix: "" or ".dwo". */
struct dwarf_file *dwarf_file_new(struct dwarf_info *d, struct elf_image *image,
				  const char *suffix);
/* Reads the headers of all units in .debug_info. One that is cut ends with the section. */
void dwarf_file_read_units(struct dwarf_file *f);
struct dwarf_unit *dwarf_file_unit_at(struct dwarf_file *f, uint64_t offset);
struct dwarf_unit *dwarf_file_type_unit(struct dwarf_file *f, uint64_t signature);
void dwarf_file_free(struct dwarf_file *f);
struct dwarf_bytes dwarf_unit_bytes(const struct dwarf_unit *u);
/* Reads the unit's own DIE and what of it the rest needs. scratch: a table to use, NULL: the
 * unit's. */
bool dwarf_unit_attributes(struct dwarf_unit *u, struct dwarf_abbrevs *scratch);
/* The DIE at r's place, which is passed. false at damage. */
bool dwarf_die_read(const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
		    struct bytes_reader *r, struct dwarf_die *out);
/* The DIE at an offset that somebody refers to. */
bool dwarf_die_at(struct dwarf_unit *u, uint64_t offset, struct dwarf_die *out);

/* Ranges (dwarf_ranges.c). Calls each for every non-empty range inside of the text. */
typedef void (*dwarf_range_each)(void *ctx, uint64_t start, uint64_t end);
void dwarf_ranges_of(const struct dwarf_unit *u, bool has_low, uint64_t low,
		     const struct dwarf_value *high, const struct dwarf_value *ranges,
		     dwarf_range_each each, void *ctx);
/* .debug_aranges: calls each with the offset of the unit in .debug_info. */
typedef void (*dwarf_arange_each)(void *ctx, uint64_t unit, uint64_t start, uint64_t end);
void dwarf_aranges(const struct dwarf_file *f, dwarf_arange_each each, void *ctx);

/* The tree of a unit (dwarf_unit.c): fills segments, nodes, functions, scopes. */
void dwarf_unit_read_tree(struct dwarf_unit *u);
/* The deepest node that covers address, or DWARF_NONE; it does for [*start, *end). Nothing is said
 * of these without a node. */
uint32_t dwarf_unit_node(struct dwarf_unit *u, uint64_t address, uint64_t *start, uint64_t *end);
void dwarf_unit_release(struct dwarf_unit *u);
void dwarf_walk_free(struct dwarf_walk *w);

/* How code was compiled, as far as the producer (NULL: none) says (dwarf_producer.c). */
enum dwarf_build dwarf_producer_build(const char *producer);

/* Lines (dwarf_line.c). */
void dwarf_unit_read_rows(struct dwarf_unit *u);
void dwarf_unit_read_files(struct dwarf_unit *u);
/* The row of address, which holds for [*start, *end); NULL and nothing said of these without one.
 */
const struct dwarf_row *dwarf_unit_row(struct dwarf_unit *u, uint64_t address, uint64_t *start,
				       uint64_t *end);
/* The path of a file by its number in the unit, or NULL. */
const char *dwarf_unit_file(struct dwarf_unit *u, uint32_t number);

/* Names (dwarf_name.c): what is known of a function. asked: the unit whose list has it. */
const struct dwarf_frame *dwarf_function_names(struct dwarf_unit *asked,
					       const struct dwarf_function_ref *f);

/* The other half of a skeleton, or NULL (dwarf_split.c, dwarf_package.c). */
struct dwarf_unit *dwarf_split_open(struct dwarf_unit *skeleton);
/* The sections of the unit with this id in a package; false when it has none. */
bool dwarf_package_find(struct elf_image *package, uint64_t id,
			struct dwarf_bytes sections[DWARF_SECTION_COUNT]);

#endif
