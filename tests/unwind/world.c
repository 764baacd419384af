#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "world.h"
#include <cmocka.h>
#include <elf.h>
#include <string.h>

static void end_entry(struct bytes *b, size_t start)
{
	while ((b->len - start) % 8 != 4)
		bytes_u8(b, 0);
	uint32_t len = (uint32_t)(b->len - start);
	memcpy(b->data + start - 4, &len, 4);
}

void world_put_cie(struct bytes *b, bool arm)
{
	bytes_u32(b, 0);
	size_t start = b->len;
	bytes_u32(b, 0);
	bytes_append(b, "\1zR", 4); /* version, augmentation */
	bytes_u8(b, arm ? 4 : 1);
	bytes_u8(b, 0x78); /* -8 */
	bytes_u8(b, arm ? 30 : 16);
	bytes_append(b, "\1\x1b", 2); /* pcrel sdata4 */
	if (arm)
		bytes_append(b, "\x0c\x1f\x00", 3); /* CFA = sp + 0 */
	else
		bytes_append(b, "\x0c\x07\x08\x90\x01", 5); /* CFA = rsp + 8, ra at CFA - 8 */
	end_entry(b, start);
}

void world_put_fde(struct bytes *b, const struct function *f)
{
	bytes_u32(b, 0);
	size_t start = b->len;
	bytes_u32(b, (uint32_t)b->len);
	bytes_u32(b, TINY_TEXT + f->start - (TINY_EH_FRAME + (uint32_t)b->len));
	bytes_u32(b, f->len);
	bytes_u8(b, 0);
	bytes_append(b, f->program, f->program_len);
	end_entry(b, start);
}

static void put_hdr(struct bytes *b, size_t count)
{
	bytes_append(b, "\1\x1b\3\x3b", 4);
	bytes_u32(b, TINY_EH_FRAME - (TINY_HDR + 4));
	bytes_u32(b, (uint32_t)count);
}

void world_describe(struct world *w, const struct function *functions, size_t count, bool arm)
{
	world_put_cie(&w->eh_frame, arm);
	put_hdr(&w->hdr, count);
	for (size_t i = 0; i < count; i++) {
		bytes_u32(&w->hdr, TINY_TEXT + functions[i].start - TINY_HDR);
		bytes_u32(&w->hdr, TINY_EH_FRAME + (uint32_t)w->eh_frame.len - TINY_HDR);
		world_put_fde(&w->eh_frame, &functions[i]);
	}
	w->elf.machine = arm ? EM_AARCH64 : EM_X86_64;
}

void world_open(struct world *w, enum unwind_arch arch)
{
	w->elf.text = (struct tiny_part){ w->text, sizeof(w->text) };
	w->elf.eh_frame = (struct tiny_part){ w->eh_frame.data, w->eh_frame.len };
	w->elf.hdr = (struct tiny_part){ w->hdr.data, w->hdr.len };
	if (w->elf.machine == 0)
		w->elf.machine = EM_X86_64;
	tiny_elf_write(&w->elf, w->file);
	assert_int_equal(elf_image_open_memory(&w->image, w->file, sizeof(w->file), "tiny", NULL),
			 0);
	w->module = unwind_module_new(w->image, NULL);
	w->unwinder = unwinder_new(arch);
	w->memory = (struct unwind_memory){ .stack_address = STACK,
					    .stack = (const uint8_t *)w->stack,
					    .stack_len = sizeof(w->stack) };
	w->regs.valid = (1ull << UNWIND_MAX_REGS) - 1;
	w->regs.value[arch == UNWIND_AARCH64 ? 31 : 7] = STACK;
}

void world_close(struct world *w)
{
	unwinder_free(w->unwinder);
	unwind_module_free(w->module);
	elf_image_free(w->image);
	bytes_release(&w->eh_frame);
	bytes_release(&w->hdr);
}

bool world_find(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct world *w = ctx;
	*out = (struct unwind_range){ .start = AT(0), .end = AT(TINY_TEXT_MAX), .user = w };
	if (w->is_generated) {
		out->kind = UNWIND_RANGE_JIT;
		out->cfi = (struct unwind_cfi){ w->eh_frame.data, w->eh_frame.len,
						BIAS + TINY_EH_FRAME, 0 };
	} else {
		out->kind = UNWIND_RANGE_ELF;
		out->module = w->module;
		out->bias = BIAS;
	}
	return address >= out->start && address < out->end;
}

void world_run(struct world *w, uint64_t pc, size_t max)
{
	struct unwind_request rq = { .regs = &w->regs,
				     .memory = &w->memory,
				     .find = world_find,
				     .find_ctx = w,
				     .space = 7 };
	w->regs.pc = pc;
	w->count = unwind_stack(w->unwinder, &rq, w->frames, max, &w->end);
}

void world_expect(const struct world *w, size_t i, uint64_t pc, uint8_t how)
{
	assert_true(i < w->count);
	assert_int_equal(w->frames[i].pc, pc);
	assert_int_equal(w->frames[i].how, how);
	assert_ptr_equal(w->frames[i].user, w);
}

const struct function simple[SIMPLE_COUNT] = {
	F(0, 0x40, "\x41\x0e\x10\x86\x02"),
	F(0x40, 0x40, "\x0e\x28\x83\x02"),
	F(0x80, 0x40, "\x07\x10"),
};

void world_fill_simple(struct world *w)
{
	w->stack[0] = STACK + 0x100; /* rbp */
	w->stack[1] = AT(0x50);	     /* leaf → middle */
	w->stack[2 + 3] = 0x1234;    /* rbx */
	w->stack[2 + 4] = AT(0x90);  /* middle → root */
}
