/* x86-64: DWARF numbers of the psABI, the kernel's perf_event register order, calls and sigreturn.
 */
#include "base/memory.h"
#include "unwind/simulate.h"
#include "unwind/x86_decode.h"
#include <string.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, REGS };

/* asm/perf_regs.h: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8..r15 */
static const uint8_t kernel_order[] = {
	RAX,	     RBX,	  RCX,	       RDX,	    RSI,	 RDI,
	RBP,	     RSP,	  RIP,	       ARCH_NO_REG, ARCH_NO_REG, ARCH_NO_REG,
	ARCH_NO_REG, ARCH_NO_REG, ARCH_NO_REG, ARCH_NO_REG, R8,		 R9,
	R10,	     R11,	  R12,	       R13,	    R14,	 R15,
};

/* The kernel's struct ucontext, which rsp points to in the restorer: uc_mcontext is at 40. */
static const int16_t sigframe[REGS] = {
	[R8] = 40,   [R9] = 48,	  [R10] = 56,  [R11] = 64,  [R12] = 72,	 [R13] = 80,
	[R14] = 88,  [R15] = 96,  [RDI] = 104, [RSI] = 112, [RBP] = 120, [RBX] = 128,
	[RDX] = 136, [RAX] = 144, [RCX] = 152, [RSP] = 160, [RIP] = 168,
};

/* ff /2 with any addressing form; c ends at the return address. */
static bool is_indirect_call(const uint8_t *c, size_t len)
{
	if (c[0] != 0xff || (c[1] & 0x38) != 0x10)
		return false;
	unsigned mod = c[1] >> 6, rm = c[1] & 7;
	size_t need = 2 + (mod == 1 ? 1u : mod == 2 ? 4u : 0u);
	if (mod != 3 && rm == 4) {
		need++;
		if (mod == 0 && (c[2] & 7) == 5)
			need += 4;
	} else if (mod == 0 && rm == 5) {
		need += 4;
	}
	return need == len;
}

static bool ends_with_call(const uint8_t *code, size_t n)
{
	if (n >= 5 && code[n - 5] == 0xe8)
		return true;
	for (size_t len = 2; len <= 7 && len <= n; len++)
		if (is_indirect_call(code + n - len, len))
			return true;
	return false;
}

static bool direct_call(const uint8_t *code, size_t n, int64_t *distance)
{
	int32_t d;
	if (n < 5 || code[n - 5] != 0xe8)
		return false;
	memcpy(&d, code + n - 4, sizeof(d));
	*distance = d;
	return true;
}

/* jmp, also through memory, after endbr64 or bnd. */
static bool is_jump(const uint8_t *code, size_t n)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	if (n >= 4 && memcmp(code, endbr64, sizeof(endbr64)) == 0) {
		code += 4;
		n -= 4;
	}
	if (n > 1 && (code[0] == 0xf2 || code[0] == 0x48)) {
		code++;
		n--;
	}
	return n >= 2 && (code[0] == 0xe9 || code[0] == 0xeb ||
			  (code[0] == 0xff && (code[1] & 0x38) == 0x20));
}

/* jmp or jcc with 32 bits of distance: near ones do not leave a function. */
static bool direct_jump(const uint8_t *code, size_t n, int64_t *distance)
{
	int32_t d;
	size_t len = n >= 5 && code[0] == 0xe9 ? 5 : 6;
	if (n < len || (len == 6 && (code[0] != 0x0f || (code[1] & 0xf0) != 0x80)))
		return false;
	memcpy(&d, code + len - 4, sizeof(d));
	*distance = d + (int64_t)len;
	return true;
}

static bool starts_with(const uint8_t *code, size_t n, const uint8_t *pattern, size_t len)
{
	return n >= len && memcmp(code, pattern, len) == 0;
}

static bool is_sigreturn(const uint8_t *code, size_t n)
{
	static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t narrow[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	return starts_with(code, n, wide, sizeof(wide)) ||
	       starts_with(code, n, narrow, sizeof(narrow));
}

/* What follows the call of the thread's function in a clone wrapper: exit(result), then hlt. */
static bool is_thread_exit(const uint8_t *code, size_t n)
{
	static const uint8_t tail[] = { 0x0f, 0x05, 0xf4 };
	for (size_t i = 0; i + sizeof(tail) <= n && i <= 13; i++)
		if (memcmp(code + i, tail, sizeof(tail)) == 0)
			return true;
	return false;
}

static bool ends_straight(const struct x86_instruction *x)
{
	if (x->is_vector || x->map > 1)
		return false;
	if (x->map == 1)
		return x->opcode == 0x0b;
	return x->opcode == 0xe9 || x->opcode == 0xeb || x->opcode == 0xc3 || x->opcode == 0xf4 ||
	       (x->opcode == 0xff && x->reg % 8 == 4);
}

static size_t straight_length(const uint8_t *code, size_t n)
{
	struct x86_instruction x = { 0 };
	size_t at = 0;
	while (at < n && x86_decode(code + at, n - at, &x)) {
		at += x.length;
		if (ends_straight(&x))
			break;
	}
	return at;
}

static size_t length_if(const uint8_t *code, size_t n, const uint8_t *pattern, size_t len)
{
	return starts_with(code, n, pattern, len) ? len : 0;
}

/* make_fcontext of Boost and PHP: xor %rdi,%rdi; call _exit; hlt. */
static bool is_fcontext_end(const uint8_t *code, size_t n)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t zero[] = { 0x48, 0x31, 0xff }, zero32[] = { 0x31, 0xff };
	static const uint8_t indirect[] = { 0xff, 0x15 };
	size_t at = length_if(code, n, endbr, sizeof(endbr));
	size_t begin = at;

	at += length_if(code + at, n - at, zero, sizeof(zero));
	at += at == begin ? length_if(code + at, n - at, zero32, sizeof(zero32)) : 0;
	if (at == begin || n - at < 7)
		return false;
	return code[at] == 0xe8 ? code[at + 5] == 0xf4
				: length_if(code + at, n - at, indirect, sizeof(indirect)) &&
					  code[at + 6] == 0xf4;
}

/* glibc's __start_context: mov %rbx,%rsp; mov (%rsp),%rdi */
static bool is_context_end(const uint8_t *code, size_t n)
{
	static const uint8_t begin[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 };
	return starts_with(code, n, begin, sizeof(begin)) || is_fcontext_end(code, n);
}

const struct arch arch_x86_64 = {
	.reg_count = REGS,
	.sp = RSP,
	.fp = RBP,
	.pc_reg = RIP,
	.link_reg = ARCH_NO_REG,
	.stack_align = 8,
	.kept = 1u << RBX | 1u << RBP | 1u << RSP | 1u << R12 | 1u << R13 | 1u << R14 | 1u << R15,
	.pc_mask = UINT64_MAX,
	.kernel_order = kernel_order,
	.kernel_count = ARRAY_LEN(kernel_order),
	.kernel_sp = 7,
	.kernel_pc = 8,
	.ends_with_call = ends_with_call,
	.direct_call = direct_call,
	.call_min = 2,
	.call_max = 7,
	.is_jump = is_jump,
	.direct_jump = direct_jump,
	.eh_data = 1u << RAX | 1u << RDX,
	.is_sigreturn = is_sigreturn,
	.is_thread_exit = is_thread_exit,
	.is_context_end = is_context_end,
	.straight_length = straight_length,
	.simulate = x86_simulate,
	.sigframe = sigframe,
	.sigframe_pc = 168,
};
