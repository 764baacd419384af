/* Who an image is and where its debug information lies: notes, debug link, alternate debug link. */
#include <string.h>

#include "elf/elf_private.h"

#define NOTE_GO_BUILD_ID 4
#define MAX_BUILD_ID	 64
#define MAX_GO_BUILD_ID	 256
#define MAX_NOTE_BYTES	 ((uint64_t)4 << 20) /* searched in one image, so that many cannot add up */

struct note {
	const char *name; /* with its final NUL */
	uint32_t name_len, type, desc_len;
	const uint8_t *desc;
};

static void skip_padding(struct bytes_reader *r, uint64_t len, uint64_t align)
{
	uint64_t padding = (align - len % align) % align;

	/* The last note's padding may be missing. */
	reader_take(r, padding < reader_left(r) ? padding : reader_left(r));
}

static bool note_next(struct bytes_reader *r, uint64_t align, struct note *n)
{
	if (reader_left(r) < 12)
		return false;
	n->name_len = reader_u32(r);
	n->desc_len = reader_u32(r);
	n->type = reader_u32(r);
	n->name = (const char *)reader_take(r, n->name_len);
	skip_padding(r, 12 + (uint64_t)n->name_len, align);
	n->desc = reader_take(r, n->desc_len);
	skip_padding(r, n->desc_len, align);
	return !r->failed;
}

/* Go counts the padding of its name. */
static bool is_note_of(const struct note *n, const char *name)
{
	size_t len = strlen(name) + 1;

	if (n->name_len < len || n->name_len > len + 3 || memcmp(n->name, name, len) != 0)
		return false;
	for (size_t i = len; i < n->name_len; i++)
		if (n->name[i])
			return false;
	return true;
}

static bool note_search(struct elf_image *e, const uint8_t *data, size_t len, uint64_t align,
			const char *name, uint32_t type, struct note *out)
{
	struct bytes_reader r;

	reader_init(&r, data, len);
	while (note_next(&r, align == 8 ? 8 : 4, out)) {
		if (out->type == type && is_note_of(out, name))
			return true;
	}
	if (r.failed)
		elf_damaged(e, "one of its notes reaches beyond its place");
	return false;
}

/* True when another len bytes of notes may be searched. */
static bool within_budget(uint64_t *budget, uint64_t len)
{
	if (len > *budget)
		return false;
	*budget -= len;
	return true;
}

static bool find_note_in_segments(struct elf_image *e, uint64_t *budget, const char *name,
				  uint32_t type, struct note *out)
{
	for (size_t i = 0; i < e->phdrs.len; i++) {
		const struct elf_phdr *p = &e->phdrs.data[i];
		if (p->type != PT_NOTE || !within_budget(budget, p->filesz))
			continue;
		const uint8_t *data = elf_bytes_at(&e->bytes, p->offset, p->filesz);
		if (data && note_search(e, data, p->filesz, p->align, name, type, out))
			return true;
	}
	return false;
}

static bool find_note_in_sections(struct elf_image *e, uint64_t *budget, const char *name,
				  uint32_t type, struct note *out)
{
	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *s = &e->sections.data[i];
		const uint8_t *data;
		size_t len;
		if (s->type == SHT_NOTE && within_budget(budget, s->size) &&
		    elf_section_bytes(e, s, &data, &len) &&
		    note_search(e, data, len, 4, name, type, out))
			return true;
	}
	return false;
}

/* Program headers first: they are what the kernel saw, and they are there when sections are not. */
static bool find_note(struct elf_image *e, const char *name, uint32_t type, struct note *out)
{
	uint64_t budget = MAX_NOTE_BYTES;

	return find_note_in_segments(e, &budget, name, type, out) ||
	       find_note_in_sections(e, &budget, name, type, out);
}

size_t elf_image_build_id(const struct elf_image *e, uint8_t out[64])
{
	/* Reading on demand fills a cache; see elf_image_bytes. */
	struct elf_image *image = (struct elf_image *)(uintptr_t)e;
	struct note n;

	if (!find_note(image, "GNU", NT_GNU_BUILD_ID, &n) || n.desc_len == 0)
		return 0;
	if (n.desc_len > MAX_BUILD_ID) {
		elf_damaged(image, "its build ID is longer than any can be");
		return 0;
	}
	memcpy(out, n.desc, n.desc_len);
	return n.desc_len;
}

static const char *read_go_build_id(struct elf_image *e)
{
	struct note n;

	if (!find_note(e, "Go", NOTE_GO_BUILD_ID, &n) || n.desc_len == 0 ||
	    n.desc_len > MAX_GO_BUILD_ID)
		return NULL;
	return arena_strndup(&e->arena, (const char *)n.desc, n.desc_len);
}

const char *elf_image_go_build_id(const struct elf_image *image)
{
	struct elf_image *e = (struct elf_image *)(uintptr_t)image;

	if (!e->go_build_id_known) {
		e->go_build_id = read_go_build_id(e);
		e->go_build_id_known = true;
	}
	return e->go_build_id;
}

/* A section that starts with a file name. */
static const char *link_name(struct elf_image *e, const char *section, struct bytes_reader *r)
{
	struct elf_section s;

	if (!elf_image_section(e, section, &s) || !s.data)
		return NULL;
	reader_init(r, s.data, s.len);
	const char *name = reader_cstring(r, NULL);
	return name && *name ? name : NULL;
}

const char *elf_image_debuglink(struct elf_image *e, uint32_t *crc)
{
	struct bytes_reader r;
	const char *name = link_name(e, ".gnu_debuglink", &r);

	if (!name)
		return NULL;
	uint64_t padding = (4 - (strlen(name) + 1) % 4) % 4;
	reader_take(&r, padding);
	*crc = reader_u32(&r);
	return r.failed ? NULL : name;
}

/* DWARF 5, 7.3.6: version, whether this is the common file, the common file's name, its checksum.
 */
static const char *read_debug_sup(struct elf_image *e, bool common, uint8_t id[64], size_t *id_len)
{
	struct elf_section s;
	struct bytes_reader r;

	if (!elf_image_section(e, ".debug_sup", &s) || !s.data)
		return NULL;
	reader_init(&r, s.data, s.len);
	uint16_t version = reader_u16(&r);
	bool is_common = reader_u8(&r) == 1;
	const char *name = reader_cstring(&r, NULL);
	uint64_t len = reader_varint(&r);
	const uint8_t *checksum = len && len <= MAX_BUILD_ID ? reader_take(&r, len) : NULL;
	if (r.failed || !checksum || version < 2 || is_common != common || (!common && !*name))
		return NULL;
	memcpy(id, checksum, len);
	*id_len = len;
	return name;
}

size_t elf_image_supplement_id(struct elf_image *e, uint8_t id[64])
{
	size_t len = 0;

	return read_debug_sup(e, true, id, &len) ? len : 0;
}

const char *elf_image_debugaltlink(struct elf_image *e, uint8_t build_id[64], size_t *build_id_len)
{
	struct bytes_reader r;
	const char *name = link_name(e, ".gnu_debugaltlink", &r);

	if (!name)
		return read_debug_sup(e, false, build_id, build_id_len);
	if (reader_left(&r) == 0 || reader_left(&r) > MAX_BUILD_ID)
		return NULL;
	*build_id_len = reader_left(&r);
	memcpy(build_id, r.pos, *build_id_len);
	return name;
}
