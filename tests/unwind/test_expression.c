/* DWARF expressions by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "unwind/unwind.h"
#include "unwind/walk.h"
#include <cmocka.h>
#include <string.h>

#define STACK 0x7ffd0000ull

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
		cmocka_unit_test(expression_results),
		cmocka_unit_test(expressions_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
