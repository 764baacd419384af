/*
 * A table has a section of its own; where the section headers are gone it is found by its header,
 * which is aligned. In a position-independent program words that are addresses are filled in when
 * it is loaded: .rela.dyn has their values.
 */
#include "elf/go_data.h"

#include <string.h>

#include "base/bytes.h"

#define TABLE_ALIGN  8u
#define PIECE_BYTES  ((size_t)1 << 20)
#define MAX_SEARCHED ((uint64_t)512 << 20)
#define RELA_BYTES   24

static const char *const table_sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

/* Sections in which the linker puts moduledata. */
static const char *const data_sections[] = { ".noptrdata", ".data", ".data.rel.ro", ".go.module" };

/* 0xfffffffa, f0 or f1, two zeros, the least instruction's size, the word's size. */
static bool is_header(const uint8_t *p)
{
	return (p[0] == 0xfa || p[0] == 0xf0 || p[0] == 0xf1) && p[1] == 0xff && p[2] == 0xff &&
	       p[3] == 0xff && p[4] == 0 && p[5] == 0 && (p[6] == 1 || p[6] == 2 || p[6] == 4) &&
	       (p[7] == 4 || p[7] == 8);
}

/* The first header in a piece of the segment; SIZE_MAX: none. */
static size_t find_header(const uint8_t *data, size_t len)
{
	for (size_t at = 0; at + 8 <= len; at += TABLE_ALIGN)
		if (is_header(data + at))
			return at;
	return SIZE_MAX;
}

static bool search_segment(struct elf_image *image, const struct elf_segment *s, uint64_t *left,
			   uint64_t *found)
{
	for (uint64_t at = 0; at<s->file_size && * left> 0; at += PIECE_BYTES) {
		uint64_t rest = s->file_size - at;
		size_t len = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
		const uint8_t *data = elf_image_bytes(image, s->vaddr + at, len);
		size_t header = data ? find_header(data, len) : SIZE_MAX;
		*left -= len < *left ? len : *left;
		if (header != SIZE_MAX) {
			*found = s->vaddr + at + header;
			return true;
		}
	}
	return false;
}

/* Only for what says that it is Go's: every other program would be searched in vain. */
static bool search_image(struct elf_image *image, const uint8_t **data, size_t *len,
			 uint64_t *vaddr)
{
	uint64_t left = MAX_SEARCHED;

	if (!elf_image_go_build_id(image))
		return false;
	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		if (s->executable || !search_segment(image, s, &left, vaddr))
			continue;
		*len = (size_t)(s->file_size - (*vaddr - s->vaddr));
		*data = elf_image_bytes(image, *vaddr, *len);
		return *data != NULL;
	}
	return false;
}

bool go_data_find_table(struct elf_image *image, const uint8_t **data, size_t *len, uint64_t *vaddr)
{
	struct elf_section s;

	for (size_t i = 0; i < sizeof(table_sections) / sizeof(*table_sections); i++) {
		if (!elf_image_section(image, table_sections[i], &s) || !s.data || s.len < 8)
			continue;
		*data = s.data;
		*len = s.len;
		*vaddr = s.vaddr;
		return is_header(s.data);
	}
	return search_image(image, data, len, vaddr);
}

/* Go's own linker calls them otherwise. */
static bool find_relocations(struct elf_image *image, struct elf_section *out)
{
	return (elf_image_section(image, ".rela.dyn", out) ||
		elf_image_section(image, ".rela", out)) &&
	       out->data;
}

/* Relative relocations come first and in the order of their places, but nobody promises it. */
static bool relocated(struct elf_image *image, uint64_t vaddr, uint64_t *out)
{
	struct elf_section s;
	struct bytes_reader r;

	if (!find_relocations(image, &s))
		return false;
	reader_init(&r, s.data, s.len);
	while (reader_left(&r) >= RELA_BYTES) {
		uint64_t place = reader_u64(&r);
		reader_u64(&r);
		uint64_t addend = reader_u64(&r);
		if (place == vaddr) {
			*out = addend;
			return true;
		}
	}
	return false;
}

bool go_data_word(struct elf_image *image, uint64_t vaddr, uint8_t word, uint64_t *out)
{
	return word == 8 && elf_image_is_pie(image) && relocated(image, vaddr, out);
}

/* The place of a word of this value. */
static bool find_word(const uint8_t *data, size_t len, uint64_t value, uint8_t word, size_t *place)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	for (size_t at = 0; at + word <= len; at += word) {
		if (memcmp(data + at, bytes, word) == 0) {
			*place = at;
			return true;
		}
	}
	return false;
}

static bool find_in_sections(struct elf_image *image, uint64_t value, uint8_t word, uint64_t *vaddr)
{
	struct elf_section s;
	size_t place;

	for (size_t i = 0; i < sizeof(data_sections) / sizeof(*data_sections); i++) {
		if (elf_image_section(image, data_sections[i], &s) && s.data &&
		    find_word(s.data, s.len, value, word, &place)) {
			*vaddr = s.vaddr + place;
			return true;
		}
	}
	return false;
}

static bool find_in_segments(struct elf_image *image, uint64_t value, uint8_t word, uint64_t *vaddr)
{
	uint64_t left = MAX_SEARCHED;
	size_t place;

	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		for (uint64_t at = 0; !s->executable && at < s->file_size && left > 0;
		     at += PIECE_BYTES) {
			uint64_t rest = s->file_size - at;
			size_t len = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
			const uint8_t *data = elf_image_bytes(image, s->vaddr + at, len);
			left -= len < left ? len : left;
			if (data && find_word(data, len, value, word, &place)) {
				*vaddr = s->vaddr + at + place;
				return true;
			}
		}
	}
	return false;
}

/* The same among the words that are filled in. */
static bool find_relocated(struct elf_image *image, uint64_t value, uint64_t *vaddr)
{
	struct elf_section s;
	struct bytes_reader r;

	if (!find_relocations(image, &s))
		return false;
	reader_init(&r, s.data, s.len);
	while (reader_left(&r) >= RELA_BYTES) {
		*vaddr = reader_u64(&r);
		reader_u64(&r);
		if (reader_u64(&r) == value)
			return true;
	}
	return false;
}

static uint64_t word_at(struct elf_image *image, uint64_t vaddr, uint8_t word)
{
	const uint8_t *data = elf_image_bytes(image, vaddr, word);
	struct bytes_reader r;
	uint64_t value = 0;

	if (go_data_word(image, vaddr, word, &value) || !data)
		return value;
	reader_init(&r, data, word);
	return word == 8 ? reader_u64(&r) : reader_u32(&r);
}

static bool find_moduledata(struct elf_image *image, uint64_t table, uint8_t word, uint64_t *vaddr)
{
	return (word == 8 && elf_image_is_pie(image) && find_relocated(image, table, vaddr)) ||
	       find_in_sections(image, table, word, vaddr) ||
	       find_in_segments(image, table, word, vaddr);
}

uint64_t go_data_moduledata_word(struct elf_image *image, uint64_t table, uint8_t word,
				 uint32_t index)
{
	uint64_t vaddr;

	if (!find_moduledata(image, table, word, &vaddr))
		return 0;
	return word_at(image, vaddr + (uint64_t)index * word, word);
}
