/* Opening an image: file header, program headers, section headers, segments and address
 * translation. */
#include "elf/elf_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/elf_private.h"

/* Bounds that no honest file comes near; they keep work on hostile ones proportional to their size.
 */
#define MAX_PROGRAM_HEADERS    4096
#define MAX_SECTION_NAME_BYTES ((size_t)4096)

/* Where the header tables are, still unchecked. */
struct table_places {
	uint64_t phoff, shoff;
	uint64_t phnum, shnum, shstrndx;
	uint64_t phentsize, shentsize;
};

static int read_file_header(struct elf_image *e, struct table_places *t, struct error *err)
{
	const uint8_t *ident = elf_bytes_at(&e->bytes, 0, EI_NIDENT);

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return error_set(err, ERROR_FORMAT, "%s: not an ELF file", e->name);
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return error_set(err, ERROR_FORMAT, "%s: ELF file of unknown class", e->name);
	if (ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERROR_UNSUPPORTED, "%s: big-endian ELF file", e->name);
	e->is_64bit = ident[EI_CLASS] == ELFCLASS64;

	size_t size = e->is_64bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	const uint8_t *header = elf_bytes_at(&e->bytes, 0, size);
	if (!header)
		return error_set(err, ERROR_TRUNCATED, "%s: ELF header ends early", e->name);
	struct bytes_reader r;
	reader_init(&r, header + EI_NIDENT, size - EI_NIDENT);
	e->type = reader_u16(&r);
	e->machine = reader_u16(&r);
	reader_u32(&r);	      /* version */
	elf_read_word(e, &r); /* entry */
	t->phoff = elf_read_word(e, &r);
	t->shoff = elf_read_word(e, &r);
	reader_u32(&r); /* flags */
	reader_u16(&r); /* header size */
	t->phentsize = reader_u16(&r);
	t->phnum = reader_u16(&r);
	t->shentsize = reader_u16(&r);
	t->shnum = reader_u16(&r);
	t->shstrndx = reader_u16(&r);
	return 0;
}

static void parse_section_header(const struct elf_image *e, struct bytes_reader *r,
				 struct elf_shdr *s)
{
	memset(s, 0, sizeof(*s));
	s->name = reader_u32(r);
	s->type = reader_u32(r);
	s->flags = elf_read_word(e, r);
	s->addr = elf_read_word(e, r);
	s->offset = elf_read_word(e, r);
	s->size = elf_read_word(e, r);
	s->link = reader_u32(r);
	s->info = reader_u32(r);
	elf_read_word(e, r); /* alignment */
	s->entsize = elf_read_word(e, r);
	s->name_text = "";
}

static bool read_section_header(struct elf_image *e, const struct table_places *t, uint64_t i,
				struct elf_shdr *s)
{
	size_t size = e->is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t offset;

	if (t->shentsize < size || __builtin_add_overflow(t->shoff, i * t->shentsize, &offset))
		return false;
	const uint8_t *p = elf_bytes_at(&e->bytes, offset, size);
	if (!p)
		return false;
	struct bytes_reader r;
	reader_init(&r, p, size);
	parse_section_header(e, &r, s);
	return true;
}

/* Counts that do not fit the file header stand in section header 0. */
static void resolve_extended_counts(struct elf_image *e, struct table_places *t)
{
	struct elf_shdr zero;

	if (t->shoff == 0 || !read_section_header(e, t, 0, &zero)) {
		t->shnum = 0;
		if (t->phnum == PN_XNUM)
			t->phnum = 0;
		return;
	}
	if (t->shnum == 0)
		t->shnum = zero.size;
	if (t->shstrndx == SHN_XINDEX)
		t->shstrndx = zero.link;
	if (t->phnum == PN_XNUM)
		t->phnum = zero.info;
}

static void parse_program_header(const struct elf_image *e, struct bytes_reader *r,
				 struct elf_phdr *p)
{
	p->type = reader_u32(r);
	if (e->is_64bit)
		p->flags = reader_u32(r);
	p->offset = elf_read_word(e, r);
	p->vaddr = elf_read_word(e, r);
	elf_read_word(e, r); /* physical address */
	p->filesz = elf_read_word(e, r);
	p->memsz = elf_read_word(e, r);
	if (!e->is_64bit)
		p->flags = reader_u32(r);
	p->align = elf_read_word(e, r);
}

static void add_segment(struct elf_image *e, const struct elf_phdr *p)
{
	uint64_t end;

	if (p->type != PT_LOAD || p->filesz > p->memsz ||
	    __builtin_add_overflow(p->vaddr, p->memsz, &end) ||
	    __builtin_add_overflow(p->offset, p->filesz, &end))
		return;
	struct elf_segment segment = {
		.vaddr = p->vaddr,
		.file_offset = p->offset,
		.file_size = p->filesz,
		.mem_size = p->memsz,
		.executable = (p->flags & PF_X) != 0,
	};
	vec_push(&e->segments, segment);
}

static void read_program_headers(struct elf_image *e, const struct table_places *t)
{
	size_t size = e->is_64bit ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (t->phentsize < size || t->phoff == 0)
		return;
	for (uint64_t i = 0; i < t->phnum && i < MAX_PROGRAM_HEADERS; i++) {
		uint64_t offset;
		if (__builtin_add_overflow(t->phoff, i * t->phentsize, &offset))
			return;
		const uint8_t *p = elf_bytes_at(&e->bytes, offset, size);
		if (!p) {
			elf_damaged(e, "its program headers lie outside of the file");
			return;
		}
		struct bytes_reader r;
		struct elf_phdr phdr = { 0 };
		reader_init(&r, p, size);
		parse_program_header(e, &r, &phdr);
		vec_push(&e->phdrs, phdr);
		add_segment(e, &phdr);
	}
}

static bool name_ends(const uint8_t *name, size_t left)
{
	size_t len = left < MAX_SECTION_NAME_BYTES ? left : MAX_SECTION_NAME_BYTES;

	return memchr(name, 0, len) != NULL;
}

static void name_sections(struct elf_image *e, uint64_t shstrndx)
{
	const uint8_t *names;
	size_t len;

	if (shstrndx >= e->sections.len ||
	    !elf_section_bytes(e, &e->sections.data[shstrndx], &names, &len)) {
		elf_damaged(e, "its sections have no names");
		return;
	}
	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *s = &e->sections.data[i];
		if (s->name < len && name_ends(names + s->name, len - s->name))
			s->name_text = (const char *)names + s->name;
	}
}

static void read_section_headers(struct elf_image *e, const struct table_places *t)
{
	struct elf_shdr s;

	for (uint64_t i = 0; i < t->shnum && read_section_header(e, t, i, &s); i++)
		vec_push(&e->sections, s);
	if (!e->sections.len && t->shoff == 0)
		elf_damaged(e, "it has no section headers");
	else if (!e->sections.len || e->sections.len < t->shnum)
		elf_damaged(e, "its section headers lie outside of the file");
	name_sections(e, t->shstrndx);
}

static int parse_image(struct elf_image *e, struct error *err)
{
	struct table_places places = { 0 };

	if (read_file_header(e, &places, err) < 0)
		return -1;
	resolve_extended_counts(e, &places);
	read_program_headers(e, &places);
	read_section_headers(e, &places);
	return 0;
}

static struct elf_image *image_new(const char *name)
{
	struct elf_image *e = xcalloc(1, sizeof(*e));

	e->name = xstrdup(name ? name : "(memory)");
	e->bytes.fd = -1;
	arena_init(&e->arena);
	return e;
}

static int image_finish(struct elf_image **out, struct elf_image *e, int opened, struct error *err)
{
	if (opened < 0) {
		error_context(err, "%s", e->name);
	} else if (parse_image(e, err) == 0) {
		*out = e;
		return 0;
	}
	elf_image_free(e);
	*out = NULL;
	return -1;
}

int elf_image_open_fd(struct elf_image **out, int fd, const char *name, struct error *err)
{
	struct elf_image *e = image_new(name);

	return image_finish(out, e, elf_bytes_open_fd(&e->bytes, fd, err), err);
}

int elf_image_open_memory(struct elf_image **out, const void *bytes, size_t len, const char *name,
			  struct error *err)
{
	struct elf_image *e = image_new(name);

	return image_finish(out, e, elf_bytes_open_memory(&e->bytes, bytes, len, err), err);
}

void elf_image_free(struct elf_image *e)
{
	if (!e)
		return;
	elf_image_free(e->mini);
	for (size_t i = 0; i < e->decompressed.len; i++)
		bytes_release(&e->decompressed.data[i]);
	vec_release(&e->decompressed);
	vec_release(&e->versions);
	vec_release(&e->phdrs);
	vec_release(&e->segments);
	vec_release(&e->sections);
	arena_release(&e->arena);
	elf_bytes_release(&e->bytes);
	free(e->name);
	free(e);
}

const char *elf_image_damage(const struct elf_image *e)
{
	return e->bytes.was_changed ? "it was written over after it was opened" : e->damage;
}

enum elf_machine elf_image_machine(const struct elf_image *e)
{
	switch (e->machine) {
	case EM_X86_64:
		return ELF_MACHINE_X86_64;
	case EM_AARCH64:
		return ELF_MACHINE_AARCH64;
	case EM_386:
		return ELF_MACHINE_I386;
	default:
		return ELF_MACHINE_OTHER;
	}
}

bool elf_image_is_64bit(const struct elf_image *e)
{
	return e->is_64bit;
}

bool elf_image_is_pie(const struct elf_image *e)
{
	return e->type == ET_DYN;
}

int elf_image_fd(const struct elf_image *e)
{
	return e->bytes.fd;
}

size_t elf_image_segment_count(const struct elf_image *e)
{
	return e->segments.len;
}

const struct elf_segment *elf_image_segment(const struct elf_image *e, size_t i)
{
	return i < e->segments.len ? &e->segments.data[i] : NULL;
}

static bool offset_in_segment(const struct elf_segment *s, uint64_t file_offset, uint64_t *vaddr)
{
	if (file_offset < s->file_offset || file_offset - s->file_offset >= s->file_size)
		return false;
	*vaddr = s->vaddr + (file_offset - s->file_offset);
	return true;
}

bool elf_image_vaddr_of_offset(const struct elf_image *e, uint64_t file_offset, uint64_t *vaddr)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (size_t i = 0; i < e->segments.len; i++) {
			const struct elf_segment *s = &e->segments.data[i];
			if (s->executable == executable && offset_in_segment(s, file_offset, vaddr))
				return true;
		}
	}
	return false;
}

const uint8_t *elf_vaddr_bytes(struct elf_image *e, uint64_t vaddr, uint64_t len, uint64_t *left)
{
	for (size_t i = 0; i < e->segments.len; i++) {
		const struct elf_segment *s = &e->segments.data[i];
		if (vaddr < s->vaddr || vaddr - s->vaddr > s->file_size)
			continue;
		uint64_t inside = vaddr - s->vaddr;
		if (len > s->file_size - inside)
			continue;
		if (left)
			*left = s->file_size - inside;
		return elf_bytes_at(&e->bytes, s->file_offset + inside, len);
	}
	return NULL;
}

const uint8_t *elf_image_bytes(const struct elf_image *e, uint64_t vaddr, size_t len)
{
	/* Reading on demand fills a cache inside; what the caller sees of the image stays the same.
	 */
	return elf_vaddr_bytes((struct elf_image *)(uintptr_t)e, vaddr, len, NULL);
}

#define HASHED_BYTES	((uint64_t)64 << 10) /* at each end of what is hashed */
#define HASHED_SECTIONS 4096

static uint64_t hash_range(struct elf_image *e, uint64_t offset, uint64_t len, uint64_t seed)
{
	if (offset > e->bytes.size)
		return seed;
	if (len > e->bytes.size - offset)
		len = e->bytes.size - offset;
	const uint8_t *p = elf_bytes_at(&e->bytes, offset, len);
	return p ? hash_bytes(p, len, seed) : seed;
}

static uint64_t hash_ends(struct elf_image *e, uint64_t offset, uint64_t len, uint64_t seed)
{
	if (len <= 2 * HASHED_BYTES)
		return hash_range(e, offset, len, seed);
	seed = hash_range(e, offset, HASHED_BYTES, seed);
	return offset > UINT64_MAX - len
		       ? seed
		       : hash_range(e, offset + len - HASHED_BYTES, HASHED_BYTES, seed);
}

static uint64_t hash_segments(struct elf_image *e, uint64_t h)
{
	for (size_t i = 0; i < e->phdrs.len; i++) {
		const struct elf_phdr *p = &e->phdrs.data[i];
		const uint64_t words[] = { p->type,   p->flags, p->offset, p->vaddr,
					   p->filesz, p->memsz, p->align };
		h = hash_bytes(words, sizeof(words), h);
	}
	for (size_t i = 0; i < e->segments.len; i++) {
		const struct elf_segment *s = &e->segments.data[i];
		if (s->executable)
			return hash_ends(e, s->file_offset, s->file_size, h);
	}
	return h;
}

/* Two builds may differ in nothing but their symbols' names. */
static uint64_t hash_sections(struct elf_image *e, uint64_t h)
{
	for (size_t i = 0; i < e->sections.len && i < HASHED_SECTIONS; i++) {
		const struct elf_shdr *s = &e->sections.data[i];
		const uint64_t words[] = { s->type, s->flags, s->addr, s->offset, s->size };
		h = hash_bytes(words, sizeof(words), h);
		if (s->type == SHT_STRTAB)
			h = hash_ends(e, s->offset, s->size, h);
	}
	return h;
}

uint64_t elf_image_content_hash(struct elf_image *e)
{
	uint64_t h = hash_range(e, 0, e->is_64bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 0);

	return hash_sections(e, hash_segments(e, h));
}
