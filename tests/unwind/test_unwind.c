/*
 * The unwinder over hand-made CFI in a small ELF file: search, rows, registers, ends, the second
 * architecture; and expressions by themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "tiny_elf.h"
#include "unwind/unwind.h"
#include "unwind/walk.h"
#include <cmocka.h>
#include <elf.h>
#include <string.h>

#define BIAS	   0x400000ull
#define STACK	   0x7ffd0000ull
#define FRAMES_MAX 32
#define AT(offset) (BIAS + TINY_TEXT + (offset))

struct function {
	uint32_t start, len; /* from the text's start */
	const char *program;
	size_t program_len;
};

#define F(start, len, program)                           \
	{                                                \
		start, len, program, sizeof(program) - 1 \
	}

struct world {
	uint8_t file[TINY_SIZE];
	struct bytes eh_frame, hdr;
	uint8_t text[TINY_TEXT_MAX];
	struct tiny_elf elf;
	struct elf_image *image;
	struct unwind_module *module;
	struct unwinder *unwinder;
	bool is_generated; /* the same bytes, as code and CFI of a generator */
	uint64_t stack[128];
	struct unwind_memory memory;
	struct unwind_regs regs;
	struct unwind_frame frames[FRAMES_MAX];
	size_t count;
	uint8_t end;
};

static void end_entry(struct bytes *b, size_t start)
{
	while ((b->len - start) % 8 != 4)
		bytes_u8(b, 0);
	uint32_t len = (uint32_t)(b->len - start);
	memcpy(b->data + start - 4, &len, 4);
}

static void put_cie(struct bytes *b, bool arm)
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

static void put_fde(struct bytes *b, const struct function *f)
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

/* CFI for the functions, in the order given, with a search table. */
static void describe(struct world *w, const struct function *functions, size_t count, bool arm)
{
	put_cie(&w->eh_frame, arm);
	put_hdr(&w->hdr, count);
	for (size_t i = 0; i < count; i++) {
		bytes_u32(&w->hdr, TINY_TEXT + functions[i].start - TINY_HDR);
		bytes_u32(&w->hdr, TINY_EH_FRAME + (uint32_t)w->eh_frame.len - TINY_HDR);
		put_fde(&w->eh_frame, &functions[i]);
	}
	w->elf.machine = arm ? EM_AARCH64 : EM_X86_64;
}

static void open_world(struct world *w, enum unwind_arch arch)
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

static void close_world(struct world *w)
{
	unwinder_free(w->unwinder);
	unwind_module_free(w->module);
	elf_image_free(w->image);
	bytes_release(&w->eh_frame);
	bytes_release(&w->hdr);
}

static bool find(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct world *w = ctx;
	*out = (struct unwind_range){ .start = AT(0), .end = AT(TINY_TEXT_MAX), .user = w };
	if (w->is_generated) {
		out->kind = UNWIND_RANGE_JIT;
		out->cfi = (struct unwind_cfi){ w->eh_frame.data, w->eh_frame.len,
						BIAS + TINY_EH_FRAME };
	} else {
		out->kind = UNWIND_RANGE_ELF;
		out->module = w->module;
		out->bias = BIAS;
	}
	return address >= out->start && address < out->end;
}

static void run(struct world *w, uint64_t pc, size_t max)
{
	struct unwind_request rq = {
		.regs = &w->regs, .memory = &w->memory, .find = find, .find_ctx = w, .space = 7
	};
	w->regs.pc = pc;
	w->count = unwind_stack(w->unwinder, &rq, w->frames, max, &w->end);
}

static void expect(const struct world *w, size_t i, uint64_t pc, uint8_t how)
{
	assert_true(i < w->count);
	assert_int_equal(w->frames[i].pc, pc);
	assert_int_equal(w->frames[i].how, how);
	assert_ptr_equal(w->frames[i].user, w);
}

/* leaf 0..0x40: after one byte a push; middle 0x40..0x80: 32 bytes and rbx saved; root 0x80..0xc0.
 */
static const struct function simple[] = {
	F(0, 0x40, "\x41\x0e\x10\x86\x02"),
	F(0x40, 0x40, "\x0e\x28\x83\x02"),
	F(0x80, 0x40, "\x07\x10"),
};

static void fill_simple(struct world *w)
{
	w->stack[0] = STACK + 0x100; /* rbp */
	w->stack[1] = AT(0x50);	     /* leaf → middle */
	w->stack[2 + 3] = 0x1234;    /* rbx */
	w->stack[2 + 4] = AT(0x90);  /* middle → root */
}

static void frames_and_root(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	for (int again = 0; again < 2; again++) { /* the second time from the cache */
		run(&w, AT(1), FRAMES_MAX);
		assert_int_equal(w.count, 3);
		assert_int_equal(w.end, END_ROOT);
		expect(&w, 0, AT(1), FRAME_REGISTER);
		expect(&w, 1, AT(0x50), FRAME_CFI);
		expect(&w, 2, AT(0x90), FRAME_CFI);
	}
	struct unwind_stats stats;
	unwinder_get_stats(w.unwinder, &stats);
	assert_int_equal(stats.frames, 6);
	assert_int_equal(stats.cache_hits, 3);
	assert_int_equal(stats.cache_misses, 3);
	close_world(&w);
}

static void generated_code(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	w.is_generated = true;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	expect(&w, 1, AT(0x50), FRAME_CFI);
	expect(&w, 2, AT(0x90), FRAME_CFI);
	w.eh_frame.len = 0; /* as long as nobody says so, the rules are the old ones */
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	unwinder_invalidate(w.unwinder);
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	close_world(&w);
}

/* The bytes of expressions may be gone when they are needed. */
static void generated_code_with_expression(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0f\x02\x77\x08"), /* CFA = [rsp + 8], said in the long way */
		F(0x40, 0x40, "\x07\x10"),
	};
	(void)state;
	for (int generated = 0; generated < 2; generated++) {
		struct world w = { 0 };
		describe(&w, functions, 2, false);
		open_world(&w, UNWIND_X86_64);
		w.stack[0] = AT(0x50);
		w.stack[1] = 0x1234;
		w.regs.value[6] = 0;
		w.is_generated = generated;
		run(&w, AT(1), FRAMES_MAX);
		assert_int_equal(w.end, generated ? END_NO_CFI : END_ROOT);
		close_world(&w);
	}
}

/* A generator that never writes the same rule twice. */
static void generated_rules_without_end(void **state)
{
	struct function f = simple[0];
	char program[] = "\x0e\x10\x84\x01\x85\x01";
	struct world w = { 0 };
	(void)state;
	f.program = program;
	f.program_len = sizeof(program) - 1;
	open_world(&w, UNWIND_X86_64);
	w.is_generated = true;
	w.stack[1] = AT(0x1);
	for (unsigned i = 0; i < 128 * 127; i++) {
		program[3] = (char)(1 + i % 127); /* where registers are saved */
		program[5] = (char)(i / 127);
		bytes_clear(&w.eh_frame);
		put_cie(&w.eh_frame, false);
		put_fde(&w.eh_frame, &f);
		unwinder_invalidate(w.unwinder);
		run(&w, AT(1), 2);
		assert_int_equal(w.count, 2);
		expect(&w, 1, AT(1), FRAME_CFI);
	}
	close_world(&w);
}

/* The row before the push: the return address is on top. */
static void rows_by_address(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	w.stack[0] = AT(0x90);
	run(&w, AT(0), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_ROOT);
	close_world(&w);
}

static void depth_limit(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	run(&w, AT(1), 2);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_DEPTH);
	run(&w, AT(1), 3); /* exactly as deep as the stack: whole */
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	run(&w, AT(1), 0);
	assert_int_equal(w.count, 0);
	close_world(&w);
}

static void cut_and_unreadable(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	w.memory.stack_len = 8 * 4;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_UNREADABLE);
	w.memory.stack_is_cut = true;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	close_world(&w);
}

static void unmapped(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	w.stack[1] = 0x123456;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 1); /* what is not code is no frame */
	assert_int_equal(w.end, END_NO_MAPPING);
	run(&w, 0x10, FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_null(w.frames[0].user);
	assert_int_equal(w.end, END_NO_MAPPING);
	w.stack[1] = 0;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	close_world(&w);
}

struct later {
	uint64_t address;
	const uint64_t *words;
	size_t count;
};

static int read_later(void *ctx, uint64_t address, void *out, size_t len)
{
	const struct later *l = ctx;
	uint64_t offset = address - l->address;
	if (offset >= 8 * l->count || len > 8 * l->count - offset)
		return -1;
	memcpy(out, (const uint8_t *)l->words + offset, len);
	return 0;
}

/* Before return: a direct call of target. */
static void put_call(struct world *w, uint32_t return_to, uint32_t target)
{
	int32_t distance = (int32_t)target - (int32_t)return_to;
	w->text[return_to - 5] = 0xe8;
	memcpy(w->text + return_to - 4, &distance, sizeof(distance));
}

/* What the copy does not hold is read later, and believed where the code agrees. */
static void read_at_another_time(void **state)
{
	struct world w = { 0 };
	struct later later;
	(void)state;
	describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	later = (struct later){ STACK, w.stack, 128 };
	w.memory.stack_len = 8 * 4;
	w.memory.stack_is_cut = true;
	w.memory.read = read_later;
	w.memory.read_ctx = &later;
	w.memory.read_is_late = true;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	expect(&w, 1, AT(0x50), FRAME_CFI);
	expect(&w, 2, AT(0x90), FRAME_LATER);
	w.stack[2 + 4] = AT(0x50); /* this call calls another function than the one at hand */
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 2);
	w.stack[2 + 4] = AT(0x98); /* no call at all */
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 2);
	close_world(&w);
}

/* Assembler keeps registers for its own functions that the convention does not. */
static void frame_in_scratch_register(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x41\x0e\x10\x86\x02"),
		F(0x40, 0x40, "\x0c\x00\x08"), /* CFA = rax + 8 */
		F(0x80, 0x40, "\x07\x10"),
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	open_world(&w, UNWIND_X86_64);
	w.stack[1] = AT(0x50);
	w.stack[5] = AT(0x90);
	w.regs.value[0] = STACK + 5 * 8;
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	w.stack[5] = AT(0x98); /* no call leads there */
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	assert_int_equal(w.count, 2);
	close_world(&w);
}

/* Assembler whose CFI finds the frame below the stack pointer, where no copy reaches (OpenSSL's
 * SHA-2 for AVX2). The code says where the frame is found in the end. */
static void frame_below_stack_pointer(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0f\x05\x77\x78\x06\x23\x08"), /* CFA = [rsp - 8] + 8 */
		F(0x40, 0x40, "\x07\x10"),
	};
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,	       /* 0: lea -0x80(%rsp),%rsp */
		0xff, 0xc9,			       /* 5: dec %ecx */
		0x75, 0xf7,			       /* 7: jne 0 */
		0x48, 0x8d, 0xa4, 0x24, 0x80, 1, 0, 0, /* 9: lea 0x180(%rsp),%rsp */
		0x48, 0x8b, 0x74, 0x24, 0x18,	       /* 17: mov 0x18(%rsp),%rsi */
		0x48, 0x8b, 0x5e, 0xf0,		       /* 22: mov -0x10(%rsi),%rbx */
		0x48, 0x8d, 0x26,		       /* 26: lea (%rsi),%rsp */
		0xc3,				       /* 29: ret */
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 2, false);
	put_call(&w, 0x50, 0);
	memcpy(w.text, code, sizeof(code));
	open_world(&w, UNWIND_X86_64);
	w.stack[60] = AT(0x50);
	run(&w, AT(17), FRAMES_MAX); /* nothing that the code finds either */
	assert_int_equal(w.end, END_UNREADABLE);
	assert_int_equal(w.count, 1);
	/* Where the slot is, seen from 17; from 5 with none to two rounds of the loop to come. */
	static const size_t slots[][2] = { { 17, 3 }, { 5, 51 }, { 5, 35 }, { 5, 19 } };
	for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
		w.stack[slots[i][1]] = STACK + 60 * 8;
		run(&w, AT(slots[i][0]), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 2);
		expect(&w, 1, AT(0x50), FRAME_CODE);
		w.stack[slots[i][1]] = 0;
	}
	close_world(&w);
}

/* Also when the kernel was entered by the trampoline's last instruction and has not gone back yet.
 */
static void signal_trampoline(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint64_t offsets[] = { 0, 7, 9 };
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	memcpy(w.text + 0x200, code, sizeof(code));
	open_world(&w, UNWIND_X86_64);
	w.stack[160 / 8] = STACK + 40 * 8; /* the interrupted stack pointer */
	w.stack[168 / 8] = AT(1);
	w.stack[40 + 1] = AT(0x50);
	w.stack[40 + 6] = AT(0x90);
	for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
		run(&w, AT(0x200 + offsets[i]), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 4);
		expect(&w, 1, AT(1), FRAME_SIGNAL);
		expect(&w, 2, AT(0x50), FRAME_CFI);
		expect(&w, 3, AT(0x90), FRAME_CFI);
	}
	close_world(&w);
}

/* What the copy does not hold is in the kernel's chain, where that fits the code. */
static void chain_of_the_kernel(void **state)
{
	static uint64_t chain[] = { AT(1), AT(0x50), AT(0x90), 0x1234 };
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	open_world(&w, UNWIND_X86_64);
	fill_simple(&w);
	w.memory.stack_len = 8;
	w.memory.stack_is_cut = true;
	struct unwind_request rq = { .regs = &w.regs,
				     .memory = &w.memory,
				     .find = find,
				     .find_ctx = &w,
				     .space = 7,
				     .chain = chain,
				     .chain_count = ARRAY_LEN(chain) };
	w.regs.pc = AT(1);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	expect(&w, 1, AT(0x50), FRAME_CHAIN);
	expect(&w, 2, AT(0x90), FRAME_CHAIN);
	chain[1] = AT(0x58); /* behind no call */
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 1);
	chain[0] = AT(2); /* of another place */
	chain[1] = AT(0x50);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 1);
	close_world(&w);
}

/* What a signal interrupted, on a stack that is not there, is in no chain: its caller follows the
 * handler's frames. */
static void chain_behind_a_signal(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint64_t chain[] = { AT(0x200), AT(0x50), AT(0x90), 0x1234 };
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	memcpy(w.text + 0x200, code, sizeof(code));
	open_world(&w, UNWIND_X86_64);
	w.stack[160 / 8] = STACK / 2; /* far from the copy */
	w.stack[168 / 8] = AT(1);
	struct unwind_request rq = { .regs = &w.regs,
				     .memory = &w.memory,
				     .find = find,
				     .find_ctx = &w,
				     .space = 7,
				     .chain = chain,
				     .chain_count = ARRAY_LEN(chain) };
	w.regs.pc = AT(0x200);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 4);
	expect(&w, 1, AT(1), FRAME_SIGNAL);
	expect(&w, 2, AT(0x50), FRAME_CHAIN);
	expect(&w, 3, AT(0x90), FRAME_CHAIN);
	close_world(&w);
}

/* Deeper than asked for: both ends are kept, and what is missing is marked. */
static void root_of_deep_stack(void **state)
{
	static struct unwind_frame frames[400];
	static uint64_t stack[1200];
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	open_world(&w, UNWIND_X86_64);
	for (size_t i = 0; i < 1000; i++)
		stack[i] = AT(0x20 + i % 16) * (i & 1); /* leaf's frames: rbp, return address */
	stack[1001] = AT(0x90);
	w.memory.stack = (const uint8_t *)stack;
	w.memory.stack_len = sizeof(stack);
	struct unwind_request rq = {
		.regs = &w.regs, .memory = &w.memory, .find = find, .find_ctx = &w, .space = 7
	};
	w.regs.pc = AT(1);
	assert_int_equal(unwind_stack(w.unwinder, &rq, frames, 400, &w.end), 400);
	assert_int_equal(w.end, END_DEPTH);
	assert_int_equal(frames[399].pc, AT(0x90));
	size_t cut = 400 - UNWIND_ROOT_FRAMES - 1;
	for (size_t i = 0; i < 400; i++)
		assert_int_equal(frames[i].how == FRAME_CUT, i == cut);
	assert_int_equal(frames[cut - 1].pc, stack[2 * (cut - 2) + 1]);
	assert_int_equal(frames[398].pc, stack[999]);
	assert_int_equal(frames[cut + 1].pc, stack[999 - 2 * (398 - cut - 1)]);
	stack[1001] = 0x10; /* no root there: then the innermost are all */
	assert_int_equal(unwind_stack(w.unwinder, &rq, frames, 400, &w.end), 400);
	assert_int_equal(w.end, END_DEPTH);
	assert_int_equal(frames[399].pc, stack[2 * 398 + 1]);
	close_world(&w);
}

/* The table's last function at or below an address may end before it: musl has gaps. */
static void gap_after_function(void **state)
{
	struct world w = { 0 };
	(void)state;
	describe(&w, simple, 3, false);
	w.text[0x123] = 0xcc;
	open_world(&w, UNWIND_X86_64);
	w.regs.value[6] = 0;
	run(&w, AT(0x123), FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.end, END_NO_CFI);
	close_world(&w);
}

static void expect_simple(struct world *w)
{
	open_world(w, UNWIND_X86_64);
	fill_simple(w);
	run(w, AT(1), FRAMES_MAX);
	assert_int_equal(w->count, 3);
	assert_int_equal(w->end, END_ROOT);
	close_world(w);
}

static void without_usable_table(void **state)
{
	(void)state;
	struct world missing = { 0 };
	describe(&missing, simple, 3, false);
	bytes_clear(&missing.hdr);
	expect_simple(&missing);

	struct world omitted = { 0 };
	describe(&omitted, simple, 3, false);
	omitted.hdr.data[3] = 0xff;
	expect_simple(&omitted);

	struct world too_many = { 0 };
	describe(&too_many, simple, 3, false);
	too_many.hdr.data[8] = 200;
	expect_simple(&too_many);

	struct world wrong_start = { 0 };
	describe(&wrong_start, simple, 3, false);
	wrong_start.hdr.data[12] ^= 1;
	expect_simple(&wrong_start);

	struct world concatenated = { 0 }; /* a terminator between the entries */
	describe(&concatenated, simple, 2, false);
	bytes_clear(&concatenated.hdr);
	bytes_u32(&concatenated.eh_frame, 0);
	bytes_u32(&concatenated.eh_frame, 0);
	put_fde(&concatenated.eh_frame, &simple[2]);
	expect_simple(&concatenated);

	const struct function unsorted[] = { simple[2], simple[0], simple[1] };
	struct world w = { 0 };
	describe(&w, unsorted, 3, false);
	expect_simple(&w);
}

/* The middle function's CFA hangs on rbx, which the leaf saved: it is found through the leaf's
 * frame. */
static void registers_of_inner_frames(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0e\x18\x83\x02"), /* rbx at CFA - 16 */
		F(0x40, 0x40, "\x0c\x03\x20"),	/* CFA = rbx + 32 */
		F(0x80, 0x40, "\x07\x10"),
		F(0xc0, 0x40, "\x0c\x00\x20"), /* CFA = rax + 32: gone after a call */
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 4, false);
	open_world(&w, UNWIND_X86_64);
	w.stack[1] = STACK + 0x40;
	w.stack[2] = AT(0x50);
	w.stack[8 + 3] = AT(0x90);
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	w.stack[2] = AT(0xd0);
	run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_NO_CFI);
	w.regs.value[0] = STACK; /* in the interrupted frame rax is known */
	w.stack[3] = AT(0x90);
	run(&w, AT(0xd0), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_ROOT);
	close_world(&w);
}

static void loops_end(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0e\x08"),
		F(0x40, 0x40, "\x0c\x06\x10"), /* CFA = rbp + 16, rbp stays: no progress */
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 2, false);
	open_world(&w, UNWIND_X86_64);
	w.stack[0] = AT(0x50);
	w.regs.value[6] = STACK + 0x20;
	w.stack[5] = AT(0x50);
	run(&w, AT(0), FRAMES_MAX);
	assert_int_equal(w.end, END_LOOP);
	assert_true(w.count < 5);
	/* the same function again and again, but farther out each time, is recursion */
	for (size_t i = 0; i < 20; i++)
		w.stack[i] = AT(0x10);
	w.stack[20] = 0;
	run(&w, AT(0x10), FRAMES_MAX);
	assert_int_equal(w.count, 21);
	assert_int_equal(w.end, END_ROOT);
	close_world(&w);
}

static void invalid_programs(void **state)
{
	static const struct function functions[] = {
		F(0, 0x20, "\x0b"),			   /* restore without remember */
		F(0x20, 0x20, "\x3f"),			   /* no such instruction */
		F(0x40, 0x20, "\x0e\xff\xff\xff\xff\x7f"), /* too large an offset */
		F(0x60, 0x20, "\x41\x0e\x10\x41\x0f\x7f"), /* an expression past the end */
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 4, false);
	open_world(&w, UNWIND_X86_64);
	for (uint32_t at = 0; at < 0x60; at += 0x20) {
		run(&w, AT(at + 1), FRAMES_MAX);
		assert_int_equal(w.count, 1);
		assert_int_equal(w.end, END_NO_CFI);
	}
	run(&w, AT(0x61), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	close_world(&w);
}

/* aarch64: a leaf's return address in x30, a frame with x29 and x30 saved, signed return addresses.
 */
static void aarch64_frames(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x44"), /* a leaf */
		F(0x40, 0x40,
		  "\x2d\x41\x0e\x20\x9d\x04\x9e\x03"), /* paciasp; stp x29, x30, [sp, #-32]! */
		F(0x80, 0x40, "\x07\x1e"),
	};
	struct world w = { 0 };
	(void)state;
	describe(&w, functions, 3, true);
	open_world(&w, UNWIND_AARCH64);
	w.regs.value[30] = 0x002d000000000000ull | AT(0x50);
	w.stack[1] = 0x0055000000000000ull | AT(0x90);
	run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	expect(&w, 1, AT(0x50), FRAME_CFI);
	expect(&w, 2, AT(0x90), FRAME_CFI);
	/* a leaf below the top has no x30 of its own */
	w.regs.value[30] = AT(0x10);
	run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_NO_CFI);
	close_world(&w);
}

static void aarch64_frame_records(void **state)
{
	struct world w = { 0 };
	uint32_t bl = 0x94000000;
	(void)state;
	w.elf.machine = EM_AARCH64;
	for (size_t i = 0; i < TINY_TEXT_MAX; i += 4)
		memcpy(w.text + i, &bl, 4);
	w.elf.entry = TINY_TEXT + 0x300;
	open_world(&w, UNWIND_AARCH64);
	w.regs.value[29] = STACK + 16;
	w.stack[2] = STACK + 48;
	w.stack[3] = AT(0x50);
	w.stack[6] = 0;
	w.stack[7] = AT(0x310);
	run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	expect(&w, 1, AT(0x50), FRAME_FP);
	expect(&w, 2, AT(0x310), FRAME_FP);
	w.stack[3] = AT(0x52); /* no call before it */
	w.stack[7] = 0;
	run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.end, END_NO_CFI);
	close_world(&w);
}

static void kernel_registers(void **state)
{
	uint64_t value[64];
	struct unwind_regs regs;
	(void)state;
	for (size_t i = 0; i < 64; i++)
		value[i] = 100 + i;
	assert_true(unwind_regs_from_kernel(&regs, UNWIND_X86_64, value, 0xff0fff));
	assert_int_equal(regs.pc, 108);
	assert_int_equal(regs.value[7], 107);
	assert_int_equal(regs.value[6], 106);
	assert_int_equal(regs.value[3], 101);
	assert_int_equal(regs.value[1], 103);
	assert_int_equal(regs.value[15], 123);
	assert_int_equal(regs.valid, 0x1ffff);
	assert_false(unwind_regs_from_kernel(&regs, UNWIND_X86_64, value, 0x7f));
	assert_true(unwind_regs_from_kernel(&regs, UNWIND_AARCH64, value, 0x1ffffffff));
	assert_int_equal(regs.pc, 132);
	assert_int_equal(regs.value[31], 131);
}

/* Expressions as bytes with what they leave on top; register 7 holds 1000, memory at STACK counts
 * up. */
static const struct {
	const char *code;
	size_t len;
	int64_t value;
} expressions[] = {

#define E(code, value)                        \
	{                                     \
		code, sizeof(code) - 1, value \
	}
	E("\x77\x08", 1008),
	E("\x92\x07\x7f", 999),
	E("\x35\x33\x1c", 2),		   /* lit5 lit3 minus */
	E("\x35\x33\x22\x12\x1e", 64),	   /* (5 + 3) dup mul */
	E("\x09\xfe\x19", 2),		   /* const1s -2 abs */
	E("\x09\xf8\x32\x1b", -4),	   /* -8 / 2 */
	E("\x3f\x34\x1d", 3),		   /* 15 mod 4 */
	E("\x31\x3f\x24", 0x8000),	   /* 1 << 15 */
	E("\x0b\x00\x80\x34\x26", -2048),  /* const2s -32768 shra 4 */
	E("\x0b\x00\x80\x08\x3c\x25", 15), /* shr 60 */
	E("\x31\x32\x33\x17\x1c", -1),	   /* rot: 3 1 2; minus */
	E("\x35\x36\x16\x1c", 1),	   /* swap minus: 6 - 5 */
	E("\x35\x36\x14\x22", 11),	   /* over plus */
	E("\x35\x36\x15\x01\x13", 6),	   /* pick 1, drop */
	E("\x35\x28\x01\x00\x30\x31", 1),  /* bra over lit0 */
	E("\x35\x2f\x01\x00\x30\x31", 1),  /* skip over lit0 */
	E("\x35\x36\x2d", 1),		   /* 5 < 6 */
	E("\x35\x36\x2a", 0),		   /* 5 >= 6 */
	E("\x3f\x20\x1f", 16),		   /* not neg */
	E("\x35\x23\x81\x01", 134),	   /* plus_uconst 129 */
	E("\x0e\x00\x00\xfd\x7f\x00\x00\x00\x00\x06", 0x0706050403020100), /* deref */
	E("\x0c\x00\x00\xfd\x7f\x94\x02", 0x0100),			   /* deref_size 2 */
	E("\x10\x85\x02\x1a", 0), /* constu and: of one value only: fails */
#undef E
};

static bool evaluate(const char *code, size_t len, uint64_t *out)
{
	static uint8_t bytes[64];
	static uint64_t memory[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	static struct walk walk;
	struct unwind_memory m = { .stack_address = STACK,
				   .stack = (const uint8_t *)memory,
				   .stack_len = sizeof(memory) };
	struct unwind_request rq = { .memory = &m };
	struct unwind_regs regs = { .valid = 1 << 7, .value = { [7] = 1000 } };
	struct cfi_section section = { .data = bytes, .len = len + 1 };
	bytes[0] = (uint8_t)len;
	memcpy(bytes + 1, code, len);
	walk.rq = &rq;
	return expression_value(&walk, &section, 0, &regs, NULL, out);
}

static void expression_results(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expressions); i++) {
		uint64_t value = 0;
		bool done = evaluate(expressions[i].code, expressions[i].len, &value);
		bool should = i + 1 < ARRAY_LEN(expressions);
		if (done != should || (done && (int64_t)value != expressions[i].value))
			fail_msg("expression %zu: %d, %ld", i, done, (long)value);
	}
}

static void expressions_refused(void **state)
{
	uint64_t value;
	static const char *const bad[] = { "\x22",	   /* empty stack */
					   "\x70\x01",	   /* unknown register */
					   "\x35\x30\x1b", /* division by zero */
					   "\x35\x30\x1d", /* the same, remainder */
					   "\x2f\xfd\xff", /* an endless loop */
					   "\x2f\x7f\x7f", /* out of the expression */
					   "\x03\x01\x02\x03\x04\x05\x06\x07\x08", /* addr */
					   "\x31\x06", /* memory that is not there */
					   "\x12\xff" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(evaluate(bad[i], strlen(bad[i]), &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_and_root),
		cmocka_unit_test(generated_code),
		cmocka_unit_test(generated_code_with_expression),
		cmocka_unit_test(generated_rules_without_end),
		cmocka_unit_test(rows_by_address),
		cmocka_unit_test(depth_limit),
		cmocka_unit_test(cut_and_unreadable),
		cmocka_unit_test(unmapped),
		cmocka_unit_test(read_at_another_time),
		cmocka_unit_test(signal_trampoline),
		cmocka_unit_test(chain_of_the_kernel),
		cmocka_unit_test(chain_behind_a_signal),
		cmocka_unit_test(frame_in_scratch_register),
		cmocka_unit_test(frame_below_stack_pointer),
		cmocka_unit_test(root_of_deep_stack),
		cmocka_unit_test(gap_after_function),
		cmocka_unit_test(without_usable_table),
		cmocka_unit_test(registers_of_inner_frames),
		cmocka_unit_test(loops_end),
		cmocka_unit_test(invalid_programs),
		cmocka_unit_test(aarch64_frames),
		cmocka_unit_test(aarch64_frame_records),
		cmocka_unit_test(kernel_registers),
		cmocka_unit_test(expression_results),
		cmocka_unit_test(expressions_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
