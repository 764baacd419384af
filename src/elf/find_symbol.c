/*
 * Where symbols of given names are. The names are searched in the string table first, which most
 * files do not have them in, so that only the tables of the others are read: a large program has a
 * million symbols.
 */
#include <string.h>

#include "elf/elf_private.h"

#define MAX_PLACES 8 /* of one name in a string table; linkers keep one */

struct wanted {
	const char *name;
	uint32_t places[MAX_PLACES];
	size_t count;
};

static void find_places(const struct elf_symtab *t, struct wanted *w)
{
	size_t len = strlen(w->name) + 1;
	const char *at = t->strings, *end = t->strings + t->strings_len;

	while (w->count < MAX_PLACES && (at = memmem(at, (size_t)(end - at), w->name, len))) {
		if ((uint64_t)(at - t->strings) > UINT32_MAX)
			return;
		w->places[w->count++] = (uint32_t)(at - t->strings);
		at++;
	}
}

static bool is_place(const struct wanted *w, uint32_t name)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->places[i] == name)
			return true;
	return false;
}

static bool find_symbol(const struct elf_image *e, const struct elf_symtab *t,
			const struct wanted *w, struct elf_place *out)
{
	struct elf_raw_symbol raw;

	for (size_t i = 0; w->count && i < t->count; i++) {
		uint32_t name;
		memcpy(&name, t->symbols + i * elf_symbol_bytes(e), sizeof(name));
		if (!is_place(w, name) || !elf_symtab_get(e, t, i, &raw))
			continue;
		if (raw.section == SHN_UNDEF || raw.value == 0)
			continue;
		*out = (struct elf_place){ raw.value, raw.size };
		return true;
	}
	return false;
}

static void find_in_table(const struct elf_image *e, const struct elf_symtab *t,
			  const char *const *names, size_t count, struct elf_place *out)
{
	for (size_t i = 0; i < count; i++) {
		struct wanted w = { .name = names[i] };
		if (out[i].vaddr)
			continue;
		find_places(t, &w);
		find_symbol(e, t, &w, &out[i]);
	}
}

void elf_image_find_symbols(struct elf_image *e, const char *const *names, size_t count,
			    struct elf_place *out)
{
	struct elf_shdr *dynsym = elf_section_of_type(e, SHT_DYNSYM);
	struct elf_shdr *symtab = elf_section_of_type(e, SHT_SYMTAB);
	struct elf_symtab table;

	memset(out, 0, count * sizeof(*out));
	if (dynsym ? elf_symtab_of_section(e, dynsym, &table) : elf_symtab_of_dynamic(e, &table))
		find_in_table(e, &table, names, count, out);
	if (symtab && symtab->size && elf_symtab_of_section(e, symtab, &table))
		find_in_table(e, &table, names, count, out);
}
