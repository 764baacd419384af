/* The units of a file by address, chains of inlined calls, and the names of functions. */
#include "symbolize/dwarf_info.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbolize/dwarf_private.h"

#define MAX_UNIT_RANGES ((size_t)4 << 20)

struct unit_ranges {
	VEC(struct flat_range) list;
};

static void add_unit_ranges(struct unit_ranges *r, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while (r->list.len < MAX_UNIT_RANGES &&
	       (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		if (start && start < end)
			vec_push(&r->list, ((struct flat_range){ start, end, unit, unit }));
}

/* A unit that does not say where its code is says it by its functions. */
static void add_function_ranges(struct dwarf_info *d, struct unit_ranges *r, uint32_t unit)
{
	struct dwarf_unit *u = &d->units.data[unit];

	dwarf_unit_load(d, u);
	for (size_t i = 0; i < u->map.segments.len && r->list.len < MAX_UNIT_RANGES; i++) {
		const struct flat_segment *s = &u->map.segments.data[i];
		vec_push(&r->list, ((struct flat_range){ s->start, s->end, unit, unit }));
	}
}

static const char *dwo_name(Dwarf_Die *die, uint8_t type)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (type != DW_UT_skeleton)
		return NULL;
	if (dwarf_attr(die, DW_AT_dwo_name, &attribute) ||
	    dwarf_attr(die, DW_AT_GNU_dwo_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : "(unnamed)";
}

/* No clang and not every assembler writes .debug_aranges: the unit DIEs are the index. */
static void index_units(struct dwarf_info *d)
{
	struct unit_ranges ranges = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	Dwarf_Half version;
	uint8_t type;

	/* Without a place for the split unit libdw does not look for its file. */
	while (dwarf_get_units(d->main.dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		struct dwarf_unit unit = { .die = die,
					   .version = version,
					   .dwo = dwo_name(&die, type) };
		vec_push(&d->units, unit);
		size_t before = ranges.list.len;
		uint32_t index = (uint32_t)d->units.len - 1;
		add_unit_ranges(&ranges, &die, index);
		if (ranges.list.len == before && !unit.dwo && dwarf_haschildren(&die) > 0)
			add_function_ranges(d, &ranges, index);
	}
	flat_map_build(&d->unit_map, ranges.list.data, ranges.list.len);
	vec_release(&ranges.list);
}

struct dwarf_info *dwarf_info_new(struct elf_image *image, struct elf_image *alternate,
				  const struct dwarf_dwo_files *dwo_files, char *note,
				  size_t note_size)
{
	struct dwarf_info *d = xcalloc(1, sizeof(*d));
	bool damaged = false;

	note[0] = '\0';
	if (!dwarf_image_open(&d->main, image, &damaged)) {
		snprintf(note, note_size, "the debug information is damaged: %s",
			 damaged ? "a section cannot be decompressed" : dwarf_errmsg(-1));
		free(d);
		return NULL;
	}
	if (alternate && dwarf_image_open(&d->alternate, alternate, &damaged))
		dwarf_setalt(d->main.dwarf, d->alternate.dwarf);
	if (dwo_files)
		d->dwo_files = *dwo_files;
	if (damaged)
		snprintf(note, note_size, "a section of debug information cannot be decompressed");
	index_units(d);
	return d;
}

void dwarf_info_free(struct dwarf_info *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->units.len; i++)
		dwarf_unit_release(&d->units.data[i]);
	vec_release(&d->units);
	flat_map_release(&d->unit_map);
	hmap_release(&d->functions);
	hmap_release(&d->qualified);
	vec_release(&d->qualified_list);
	vec_release(&d->function_list);
	arena_release(&d->arena);
	dwarf_image_close(&d->main);
	dwarf_image_close(&d->alternate);
	free(d);
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Not dwarf_decl_file: it takes DWARF 5's file 0 for none. */
static const char *declaration_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word index;
	Dwarf_Die unit;
	Dwarf_Half version;
	Dwarf_Files *files;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
	    dwarf_formudata(&attribute, &index) != 0 ||
	    !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) != 0)
		return NULL;
	if (index >= count || (index == 0 && version < 5))
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

static struct dwarf_function *read_function(struct dwarf_info *d, Dwarf_Die *die)
{
	struct dwarf_function *f = arena_zalloc(&d->arena, sizeof(*f));
	int line = 0;

	f->linkage = string_of(die, DW_AT_linkage_name);
	if (!f->linkage)
		f->linkage = string_of(die, DW_AT_MIPS_linkage_name);
	f->name = f->linkage ? NULL : dwarf_qualified_name(d, die);
	if (!f->name)
		f->name = string_of(die, DW_AT_name);
	f->file = declaration_file(die);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		f->line = (uint32_t)line;
	return f;
}

/* Inlined calls of one function share its abstract instance; a physical function speaks for itself.
 */
static const struct dwarf_function *function_of(struct dwarf_info *d, const struct dwarf_node *node)
{
	Dwarf_Die die = node->die, origin;
	Dwarf_Attribute attribute;

	if (node->parent != NO_NODE && dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin))
		die = origin;
	uint64_t key = (uint64_t)(uintptr_t)die.addr;
	uint32_t index = hmap_get(&d->functions, key);
	if (index == HMAP_NONE) {
		index = (uint32_t)d->function_list.len;
		vec_push(&d->function_list, read_function(d, &die));
		hmap_put(&d->functions, key, index);
	}
	return d->function_list.data[index];
}

static struct dwarf_unit *unit_at(struct dwarf_info *d, uint64_t address)
{
	const struct flat_segment *s = flat_map_find(&d->unit_map, address);

	if (!s)
		return NULL;
	struct dwarf_unit *u = &d->units.data[s->value];
	if (!u->loaded)
		dwarf_unit_load(d, u);
	if (u->dwo && !u->split && !d->missing_dwo)
		d->missing_dwo = u->dwo;
	return u;
}

void dwarf_info_find(struct dwarf_info *d, uint64_t address, struct dwarf_frames *out)
{
	struct dwarf_unit *u = unit_at(d, address);
	struct dwarf_frame frame = { 0 };

	vec_clear(&out->list);
	if (!u)
		return;
	const struct flat_segment *s = flat_map_find(&u->map, address);
	bool has_line = dwarf_unit_line(u, address, &frame.file, &frame.line);
	if (!s) {
		if (has_line)
			vec_push(&out->list, frame);
		return;
	}
	for (uint32_t i = s->value; i != NO_NODE; i = u->nodes.data[i].parent) {
		const struct dwarf_node *node = &u->nodes.data[i];
		frame.function = function_of(d, node);
		vec_push(&out->list, frame);
		frame.file = dwarf_unit_file(u, node->call_file);
		frame.line = node->call_line;
	}
}

static const struct dwarf_node *root_at(struct dwarf_info *d, uint64_t address)
{
	struct dwarf_unit *u = unit_at(d, address);
	const struct flat_segment *s = u ? flat_map_find(&u->map, address) : NULL;
	uint32_t i = s ? s->value : NO_NODE;

	while (i != NO_NODE && u->nodes.data[i].parent != NO_NODE)
		i = u->nodes.data[i].parent;
	return i == NO_NODE ? NULL : &u->nodes.data[i];
}

bool dwarf_info_same_function(struct dwarf_info *d, uint64_t a, uint64_t b)
{
	return root_at(d, a) == root_at(d, b);
}

const char *dwarf_info_missing_dwo(const struct dwarf_info *d)
{
	return d->missing_dwo;
}
