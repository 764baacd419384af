/*
 * Any bytes as a DWARF expression, over registers and memory that are also the input's. The first
 * byte says which registers are known, the second whether a value is on the stack at the beginning;
 * then come two words: a register's value and what lies in memory. The same must come of it again,
 * also with more bytes behind it.
 */
#include "base/bytes.h"
#include "unwind/walk.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY	 0x1000u
#define CODE_MAX 2048
#define BEHIND	 16

struct input {
	uint64_t memory[4];
	struct unwind_regs regs;
	uint64_t first;
	bool has_first;
	const uint8_t *code;
	size_t len;
};

/* The expression ends where the memory does, or with other bytes behind it. */
static bool evaluate(const struct input *in, size_t behind, uint64_t *out)
{
	static struct walk walk;
	struct unwind_memory m = { .stack_address = MEMORY,
				   .stack = (const uint8_t *)in->memory,
				   .stack_len = sizeof(in->memory) };
	struct unwind_request rq = { .memory = &m };
	struct bytes section = { 0 };
	bytes_u8(&section, (uint8_t)(in->len % 128 | 128)); /* the length */
	bytes_u8(&section, (uint8_t)(in->len / 128));
	bytes_append(&section, in->code, in->len);
	uint8_t *exact = malloc(section.len + behind); /* so that a byte too many is seen */
	if (!exact)
		abort();
	memcpy(exact, section.data, section.len);
	memset(exact + section.len, 0x31, behind);
	struct cfi_section s = { .data = exact, .len = section.len + behind };
	walk.rq = &rq;
	bool done =
		expression_value(&walk, &s, 0, &in->regs, in->has_first ? &in->first : NULL, out);
	free(exact);
	bytes_release(&section);
	return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes_reader r;
	struct input in = { .first = 0x1008 };
	uint64_t value = 0, again = 0;
	reader_init(&r, data, size);
	uint8_t valid = reader_u8(&r);
	in.has_first = reader_u8(&r) & 1;
	uint64_t reg = reader_u64(&r);
	in.regs.valid = valid | (uint64_t)valid << 8 | (uint64_t)valid << 32;
	for (unsigned i = 0; i < UNWIND_MAX_REGS; i++)
		in.regs.value[i] = reg + i;
	in.memory[1] = reader_u64(&r);
	in.memory[2] = ~in.memory[1];
	if (r.failed)
		return 0;
	in.len = reader_left(&r) < CODE_MAX ? reader_left(&r) : CODE_MAX;
	in.code = reader_take(&r, in.len);
	bool done = evaluate(&in, 0, &value);
	if (evaluate(&in, BEHIND, &again) != done || (done && value != again))
		abort();
	return 0;
}
