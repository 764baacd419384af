/*
 * Slots by relocation: of a named symbol, or (IRELATIVE) of a function that chooses its
 * implementation at load time, where the relocation knows the chooser's address only and the symbol
 * table its name.
 */
#include "elf/plt_slots.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RELOCATIONS ((size_t)8 << 20) /* a bound for hostile files */
#define PIECE_BYTES	(sizeof(Elf64_Rela) << 14)

static int compare_slots(const void *left, const void *right)
{
	const struct plt_slot *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static const char *find(const struct plt_slot *sorted, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (sorted[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && sorted[low].address == address ? sorted[low].name : NULL;
}

const char *plt_slots_find(const struct plt_slots *s, uint64_t address)
{
	return find(s->slots.data, s->slots.len, address);
}

/* Exported names before local ones, then those with fewer leading underscores. */
static uint8_t resolver_rank(const struct elf_raw_symbol *s)
{
	size_t underscores = strspn(s->name, "_");

	return (uint8_t)((s->binding == STB_LOCAL ? 16 : 0) +
			 (underscores < 15 ? underscores : 15));
}

static void read_resolvers(struct elf_image *e, struct plt_slots *out)
{
	struct elf_symtab table;
	struct elf_raw_symbol s;

	if (!elf_symtab_best(e, &table))
		return;
	for (size_t i = 0; i < table.count; i++)
		if (elf_symtab_get(e, &table, i, &s) && s.type == STT_GNU_IFUNC && s.name[0])
			vec_push(&out->resolvers,
				 ((struct plt_slot){ s.value, s.name, resolver_rank(&s) }));
	if (out->resolvers.len)
		qsort(out->resolvers.data, out->resolvers.len, sizeof(*out->resolvers.data),
		      compare_slots);
}

static bool is_jump(const struct elf_image *e, uint32_t type)
{
	if (e->machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return e->machine == EM_AARCH64 &&
	       (type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT);
}

static bool is_resolver(const struct elf_image *e, uint32_t type)
{
	return (e->machine == EM_X86_64 && type == R_X86_64_IRELATIVE) ||
	       (e->machine == EM_AARCH64 && type == R_AARCH64_IRELATIVE);
}

/* symbols: NULL when the relocations refer to none. */
static void read_relocation(struct elf_image *e, struct bytes_reader *r,
			    const struct elf_symtab *symbols, struct plt_slots *out, bool plt)
{
	uint64_t offset = reader_u64(r), info = reader_u64(r), addend = reader_u64(r);
	uint32_t type = (uint32_t)ELF64_R_TYPE(info);
	struct elf_raw_symbol symbol;
	const char *name = NULL;

	if (is_resolver(e, type))
		name = find(out->resolvers.data, out->resolvers.len, addend);
	else if (symbols && is_jump(e, type) &&
		 elf_symtab_get(e, symbols, ELF64_R_SYM(info), &symbol) && symbol.name[0])
		name = symbol.name;
	if (name)
		vec_push(&out->slots, ((struct plt_slot){ offset, name, 0 }));
	if (plt)
		vec_push(&out->by_index, name);
}

/* What has been read of a large section takes memory no more: only a few relocations are of stubs.
 */
static const uint8_t *piece_at(struct elf_image *e, struct elf_shdr *s, uint64_t at, size_t *len)
{
	uint64_t left = s->size - at;

	elf_bytes_forget(&e->bytes, s->offset, at);
	*len = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
	return elf_bytes_at(&e->bytes, s->offset + at, *len);
}

/* The section from at on, or a piece of it; NULL at its end. */
static const uint8_t *relocations_at(struct elf_image *e, struct elf_shdr *s, uint64_t at,
				     size_t *len)
{
	const uint8_t *data;
	bool whole = s->decompressed || s->flags & SHF_COMPRESSED;

	if (!whole && s->offset <= e->bytes.size && s->size <= e->bytes.size - s->offset)
		return at < s->size ? piece_at(e, s, at, len) : NULL;
	return at == 0 && elf_section_bytes(e, s, &data, len) && *len > 0 ? data : NULL;
}

static void read_relocations(struct elf_image *e, struct elf_shdr *s, struct plt_slots *out,
			     size_t *budget)
{
	bool plt = strcmp(s->name_text, ".rela.plt") == 0 && out->by_index.len == 0;
	struct elf_symtab symbols;
	struct bytes_reader r;
	const uint8_t *data;
	size_t len;

	if (s->link >= e->sections.len)
		return;
	/* Static programs relocate without symbols. */
	bool has_symbols =
		s->link && elf_symtab_of_section(e, &e->sections.data[s->link], &symbols);
	for (uint64_t at = 0; *budget && (data = relocations_at(e, s, at, &len)); at += len) {
		reader_init(&r, data, len);
		for (; reader_left(&r) >= sizeof(Elf64_Rela) && *budget; (*budget)--)
			read_relocation(e, &r, has_symbols ? &symbols : NULL, out, plt);
	}
	if (!s->decompressed)
		elf_bytes_forget(&e->bytes, s->offset, s->size);
}

void plt_slots_read(struct plt_slots *s, struct elf_image *e)
{
	size_t budget = MAX_RELOCATIONS;

	read_resolvers(e, s);
	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *section = &e->sections.data[i];
		if (section->type == SHT_RELA && section->flags & SHF_ALLOC)
			read_relocations(e, section, s, &budget);
	}
	if (s->slots.len)
		qsort(s->slots.data, s->slots.len, sizeof(*s->slots.data), compare_slots);
}

void plt_slots_release(struct plt_slots *s)
{
	vec_release(&s->slots);
	vec_release(&s->resolvers);
	vec_release(&s->by_index);
}
