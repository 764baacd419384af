/* Instructions as text, where jumps go, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "disasm/disasm.h"

/* Skips the test where prof is built without the library. */
static struct disasm *decoder(const char *architecture, enum disasm_syntax syntax)
{
	struct disasm *d;
	struct error err = { 0 };

	if (disasm_new(&d, architecture, syntax, &err) == 0)
		return d;
	print_message("%s\n", err.text);
	assert_non_null(strstr(err.text, "was built without"));
	skip();
	return NULL;
}

struct expected {
	const char *bytes;
	uint8_t length, flow;
	bool known, has_target;
	uint64_t target;
	const char *text;
};

static void expect(struct disasm *d, const struct expected *e, size_t available)
{
	struct disasm_instruction i;
	const char *bytes = e->bytes;

	disasm_decode(d, 0x1000, (const uint8_t *)bytes, available, &i);
	assert_int_equal(i.address, 0x1000);
	assert_string_equal(i.text, e->text);
	assert_int_equal(i.length, e->length);
	assert_int_equal(i.flow, e->flow);
	assert_int_equal(i.known, e->known);
	assert_int_equal(i.has_target, e->has_target);
	assert_int_equal(i.target, e->target);
}

static void x86_64_is_decoded(void **state)
{
	static const struct expected rows[] = {
		{ "\x48\x89\xd8", 3, FLOW_NEXT, true, false, 0, "mov rax, rbx" },
		{ "\x75\xfe", 2, FLOW_BRANCH, true, true, 0x1000, "jnz 0x1000" },
		{ "\x0f\x84\x00\x01\x00\x00", 6, FLOW_BRANCH, true, true, 0x1106, "jz 0x1106" },
		{ "\xeb\x10", 2, FLOW_JUMP, true, true, 0x1012, "jmp 0x1012" },
		{ "\xff\xe0", 2, FLOW_JUMP, true, false, 0, "jmp rax" },
		{ "\xe8\x0b\x00\x00\x00", 5, FLOW_CALL, true, true, 0x1010, "call 0x1010" },
		{ "\xff\xd0", 2, FLOW_CALL, true, false, 0, "call rax" },
		{ "\xc3", 1, FLOW_RETURN, true, false, 0, "ret" },
		{ "\x62\xf1\x7c\x48\x28\xc1", 6, FLOW_NEXT, true, false, 0, "vmovaps zmm0, zmm1" },
		{ "\x06", 1, FLOW_NEXT, false, false, 0, ".byte 0x06" },
		{ "\xe9\x01", 1, FLOW_NEXT, false, false, 0, ".byte 0xe9" }, /* cut */
	};
	struct disasm *d = decoder("x86_64", DISASM_INTEL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(d, &rows[i], rows[i].bytes[0] == '\xe9' ? 2 : rows[i].length);
	disasm_free(d);
}

static void att_syntax_is_had_for_the_asking(void **state)
{
	static const struct expected row = { "\x48\x89\xd8", 3, FLOW_NEXT,	 true,
					     false,	     0, "mov %rbx, %rax" };
	struct disasm *d = decoder("amd64", DISASM_ATT);

	(void)state;
	expect(d, &row, 3);
	disasm_free(d);
}

/* What the library does not know is a word, but jumps are jumps all the same. */
static void aarch64_is_decoded(void **state)
{
	static const struct expected rows[] = {
		{ "\x20\x0c\x02\x8b", 4, FLOW_NEXT, true, false, 0, "add x0, x1, x2, lsl #3" },
		{ "\x00\x00\x00\x14", 4, FLOW_JUMP, true, true, 0x1000, "b #0x1000" },
		{ "\xff\xff\xff\x17", 4, FLOW_JUMP, true, true, 0xffc, "b #0xffc" },
		{ "\x04\x00\x00\x94", 4, FLOW_CALL, true, true, 0x1010, "bl #0x1010" },
		{ "\xc1\xff\xff\x54", 4, FLOW_BRANCH, true, true, 0xff8, "b.ne #0xff8" },
		{ "\x40\x00\x00\xb4", 4, FLOW_BRANCH, true, true, 0x1008, "cbz x0, #0x1008" },
		{ "\xe3\xff\xff\x35", 4, FLOW_BRANCH, true, true, 0xffc, "cbnz w3, #0xffc" },
		{ "\x61\x00\x08\xb6", 4, FLOW_BRANCH, true, true, 0x100c,
		  "tbz x1, #0x21, #0x100c" },
		{ "\xc0\x03\x5f\xd6", 4, FLOW_RETURN, true, false, 0, "ret" },
		{ "\x60\x00\x1f\xd6", 4, FLOW_JUMP, true, false, 0, "br x3" },
		{ "\x80\x00\x3f\xd6", 4, FLOW_CALL, true, false, 0, "blr x4" },
		{ "\x00\x00\x00\x00", 4, FLOW_NEXT, false, false, 0, ".inst 0x00000000" },
		{ "\x20\x0c\x02", 3, FLOW_NEXT, false, false, 0, ".byte 0x020c20" },
	};
	struct disasm *d = decoder("aarch64", DISASM_INTEL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(d, &rows[i], rows[i].length);
	/* retaa: pointer authentication, of which Capstone 4 knows nothing. */
	struct disasm_instruction i;
	disasm_decode(d, 0x1000, (const uint8_t *)"\xff\x0b\x5f\xd6", 4, &i);
	assert_int_equal(i.flow, FLOW_RETURN);
	assert_int_equal(i.length, 4);
	disasm_free(d);
}

static void addresses_wrap(void **state)
{
	struct disasm *d = decoder("x86_64", DISASM_INTEL);
	struct disasm_instruction i;

	(void)state;
	disasm_decode(d, UINT64_MAX - 1, (const uint8_t *)"\xeb\x10", 2, &i);
	assert_true(i.has_target);
	assert_int_equal(i.target, 0x10);
	disasm_free(d);
}

static void others_are_refused_in_a_line(void **state)
{
	static const char *const names[] = { "", "riscv64", "x86_64x" };
	struct disasm *d;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct error err = { 0 };
		assert_int_equal(disasm_new(&d, names[i], DISASM_INTEL, &err), -1);
		assert_null(d);
		assert_int_equal(err.code, ERROR_UNSUPPORTED);
		assert_non_null(strstr(err.text, "only x86_64 and aarch64"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64_is_decoded),
		cmocka_unit_test(att_syntax_is_had_for_the_asking),
		cmocka_unit_test(aarch64_is_decoded),
		cmocka_unit_test(addresses_wrap),
		cmocka_unit_test(others_are_refused_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
