/*
 * Where symbols of given names are. Most files have none of them, and a large program's names are
 * many megabytes, which are searched without being kept; only where one is found is the symbol
 * table looked at.
 */
#include <string.h>

#include "elf/elf_private.h"

#define NAMES_MAX    32
#define NAME_BYTES   ((size_t)64) /* the longest, with a NUL on either side */
#define SYMBOL_BYTES 24
#define PIECE_BYTES  ((size_t)64 << 10)
#define TURN_BYTES   ((uint64_t)1 << 20) /* searched before somebody else has a turn */
#define STRINGS_MAX  ((uint64_t)64 << 20)

struct search {
	const struct elf_search *what;
	struct elf_place *out;
	uint64_t offsets[NAMES_MAX]; /* of the names in the string table + 1; 0: not there */
	size_t found;
};

static void have_turn(const struct elf_search *what)
{
	if (what->meanwhile)
		what->meanwhile(what->ctx);
}

static void compare(struct search *s, const uint8_t *at, size_t left, uint64_t offset)
{
	for (size_t i = 0; i < s->what->count; i++) {
		size_t len = strlen(s->what->names[i]) + 1;
		if (s->offsets[i] || len > left || memcmp(at, s->what->names[i], len) != 0)
			continue;
		s->offsets[i] = offset + 1;
		s->found++;
	}
}

/* The strings that begin in this piece of the table; before its first NUL, none does. */
static void find_in_piece(struct search *s, const uint8_t *piece, size_t len, uint64_t offset)
{
	const uint8_t *at = piece, *end = piece + len;
	char first = s->what->names[0][0];

	while ((at = memchr(at, 0, (size_t)(end - at))) && ++at < end)
		if (*at == (uint8_t)first)
			compare(s, at, (size_t)(end - at), offset + (uint64_t)(at - piece));
}

/* In pieces that overlap, so that each name is wholly in one of them. */
static void find_strings(struct elf_image *e, struct search *s, const struct elf_shdr *strings)
{
	uint8_t piece[PIECE_BYTES];
	uint64_t size = strings->size < STRINGS_MAX ? strings->size : STRINGS_MAX;
	uint64_t turn = 0;

	for (uint64_t at = 0; at < size; at += PIECE_BYTES - NAME_BYTES) {
		size_t n = size - at < PIECE_BYTES ? (size_t)(size - at) : PIECE_BYTES;
		if (!elf_bytes_copy(&e->bytes, strings->offset + at, piece, n))
			return;
		find_in_piece(s, piece, n, at);
		if (at >= turn) {
			have_turn(s->what);
			turn = at + TURN_BYTES;
		}
	}
}

static void take_symbol(struct search *s, const uint8_t *symbol)
{
	struct bytes_reader r;

	reader_init(&r, symbol, SYMBOL_BYTES);
	uint64_t offset = (uint64_t)reader_u32(&r) + 1;
	reader_u16(&r); /* type, binding, visibility */
	uint16_t section = reader_u16(&r);
	uint64_t value = reader_u64(&r), size = reader_u64(&r);
	for (size_t i = 0; section != SHN_UNDEF && i < s->what->count; i++)
		if (s->offsets[i] == offset && s->out[i].vaddr == 0)
			s->out[i] = (struct elf_place){ value, size };
}

static void find_symbols(struct search *s, const uint8_t *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++)
		take_symbol(s, symbols + i * SYMBOL_BYTES);
}

static void find_in_section(struct elf_image *e, struct search *s, const struct elf_shdr *section)
{
	uint8_t piece[PIECE_BYTES / SYMBOL_BYTES * SYMBOL_BYTES];
	uint64_t left = section->size - section->size % SYMBOL_BYTES, at = section->offset;

	memset(s->offsets, 0, sizeof(s->offsets));
	s->found = 0;
	if (section->link >= e->sections.len || section->flags & SHF_COMPRESSED)
		return;
	const struct elf_shdr *strings = &e->sections.data[section->link];
	if (strings->type != SHT_STRTAB || strings->flags & SHF_COMPRESSED)
		return;
	find_strings(e, s, strings);
	while (s->found && left) {
		size_t n = left < sizeof(piece) ? (size_t)left : sizeof(piece);
		if (!elf_bytes_copy(&e->bytes, at, piece, n))
			return;
		find_symbols(s, piece, n / SYMBOL_BYTES);
		at += n;
		left -= n;
	}
}

/* Of a file without sections. */
static void find_dynamic(struct elf_image *e, struct search *s)
{
	struct elf_symtab t;

	if (!elf_symtab_of_dynamic(e, &t))
		return;
	find_in_piece(s, (const uint8_t *)t.strings, t.strings_len, 0);
	find_symbols(s, t.symbols, t.count);
}

void elf_image_find_symbols(struct elf_image *e, const struct elf_search *what,
			    struct elf_place *out)
{
	struct search s = { .what = what, .out = out };
	const struct elf_shdr *dynsym = elf_section_of_type(e, SHT_DYNSYM);
	const struct elf_shdr *symtab = elf_section_of_type(e, SHT_SYMTAB);

	memset(out, 0, what->count * sizeof(*out));
	if (!e->is_64bit || what->count == 0 || what->count > NAMES_MAX)
		return;
	if (dynsym)
		find_in_section(e, &s, dynsym);
	else
		find_dynamic(e, &s);
	if (symtab)
		find_in_section(e, &s, symtab);
}
