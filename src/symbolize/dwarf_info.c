/* The units of a file by address, and answers: chains of inlined calls with their lines. */
#include "symbolize/dwarf_info.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbolize/dwarf_private.h"

#define MAX_UNIT_RANGES ((size_t)4 << 20)

bool dwarf_spend(struct dwarf_info *d, uint64_t bytes)
{
	if (bytes > d->work_left) {
		d->work_left = 0;
		return false;
	}
	d->work_left -= bytes;
	return true;
}

/* The ranges of all units, while the index is made. */
struct indexing {
	struct dwarf_info *info;
	VEC(struct flat_range) ranges;
	uint8_t *placeless; /* of each unit: it has not said where its code is */
	bool some_placeless;
	uint32_t unit;
};

/* Of a function that stands in several object files linkers keep the first one's code, and GNU ld
 * makes the debug information of all others refer to it. So the first unit is the code's own: the
 * others may have been compiled from other lines. */
static void add_range(void *ctx, uint64_t start, uint64_t end)
{
	struct indexing *x = ctx;
	uint64_t priority = UINT64_MAX - x->unit;

	if (x->ranges.len < MAX_UNIT_RANGES)
		vec_push(&x->ranges, ((struct flat_range){ start, end, priority, x->unit }));
}

enum { PLACED, PLACELESS, PLACED_BY_ARANGES };

static void add_arange(void *ctx, uint64_t offset, uint64_t start, uint64_t end)
{
	struct indexing *x = ctx;
	const struct dwarf_file *f = x->info->main;
	size_t low = 0, high = f->units.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->units.data[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == f->units.len || f->units.data[low]->offset != offset ||
	    x->placeless[low] == PLACED)
		return;
	x->placeless[low] = PLACED_BY_ARANGES;
	x->unit = (uint32_t)low;
	add_range(x, start, end);
}

/* The last resort for a unit without ranges: where its functions are. */
static void add_function_ranges(struct indexing *x, uint32_t index)
{
	struct dwarf_unit *u = x->info->main->units.data[index];

	x->unit = index;
	dwarf_unit_read_tree(u);
	for (size_t i = 0; i + 1 < u->segments.len; i++)
		if (u->segments.data[i].node != DWARF_NONE)
			add_range(x, x->info->text_start + u->segments.data[i].start,
				  x->info->text_start + u->segments.data[i + 1].start);
}

static void index_unit(struct indexing *x, uint32_t index, struct dwarf_abbrevs *scratch)
{
	struct dwarf_unit *u = x->info->main->units.data[index];

	if (u->type != DW_UT_compile && u->type != DW_UT_skeleton)
		return;
	if (!dwarf_unit_attributes(u, scratch) ||
	    (u->tag != DW_TAG_compile_unit && u->tag != DW_TAG_skeleton_unit))
		return;
	x->unit = index;
	if (u->ranges.form || u->high_pc.form) {
		dwarf_ranges_of(u, u->has_low_pc, u->low_pc, &u->high_pc, &u->ranges, add_range, x);
	} else {
		x->placeless[index] = PLACELESS;
		x->some_placeless = true;
	}
}

/* clang writes no .debug_aranges, and what one object file has says nothing of the next: so the
 * unit DIEs are the index, and .debug_aranges serves where they do not say. */
static void index_units(struct dwarf_info *d)
{
	struct indexing x = { .info = d };
	struct dwarf_abbrevs scratch = { 0 };

	dwarf_file_read_units(d->main);
	x.placeless = xcalloc(d->main->units.len, 1);
	for (size_t i = 0; i < d->main->units.len; i++)
		index_unit(&x, (uint32_t)i, &scratch);
	if (x.some_placeless)
		dwarf_aranges(d->main, add_arange, &x);
	for (size_t i = 0; x.some_placeless && i < d->main->units.len; i++)
		if (x.placeless[i] == PLACELESS)
			add_function_ranges(&x, (uint32_t)i);
	flat_map_build(&d->unit_map, x.ranges.data, x.ranges.len);
	vec_release(&x.ranges);
	free(x.placeless);
	dwarf_abbrevs_release(&scratch);
}

/* The addresses of code; everything when the file does not say. */
static void find_text(struct dwarf_info *d, const struct elf_image *image)
{
	d->text_start = UINT64_MAX;
	d->text_end = 0;
	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		uint64_t end;
		if (!s->executable || __builtin_add_overflow(s->vaddr, s->mem_size, &end))
			continue;
		d->text_start = s->vaddr < d->text_start ? s->vaddr : d->text_start;
		d->text_end = end > d->text_end ? end : d->text_end;
	}
	if (d->text_start > d->text_end) {
		d->text_start = 0;
		d->text_end = UINT64_MAX;
	}
}

/* What may be read of a file: every byte some times over. */
static uint64_t work_for(const struct dwarf_file *f)
{
	uint64_t sum = (uint64_t)64 << 20;

	for (size_t i = 0; i < DWARF_SECTION_COUNT; i++)
		sum += 8 * (uint64_t)f->sections[i].len;
	return sum;
}

static void describe_damage(const struct dwarf_info *d, char *note, size_t note_size)
{
	const struct dwarf_file *f = d->main;

	if (f->alternate && (f->alternate->lost || f->alternate->cut))
		f = f->alternate;
	if (d->main->lost || f->lost)
		snprintf(note, note_size, "its %s cannot be read",
			 d->main->lost ? d->main->lost : f->lost);
	else if (f->cut)
		snprintf(note, note_size, "its debug information is cut");
	else if (!d->main->units.len)
		snprintf(note, note_size, "its debug information has no unit");
}

struct dwarf_info *dwarf_info_new(struct elf_image *image, struct elf_image *alternate,
				  const struct dwarf_dwo_files *dwo_files, char *note,
				  size_t note_size)
{
	struct dwarf_info *d = xcalloc(1, sizeof(*d));

	note[0] = '\0';
	find_text(d, image);
	d->main = dwarf_file_new(d, image, "");
	if (alternate) {
		d->main->alternate = dwarf_file_new(d, alternate, "");
		d->main->alternate->owned = alternate;
		dwarf_file_read_units(d->main->alternate);
		d->work_left += work_for(d->main->alternate);
	}
	d->work_left += work_for(d->main);
	if (dwo_files)
		d->dwo_files = *dwo_files;
	index_units(d);
	describe_damage(d, note, note_size);
	if (!d->main->units.len) {
		dwarf_info_free(d);
		return NULL;
	}
	return d;
}

void dwarf_info_free(struct dwarf_info *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->files.len; i++)
		dwarf_file_free(d->files.data[i]);
	vec_release(&d->files);
	elf_image_free(d->package);
	flat_map_release(&d->unit_map);
	dwarf_walk_free(d->walk);
	arena_release(&d->arena);
	free(d);
}

/* The unit that covers address, its tree read; *index: its number. */
static struct dwarf_unit *unit_at(struct dwarf_info *d, uint64_t address, uint32_t *index)
{
	const struct flat_segment *s = flat_map_find(&d->unit_map, address);

	if (!s)
		return NULL;
	struct dwarf_unit *u = d->main->units.data[s->value];
	*index = s->value;
	if (!u->has_tree)
		dwarf_unit_read_tree(u);
	if (u->dwo_name && !u->split && !d->missing_dwo)
		d->missing_dwo = u->dwo_name;
	return u;
}

static const struct dwarf_frame *function_at(struct dwarf_unit *u, uint32_t index)
{
	struct dwarf_function_ref *f = &u->functions.data[index];

	if (!f->names)
		f->names = dwarf_function_names(u, f);
	return f->names;
}

/* Where files of calls are counted: gcc writes them to the .dwo file, clang leaves them. */
static struct dwarf_unit *unit_of_calls(struct dwarf_unit *u)
{
	if (!u->split)
		return u;
	dwarf_unit_read_files(u->split);
	return u->split->files.list.len ? u->split : u;
}

/* A skeleton says nothing. */
static enum dwarf_build build_of(const struct dwarf_unit *u)
{
	return u->split ? u->split->build : u->build;
}

/* The frames of a node and of all around it. */
static void push_chain(struct dwarf_unit *u, uint32_t node, struct dwarf_frame *place,
		       struct dwarf_frames *out)
{
	struct dwarf_unit *calls = unit_of_calls(u);

	while (node != DWARF_NONE) {
		const struct dwarf_node *n = &u->nodes.data[node];
		struct dwarf_frame next = *function_at(u, n->function);
		next.file = place->file;
		next.line = place->line;
		vec_push(&out->list, next);
		place->file =
			n->call_file == DWARF_NONE ? NULL : dwarf_unit_file(calls, n->call_file);
		place->line = n->call_line;
		out->function = node + 1;
		if (n->parent == DWARF_NONE)
			out->list.data[out->list.len - 1].build = build_of(u);
		node = n->parent;
	}
}

void dwarf_info_find(struct dwarf_info *d, uint64_t address, struct dwarf_frames *out)
{
	uint32_t index;
	struct dwarf_unit *u = unit_at(d, address, &index);
	struct dwarf_frame place = { 0 };
	uint64_t start, end;

	vec_clear(&out->list);
	out->function = out->start = out->end = 0;
	if (!u)
		return;
	if (!u->has_rows)
		dwarf_unit_read_rows(u);
	const struct dwarf_row *row = dwarf_unit_row(u, address, &out->start, &out->end);
	if (row) {
		place.file = dwarf_unit_file(u, row->file);
		place.line = row->line;
	}
	uint32_t node = dwarf_unit_node(u, address, &start, &end);
	if (node != DWARF_NONE) {
		push_chain(u, node, &place, out);
		out->function |= (uint64_t)index << 32;
	} else if (row) {
		vec_push(&out->list, place);
	}
	if (row && node != DWARF_NONE) {
		out->start = out->start > start ? out->start : start;
		out->end = out->end < end ? out->end : end;
	} else {
		out->start = out->end = 0;
	}
}

uint64_t dwarf_info_function(struct dwarf_info *d, uint64_t address)
{
	uint32_t index;
	struct dwarf_unit *u = unit_at(d, address, &index);
	uint64_t start, end;
	uint32_t node = u ? dwarf_unit_node(u, address, &start, &end) : DWARF_NONE;

	if (node == DWARF_NONE)
		return 0;
	while (u->nodes.data[node].parent != DWARF_NONE)
		node = u->nodes.data[node].parent;
	return (uint64_t)index << 32 | (node + 1);
}

const char *dwarf_info_missing_dwo(const struct dwarf_info *d)
{
	return d->missing_dwo;
}
