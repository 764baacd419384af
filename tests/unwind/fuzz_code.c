/*
 * Any bytes as machine code that nothing describes: decoded, followed to its returns, and judged.
 * The input is the architecture, where to begin, which returns are right, then the code, which ends
 * where the input does. A decoder must not depend on what follows an instruction; what is found
 * must be a rule that can be executed, and the same again.
 */
#include "unwind/simulate.h"
#include "unwind/x86_decode.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE	 0x401000ull
#define CODE_MAX 4096

struct input {
	const uint8_t *code;
	size_t len;
	uint8_t right; /* bit per hash of a place that holds a return address */
	const struct arch *arch;
};

static size_t fetch(void *ctx, uint64_t pc, uint8_t *buf, size_t max)
{
	const struct input *in = ctx;
	uint64_t at = pc - CODE;
	if (at >= in->len)
		return 0;
	size_t n = in->len - at < max ? in->len - (size_t)at : max;
	memcpy(buf, in->code + at, n);
	return n;
}

static void check_rule(const struct arch *arch, const struct rule *rule)
{
	if (rule->kind != RULE_FULL || rule->cfa_reg >= arch->reg_count ||
	    rule->register_count > SIMULATE_SAVED_MAX)
		abort();
	for (unsigned i = 0; i < rule->register_count; i++)
		if (rule->registers[i].reg >= arch->reg_count)
			abort();
}

static bool is_right(void *ctx, const struct rule *rule)
{
	const struct input *in = ctx;
	check_rule(in->arch, rule);
	return in->right >> ((rule->cfa_reg + (uint32_t)rule->cfa_offset / 8) % 8) & 1;
}

/* The bytes of the instruction, no fewer and no more, decide. */
static void decode(const uint8_t *code, size_t len)
{
	struct x86_instruction x, again;
	memset(&x, 0, sizeof(x));
	memset(&again, 0, sizeof(again));
	if (!x86_decode(code, len, &x))
		return;
	if (x.length == 0 || x.length > len || x.length > X86_INSTRUCTION_MAX)
		abort();
	if (!x86_decode(code, x.length, &again) || memcmp(&x, &again, sizeof(x)) != 0 ||
	    x86_decode(code, (size_t)x.length - 1, &again))
		abort();
}

/* What the code before and behind an address says. */
static void judge(const struct arch *arch, const uint8_t *code, size_t len)
{
	int64_t distance;
	size_t n = len < arch->call_max ? len : arch->call_max;
	bool is_direct = n >= arch->call_min && arch->direct_call(code, n, &distance);
	if (is_direct && !arch->ends_with_call(code, n))
		abort();
	arch->is_jump(code, len);
	arch->direct_jump(code, len, &distance);
	arch->is_sigreturn(code, len);
	arch->is_thread_exit(code, len);
	if (arch->is_context_end)
		arch->is_context_end(code, len);
	if (arch->straight_length && arch->straight_length(code, len) > len)
		abort();
}

static void follow(struct input *in, size_t begin)
{
	union simulated_rule found, again;
	struct simulate_code code = { fetch, is_right, in };
	memset(&found, 0, sizeof(found));
	memset(&again, 0, sizeof(again));
	enum simulated result = in->arch->simulate(&code, CODE + begin, &found);
	if (in->arch->simulate(&code, CODE + begin, &again) != result ||
	    memcmp(&found, &again, sizeof(found)) != 0)
		abort();
	if (result < SIMULATED_GUESS)
		return;
	check_rule(in->arch, &found.rule);
	if (!is_right(in, &found.rule))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .arch = &arch_x86_64 };
	if (size < 4 || size - 3 > CODE_MAX)
		return 0;
	if (data[0] & 1)
		in.arch = &arch_aarch64;
	in.right = data[2];
	in.len = size - 3;
	uint8_t *code = malloc(in.len); /* so that a byte too many is seen */
	if (!code)
		return 0;
	memcpy(code, data + 3, in.len);
	in.code = code;
	follow(&in, data[1] % in.len);
	for (size_t i = 0; i < in.len && i < 64; i++) {
		judge(in.arch, code + i, in.len - i);
		if (in.arch == &arch_x86_64)
			decode(code + i, in.len - i);
	}
	free(code);
	return 0;
}
