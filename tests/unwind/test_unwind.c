/* The unwinder over hand-made CFI in a small ELF file: search, rows, registers, ends, the second
 * architecture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "world.h"
#include <cmocka.h>
#include <elf.h>
#include <string.h>

static void frames_and_root(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	for (int again = 0; again < 2; again++) { /* the second time from the cache */
		world_run(&w, AT(1), FRAMES_MAX);
		assert_int_equal(w.count, 3);
		assert_int_equal(w.end, END_ROOT);
		world_expect(&w, 0, AT(1), FRAME_REGISTER);
		world_expect(&w, 1, AT(0x50), FRAME_CFI);
		world_expect(&w, 2, AT(0x90), FRAME_CFI);
	}
	struct unwind_stats stats;
	unwinder_get_stats(w.unwinder, &stats);
	assert_int_equal(stats.frames, 6);
	assert_int_equal(stats.cache_hits, 3);
	assert_int_equal(stats.cache_misses, 3);
	world_close(&w);
}

static void generated_code(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	w.is_generated = true;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	world_expect(&w, 1, AT(0x50), FRAME_CFI);
	world_expect(&w, 2, AT(0x90), FRAME_CFI);
	w.eh_frame.len = 0; /* as long as nobody says so, the rules are the old ones */
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	unwinder_invalidate(w.unwinder);
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	world_close(&w);
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
		world_describe(&w, functions, 2, false);
		world_open(&w, UNWIND_X86_64);
		w.stack[0] = AT(0x50);
		w.stack[1] = 0x1234;
		w.regs.value[6] = 0;
		w.is_generated = generated;
		world_run(&w, AT(1), FRAMES_MAX);
		assert_int_equal(w.end, generated ? END_NO_CFI : END_ROOT);
		world_close(&w);
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
	world_open(&w, UNWIND_X86_64);
	w.is_generated = true;
	w.stack[1] = AT(0x1);
	for (unsigned i = 0; i < 128 * 127; i++) {
		program[3] = (char)(1 + i % 127); /* where registers are saved */
		program[5] = (char)(i / 127);
		bytes_clear(&w.eh_frame);
		world_put_cie(&w.eh_frame, false);
		world_put_fde(&w.eh_frame, &f);
		unwinder_invalidate(w.unwinder);
		world_run(&w, AT(1), 2);
		assert_int_equal(w.count, 2);
		world_expect(&w, 1, AT(1), FRAME_CFI);
	}
	world_close(&w);
}

/* The row before the push: the return address is on top. */
static void rows_by_address(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	w.stack[0] = AT(0x90);
	world_run(&w, AT(0), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_ROOT);
	world_close(&w);
}

static void depth_limit(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	world_run(&w, AT(1), 2);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_DEPTH);
	world_run(&w, AT(1), 3); /* exactly as deep as the stack: whole */
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	world_run(&w, AT(1), 0);
	assert_int_equal(w.count, 0);
	world_close(&w);
}

static void cut_and_unreadable(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	world_fill_simple(&w);
	w.memory.stack_len = 8 * 4;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_UNREADABLE);
	w.memory.stack_is_cut = true;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_TRUNCATED);
	world_close(&w);
}

static void unmapped(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	world_open(&w, UNWIND_X86_64);
	w.stack[1] = 0x123456;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 1); /* what is not code is no frame */
	assert_int_equal(w.end, END_NO_MAPPING);
	world_run(&w, 0x10, FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_null(w.frames[0].user);
	assert_int_equal(w.end, END_NO_MAPPING);
	w.stack[1] = 0;
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.end, END_ROOT);
	world_close(&w);
}

/* The table's last function at or below an address may end before it: musl has gaps. */
static void gap_after_function(void **state)
{
	struct world w = { 0 };
	(void)state;
	world_describe(&w, simple, 3, false);
	w.text[0x123] = 0xcc;
	world_open(&w, UNWIND_X86_64);
	w.regs.value[6] = 0;
	world_run(&w, AT(0x123), FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.end, END_NO_CFI);
	world_close(&w);
}

static void expect_simple(struct world *w)
{
	world_open(w, UNWIND_X86_64);
	world_fill_simple(w);
	world_run(w, AT(1), FRAMES_MAX);
	assert_int_equal(w->count, 3);
	assert_int_equal(w->end, END_ROOT);
	world_close(w);
}

static void without_usable_table(void **state)
{
	(void)state;
	struct world missing = { 0 };
	world_describe(&missing, simple, 3, false);
	bytes_clear(&missing.hdr);
	expect_simple(&missing);

	struct world omitted = { 0 };
	world_describe(&omitted, simple, 3, false);
	omitted.hdr.data[3] = 0xff;
	expect_simple(&omitted);

	struct world too_many = { 0 };
	world_describe(&too_many, simple, 3, false);
	too_many.hdr.data[8] = 200;
	expect_simple(&too_many);

	struct world wrong_start = { 0 };
	world_describe(&wrong_start, simple, 3, false);
	wrong_start.hdr.data[12] ^= 1;
	expect_simple(&wrong_start);

	struct world concatenated = { 0 }; /* a terminator between the entries */
	world_describe(&concatenated, simple, 2, false);
	bytes_clear(&concatenated.hdr);
	bytes_u32(&concatenated.eh_frame, 0);
	bytes_u32(&concatenated.eh_frame, 0);
	world_put_fde(&concatenated.eh_frame, &simple[2]);
	expect_simple(&concatenated);

	const struct function unsorted[] = { simple[2], simple[0], simple[1] };
	struct world w = { 0 };
	world_describe(&w, unsorted, 3, false);
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
	world_describe(&w, functions, 4, false);
	world_open(&w, UNWIND_X86_64);
	w.stack[1] = STACK + 0x40;
	w.stack[2] = AT(0x50);
	w.stack[8 + 3] = AT(0x90);
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	w.stack[2] = AT(0xd0);
	world_run(&w, AT(1), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_NO_CFI);
	w.regs.value[0] = STACK; /* in the interrupted frame rax is known */
	w.stack[3] = AT(0x90);
	world_run(&w, AT(0xd0), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_ROOT);
	world_close(&w);
}

static void loops_end(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0e\x08"),
		F(0x40, 0x40, "\x0c\x06\x10"), /* CFA = rbp + 16, rbp stays: no progress */
	};
	struct world w = { 0 };
	(void)state;
	world_describe(&w, functions, 2, false);
	world_open(&w, UNWIND_X86_64);
	w.stack[0] = AT(0x50);
	w.regs.value[6] = STACK + 0x20;
	w.stack[5] = AT(0x50);
	world_run(&w, AT(0), FRAMES_MAX);
	assert_int_equal(w.end, END_LOOP);
	assert_true(w.count < 5);
	/* the same function again and again, but farther out each time, is recursion */
	for (size_t i = 0; i < 20; i++)
		w.stack[i] = AT(0x10);
	w.stack[20] = 0;
	world_run(&w, AT(0x10), FRAMES_MAX);
	assert_int_equal(w.count, 21);
	assert_int_equal(w.end, END_ROOT);
	world_close(&w);
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
	world_describe(&w, functions, 4, false);
	world_open(&w, UNWIND_X86_64);
	for (uint32_t at = 0; at < 0x60; at += 0x20) {
		world_run(&w, AT(at + 1), FRAMES_MAX);
		assert_int_equal(w.count, 1);
		assert_int_equal(w.end, END_NO_CFI);
	}
	world_run(&w, AT(0x61), FRAMES_MAX);
	assert_int_equal(w.end, END_NO_CFI);
	world_close(&w);
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
	world_describe(&w, functions, 3, true);
	world_open(&w, UNWIND_AARCH64);
	w.regs.value[30] = 0x002d000000000000ull | AT(0x50);
	w.stack[1] = 0x0055000000000000ull | AT(0x90);
	world_run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	world_expect(&w, 1, AT(0x50), FRAME_CFI);
	world_expect(&w, 2, AT(0x90), FRAME_CFI);
	/* a leaf below the top has no x30 of its own */
	w.regs.value[30] = AT(0x10);
	world_run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.end, END_NO_CFI);
	world_close(&w);
}

/* What a stub of the linkage table jumps to: the stub has pushed the return address. */
static void aarch64_pushed_by_a_stub(void **state)
{
	static const struct function functions[] = {
		F(0, 0x40, "\x0e\x20\x11\x1e\x7f"), /* CFA sp + 32, x30 at CFA + 8 */
		F(0x40, 0x40, "\x0e\x20\x9d\x04\x9e\x03"),
		F(0x80, 0x40, "\x07\x1e"),
	};
	struct world w = { 0 };
	(void)state;
	world_describe(&w, functions, 3, true);
	world_open(&w, UNWIND_AARCH64);
	w.stack[5] = AT(0x50);
	w.stack[7] = AT(0x90);
	world_run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	world_expect(&w, 1, AT(0x50), FRAME_CFI);
	world_expect(&w, 2, AT(0x90), FRAME_CFI);
	world_close(&w);
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
	world_open(&w, UNWIND_AARCH64);
	w.regs.value[29] = STACK + 16;
	w.stack[2] = STACK + 48;
	w.stack[3] = AT(0x50);
	w.stack[6] = 0;
	w.stack[7] = AT(0x310);
	world_run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.end, END_ROOT);
	world_expect(&w, 1, AT(0x50), FRAME_FP);
	world_expect(&w, 2, AT(0x310), FRAME_FP);
	w.stack[3] = AT(0x52); /* no call before it */
	w.stack[7] = 0;
	world_run(&w, AT(4), FRAMES_MAX);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.end, END_NO_CFI);
	world_close(&w);
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
		cmocka_unit_test(gap_after_function),
		cmocka_unit_test(without_usable_table),
		cmocka_unit_test(registers_of_inner_frames),
		cmocka_unit_test(loops_end),
		cmocka_unit_test(invalid_programs),
		cmocka_unit_test(aarch64_frames),
		cmocka_unit_test(aarch64_pushed_by_a_stub),
		cmocka_unit_test(aarch64_frame_records),
		cmocka_unit_test(kernel_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
