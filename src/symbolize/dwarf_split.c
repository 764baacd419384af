/*
 * Split DWARF: the program keeps a skeleton of each unit, a .dwo file or the program's .dwp package
 * the rest. It is opened by the caller's functions and must carry the skeleton's id. Its unit is
 * given the parts of the program's address and range tables that it refers to, so that their bases
 * are 0.
 */
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

/* The part of a section from a base on. */
static struct dwarf_bytes from_base(struct dwarf_bytes section, uint64_t base)
{
	if (base >= section.len)
		return (struct dwarf_bytes){ 0 };
	return (struct dwarf_bytes){ section.data + base, section.len - base };
}

/* What a split unit takes from the program. */
static void share_sections(struct dwarf_file *split, const struct dwarf_unit *skeleton)
{
	const struct dwarf_bytes *main = skeleton->file->sections;

	split->sections[DWARF_ADDR] = from_base(main[DWARF_ADDR], skeleton->addr_base);
	split->sections[DWARF_RANGES] = from_base(main[DWARF_RANGES], skeleton->gnu_ranges_base);
}

/* The unit of the file that has the skeleton's id. */
static struct dwarf_unit *find_unit(struct dwarf_file *split, const struct dwarf_unit *skeleton)
{
	dwarf_file_read_units(split);
	for (size_t i = 0; i < split->units.len; i++) {
		struct dwarf_unit *u = split->units.data[i];
		if (u->type == DW_UT_split_compile || u->widths.version < 5) {
			if (dwarf_unit_attributes(u, NULL) && u->tag == DW_TAG_compile_unit &&
			    u->signature == skeleton->signature)
				return u;
		}
	}
	return NULL;
}

static struct dwarf_unit *adopt(struct dwarf_file *split, const struct dwarf_unit *skeleton)
{
	share_sections(split, skeleton);
	struct dwarf_unit *u = find_unit(split, skeleton);
	if (!u)
		return NULL;
	u->low_pc = skeleton->low_pc;
	if (!u->folder)
		u->folder = skeleton->folder;
	return u;
}

static struct dwarf_unit *open_in_package(struct dwarf_unit *skeleton)
{
	struct dwarf_info *d = skeleton->file->info;
	struct dwarf_bytes sections[DWARF_SECTION_COUNT] = { 0 };

	if (!d->package_known && d->dwo_files.open_package)
		d->package = d->dwo_files.open_package(d->dwo_files.ctx);
	d->package_known = true;
	if (!d->package || !dwarf_package_find(d->package, skeleton->signature, sections))
		return NULL;
	struct dwarf_file *split = dwarf_file_new(d, NULL, ".dwo");
	memcpy(split->sections, sections, sizeof(sections));
	return adopt(split, skeleton);
}

static struct dwarf_unit *open_file(struct dwarf_unit *skeleton)
{
	struct dwarf_info *d = skeleton->file->info;
	struct elf_image *image = NULL;

	if (d->dwo_files.open)
		image = d->dwo_files.open(d->dwo_files.ctx, skeleton->dwo_name,
					  skeleton->folder ? skeleton->folder : "");
	if (!image)
		return NULL;
	struct dwarf_file *split = dwarf_file_new(d, image, ".dwo");
	split->owned = image;
	uint64_t bytes = split->sections[DWARF_INFO].len + split->sections[DWARF_LINE].len;
	return dwarf_spend(d, bytes) ? adopt(split, skeleton) : NULL;
}

struct dwarf_unit *dwarf_split_open(struct dwarf_unit *skeleton)
{
	struct dwarf_unit *u = open_in_package(skeleton);

	return u ? u : open_file(skeleton);
}
