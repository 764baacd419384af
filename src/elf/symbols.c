/*
 * Function symbols. Tables are found through section headers, or through PT_DYNAMIC when a file has
 * none. What is not a place in code (data, thread-local storage, undefined names, aarch64 mapping
 * symbols) is left out.
 */
#include <string.h>

#include "elf/elf_private.h"

#define SYMBOL_BYTES_64 24
#define SYMBOL_BYTES_32 16
/* Longer names are damage; the bound keeps many symbols on one endless string cheap. */
#define MAX_NAME_BYTES ((size_t)64 << 10)

static size_t symbol_bytes(const struct elf_image *e)
{
	return e->is_64bit ? SYMBOL_BYTES_64 : SYMBOL_BYTES_32;
}

/* The table with the names of a symbol table's symbols. */
static struct elf_shdr *strings_of(struct elf_image *e, const struct elf_shdr *s)
{
	if (s->link < e->sections.len && e->sections.data[s->link].type == SHT_STRTAB)
		return &e->sections.data[s->link];
	elf_damaged(e, "a symbol table does not say where its names are");
	return elf_section_find(e, s->type == SHT_DYNSYM ? ".dynstr" : ".strtab");
}

bool elf_symtab_of_section(struct elf_image *e, struct elf_shdr *s, struct elf_symtab *out)
{
	struct elf_shdr *names = strings_of(e, s);
	const uint8_t *strings;
	size_t len;

	if (s->type == SHT_NOBITS)
		return false;
	if (!elf_table_bytes(e, s, &out->symbols, &len)) {
		elf_damaged(e, "a symbol table lies outside of the file");
		return false;
	}
	if (!names || !elf_table_bytes(e, names, &strings, &out->strings_len)) {
		elf_damaged(e, "its symbols have no names");
		return false;
	}
	if (!(s->flags & SHF_COMPRESSED) && len < s->size)
		elf_damaged(e, "a symbol table says it is larger than it can be");
	if (!(names->flags & SHF_COMPRESSED) && out->strings_len < names->size)
		elf_damaged(e, "a string table says it is larger than it can be");
	out->strings = (const char *)strings;
	out->count = len / symbol_bytes(e);
	out->dynamic = s->type == SHT_DYNSYM;
	return true;
}

struct dynamic_entries {
	uint64_t symtab, strtab, strsz, hash, gnu_hash;
};

static bool read_dynamic(struct elf_image *e, struct dynamic_entries *d)
{
	const struct elf_phdr *p = NULL;

	for (size_t i = 0; i < e->phdrs.len && !p; i++)
		if (e->phdrs.data[i].type == PT_DYNAMIC)
			p = &e->phdrs.data[i];
	const uint8_t *data = p ? elf_bytes_at(&e->bytes, p->offset, p->filesz) : NULL;
	if (!data)
		return false;

	struct bytes_reader r;
	reader_init(&r, data, p->filesz);
	for (uint64_t tag; (tag = elf_read_word(e, &r)) != DT_NULL && !r.failed;) {
		uint64_t value = elf_read_word(e, &r);
		if (tag == DT_SYMTAB)
			d->symtab = value;
		else if (tag == DT_STRTAB)
			d->strtab = value;
		else if (tag == DT_STRSZ)
			d->strsz = value;
		else if (tag == DT_HASH)
			d->hash = value;
		else if (tag == DT_GNU_HASH)
			d->gnu_hash = value;
	}
	return d->symtab && d->strtab;
}

/* DT_GNU_HASH has no symbol count: it follows from the end of the last chain. */
static uint64_t count_by_gnu_hash(struct elf_image *e, uint64_t vaddr)
{
	uint64_t left;
	if (!elf_vaddr_bytes(e, vaddr, 16, &left))
		return 0;
	const uint8_t *table = elf_vaddr_bytes(e, vaddr, left, NULL);
	if (!table)
		return 0;
	struct bytes_reader r;
	reader_init(&r, table, left);
	uint32_t buckets = reader_u32(&r), first = reader_u32(&r), bloom = reader_u32(&r);
	uint32_t last = 0;

	reader_u32(&r); /* bloom shift */
	reader_take(&r, (uint64_t)bloom * (e->is_64bit ? 8 : 4));
	for (uint32_t i = 0; i < buckets && !r.failed; i++) {
		uint32_t bucket = reader_u32(&r);
		last = bucket > last ? bucket : last;
	}
	if (r.failed || last < first)
		return r.failed ? 0 : first;
	reader_take(&r, (uint64_t)(last - first) * 4);
	while (!r.failed && !(reader_u32(&r) & 1))
		last++;
	return r.failed ? 0 : (uint64_t)last + 1;
}

static uint64_t count_by_hash(struct elf_image *e, uint64_t vaddr)
{
	const uint8_t *p = elf_vaddr_bytes(e, vaddr, 8, NULL);
	struct bytes_reader r;

	if (!p)
		return 0;
	reader_init(&r, p, 8);
	reader_u32(&r);
	return reader_u32(&r); /* chains: one per symbol */
}

/* How many dynamic symbols there are; at most room can be. */
static uint64_t dynamic_count(struct elf_image *e, const struct dynamic_entries *d, uint64_t room)
{
	uint64_t by_hash = d->hash ? count_by_hash(e, d->hash) : 0;
	uint64_t by_gnu = !d->gnu_hash || (by_hash && by_hash <= room)
				  ? 0
				  : count_by_gnu_hash(e, d->gnu_hash);

	if (by_hash > room)
		elf_damaged(e, "its dynamic symbol table says it is larger than it can be");
	return by_gnu ? by_gnu : by_hash;
}

bool elf_symtab_of_dynamic(struct elf_image *e, struct elf_symtab *out)
{
	struct dynamic_entries d = { 0 };
	uint64_t count, room, strings;

	if (!read_dynamic(e, &d))
		return false;
	if (!elf_vaddr_bytes(e, d.symtab, 1, &room) || !elf_vaddr_bytes(e, d.strtab, 1, &strings)) {
		elf_damaged(e, "its dynamic symbols lie outside of the file");
		return false;
	}
	/* Linkers put the strings behind the symbols: a forged count shall not make symbols of
	 * them. */
	if (d.strtab > d.symtab && d.strtab - d.symtab < room)
		room = d.strtab - d.symtab;
	room /= symbol_bytes(e);
	count = dynamic_count(e, &d, room);
	if (count > room || d.strsz > strings)
		elf_damaged(e, "its dynamic symbol table says it is larger than it can be");
	out->count = count < room ? count : room;
	out->strings_len = d.strsz < strings ? d.strsz : strings;
	out->symbols = elf_vaddr_bytes(e, d.symtab, out->count * symbol_bytes(e), NULL);
	out->strings = (const char *)elf_vaddr_bytes(e, d.strtab, out->strings_len, NULL);
	out->dynamic = true;
	return out->count && out->symbols && out->strings;
}

bool elf_symtab_get(const struct elf_image *e, const struct elf_symtab *t, size_t i,
		    struct elf_raw_symbol *out)
{
	struct bytes_reader r;
	uint8_t info;

	if (i >= t->count)
		return false;
	reader_init(&r, t->symbols + i * symbol_bytes(e), symbol_bytes(e));
	uint32_t name = reader_u32(&r);
	if (e->is_64bit) {
		info = reader_u8(&r);
		reader_u8(&r); /* visibility */
		out->section = reader_u16(&r);
		out->value = reader_u64(&r);
		out->size = reader_u64(&r);
	} else {
		out->value = reader_u32(&r);
		out->size = reader_u32(&r);
		info = reader_u8(&r);
		reader_u8(&r);
		out->section = reader_u16(&r);
	}
	out->binding = ELF64_ST_BIND(info);
	out->type = ELF64_ST_TYPE(info);
	if (name >= t->strings_len)
		return false;
	size_t left = t->strings_len - name;
	if (!memchr(t->strings + name, 0, left < MAX_NAME_BYTES ? left : MAX_NAME_BYTES))
		return false;
	out->name = t->strings + name;
	return true;
}

static const struct elf_shdr *section_of(const struct elf_image *e, const struct elf_raw_symbol *s)
{
	return s->section < SHN_LORESERVE && s->section < e->sections.len
		       ? &e->sections.data[s->section]
		       : NULL;
}

/* aarch64 marks code and data with $x and $d, optionally followed by a dot and anything. */
static bool is_mapping_symbol(const struct elf_image *e, const char *name)
{
	return e->machine == EM_AARCH64 && name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (name[2] == '\0' || name[2] == '.');
}

static bool is_code(const struct elf_image *e, const struct elf_raw_symbol *s)
{
	const struct elf_shdr *section = section_of(e, s);

	if (s->section == SHN_UNDEF || s->name[0] == '\0' || s->value == 0)
		return false;
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return true;
	/* Labels of hand-written code. Marks such as _etext stand behind their section. */
	return s->type == STT_NOTYPE && section && section->flags & SHF_EXECINSTR &&
	       s->value - section->addr < section->size && !is_mapping_symbol(e, s->name);
}

static uint8_t binding_of(const struct elf_raw_symbol *raw)
{
	switch (raw->binding) {
	case STB_LOCAL:
		return 0;
	case STB_WEAK:
		return 2;
	case STB_GNU_UNIQUE:
		return 3;
	default:
		return 1;
	}
}

static int emit_table(struct elf_image *e, const struct elf_symtab *t, elf_symbol_each each,
		      void *ctx)
{
	uint32_t file = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct elf_raw_symbol raw;
		if (!elf_symtab_get(e, t, i, &raw)) {
			elf_damaged(e, "the names of some symbols lie outside of the string table");
			continue;
		}
		file += raw.type == STT_FILE;
		const struct elf_shdr *section = section_of(e, &raw);
		/* An object in memory, loaded by a code generator, says where its sections are. */
		if (e->type == ET_REL && section)
			raw.value += section->addr;
		if (!is_code(e, &raw))
			continue;
		struct elf_symbol s = {
			.address = raw.value,
			.size = raw.size,
			.name = raw.name,
			.version = t->dynamic ? elf_symbol_version(e, i) : NULL,
			.binding = binding_of(&raw),
			.type = raw.type,
			.from_dynsym = t->dynamic,
			.file = raw.binding == STB_LOCAL ? file : 0,
			.section_end = section ? section->addr + section->size : 0,
		};
		int status = each(ctx, &s);
		if (status)
			return status;
	}
	return 0;
}

bool elf_symtab_best(struct elf_image *e, struct elf_symtab *t)
{
	struct elf_shdr *s = elf_section_of_type(e, SHT_SYMTAB);

	if (s && s->size && elf_symtab_of_section(e, s, t))
		return true;
	s = elf_section_of_type(e, SHT_DYNSYM);
	if (s && elf_symtab_of_section(e, s, t))
		return true;
	return elf_symtab_of_dynamic(e, t);
}

int elf_image_symbols(struct elf_image *e, int (*each)(void *ctx, const struct elf_symbol *s),
		      void *ctx, struct error *err)
{
	struct elf_symtab table;
	bool found = elf_symtab_best(e, &table);
	struct elf_image *mini = found && !table.dynamic ? NULL : elf_minidebug(e);
	int status = found ? emit_table(e, &table, each, ctx) : 0;

	if (status == 0 && mini && elf_symtab_best(mini, &table))
		status = emit_table(mini, &table, each, ctx);
	if (status == 0)
		status = elf_plt_symbols(e, each, ctx);
	if (!found && !mini)
		return error_set(err, ERROR_NOT_FOUND, "%s: no symbol table", e->name);
	return status;
}

/* A string table may hold the sections' names as well. */
static bool holds_section_names(const struct elf_image *e, const struct elf_shdr *s)
{
	const uint8_t *data = e->bytes.base + s->offset;

	for (size_t i = 0; i < e->sections.len; i++) {
		const uint8_t *name = (const uint8_t *)e->sections.data[i].name_text;
		if (name >= data && name < data + s->size)
			return true;
	}
	return false;
}

void elf_image_forget_symbols(struct elf_image *e)
{
	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *s = &e->sections.data[i];
		bool of_symbols = s->type == SHT_SYMTAB || s->type == SHT_DYNSYM ||
				  s->type == SHT_STRTAB || s->type == SHT_GNU_versym;
		if (!of_symbols || s->flags & SHF_COMPRESSED || s->offset > e->bytes.size ||
		    s->size > e->bytes.size - s->offset || holds_section_names(e, s))
			continue;
		elf_bytes_forget(&e->bytes, s->offset, s->size);
		s->decompressed = false; /* asked for again, it is read again */
		s->plain_data = NULL;
		s->plain_len = 0;
	}
	e->versions_known = false; /* their numbers are read again */
	e->version_count = 0;
	vec_clear(&e->versions);
}

bool elf_image_has_symtab(struct elf_image *e)
{
	struct elf_shdr *s = elf_section_of_type(e, SHT_SYMTAB);
	const struct elf_image *mini;

	if (s && s->size > symbol_bytes(e) && s->offset < e->bytes.size &&
	    e->bytes.size - s->offset > symbol_bytes(e))
		return true;
	mini = elf_minidebug(e);
	return mini != NULL;
}
