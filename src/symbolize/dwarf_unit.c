/*
 * One compilation unit made flat: its DIEs are walked once, each physical function and inlined call
 * becomes a node with its ranges, and the ranges become one sorted table in which the deepest node
 * owns an address. The walk is linear in the unit's size also where DIEs have no DW_AT_sibling
 * (clang writes none).
 */
#include <dwarf.h>
#include <stdlib.h>

#include "symbolize/dwarf_private.h"

/* Bounds for hostile files; real code nests inlined calls some 60 deep. */
#define MAX_DEPTH	   200
#define MAX_RANGES_OF_UNIT ((size_t)2 << 20)
#define MAX_DIES_OF_UNIT   ((size_t)64 << 20)

struct walk {
	struct dwarf_info *info;
	struct dwarf_unit *unit;
	const unsigned char *end; /* of the unit's DIEs */
	VEC(struct flat_range) ranges;
	size_t dies;
};

struct attributes {
	bool has_code, declaration;
	bool has_name, has_linkage_name;
	uint32_t call_file, call_line; /* call_file NO_FILE when not said */
};

static uint32_t small_number(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	return dwarf_formudata(attribute, &value) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static int collect_attribute(Dwarf_Attribute *attribute, void *ctx)
{
	struct attributes *a = ctx;

	switch (dwarf_whatattr(attribute)) {
	case DW_AT_low_pc:
	case DW_AT_ranges:
		a->has_code = true;
		break;
	case DW_AT_declaration:
		a->declaration = true;
		break;
	case DW_AT_name:
		a->has_name = true;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		a->has_linkage_name = true;
		break;
	case DW_AT_call_file:
		a->call_file = small_number(attribute);
		break;
	case DW_AT_call_line:
		a->call_line = small_number(attribute);
		break;
	default:
		break;
	}
	return DWARF_CB_OK;
}

static void add_ranges(struct walk *w, uint32_t node)
{
	struct dwarf_node *n = &w->unit->nodes.data[node];
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while (w->ranges.len < MAX_RANGES_OF_UNIT &&
	       (offset = dwarf_ranges(&n->die, offset, &base, &start, &end)) > 0) {
		/* Functions that the linker discarded are left at address 0. */
		if (start && start < end)
			vec_push(&w->ranges, ((struct flat_range){ start, end, n->depth, node }));
	}
}

static uint32_t add_node(struct walk *w, Dwarf_Die *die, uint32_t parent,
			 const struct attributes *a)
{
	struct dwarf_node node = {
		.die = *die,
		.parent = parent,
		.depth = parent == NO_NODE ? 0 : w->unit->nodes.data[parent].depth + 1,
		.call_file = a->call_file,
		.call_line = a->call_line,
	};

	vec_push(&w->unit->nodes, node);
	add_ranges(w, (uint32_t)w->unit->nodes.len - 1);
	return (uint32_t)w->unit->nodes.len - 1;
}

static bool walk_children(struct walk *w, const struct dwarf_scope *scope, Dwarf_Die *parent,
			  uint32_t node, unsigned depth, unsigned char **after);

/* A function or an inlined call: returns its node, or `node` when it has no code. */
static uint32_t visit_function(struct walk *w, const struct dwarf_scope *scope, Dwarf_Die *die,
			       uint32_t node, bool *declaration)
{
	struct attributes a = { .call_file = NO_FILE };
	bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;

	dwarf_getattrs(die, collect_attribute, &a, 0);
	*declaration = a.declaration;
	if (a.has_name && !a.has_linkage_name && scope)
		dwarf_qualify(w->info, die, scope);
	if (!a.has_code || a.declaration)
		return node;
	return add_node(w, die, inlined ? node : NO_NODE, &a);
}

/* Visits one DIE. True when *after was learned: the first byte behind its children. */
static bool visit(struct walk *w, const struct dwarf_scope *scope, Dwarf_Die *die, uint32_t node,
		  unsigned depth, unsigned char **after)
{
	struct dwarf_scope inner = { die, scope };
	bool declaration = false;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		node = visit_function(w, scope, die, node, &declaration);
		if (declaration)
			return false;
		return walk_children(w, &inner, die, node, depth + 1, after);
	/* Bodies of lambdas and local classes stand inside types and namespaces. */
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return walk_children(w, &inner, die, node, depth + 1, after);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return walk_children(w, scope, die, node, depth + 1, after);
	default:
		return false;
	}
}

/* 0: *next is the sibling of *die; 1: there is none; -1: damage. */
static int step(const struct walk *w, Dwarf_Die *die, bool known, unsigned char *behind,
		Dwarf_Die *next, unsigned char **after)
{
	*next = (Dwarf_Die){ 0 };
	if (!known) {
		int status = dwarf_siblingof(die, next);
		/* At the end of a level libdw leaves the address of the closing null entry. */
		unsigned char *null_entry = status == 1 ? next->addr : NULL;
		*after = null_entry && *null_entry == 0 ? null_entry + 1 : NULL;
		return status;
	}
	if (behind >= w->end)
		return -1;
	if (*behind == 0) {
		*after = behind + 1;
		return 1;
	}
	next->addr = behind;
	next->cu = die->cu;
	return 0;
}

static bool walk_children(struct walk *w, const struct dwarf_scope *scope, Dwarf_Die *parent,
			  uint32_t node, unsigned depth, unsigned char **after)
{
	Dwarf_Die die, next;

	*after = NULL;
	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return false;
	while (w->dies++ < MAX_DIES_OF_UNIT) {
		unsigned char *behind = NULL, *here = die.addr;
		bool known = visit(w, scope, &die, node, depth, &behind) && behind > here;
		int status = step(w, &die, known, behind, &next, after);
		if (status)
			return status > 0 && *after > here;
		die = next;
	}
	return false;
}

/* The first byte behind the unit's DIEs, which is inside .debug_info or at its end. */
static const unsigned char *unit_end(Dwarf_Die *unit_die, const struct dwarf_image *image)
{
	Dwarf_Off offset = dwarf_dieoffset(unit_die), next;
	Dwarf_Off unit = offset - dwarf_cuoffset(unit_die);
	size_t header;

	if (dwarf_nextcu(image->dwarf, unit, &next, &header, NULL, NULL, NULL) != 0 ||
	    next < offset || next > image->sections[DWARF_INFO].len)
		return unit_die->addr;
	return (const unsigned char *)unit_die->addr + (next - offset);
}

void dwarf_unit_load(struct dwarf_info *d, struct dwarf_unit *u)
{
	struct walk w = { .info = d, .unit = u };
	unsigned char *after;

	Dwarf_Die die = u->die;

	u->loaded = true;
	if (!u->dwo || dwarf_split_open(d, u, &die)) {
		w.end = unit_end(&die, u->split ? u->split : &d->main);
		walk_children(&w, NULL, &die, NO_NODE, 0, &after);
		flat_map_build(&u->map, w.ranges.data, w.ranges.len);
		vec_release(&w.ranges);
	}
	/* A split unit's lines are in the program; gcc writes the files of its calls to the .dwo
	 * file. */
	if (dwarf_getsrclines(&u->die, &u->lines, &u->line_count) != 0)
		u->line_count = 0;
	if (dwarf_getsrcfiles(&die, &u->files, &u->file_count) != 0 &&
	    dwarf_getsrcfiles(&u->die, &u->files, &u->file_count) != 0)
		u->file_count = 0;
}

static Dwarf_Addr row_address(const struct dwarf_unit *u, size_t i)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(u->lines, i), &address);
	return address;
}

bool dwarf_unit_line(const struct dwarf_unit *u, uint64_t address, const char **file,
		     uint32_t *line)
{
	size_t low = 0, high = u->line_count;
	bool end_of_sequence = true;
	int number = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (row_address(u, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	Dwarf_Line *row = dwarf_onesrcline(u->lines, low - 1);
	if (dwarf_lineendsequence(row, &end_of_sequence) != 0 || end_of_sequence)
		return false;
	dwarf_lineno(row, &number);
	*file = dwarf_linesrc(row, NULL, NULL);
	*line = number > 0 ? (uint32_t)number : 0;
	return true;
}

const char *dwarf_unit_file(const struct dwarf_unit *u, uint32_t index)
{
	/* DWARF 5 counts files from 0; before, 0 meant none. */
	if (index >= u->file_count || (index == 0 && u->version < 5))
		return NULL;
	return dwarf_filesrc(u->files, index, NULL, NULL);
}

void dwarf_unit_release(struct dwarf_unit *u)
{
	flat_map_release(&u->map);
	vec_release(&u->nodes);
	if (u->split)
		dwarf_image_close(u->split);
	free(u->split);
}
