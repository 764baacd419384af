/*
 * Any bytes as the memory of a process that registers code: variables of an unwinder in front, then
 * a descriptor of GDB's interface, then anything. With an odd first byte the rest is a program
 * whose registering functions are followed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "elf/cfi.h"
#include "elf/elf_image.h"
#include "memory_image.h"
#include "record/registrars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VARIABLES 8

static bool is_wanted(void *ctx, uint64_t address)
{
	(void)ctx;
	return address >= CODE;
}

static void check(const struct registered *r)
{
	for (size_t i = 0; i < r->frames.len; i++) {
		const struct registered_frame *f = &r->frames.data[i];
		struct cfi_section section = { .vaddr = f->address, .len = f->len };
		struct cfi_fde fde = { .cie.offset = CFI_NO_OFFSET };
		uint64_t offset = 0;
		enum cfi_entry_kind kind = CFI_CIE;
		if (f->start >= f->end || f->len > r->cfi.len || f->offset > r->cfi.len - f->len ||
		    (i > 0 && r->frames.data[i - 1].start >= f->start) ||
		    registered_find(r, f->start) != f)
			__builtin_trap();
		section.data = r->cfi.data + f->offset;
		while (kind == CFI_CIE)
			kind = cfi_next(&section, &offset, &fde);
		if (kind != CFI_FDE || fde.start != f->start || fde.end != f->end)
			__builtin_trap();
	}
}

static void look(struct image *memory)
{
	struct peek peek;
	struct registered found = { 0 };
	struct registered_look l = { .peek = &peek, .out = &found, .is_wanted = is_wanted };
	uint64_t variables[VARIABLES];

	for (size_t i = 0; i < VARIABLES; i++)
		variables[i] = IMAGE_BASE + 8 * i;
	peek_init(&peek, image_read, memory, 4u << 20);
	registered_take_frames(&l, variables, VARIABLES);
	registered_take_descriptor(&l, IMAGE_BASE + sizeof(variables));
	registered_end(&l);
	peek_release(&peek);
	check(&found);
	if (found.fault >= REGISTERED_FAULTS || memory->reads > (4u << 20) / 4096)
		__builtin_trap();
	registered_release(&found);
}

static void follow(const uint8_t *data, size_t size)
{
	struct elf_image *image;
	struct registrar r;

	if (elf_image_open_memory(&image, data, size, "program", NULL) < 0)
		return;
	registrar_find(&r, image, NULL, NULL);
	if (r.variable_count > REGISTRAR_VARIABLES)
		__builtin_trap();
	elf_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] % 2) {
		follow(data + 1, size - 1);
	} else if (size > 1) {
		struct image *memory = calloc(1, sizeof(*memory));
		size_t given = size - 1 < IMAGE_BYTES ? size - 1 : IMAGE_BYTES;
		memory->len = (given + 4095) / 4096 * 4096; /* there are whole pages only */
		memcpy(memory->bytes, data + 1, given);
		look(memory);
		free(memory);
	}
	return 0;
}
