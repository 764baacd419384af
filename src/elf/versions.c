/*
 * Versions of dynamic symbols (.gnu.version and .gnu.version_d): a number for each symbol, and
 * names for the numbers. Without section headers there are none.
 */
#include "elf/elf_private.h"

#include <string.h>

#define HIDDEN	       0x8000u /* not the version a program gets that asks for none */
#define FIRST_NAMED    2u      /* below: local, or global without a version */
#define MAX_VERSIONS   4096u
#define MAX_NAME_BYTES ((size_t)256)
#define VERDEF_BYTES   20u
#define VERDAUX_BYTES  8u

/* One definition: its number, and where its first name and the next definition are. */
struct definition {
	uint16_t index;
	uint32_t names, next;
};

static bool read_definition(const uint8_t *data, size_t len, size_t at, struct definition *out)
{
	struct bytes_reader r;

	if (at > len || len - at < VERDEF_BYTES)
		return false;
	reader_init(&r, data + at, VERDEF_BYTES);
	reader_u16(&r); /* version of the format */
	reader_u16(&r); /* flags */
	out->index = reader_u16(&r) & (uint16_t)~HIDDEN;
	reader_u16(&r); /* how many names */
	reader_u32(&r); /* hash */
	out->names = reader_u32(&r);
	out->next = reader_u32(&r);
	return true;
}

/* The text at offset of the string table; NULL when it does not end there. */
static const char *text_at(const uint8_t *strings, size_t len, uint32_t offset)
{
	size_t left = offset < len ? len - offset : 0;

	if (!left || !memchr(strings + offset, 0, left < MAX_NAME_BYTES ? left : MAX_NAME_BYTES))
		return NULL;
	return (const char *)strings + offset;
}

static const char *with_sign(struct elf_image *e, const char *sign, const char *name)
{
	size_t sign_len = strlen(sign), len = strlen(name);
	char *text = arena_alloc(&e->arena, sign_len + len + 1);

	memcpy(text, sign, sign_len);
	memcpy(text + sign_len, name, len + 1);
	return text;
}

static void add_version(struct elf_image *e, uint16_t index, const char *name)
{
	while (e->versions.len < 2 * ((size_t)index + 1))
		vec_push(&e->versions, NULL);
	e->versions.data[2 * index] = with_sign(e, "@", name);
	e->versions.data[2 * index + 1] = with_sign(e, "@@", name);
}

static void read_versions(struct elf_image *e)
{
	struct elf_shdr *s = elf_section_of_type(e, SHT_GNU_verdef), *names = NULL;
	const uint8_t *data, *strings;
	size_t len, strings_len, at = 0;
	struct definition d;

	if (s && s->link < e->sections.len && e->sections.data[s->link].type == SHT_STRTAB)
		names = &e->sections.data[s->link];
	if (!names || !elf_table_bytes(e, s, &data, &len) ||
	    !elf_table_bytes(e, names, &strings, &strings_len))
		return;
	for (unsigned n = 0; n < MAX_VERSIONS && read_definition(data, len, at, &d); n++) {
		size_t aux = at + d.names;
		struct bytes_reader r;
		if (aux > len || len - aux < VERDAUX_BYTES)
			return;
		reader_init(&r, data + aux, VERDAUX_BYTES);
		const char *name = text_at(strings, strings_len, reader_u32(&r));
		if (name && *name && d.index >= FIRST_NAMED && d.index < MAX_VERSIONS)
			add_version(e, d.index, name);
		if (d.next < VERDEF_BYTES)
			return;
		at += d.next;
	}
}

static void read_numbers(struct elf_image *e)
{
	struct elf_shdr *s = elf_section_of_type(e, SHT_GNU_versym);
	size_t len;

	if (s && elf_table_bytes(e, s, &e->version_numbers, &len))
		e->version_count = len / 2;
}

const char *elf_symbol_version(struct elf_image *e, size_t index)
{
	struct bytes_reader r;

	if (!e->versions_known) {
		e->versions_known = true;
		read_versions(e);
		if (e->versions.len)
			read_numbers(e);
	}
	if (index >= e->version_count)
		return NULL;
	reader_init(&r, e->version_numbers + 2 * index, 2);
	uint16_t number = reader_u16(&r);
	size_t at = 2 * (size_t)(number & ~HIDDEN) + !(number & HIDDEN);
	return at < e->versions.len ? e->versions.data[at] : NULL;
}
