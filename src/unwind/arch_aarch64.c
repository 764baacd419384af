/*
 * aarch64: x0..x30, sp 31; a leaf's return address is in x30. Return addresses may be signed (PAC),
 * so only the low 48 bits count (39 in small address spaces): user space is below that unless a
 * program asks for 52-bit addresses. CFI says which addresses are signed; since a signature is cut
 * off wherever it may be, that need not be followed.
 */
#include "base/memory.h"
#include "unwind/simulate.h"
#include <string.h>

enum { X29 = 29, LR = 30, SP = 31, PC = 32, REGS };

static const uint8_t kernel_order[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

/* rt_sigframe: siginfo (128), then ucontext with the machine context 176 in; registers 8 after
 * that. */
#define AT(n) (128 + 176 + 8 + 8 * (n))
static const int16_t sigframe[REGS] = {
	AT(0),	AT(1),	AT(2),	AT(3),	AT(4),	AT(5),	AT(6),	AT(7),	AT(8),	AT(9),	AT(10),
	AT(11), AT(12), AT(13), AT(14), AT(15), AT(16), AT(17), AT(18), AT(19), AT(20), AT(21),
	AT(22), AT(23), AT(24), AT(25), AT(26), AT(27), AT(28), AT(29), AT(30), AT(31), AT(32),
};

static uint32_t word(const uint8_t *code)
{
	uint32_t w;
	memcpy(&w, code, sizeof(w));
	return w;
}

static bool ends_with_call(const uint8_t *code, size_t n)
{
	if (n < 4)
		return false;
	uint32_t w = word(code + n - 4);
	return (w & 0xfc000000) == 0x94000000 || /* bl */
	       (w & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (w & 0xfefff800) == 0xd63f0800;	 /* blraa, blrab, blraaz, blrabz */
}

static bool direct_call(const uint8_t *code, size_t n, int64_t *distance)
{
	if (n < 4 || (word(code + n - 4) & 0xfc000000) != 0x94000000)
		return false;
	*distance = (int64_t)(int32_t)(word(code + n - 4) << 6) / 64 * 4 - 4;
	return true;
}

/* b, br; or adrp x16, which begins a stub of a linkage table; after bti. */
static bool is_jump(const uint8_t *code, size_t n)
{
	if (n >= 8 && (word(code) & 0xffffff3f) == 0xd503241f) {
		code += 4;
		n -= 4;
	}
	return n >= 4 &&
	       ((word(code) & 0xfc000000) == 0x14000000 ||
		(word(code) & 0xfffffc1f) == 0xd61f0000 || (word(code) & 0x9f00001f) == 0x90000010);
}

static bool direct_jump(const uint8_t *code, size_t n, int64_t *distance)
{
	if (n < 4 || (word(code) & 0xfc000000) != 0x14000000)
		return false;
	*distance = (int64_t)(int32_t)(word(code) << 6) / 64 * 4;
	return true;
}

/* mov x8, #__NR_rt_sigreturn; svc #0 */
static bool is_sigreturn(const uint8_t *code, size_t n)
{
	return n >= 8 && word(code) == 0xd2801168 && word(code + 4) == 0xd4000001;
}

/* exit's number into x8 and svc within three instructions after the thread's function. */
static bool is_thread_exit(const uint8_t *code, size_t n)
{
	for (size_t i = 0; i + 8 <= n && i <= 8; i += 4)
		if (word(code + i) == 0xd2800ba8 && word(code + i + 4) == 0xd4000001)
			return true;
	return false;
}

const struct arch arch_aarch64 = {
	.reg_count = REGS,
	.sp = SP,
	.fp = X29,
	.pc_reg = PC,
	.link_reg = LR,
	.stack_align = 16,
	.kept = 0x3ffull << 19 | 1ull << X29 | 1ull << SP,
	.pc_mask = (1ull << 48) - 1,
	.kernel_order = kernel_order,
	.kernel_count = ARRAY_LEN(kernel_order),
	.kernel_sp = 31,
	.kernel_pc = 32,
	.ends_with_call = ends_with_call,
	.direct_call = direct_call,
	.call_min = 4,
	.call_max = 4,
	.is_jump = is_jump,
	.direct_jump = direct_jump,
	.eh_data = 3,
	.is_sigreturn = is_sigreturn,
	.is_thread_exit = is_thread_exit,
	.simulate = aarch64_simulate,
	.sigframe = sigframe,
	.sigframe_pc = AT(32),
};
