/*
 * GDB's JIT interface: a descriptor (version, action, entry at hand, first entry), entries (next,
 * previous, address and size of an ELF object). Sections of these objects have the addresses that
 * they were loaded to; unwinding tables were relocated there, and not in the object.
 */
#include "record/registered.h"

#include <elf.h>
#include <string.h>

#include "elf/elf_image.h"

#define VERSION		 1u
#define DESCRIPTOR_BYTES 24u
#define DESCRIPTOR_FIRST 16u
#define ENTRY_BYTES	 32u
#define ENTRY_OBJECT	 16u
#define ENTRY_SIZE	 24u
#define ENTRIES_MAX	 65536u
#define OBJECT_BYTES_MAX ((uint64_t)8 << 20)

static uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

/* As it was loaded, or where it was not, as it stands in the object. */
static void take_table(struct registered_look *l, const struct registered_object *o,
		       const struct elf_section *s, bool is_debug, uint64_t text_base)
{
	struct registered_cfi cfi = {
		.start = o->address + s->offset,
		.size = s->len,
		.shift = s->vaddr - (o->address + s->offset),
		.text_base = text_base,
		.is_debug = is_debug,
	};

	if (!s->data || s->offset > o->size || s->len > o->size - s->offset)
		return;
	if (!is_debug && s->vaddr && registered_is_section(l, s->vaddr)) {
		cfi.start = s->vaddr;
		cfi.shift = 0;
		if (hmap_get(&l->sections, s->vaddr) != HMAP_NONE)
			return;
		hmap_put(&l->sections, s->vaddr, 1);
	}
	registered_take_cfi(l, &cfi);
}

static void take_tables(struct registered_look *l, const struct registered_object *o)
{
	struct elf_image *image;
	struct elf_section s;
	uint64_t text_base = 0;
	const uint8_t *bytes = l->out->object_bytes.data + o->offset;

	if (o->size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
		registered_fault(l, REGISTERED_FOREIGN);
		return;
	}
	if (elf_image_open_memory(&image, bytes, (size_t)o->size, "a registered object", NULL) <
	    0) {
		registered_fault(l, REGISTERED_DAMAGED);
		return;
	}
	if (elf_image_is_64bit(image)) {
		if (elf_image_section(image, ".text", &s))
			text_base = s.vaddr;
		if (elf_image_section(image, ".eh_frame", &s))
			take_table(l, o, &s, false, text_base);
		if (elf_image_section(image, ".debug_frame", &s))
			take_table(l, o, &s, true, text_base);
	}
	elf_image_free(image);
}

static void take_object(struct registered_look *l, uint64_t address, uint64_t size)
{
	struct bytes *bytes = &l->out->object_bytes;
	struct registered_object o = { .address = address, .size = size, .offset = bytes->len };

	if (size == 0 || size > OBJECT_BYTES_MAX) {
		registered_fault(l, size ? REGISTERED_TOO_LARGE : REGISTERED_DAMAGED);
		return;
	}
	if (!peek_append(l->peek, address, size, bytes)) {
		bytes->len = o.offset;
		registered_fault(l, REGISTERED_UNREADABLE);
		return;
	}
	o.hash = hash_bytes(bytes->data + o.offset, (size_t)size, address);
	vec_push(&l->out->objects, o);
	take_tables(l, &o);
}

/* The one that follows; 0 at the end. */
static uint64_t take_entry(struct registered_look *l, struct hmap *met, uint64_t address)
{
	uint8_t entry[ENTRY_BYTES];

	if (hmap_get(met, address) != HMAP_NONE) {
		registered_fault(l, REGISTERED_CYCLE);
		return 0;
	}
	if (met->len == ENTRIES_MAX) {
		registered_fault(l, REGISTERED_TOO_LARGE);
		return 0;
	}
	if (!peek_bytes(l->peek, address, entry, sizeof(entry))) {
		registered_fault(l, REGISTERED_UNREADABLE);
		return 0;
	}
	hmap_put(met, address, 1);
	take_object(l, word_at(entry, ENTRY_OBJECT), word_at(entry, ENTRY_SIZE));
	return word_at(entry, 0);
}

void registered_take_descriptor(struct registered_look *l, uint64_t address)
{
	uint8_t descriptor[DESCRIPTOR_BYTES];
	struct hmap met = { 0 };
	uint32_t version;

	if (!peek_bytes(l->peek, address, descriptor, sizeof(descriptor)))
		return;
	memcpy(&version, descriptor, sizeof(version));
	uint64_t entry = word_at(descriptor, DESCRIPTOR_FIRST);
	if (entry && version != VERSION) {
		registered_fault(l, REGISTERED_DAMAGED);
		return;
	}
	while (entry)
		entry = take_entry(l, &met, entry);
	hmap_release(&met);
}
