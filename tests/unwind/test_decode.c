/* The length decoder against objdump, over every instruction of the C library and of a vector-heavy
 * one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/x86_decode.h"
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "  26f40:\t41 57                \tpush   %r15": the bytes; their number, 0 when it is no such
 * line. */
static size_t line_bytes(const char *line, uint8_t *out, bool *is_bad)
{
	size_t n = 0;
	const char *p = strchr(line, '\t');
	if (!p || p == line || p[-1] != ':')
		return 0;
	for (p++; n < X86_INSTRUCTION_MAX; n++) {
		char *end;
		unsigned long value = strtoul(p, &end, 16);
		if (end != p + 2 || (*end != ' ' && *end != '\t'))
			break;
		out[n] = (uint8_t)value;
		p = end + 1;
	}
	/* What objdump cannot read, and prefixes it lists on their own, is data between functions.
	 */
	*is_bad = strstr(line, "(bad)") || strstr(line, "\tdata16") || strstr(line, "\trex") ||
		  strstr(line, "\tcs") || strstr(line, "\tlock\n") || strstr(line, "\t.byte") ||
		  strstr(line, "\trepz\n") || strstr(line, "\tfs\n");
	return n;
}

static void compare_with_objdump(const char *path)
{
	char command[256], line[512];
	uint8_t code[16];
	size_t checked = 0, wrong = 0;
	struct x86_instruction x;
	snprintf(command, sizeof(command), "objdump -d -w %s 2>/dev/null", path);
	FILE *f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		bool is_bad;
		size_t n = line_bytes(line, code, &is_bad);
		if (n == 0 || is_bad || code[0] == 0x9b) /* fwait is one of its own */
			continue;
		checked++;
		if ((!x86_decode(code, n, &x) || x.length != n) && wrong++ < 5)
			print_message("%s: length %u: %s", path, x.length, line);
	}
	if (f)
		pclose(f);
	print_message("%s: %zu instructions, %zu wrong\n", path, checked, wrong);
	if (checked == 0)
		skip();
	assert_true(wrong * 10000 <= checked); /* libcrypto has tables in its text */
}

static void lengths_in_libc(void **state)
{
	(void)state;
	compare_with_objdump("/lib/x86_64-linux-gnu/libc.so.6");
}

static void lengths_in_vector_code(void **state)
{
	(void)state;
	compare_with_objdump("/lib/x86_64-linux-gnu/libmvec.so.1");
	compare_with_objdump("/lib/x86_64-linux-gnu/libm.so.6");
	compare_with_objdump("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
}

static void fields(void **state)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x64, 0x24, 0x80 }; /* lea -128(%rsp),%rsp */
	static const uint8_t load[] = { 0x4c, 0x8b, 0x65, 0xf8 };      /* mov -8(%rbp),%r12 */
	static const uint8_t movabs[] = { 0x49, 0xb8, 1, 2, 3, 4, 5, 6, 7, 0x88 };
	static const uint8_t pop[] = { 0x41, 0x5d }; /* pop %r13 */
	struct x86_instruction x;
	(void)state;
	assert_true(x86_decode(lea, sizeof(lea), &x));
	assert_int_equal(x.reg, 4);
	assert_int_equal(x.rm, 4);
	assert_int_equal(x.displacement, -128);
	assert_false(x.has_index);
	assert_true(x.wide);
	assert_true(x86_decode(load, sizeof(load), &x));
	assert_int_equal(x.reg, 12);
	assert_int_equal(x.rm, 5);
	assert_int_equal(x.displacement, -8);
	assert_true(x86_decode(movabs, sizeof(movabs), &x));
	assert_int_equal(x.length, 10);
	assert_int_equal(x.rm, 8);
	assert_true(x.immediate == (int64_t)0x8807060504030201ull);
	assert_true(x86_decode(pop, sizeof(pop), &x));
	assert_int_equal(x.rm, 13);
	for (size_t n = 0; n < sizeof(movabs); n++)
		assert_false(x86_decode(movabs, n, &x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(lengths_in_libc),
		cmocka_unit_test(lengths_in_vector_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
