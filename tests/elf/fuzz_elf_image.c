/* Any bytes as an ELF image: open it, then ask everything. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf/elf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t touch(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; p && i < len; i++)
		sum += p[i];
	return sum;
}

static int touch_symbol(void *ctx, const struct elf_symbol *s)
{
	uint64_t *sum = ctx;

	*sum += strlen(s->name) + (s->version ? strlen(s->version) : 0) + s->address + s->size;
	return 0;
}

static uint64_t touch_sections(struct elf_image *e)
{
	static const char *const names[] = { ".text", ".debug_info", ".debug_str", ".strtab",
					     ".gnu_debugdata" };
	struct elf_section s;
	struct elf_unwind_bytes u;
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (elf_image_section(e, names[i], &s))
			sum += touch(s.data, s.len);
	elf_image_unwind_bytes(e, &u);
	sum += touch(u.eh_frame.data, u.eh_frame.len);
	sum += touch(u.eh_frame_hdr.data, u.eh_frame_hdr.len);
	return sum + touch(u.debug_frame.data, u.debug_frame.len);
}

static uint64_t touch_identity(struct elf_image *e)
{
	uint8_t id[64];
	size_t len = elf_image_build_id(e, id);
	uint64_t sum = touch(id, len);
	uint32_t crc;
	const char *texts[] = { elf_image_go_build_id(e), elf_image_debuglink(e, &crc),
				elf_image_debugaltlink(e, id, &len) };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		sum += texts[i] ? strlen(texts[i]) : 0;
	sum += touch(id, elf_image_supplement_id(e, id));
	return sum + elf_image_content_hash(e) + elf_image_has_symtab(e) +
	       elf_image_has_debug_info(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image *e;
	uint64_t sum = 0, vaddr;

	if (elf_image_open_memory(&e, data, size, "input", NULL) < 0)
		return 0;
	elf_image_symbols(e, touch_symbol, &sum, NULL);
	sum += touch_sections(e) + touch_identity(e);
	elf_image_forget_symbols(e);
	elf_image_symbols(e, touch_symbol, &sum, NULL);
	for (size_t i = 0; i < elf_image_segment_count(e); i++) {
		const struct elf_segment *s = elf_image_segment(e, i);
		sum += touch(elf_image_bytes(e, s->vaddr, 16), 16);
		if (elf_image_vaddr_of_offset(e, s->file_offset, &vaddr))
			sum += vaddr;
	}
	elf_image_free(e);
	__asm__ volatile("" : : "r"(sum)); /* keeps the work */
	return 0;
}
