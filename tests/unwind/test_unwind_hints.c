/* What the unwinder finds beyond CFI and the copy of the stack: memory read later, the kernel's
 * chain, signal trampolines, assembler's frames, the root of a deep stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "world.h"
#include <cmocka.h>
#include <string.h>

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
	world_describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	later = (struct later){ STACK, w.stack, 128 };
	w.memory.stack_len = 8 * 4;
	w.memory.stack_is_cut = true;
	w.memory.read = read_later;
	w.memory.read_ctx = &later;
	w.memory.read_is_late = true;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	world_expect(&w, 1, AT(0x50), FRAME_CFI);
	world_expect(&w, 2, AT(0x90), FRAME_LATER);
	w.stack[2 + 4] = AT(0x50); /* this call calls another function than the one at hand */
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 2);
	w.stack[2 + 4] = AT(0x98); /* no call at all */
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 2);
	w.stack[2 + 4] = 0; /* where a stack begins, or nothing is any more */
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 2);
	world_close(&w);
}

struct code_reader {
	const uint8_t *text;
	unsigned reads;
	bool fails;
};

static int read_code(void *ctx, uint64_t address, void *out, size_t len)
{
	struct code_reader *r = ctx;
	uint64_t offset = address - AT(0);
	if (r->fails || offset >= TINY_TEXT_MAX || len > TINY_TEXT_MAX - offset)
		return -1;
	r->reads++;
	memcpy(out, r->text + offset, len);
	return 0;
}

/* The caller of generated code that was interrupted at 0x40, and by how many reads it was found. */
static void expect_caller(struct world *w, uint64_t caller, unsigned reads)
{
	struct code_reader *r = w->memory.read_ctx;
	r->reads = 0;
	world_run(w, AT(0x40), FRAMES_MAX);
	if (caller == 0)
		assert_int_equal(w->count, 1);
	else
		world_expect(w, 1, caller, FRAME_JIT);
	assert_int_equal(r->reads, reads);
}

/* Generated code is read once to be followed, and once more for each stack, to see that it is still
 * the same. Where it is not, at whatever place that was looked at, the old answer is not given. */
static void replaced_code(void **state)
{
	static const uint8_t two_slots[] = { 0x74, 5,	 0x48, 0x83, 0xc4, 0x10,
					     0xc3, 0x48, 0x83, 0xc4, 0x10, 0xc3 },
			     traps[] = { 0x0f, 0x0b, 0x0f, 0x0b };
	struct world w = { .is_generated = true };
	struct code_reader r = { .text = w.text };
	(void)state;
	world_open(&w, UNWIND_X86_64);
	w.memory.read = read_code;
	w.memory.read_ctx = &r;
	w.regs.value[6] = 0;
	w.stack[2] = AT(0x102);
	w.stack[3] = AT(0x103);
	w.stack[4] = AT(0x104);
	memcpy(w.text + 0x40, two_slots, sizeof(two_slots));
	expect_caller(&w, AT(0x102), 1);
	expect_caller(&w, AT(0x102), 1);
	w.text[0x40 + 5] = 0x18;
	w.text[0x40 + 10] = 0x20;
	expect_caller(&w, AT(0x103), 2);
	expect_caller(&w, AT(0x103), 1);
	w.stack[3] = 0; /* the same code on a stack where its first return is not right, */
	expect_caller(&w, AT(0x104), 1);
	expect_caller(&w, AT(0x104), 1);
	w.stack[4] = 0; /* or none is */
	expect_caller(&w, 0, 1);
	expect_caller(&w, 0, 1);
	w.stack[4] = AT(0x104);
	w.stack[3] = AT(0x113);
	expect_caller(&w, AT(0x113), 1);
	memcpy(w.text + 0x40, traps, sizeof(traps)); /* no return at all */
	expect_caller(&w, 0, 2);
	memcpy(w.text + 0x40, two_slots, sizeof(two_slots));
	expect_caller(&w, AT(0x102), 2);
	r.fails = true;
	expect_caller(&w, 0, 0);
	r.fails = false;
	w.text[0x40 + 5] = w.text[0x40 + 10] = 0x20;
	expect_caller(&w, AT(0x104), 1);
	world_close(&w);
}

/* Code without CFI: at 0x110 it returns by r15; at 0x150 and 0x200 it never returns. */
static void open_undescribed(struct world *w)
{
	static const uint8_t by_r15[] = { 0x4c, 0x89, 0xfc, 0xc3 },
			     traps[] = { 0x0f, 0x0b, 0x0f, 0x0b };
	world_describe(w, simple, SIMPLE_COUNT, false);
	put_call(w, 0x50, 0);
	put_call(w, 0x90, 0x40);
	put_call(w, 0x110, 0);
	put_call(w, 0x150, 0x200);
	memcpy(w->text + 0x110, by_r15, sizeof(by_r15));
	memcpy(w->text + 0x150, traps, sizeof(traps));
	memcpy(w->text + 0x200, traps, sizeof(traps));
	world_open(w, UNWIND_X86_64);
}

static void run_at(struct world *w, uint32_t pc, uint64_t sp, uint64_t fp, uint64_t r15)
{
	w->regs.value[7] = STACK + sp;
	w->regs.value[6] = STACK + fp;
	w->regs.value[15] = STACK + r15;
	world_run(w, AT(pc), FRAMES_MAX);
	assert_int_equal(w->end, END_ROOT);
}

/* A frame record does not tell r15, so the record is all there is to go by for the next frame too.
 * The same frame is another matter when the way to it tells r15. */
static void record_or_register(void **state)
{
	struct world w = { 0 };
	struct unwind_stats first, second;
	(void)state;
	open_undescribed(&w);
	w.stack[2] = STACK + 0x20; /* 0x200's record */
	w.stack[3] = AT(0x150);
	w.stack[4] = STACK + 0x60; /* 0x150's */
	w.stack[5] = AT(0x110);
	w.stack[8] = AT(0x50);	/* where r15 will point */
	w.stack[13] = AT(0x90); /* 0x110's record; and 0x40's return address there */
	for (int i = 0; i < 3; i++) {
		unwinder_get_stats(w.unwinder, &first);
		run_at(&w, 0x200, 0, 0x10, 0x40);
		unwinder_get_stats(w.unwinder, &second);
		assert_int_equal(w.count, 4);
		world_expect(&w, 1, AT(0x150), FRAME_FP);
		world_expect(&w, 2, AT(0x110), FRAME_FP);
		world_expect(&w, 3, AT(0x90), FRAME_FP);
	}
	assert_int_equal(second.taken_over - first.taken_over, 2);
	run_at(&w, 0, 0x28, 0x60, 0x40);
	assert_int_equal(w.count, 4);
	world_expect(&w, 1, AT(0x110), FRAME_CFI);
	world_expect(&w, 2, AT(0x50), FRAME_CODE);
	world_expect(&w, 3, AT(0x90), FRAME_CFI);
	world_close(&w);
}

/* The same where a frame that CFI describes, which does not tell r15 either, lies between. */
static void record_farther_in(void **state)
{
	struct world w = { 0 };
	(void)state;
	open_undescribed(&w);
	w.stack[2] = STACK + 0x80;
	w.stack[3] = AT(0x50);
	w.stack[8] = AT(0x110);
	w.stack[10] = AT(0x50);
	w.stack[15] = AT(0x90); /* of 0x40 there */
	w.stack[17] = AT(0x90);
	for (int i = 0; i < 3; i++) {
		run_at(&w, 0x200, 0, 0x10, 0x50);
		assert_int_equal(w.count, 4);
		world_expect(&w, 2, AT(0x110), FRAME_CFI);
		world_expect(&w, 3, AT(0x90), FRAME_FP);
	}
	run_at(&w, 0, 0x18, 0x80, 0x50);
	assert_int_equal(w.count, 5);
	world_expect(&w, 2, AT(0x110), FRAME_CFI);
	world_expect(&w, 3, AT(0x50), FRAME_CODE);
	world_expect(&w, 4, AT(0x90), FRAME_CFI);
	world_close(&w);
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
	world_describe(&w, functions, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	world_open(&w, UNWIND_X86_64);
	w.stack[1] = AT(0x50);
	w.stack[5] = AT(0x90);
	w.regs.value[0] = STACK + 5 * 8;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	w.stack[5] = AT(0x98); /* no call leads there */
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	assert_int_equal(w.count, 2);
	world_close(&w);
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
	world_describe(&w, functions, 2, false);
	put_call(&w, 0x50, 0);
	memcpy(w.text, code, sizeof(code));
	world_open(&w, UNWIND_X86_64);
	w.stack[60] = AT(0x50);
	world_run(&w, AT(17), FRAMES_MAX); /* nothing that the code finds either */
	assert_int_equal(w.end, END_UNREADABLE);
	assert_int_equal(w.count, 1);
	/* Where the slot is, seen from 17; from 5 with none to two rounds of the loop to come. */
	static const size_t slots[][2] = { { 17, 3 }, { 5, 51 }, { 5, 35 }, { 5, 19 } };
	for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
		w.stack[slots[i][1]] = STACK + 60 * 8;
		world_run(&w, AT(slots[i][0]), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 2);
		world_expect(&w, 1, AT(0x50), FRAME_CODE);
		w.stack[slots[i][1]] = 0;
	}
	world_close(&w);
}

/* A loop that lowers the stack pointer, within one that goes back to its start: the rounds to come
 * are those of the inner one. */
static void frame_below_nested_loops(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0f\x05\x77\x78\x06\x23\x08"), /* CFA = [rsp - 8] + 8 */
		F(0x40, 0x40, "\x07\x10"),
	};
	static const uint8_t code[] = {
		0xff, 0xc0,			       /* 0: inc %eax */
		0x48, 0x8d, 0x64, 0x24, 0xc0,	       /* 2: lea -0x40(%rsp),%rsp */
		0xff, 0xc9,			       /* 7: dec %ecx */
		0x75, 0xf7,			       /* 9: jne 2 */
		0x48, 0x8d, 0xa4, 0x24, 0,    1, 0, 0, /* 11: lea 0x100(%rsp),%rsp */
		0x39, 0xf2,			       /* 19: cmp %esi,%edx */
		0x75, 0xe9,			       /* 21: jne 0 */
		0x48, 0x8b, 0x74, 0x24, 0x18,	       /* 23: mov 0x18(%rsp),%rsi */
		0x48, 0x8d, 0x26,		       /* 28: lea (%rsi),%rsp */
		0xc3,				       /* 31: ret */
	};
	struct world w = { 0 };
	(void)state;
	world_describe(&w, functions, 2, false);
	put_call(&w, 0x50, 0);
	memcpy(w.text, code, sizeof(code));
	world_open(&w, UNWIND_X86_64);
	w.stack[60] = AT(0x50);
	for (size_t to_come = 0; to_come < 4; to_come++) {
		size_t slot = (0x100 - 0x40 * to_come + 0x18) / 8;
		w.stack[slot] = STACK + 60 * 8;
		world_run(&w, AT(7), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 2);
		world_expect(&w, 1, AT(0x50), FRAME_CODE);
		w.stack[slot] = 0;
	}
	world_close(&w);
}

/* The same with a loop around that one (SHA-512): what it adds is not taken for rounds. */
static void frame_below_stack_pointer_in_two_loops(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0f\x05\x77\x78\x06\x23\x08"), /* CFA = [rsp - 8] + 8 */
		F(0x40, 0x40, "\x07\x10"),
	};
	static const uint8_t code[] = {
		0x48, 0x8d, 0x64, 0x24, 0xe0,	       /* 0: lea -0x20(%rsp),%rsp */
		0xff, 0xc9,			       /* 5: dec %ecx */
		0x75, 0xf7,			       /* 7: jne 0 */
		0x48, 0x8d, 0xa4, 0x24, 0xa0, 0, 0, 0, /* 9: lea 0xa0(%rsp),%rsp */
		0xff, 0xca,			       /* 17: dec %edx */
		0x75, 0xeb,			       /* 19: jne 0 */
		0x48, 0x8b, 0x74, 0x24, 0x18,	       /* 21: mov 0x18(%rsp),%rsi */
		0x48, 0x8d, 0x26,		       /* 26: lea (%rsi),%rsp */
		0xc3,				       /* 29: ret */
	};
	struct world w = { 0 };
	(void)state;
	world_describe(&w, functions, 2, false);
	put_call(&w, 0x50, 0);
	memcpy(w.text, code, sizeof(code));
	world_open(&w, UNWIND_X86_64);
	w.stack[60] = AT(0x50);
	for (size_t rounds = 0; rounds <= 4; rounds++) { /* to come, from 5 on */
		size_t slot = 20 - 4 * rounds + 3;
		w.stack[slot] = STACK + 60 * 8;
		world_run(&w, AT(5), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 2);
		world_expect(&w, 1, AT(0x50), FRAME_CODE);
		w.stack[slot] = 0;
	}
	world_close(&w);
}

/* Where Boost's and PHP's coroutines begin, nothing called: their first function returns to code
 * that ends the process, and that follows a jump. */
static void end_of_a_context(void **state)
{
	static const struct function functions[] = { F(0, 0x40, "\x41\x0e\x10\x86\x02") };

	static const struct {
		uint8_t code[16];
		bool is_end;
	} ends[] = {
		{ { 0x48, 0x31, 0xff, 0xe8, 1, 0, 0, 0, 0xf4 }, true },
		{ { 0x31, 0xff, 0xe8, 1, 0, 0, 0, 0xf4 }, true },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xff, 0xff, 0x15, 1, 0, 0, 0, 0xf4 }, true },
		{ { 0x48, 0x31, 0xff, 0xe8, 1, 0, 0, 0, 0xc3 }, false },
		{ { 0xe8, 1, 0, 0, 0, 0xf4 }, false },
	};
	struct world w = { 0 };
	(void)state;
	world_describe(&w, functions, 1, false);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		memcpy(w.text + 0x80 + 0x20 * i, ends[i].code, sizeof(ends[i].code));
	world_open(&w, UNWIND_X86_64);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		w.stack[1] = AT(0x80 + 0x20 * i);
		world_run(&w, AT(1), FRAMES_MAX);
		assert_int_equal(w.end == END_ROOT, ends[i].is_end);
		assert_int_equal(w.count == 1, ends[i].is_end);
	}
	world_close(&w);
}

/* Also when the kernel was entered by the trampoline's last instruction and has not gone back yet.
 */
static void signal_trampoline(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint64_t offsets[] = { 0, 7, 9 };
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	memcpy(w.text + 0x200, code, sizeof(code));
	world_open(&w, UNWIND_X86_64);
	w.stack[160 / 8] = STACK + 40 * 8; /* the interrupted stack pointer */
	w.stack[168 / 8] = AT(1);
	w.stack[40 + 1] = AT(0x50);
	w.stack[40 + 6] = AT(0x90);
	for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
		world_run(&w, AT(0x200 + offsets[i]), FRAMES_MAX);
		assert_int_equal(w.end, END_ROOT);
		assert_int_equal(w.count, 4);
		world_expect(&w, 1, AT(1), FRAME_SIGNAL);
		world_expect(&w, 2, AT(0x50), FRAME_CFI);
		world_expect(&w, 3, AT(0x90), FRAME_CFI);
	}
	world_close(&w);
}

/* What the copy does not hold is in the kernel's chain, where that fits the code. */
static void chain_of_the_kernel(void **state)
{
	static uint64_t chain[] = { AT(1), AT(0x50), AT(0x90), 0x1234 };
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	w.memory.stack_len = 8;
	w.memory.stack_is_cut = true;
	struct unwind_request rq = { .regs = &w.regs,
				     .memory = &w.memory,
				     .find = world_find,
				     .find_ctx = &w,
				     .space = 7,
				     .chain = chain,
				     .chain_count = ARRAY_LEN(chain) };
	w.regs.pc = AT(1);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 3);
	world_expect(&w, 1, AT(0x50), FRAME_CHAIN);
	world_expect(&w, 2, AT(0x90), FRAME_CHAIN);
	chain[1] = AT(0x58); /* behind no call */
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 1);
	chain[0] = AT(2); /* of another place */
	chain[1] = AT(0x50);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_TRUNCATED);
	assert_int_equal(w.count, 1);
	world_close(&w);
}

/* What a signal interrupted, on a stack that is not there, is in no chain: its caller follows the
 * handler's frames. */
static void chain_behind_a_signal(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint64_t chain[] = { AT(0x200), AT(0x50), AT(0x90), 0x1234 };
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	put_call(&w, 0x50, 0);
	put_call(&w, 0x90, 0x40);
	memcpy(w.text + 0x200, code, sizeof(code));
	world_open(&w, UNWIND_X86_64);
	w.stack[160 / 8] = STACK / 2; /* far from the copy */
	w.stack[168 / 8] = AT(1);
	struct unwind_request rq = { .regs = &w.regs,
				     .memory = &w.memory,
				     .find = world_find,
				     .find_ctx = &w,
				     .space = 7,
				     .chain = chain,
				     .chain_count = ARRAY_LEN(chain) };
	w.regs.pc = AT(0x200);
	w.count = unwind_stack(w.unwinder, &rq, w.frames, FRAMES_MAX, &w.end);
	assert_int_equal(w.end, END_ROOT);
	assert_int_equal(w.count, 4);
	world_expect(&w, 1, AT(1), FRAME_SIGNAL);
	world_expect(&w, 2, AT(0x50), FRAME_CHAIN);
	world_expect(&w, 3, AT(0x90), FRAME_CHAIN);
	world_close(&w);
}

/* Deeper than asked for: both ends are kept, and what is missing is marked. */
static void root_of_deep_stack(void **state)
{
	static struct unwind_frame frames[400];
	static uint64_t stack[1200];
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	for (size_t i = 0; i < 1000; i++)
		stack[i] = AT(0x20 + i % 16) * (i & 1); /* leaf's frames: rbp, return address */
	stack[1001] = AT(0x90);
	w.memory.stack = (const uint8_t *)stack;
	w.memory.stack_len = sizeof(stack);
	struct unwind_request rq = {
		.regs = &w.regs, .memory = &w.memory, .find = world_find, .find_ctx = &w, .space = 7
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
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_at_another_time),
		cmocka_unit_test(replaced_code),
		cmocka_unit_test(record_or_register),
		cmocka_unit_test(record_farther_in),
		cmocka_unit_test(frame_in_scratch_register),
		cmocka_unit_test(frame_below_stack_pointer),
		cmocka_unit_test(frame_below_nested_loops),
		cmocka_unit_test(frame_below_stack_pointer_in_two_loops),
		cmocka_unit_test(end_of_a_context),
		cmocka_unit_test(signal_trampoline),
		cmocka_unit_test(chain_of_the_kernel),
		cmocka_unit_test(chain_behind_a_signal),
		cmocka_unit_test(root_of_deep_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
