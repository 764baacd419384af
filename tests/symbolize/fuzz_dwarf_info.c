/* Any bytes as an ELF file with DWARF: look up the addresses where the seeds have their code. */
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
			if (f->function && f->function->name)
				sum += strlen(f->function->name);
		}
		sum += dwarf_info_same_function(d, start, address);
	}
	vec_release(&frames.list);
	return sum;
}

struct input {
	const uint8_t *data;
	size_t size;
};

/* The same bytes serve as the .dwo file: seeds of split DWARF carry both halves. */
static struct elf_image *open_dwo(void *ctx, const char *name, const char *folder)
{
	const struct input *input = ctx;
	struct elf_image *image;

	if (strlen(name) + strlen(folder) > 4096 ||
	    elf_image_open_memory(&image, input->data, input->size, name, NULL) < 0)
		return NULL;
	return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct dwarf_dwo_files dwo_files = { open_dwo, &input };
	struct elf_image *image;
	char note[256];

	if (elf_image_open_memory(&image, data, size, "input", NULL) < 0)
		return 0;
	struct dwarf_info *d = NULL;
	if (elf_image_has_debug_info(image))
		d = dwarf_info_new(image, NULL, &dwo_files, note, sizeof(note));
	if (d) {
		uint64_t sum = look_up(d, 0x240, 0x290) + look_up(d, 0x1300, 0x1340);
		__asm__ volatile("" : : "r"(sum)); /* keeps the work */
	}
	dwarf_info_free(d);
	elf_image_free(image);
	return 0;
}
