/*
 * Any bytes as a Go program's tables. The input is mapped as a program's only segment; its first
 * words say where in it the table of functions and the inlined calls are.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "symbolize/go_names.h"

#define BASE  0x400000u
#define HEADS 120 /* of ELF: header and one program header */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_headers(struct bytes *b, size_t size)
{
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	bytes_append(b, ident, sizeof(ident));
	bytes_u32(b, 62u << 16 | 2);
	bytes_u32(b, 1);
	bytes_u64(b, BASE);
	bytes_u64(b, 64);
	bytes_u64(b, 0);
	bytes_u32(b, 0);
	bytes_u32(b, 56u << 16 | 64);
	bytes_u32(b, 1);
	bytes_u32(b, 0);
	bytes_u32(b, 1);
	bytes_u32(b, 4);
	bytes_u64(b, 0);
	bytes_u64(b, BASE);
	bytes_u64(b, BASE);
	bytes_u64(b, HEADS + size);
	bytes_u64(b, HEADS + size);
	bytes_u64(b, 4096);
}

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
	struct bytes b = { 0 };
	struct bytes_reader r;
	struct elf_image *image;
	struct go_names g = { .bytes_left = 1u << 20 };
	struct go_frames f = { 0 };

	reader_init(&r, data, size);
	uint32_t table = reader_u32(&r), calls = reader_u32(&r);
	if (r.failed || table > size)
		return 0;
	put_headers(&b, size);
	bytes_append(&b, data, size);
	if (elf_image_open_memory(&image, b.data, b.len, "fuzz", NULL) < 0)
		__builtin_trap();
	go_names_init(&g, image); /* finds nothing: there are no sections */
	g.image = image;
	g.bytes_left = 1u << 20;
	if (go_table_open(&g.table, data + table, size - table, BASE)) {
		g.table.vaddr = BASE + HEADS + table;
		g.inlined = BASE + HEADS + calls;
		for (uint64_t i = 0; i < 64; i++) {
			struct go_function function;
			if (!go_table_find(&g.table, BASE + i * 4, &function))
				continue;
			look_at(&g, BASE + i * 4, &f);
			look_at(&g, function.end - 1, &f);
		}
	}
	vec_release(&f.list);
	elf_image_free(image);
	bytes_release(&b);
	return 0;
}
