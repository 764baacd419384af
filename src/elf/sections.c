/* Sections by name, their bytes (decompressed where needed), and the unwind tables. */
#include <string.h>

#include "base/compress.h"
#include "elf/elf_private.h"

/* Real debug sections shrink 2 to 10 times; what claims more than this is an attack on our memory.
 */
#define MAX_PLAIN_BYTES	    ((uint64_t)4 << 30)
#define MAX_RATIO	    100
#define SMALL_PLAIN_BYTES   ((uint64_t)16 << 20)
#define ZDEBUG_HEADER_BYTES 12
#define KEPT_PACKED_BYTES   ((uint64_t)64 << 10)

static bool size_is_plausible(uint64_t plain, uint64_t packed)
{
	return plain <= SMALL_PLAIN_BYTES ||
	       (plain <= MAX_PLAIN_BYTES && plain / MAX_RATIO <= packed);
}

enum packing { PACKING_ZLIB = ELFCOMPRESS_ZLIB, PACKING_ZSTD = 2 };

static bool unpack(struct elf_image *e, struct elf_shdr *s, uint32_t packing, const uint8_t *data,
		   size_t len, uint64_t plain_len)
{
	struct bytes out = { 0 };
	int status = -1;

	if (!size_is_plausible(plain_len, len))
		return false;
	if (packing == PACKING_ZLIB)
		status = zlib_inflate(&out, data, len, plain_len, NULL);
	else if (packing == PACKING_ZSTD)
		status = zstd_decompress(&out, data, len, plain_len, NULL);
	if (status < 0 || out.len != plain_len) {
		bytes_release(&out);
		return false;
	}
	vec_push(&e->decompressed, out);
	s->plain_data = out.data;
	s->plain_len = out.len;
	return out.data != NULL;
}

/* SHF_COMPRESSED: a header of type, size and alignment comes first. */
static bool unpack_compressed(struct elf_image *e, struct elf_shdr *s, const uint8_t *raw,
			      size_t len)
{
	struct bytes_reader r;

	reader_init(&r, raw, len);
	uint32_t packing = reader_u32(&r);
	if (e->is_64bit)
		reader_u32(&r); /* reserved */
	uint64_t plain_len = elf_read_word(e, &r);
	elf_read_word(e, &r); /* alignment */
	return !r.failed && unpack(e, s, packing, r.pos, reader_left(&r), plain_len);
}

/* .zdebug_*: "ZLIB" and the size in big-endian come first. */
static bool unpack_zdebug(struct elf_image *e, struct elf_shdr *s, const uint8_t *raw, size_t len)
{
	uint64_t plain_len = 0;

	if (len < ZDEBUG_HEADER_BYTES || memcmp(raw, "ZLIB", 4) != 0)
		return false;
	for (int i = 4; i < ZDEBUG_HEADER_BYTES; i++)
		plain_len = plain_len << 8 | raw[i];
	return unpack(e, s, PACKING_ZLIB, raw + ZDEBUG_HEADER_BYTES, len - ZDEBUG_HEADER_BYTES,
		      plain_len);
}

static bool is_zdebug(const struct elf_shdr *s)
{
	return strncmp(s->name_text, ".zdebug_", 8) == 0;
}

/* What is small is decompressed as fast as found. */
static bool is_worth_keeping(const struct elf_image *e, const struct elf_shdr *s)
{
	return e->keeper.recall && s->size >= KEPT_PACKED_BYTES &&
	       (s->flags & SHF_COMPRESSED || is_zdebug(s));
}

static bool recall_section(struct elf_image *e, struct elf_shdr *s)
{
	if (!is_worth_keeping(e, s))
		return false;
	s->plain_data =
		e->keeper.recall(e->keeper.ctx, s->name_text, s->offset, s->size, &s->plain_len);
	return s->plain_data != NULL;
}

static void read_section(struct elf_image *e, struct elf_shdr *s)
{
	const uint8_t *raw =
		s->type == SHT_NOBITS ? NULL : elf_bytes_at(&e->bytes, s->offset, s->size);

	if (raw && s->flags & SHF_COMPRESSED) {
		unpack_compressed(e, s, raw, s->size);
		elf_bytes_forget(&e->bytes, s->offset, s->size);
	} else if (raw && is_zdebug(s)) {
		unpack_zdebug(e, s, raw, s->size);
		elf_bytes_forget(&e->bytes, s->offset, s->size);
	} else if (raw) {
		s->plain_data = raw;
		s->plain_len = s->size;
	}
	if (s->plain_data && is_worth_keeping(e, s))
		e->keeper.keep(e->keeper.ctx, s->name_text, s->offset, s->size, s->plain_data,
			       s->plain_len);
}

bool elf_section_bytes(struct elf_image *e, struct elf_shdr *s, const uint8_t **data, size_t *len)
{
	if (!s->decompressed) {
		s->decompressed = true;
		if (!recall_section(e, s))
			read_section(e, s);
	}
	*data = s->plain_data;
	*len = s->plain_len;
	return s->plain_data != NULL;
}

/* Where the next section with bytes begins behind offset. Sections do not overlap. */
static uint64_t next_section(const struct elf_image *e, uint64_t offset)
{
	uint64_t next = e->bytes.size;

	for (size_t i = 0; i < e->sections.len; i++) {
		const struct elf_shdr *s = &e->sections.data[i];
		if (s->type != SHT_NOBITS && s->type != SHT_NULL && s->size && s->offset > offset &&
		    s->offset < next)
			next = s->offset;
	}
	return next;
}

bool elf_table_bytes(struct elf_image *e, struct elf_shdr *s, const uint8_t **data, size_t *len)
{
	if (s->type == SHT_NOBITS)
		return false;
	uint64_t room = s->offset < e->bytes.size ? next_section(e, s->offset) - s->offset : 0;
	if (s->flags & SHF_COMPRESSED || s->size <= room)
		return elf_section_bytes(e, s, data, len);
	*len = room;
	*data = room ? elf_bytes_at(&e->bytes, s->offset, room) : NULL;
	return *data != NULL;
}

struct elf_shdr *elf_section_find(struct elf_image *e, const char *name)
{
	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *s = &e->sections.data[i];
		if (strcmp(s->name_text, name) == 0)
			return s;
	}
	return NULL;
}

struct elf_shdr *elf_section_of_type(struct elf_image *e, uint32_t type)
{
	for (size_t i = 0; i < e->sections.len; i++)
		if (e->sections.data[i].type == type)
			return &e->sections.data[i];
	return NULL;
}

static struct elf_shdr *find_or_zdebug(struct elf_image *e, const char *name)
{
	struct elf_shdr *s = elf_section_find(e, name);

	if (s || strncmp(name, ".debug_", 7) != 0)
		return s;
	for (size_t i = 0; i < e->sections.len; i++) {
		const char *other = e->sections.data[i].name_text;
		if (strncmp(other, ".zdebug_", 8) == 0 && strcmp(other + 8, name + 7) == 0)
			return &e->sections.data[i];
	}
	return NULL;
}

static void describe(struct elf_image *e, struct elf_shdr *s, struct elf_section *out)
{
	out->name = s->name_text;
	out->vaddr = s->addr;
	out->offset = s->offset;
	out->nobits = s->type == SHT_NOBITS;
	elf_section_bytes(e, s, &out->data, &out->len);
}

bool elf_image_section(struct elf_image *e, const char *name, struct elf_section *out)
{
	struct elf_shdr *s = find_or_zdebug(e, name);

	memset(out, 0, sizeof(*out));
	if (s)
		describe(e, s, out);
	return s != NULL;
}

static bool has_name(struct elf_image *e, const struct elf_shdr *s, const char *name)
{
	return strcmp(s->name_text, name) == 0 && s->type != SHT_NOBITS && s->size <= e->bytes.size;
}

/* Whoever lists the same bytes again and again does not get our memory. */
static bool join(struct elf_image *e, const char *name, struct bytes *out)
{
	for (size_t i = 0; i < e->sections.len; i++) {
		const uint8_t *data;
		size_t len;
		if (!has_name(e, &e->sections.data[i], name) ||
		    !elf_section_bytes(e, &e->sections.data[i], &data, &len))
			continue;
		if (!size_is_plausible(out->len + len, e->bytes.size))
			return false;
		bytes_append(out, data, len);
	}
	return true;
}

bool elf_image_joined_section(struct elf_image *e, const char *name, struct elf_section *out)
{
	struct bytes all = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < e->sections.len; i++)
		found += has_name(e, &e->sections.data[i], name);
	if (!elf_image_section(e, name, out) || found < 2)
		return out->name != NULL;
	if (!join(e, name, &all)) {
		bytes_release(&all);
		return true;
	}
	vec_push(&e->decompressed, all);
	out->data = all.data;
	out->len = all.len;
	return true;
}

void elf_image_set_keeper(struct elf_image *e, const struct elf_section_keeper *keeper)
{
	e->keeper = *keeper;
}

void elf_image_forget_section(struct elf_image *e, const char *name)
{
	struct elf_shdr *s = find_or_zdebug(e, name);
	bool unpacked = false;

	if (!s || !s->plain_data)
		return;
	for (size_t i = 0; i < e->decompressed.len && !unpacked; i++) {
		unpacked = e->decompressed.data[i].data == s->plain_data;
		if (unpacked)
			bytes_release(&e->decompressed.data[i]);
	}
	elf_bytes_forget(&e->bytes, s->offset, s->size);
	s->decompressed = false;
	s->plain_data = NULL;
	s->plain_len = 0;
}

bool elf_image_has_debug_info(struct elf_image *e)
{
	const struct elf_shdr *s = find_or_zdebug(e, ".debug_info");

	return s && s->type != SHT_NOBITS && s->size > 0;
}

/* .eh_frame_hdr by its program header; its bytes end with the segment at the latest. */
static void header_from_segment(struct elf_image *e, struct elf_section *hdr)
{
	for (size_t i = 0; i < e->phdrs.len; i++) {
		const struct elf_phdr *p = &e->phdrs.data[i];
		if (p->type != PT_GNU_EH_FRAME)
			continue;
		const uint8_t *data = elf_vaddr_bytes(e, p->vaddr, p->filesz, NULL);
		if (!data)
			return;
		*hdr = (struct elf_section){
			.name = ".eh_frame_hdr", .data = data, .len = p->filesz, .vaddr = p->vaddr
		};
		return;
	}
}

#define PE_SDATA4 0x0b
#define PE_PCREL  0x10

/* Where .eh_frame_hdr says that .eh_frame starts; linkers write this one encoding only. */
static bool frame_address(const struct elf_section *hdr, uint64_t *vaddr)
{
	struct bytes_reader r;

	reader_init(&r, hdr->data, hdr->len);
	uint8_t version = reader_u8(&r), encoding = reader_u8(&r);
	reader_u16(&r);
	int32_t distance = (int32_t)reader_u32(&r);
	*vaddr = hdr->vaddr + 4 + (uint64_t)(int64_t)distance;
	return !r.failed && version == 1 && encoding == (PE_PCREL | PE_SDATA4);
}

static void frame_from_header(struct elf_image *e, const struct elf_section *hdr,
			      struct elf_section *frame)
{
	uint64_t vaddr, left;

	if (!hdr->data || !frame_address(hdr, &vaddr) || !elf_vaddr_bytes(e, vaddr, 1, &left))
		return;
	const uint8_t *data = elf_vaddr_bytes(e, vaddr, left, NULL);
	if (data)
		*frame = (struct elf_section){
			.name = ".eh_frame", .data = data, .len = left, .vaddr = vaddr
		};
}

void elf_image_unwind_bytes(struct elf_image *e, struct elf_unwind_bytes *out)
{
	memset(out, 0, sizeof(*out));
	elf_image_section(e, ".eh_frame", &out->eh_frame);
	elf_image_section(e, ".eh_frame_hdr", &out->eh_frame_hdr);
	elf_image_section(e, ".debug_frame", &out->debug_frame);
	if (!out->eh_frame_hdr.data)
		header_from_segment(e, &out->eh_frame_hdr);
	if (!out->eh_frame.data)
		frame_from_header(e, &out->eh_frame_hdr, &out->eh_frame);
}
