/*
 * Inlined calls by libdw: all functions and inlined calls of a unit with their ranges, looked
 * through one by one for every address. (dwarf_getscopes would not do: it finds nothing in
 * namespaces and types.)
 */
#include "libdw_oracle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct libdw_node {
	Dwarf_Die die;
	size_t parent; /* in nodes; SIZE_MAX for a function of its own */
	unsigned depth;
};

struct libdw_range {
	Dwarf_Addr start, end;
	size_t node;
};

struct libdw_unit {
	Dwarf_Die die, split; /* the same when there is no other half */
	Dwarf_Half version;
	bool is_read;
	VEC(struct libdw_node) nodes;
	VEC(struct libdw_range) ranges;
};

struct libdw_oracle {
	int fd;
	Dwarf *dwarf;
	VEC(struct libdw_unit) units;
};

struct libdw_oracle *libdw_oracle_open(const char *path)
{
	struct libdw_oracle *o = xcalloc(1, sizeof(*o));
	Dwarf_CU *cu = NULL;
	struct libdw_unit u;
	uint8_t type;

	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	o->dwarf = o->fd < 0 ? NULL : dwarf_begin(o->fd, DWARF_C_READ);
	if (!o->dwarf) {
		libdw_oracle_close(o);
		return NULL;
	}
	memset(&u, 0, sizeof(u));
	while (dwarf_get_units(o->dwarf, cu, &cu, &u.version, &type, &u.die, &u.split) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (type != DW_UT_skeleton || !u.split.addr)
			u.split = u.die;
		vec_push(&o->units, u);
	}
	return o;
}

void libdw_oracle_close(struct libdw_oracle *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->units.len; i++) {
		vec_release(&o->units.data[i].nodes);
		vec_release(&o->units.data[i].ranges);
	}
	if (o->dwarf)
		dwarf_end(o->dwarf);
	close_fd_ptr(&o->fd);
	vec_release(&o->units);
	free(o);
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name, uint32_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0
		       ? (uint32_t)value
		       : otherwise;
}

static const char *call_file(const struct libdw_unit *u, uint32_t number)
{
	Dwarf_Die die = u->split;
	Dwarf_Files *files;
	size_t count;

	if ((dwarf_getsrcfiles(&die, &files, &count) != 0 || count == 0) &&
	    (die = u->die, dwarf_getsrcfiles(&die, &files, &count) != 0))
		return NULL;
	if (number >= count || (number == 0 && u->version < 5))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static bool find_line(struct libdw_unit *u, uint64_t address, struct dwarf_frame *out)
{
	Dwarf_Line *row = dwarf_getsrc_die(&u->die, address);
	int line = 0;

	if (!row)
		return false;
	dwarf_lineno(row, &line);
	out->file = dwarf_linesrc(row, NULL, NULL);
	out->line = line > 0 ? (uint32_t)line : 0;
	return true;
}

/* Returns the node that children of the DIE are in. */
static size_t add_node(struct libdw_unit *u, Dwarf_Die *die, size_t parent)
{
	bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine && parent != SIZE_MAX;
	struct libdw_node node = { *die, inlined ? parent : SIZE_MAX,
				   inlined ? u->nodes.data[parent].depth + 1 : 0 };
	struct libdw_range range = { .node = u->nodes.len };
	Dwarf_Addr base;
	ptrdiff_t offset = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return parent;
	while ((offset = dwarf_ranges(die, offset, &base, &range.start, &range.end)) > 0)
		if (range.start)
			vec_push(&u->ranges, range);
	vec_push(&u->nodes, node);
	return range.node;
}

static void read_children(struct libdw_unit *u, Dwarf_Die *parent, size_t node)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		read_children(u, &die, function ? add_node(u, &die, node) : node);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* The deepest node at address, SIZE_MAX when there is none. */
static size_t find_node(struct libdw_unit *u, uint64_t address)
{
	size_t best = SIZE_MAX;

	if (!u->is_read)
		read_children(u, &u->split, SIZE_MAX);
	u->is_read = true;
	for (size_t i = 0; i < u->ranges.len; i++) {
		const struct libdw_range *r = &u->ranges.data[i];
		if (address < r->start || address >= r->end)
			continue;
		if (best == SIZE_MAX || u->nodes.data[r->node].depth >= u->nodes.data[best].depth)
			best = r->node;
	}
	return best;
}

static void push_functions(struct libdw_unit *u, size_t node, struct dwarf_frame place,
			   struct dwarf_frames *out)
{
	for (; node != SIZE_MAX; node = u->nodes.data[node].parent) {
		Dwarf_Die *die = &u->nodes.data[node].die;
		place.linkage = string_of(die, DW_AT_linkage_name);
		place.name = string_of(die, DW_AT_name);
		place.function = 1;
		vec_push(&out->list, place);
		uint32_t file = number_of(die, DW_AT_call_file, UINT32_MAX);
		place.file = file == UINT32_MAX ? NULL : call_file(u, file);
		place.line = number_of(die, DW_AT_call_line, 0);
	}
}

void libdw_oracle_find(struct libdw_oracle *o, uint64_t address, struct dwarf_frames *out)
{
	struct dwarf_frame place = { 0 };
	struct libdw_unit *u = NULL;

	vec_clear(&out->list);
	for (size_t i = 0; i < o->units.len && !u; i++)
		if (dwarf_haspc(&o->units.data[i].die, address) > 0)
			u = &o->units.data[i];
	if (!u)
		return;
	bool has_line = find_line(u, address, &place);
	push_functions(u, find_node(u, address), place, out);
	if (!out->list.len && has_line)
		vec_push(&out->list, place);
}
