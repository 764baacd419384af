/*
 * Any bytes as a Go program: its tables are found by its sections, by their first bytes or by its
 * relocations, and every function's names, lines and inlined calls are asked for.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbolize/go_names.h"

#define MAX_FUNCTIONS 64
#define MAX_BYTES     ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct go_names *g, uint64_t address, struct go_frames *f)
{
	if (!go_names_find(g, address, f))
		return;
	if (f->list.len == 0 || f->list.len > 129)
		__builtin_trap();
	for (size_t i = 0; i < f->list.len; i++)
		if (strlen(f->list.data[i].name) == 0 ||
		    (f->list.data[i].file && strlen(f->list.data[i].file) == 0))
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image *image;
	struct go_names g;
	struct go_frames f = { 0 };
	struct go_function function;

	if (size > MAX_BYTES || elf_image_open_memory(&image, data, size, "fuzz", NULL) < 0)
		return 0;
	bool is_go = go_names_init(&g, image);
	g.bytes_left = 1u << 20;
	for (uint64_t i = 0; is_go && i < MAX_FUNCTIONS; i++) {
		if (!go_table_at(&g.table, i, &function))
			continue;
		uint64_t length = function.end - function.start;
		for (uint64_t part = 0; part < 16; part++)
			look_at(&g, function.start + length / 16 * part, &f);
		look_at(&g, function.end - 1, &f);
	}
	vec_release(&f.list);
	elf_image_free(image);
	return 0;
}
