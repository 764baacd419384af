/*
 * Any bytes as an ELF file with DWARF: look up the addresses where the code is. The same bytes
 * serve as the common file of dwz, as the .dwo file and as the package of split units.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf/elf_image.h"
#include "symbolize/dwarf_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t look_up(struct dwarf_info *d, uint64_t start, uint64_t end)
{
	struct dwarf_frames frames = { 0 };
	uint64_t sum = 0;

	for (uint64_t address = start; address < end; address++) {
		dwarf_info_find(d, address, &frames);
		for (size_t i = 0; i < frames.list.len; i++) {
			const struct dwarf_frame *f = &frames.list.data[i];
			sum += f->line + (f->file ? strlen(f->file) : 0);
			if (f->name)
				sum += strlen(f->name);
		}
		sum += dwarf_info_function(d, address) + frames.function;
	}
	vec_release(&frames.list);
	return sum;
}

struct input {
	const uint8_t *data;
	size_t size;
};

static struct elf_image *open_dwo(void *ctx, const char *name, const char *folder)
{
	const struct input *input = ctx;
	struct elf_image *image;

	if (strlen(name) + strlen(folder) > 4096 ||
	    elf_image_open_memory(&image, input->data, input->size, name, NULL) < 0)
		return NULL;
	return image;
}

static struct elf_image *open_package(void *ctx)
{
	return open_dwo(ctx, "input.dwp", "");
}

#define MAX_ADDRESSES 512

static uint64_t look_up_segments(struct dwarf_info *d, const struct elf_image *image)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < elf_image_segment_count(image) && i < 4; i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		uint64_t skip = s->vaddr == 0 ? 0x230 : 0; /* the seeds' headers */
		if (s->executable && s->mem_size > skip && s->vaddr < UINT64_MAX - MAX_ADDRESSES)
			sum += look_up(d, s->vaddr + skip, s->vaddr + skip + MAX_ADDRESSES);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct dwarf_dwo_files dwo_files = { open_dwo, open_package, &input };
	struct elf_image *image;
	char note[256];

	if (elf_image_open_memory(&image, data, size, "input", NULL) < 0)
		return 0;
	struct dwarf_info *d = NULL;
	if (elf_image_has_debug_info(image))
		d = dwarf_info_new(image, open_dwo(&input, "", ""), &dwo_files, note, sizeof(note));
	if (d) {
		uint64_t sum = look_up_segments(d, image);
		__asm__ volatile("" : : "r"(sum)); /* keeps the work */
	}
	dwarf_info_free(d);
	elf_image_free(image);
	return 0;
}
