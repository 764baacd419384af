/*
 * Capture a stack of a running program as a fixture:
 *
 *   capture_stack OUT.stack MILLISECONDS command…
 *
 * The program runs so long, is stopped where it is, and is killed. What libunwind thinks of the
 * frames is printed: look at them before the file becomes a test.
 */
#include "fixture.h"
#include "target.h"
#include "unwind/cfi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX  1024
#define STACK_MAX   (48u << 10)
#define CODE_BEFORE 1024
#define CODE_CALL   16	 /* around a described address */
#define CODE_PLAIN  4096 /* after an address that no CFI describes: to be followed */

struct capture {
	struct target target;
	struct fixture fixture;
	VEC(const struct target_image *) images; /* by the fixture's module index */
	VEC(struct cfi_index) indexes;
};

static void add_part(struct fixture_module *m, uint64_t vaddr, const uint8_t *data, size_t len,
		     enum fixture_kind kind)
{
	struct fixture_part part = { .vaddr = vaddr, .kind = kind };
	for (size_t i = 0; i < m->parts.len; i++)
		if (m->parts.data[i].vaddr == vaddr && m->parts.data[i].kind == kind)
			return;
	bytes_append(&part.data, data, len);
	vec_push(&m->parts, part);
}

/* The entry at offset as it stands: its length field and what that counts. */
static void add_entry(struct fixture_module *m, const struct cfi_section *s, uint64_t offset)
{
	uint32_t len;
	memcpy(&len, s->data + offset, sizeof(len));
	add_part(m, s->vaddr + offset, s->data + offset, len + sizeof(len), FIXTURE_EH_FRAME);
}

static bool add_cfi(struct capture *c, size_t module, uint64_t vaddr)
{
	struct elf_unwind_bytes bytes;
	struct cfi_fde fde = { .cie.offset = CFI_NO_OFFSET };
	uint64_t offset;
	elf_image_unwind_bytes(c->images.data[module]->image, &bytes);
	struct cfi_section s = { bytes.eh_frame.data, bytes.eh_frame.len, bytes.eh_frame.vaddr,
				 false };
	struct cfi_index *x = &c->indexes.data[module];
	if (s.len == 0)
		return false;
	if (!x->built)
		cfi_index_build(x, &s);
	if (!cfi_index_find(x, vaddr, &offset) || cfi_read_fde(&s, offset, &fde) != 0 ||
	    vaddr >= fde.end)
		return false;
	add_entry(&c->fixture.modules.data[module], &s, fde.cie.offset);
	add_entry(&c->fixture.modules.data[module], &s, offset);
	return true;
}

/* Code around vaddr: a call before a return address, or all that may be followed. */
static void add_code(struct capture *c, size_t module, uint64_t vaddr, bool described)
{
	const struct elf_image *image = c->images.data[module]->image;
	size_t before = described ? CODE_CALL : CODE_BEFORE;
	for (; before >= CODE_CALL; before /= 2)
		for (size_t after = described ? CODE_CALL : CODE_PLAIN; after > 0; after /= 2) {
			const uint8_t *code =
				elf_image_bytes(image, vaddr - before, before + after);
			if (!code)
				continue;
			add_part(&c->fixture.modules.data[module], vaddr - before, code,
				 before + after, FIXTURE_TEXT);
			return;
		}
}

static size_t module_index(struct capture *c, const struct target_map *map)
{
	for (size_t i = 0; i < c->images.len; i++)
		if (c->images.data[i]->module == map->range.module)
			return i;
	for (size_t i = 0; i < c->target.images.len; i++) {
		const struct target_image *image = &c->target.images.data[i];
		struct fixture_module module = { 0 };
		struct cfi_index none = { 0 };
		if (image->module != map->range.module)
			continue;
		snprintf(module.name, sizeof(module.name), "%s", map->name);
		const uint8_t *header = elf_image_bytes(image->image, 0, 64);
		if (header)
			memcpy(&module.entry, header + 24, sizeof(module.entry));
		vec_push(&c->fixture.modules, module);
		vec_push(&c->images, image);
		vec_push(&c->indexes, none);
	}
	return c->images.len - 1;
}

static void add_frame(struct capture *c, const struct unwind_frame *f)
{
	const struct target_map *map = f->user;
	struct fixture_frame frame = { f->pc, f->how };
	vec_push(&c->fixture.frames, frame);
	if (!map)
		return;
	struct fixture_map out = { map->range.start, map->range.end, map->range.bias, -1 };
	if (map->range.module) {
		size_t index = module_index(c, map);
		uint64_t vaddr = f->pc - map->range.bias;
		uint64_t look = frame_is_exact(f->how) ? vaddr : vaddr - 1;
		bool described = add_cfi(c, index, look);
		add_code(c, index, vaddr, described);
		out.module = (int)index;
	}
	for (size_t i = 0; i < c->fixture.maps.len; i++)
		if (c->fixture.maps.data[i].start == out.start)
			return;
	vec_push(&c->fixture.maps, out);
}

static void print_opinion(const struct unwind_request *rq, size_t n, uint8_t end)
{
	static struct unwind_frame other[FRAMES_MAX];
	size_t m = unwind_check_libunwind(rq, other, FRAMES_MAX);
	printf("%zu frames, end %u; libunwind finds %zu\n", n, end, m);
}

int main(int argc, char **argv)
{
	static struct capture c;
	static struct unwind_frame frames[FRAMES_MAX];
	struct unwind_request rq;
	char place[160];
	if (argc < 4)
		return 2;
	if (target_start(&c.target, argv + 3) != 0 ||
	    !target_run_for(&c.target, (unsigned)strtoul(argv[2], NULL, 10) * 1000))
		return 1;
	target_read_maps(&c.target);
	target_read_stack(&c.target, STACK_MAX);
	target_request(&c.target, &rq);
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	uint8_t end;
	size_t n = unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
	c.fixture.regs = c.target.unwind_regs;
	c.fixture.stack_address = c.target.memory.stack_address;
	c.fixture.is_cut = c.target.memory.stack_is_cut;
	c.fixture.end = end;
	for (size_t i = 0; i < n; i++) {
		add_frame(&c, &frames[i]);
		printf("%s how %u\n", target_place(&c.target, frames[i].pc, place, sizeof(place)),
		       frames[i].how);
	}
	bytes_append(&c.fixture.stack, c.target.memory.stack, c.target.memory.stack_len);
	print_opinion(&rq, n, end);
	int result = fixture_save(&c.fixture, argv[1]);
	unwinder_free(u);
	target_release(&c.target);
	return result != 0;
}
