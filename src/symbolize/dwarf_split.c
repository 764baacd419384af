/*
 * Split DWARF: the program keeps a skeleton of each unit, a .dwo file the rest. libdw would look
 * for that file by itself, from paths in the program; here it never gets the chance. The file is
 * opened by the caller's function, must carry the skeleton's id, and is given to libdw together
 * with the parts of the program's address and range tables that its unit refers to, placed so that
 * their bases are 0.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "symbolize/dwarf_private.h"

/* Units say where their part of a table begins, not where it ends; no unit needs more than this. */
#define MAX_TABLE_BYTES ((size_t)16 << 20)

static const char *string_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static bool number_attribute(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, out) == 0;
}

/* The part of a section from a base on. */
static struct dwarf_bytes from_base(struct dwarf_bytes section, Dwarf_Word base)
{
	if (base > section.len)
		return (struct dwarf_bytes){ 0 };
	size_t len = section.len - base;
	return (struct dwarf_bytes){ section.data + base,
				     len < MAX_TABLE_BYTES ? len : MAX_TABLE_BYTES };
}

static struct dwarf_split_base base_of(const struct dwarf_info *d, struct dwarf_unit *u)
{
	Dwarf_Word addr = 0, ranges = 0;

	if (!number_attribute(&u->die, DW_AT_addr_base, &addr))
		number_attribute(&u->die, DW_AT_GNU_addr_base, &addr);
	number_attribute(&u->die, DW_AT_GNU_ranges_base, &ranges);
	return (struct dwarf_split_base){
		.addr = from_base(dwarf_image_section(&d->main, DWARF_ADDR), addr),
		.ranges = from_base(dwarf_image_section(&d->main, DWARF_RANGES), ranges),
	};
}

static bool unit_id(Dwarf_CU *cu, uint64_t *id)
{
	/* Without a place for the other half libdw does not look for it. */
	return dwarf_cu_info(cu, NULL, NULL, NULL, NULL, id, NULL, NULL) == 0;
}

/* The unit of the file that has the skeleton's id. */
static bool find_unit(const struct dwarf_image *split, struct dwarf_unit *u, Dwarf_Die *die)
{
	uint64_t wanted, id;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	if (!unit_id(u->die.cu, &wanted))
		return false;
	while (dwarf_get_units(split->dwarf, cu, &cu, NULL, &type, die, NULL) == 0)
		if (type == DW_UT_split_compile && unit_id(cu, &id) && id == wanted)
			return true;
	return false;
}

bool dwarf_split_open(struct dwarf_info *d, struct dwarf_unit *u, Dwarf_Die *die)
{
	const char *folder = string_attribute(&u->die, DW_AT_comp_dir);
	struct elf_image *file = NULL;
	Dwarf_Die found;

	if (d->dwo_files.open)
		file = d->dwo_files.open(d->dwo_files.ctx, u->dwo, folder ? folder : "");
	if (!file)
		return false;
	struct dwarf_split_base base = base_of(d, u);
	struct dwarf_image *split = xcalloc(1, sizeof(*split));
	bool opened = dwarf_image_open_split(split, file, &base);
	elf_image_free(file);
	if (opened && find_unit(split, u, &found)) {
		u->split = split;
		*die = found;
		return true;
	}
	dwarf_image_close(split);
	free(split);
	return false;
}
