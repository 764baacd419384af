/* Any bytes as code of any architecture: each step passes some, and its text is printable. The
 * first byte chooses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "fuzz_disasm: %s\n", what);
	abort();
}

static void check_text(const char *text)
{
	check(*text && strlen(text) < DISASM_TEXT_MAX, "there is text");
	for (; *text; text++)
		check(*text >= ' ' && *text <= '~', "text is printable");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bits = size ? data[0] : 0;
	struct disasm *d;

	if (disasm_new(&d, bits & 1 ? "aarch64" : "x86_64", bits >> 1 & 1, NULL) < 0)
		return 0;
	for (size_t at = 1; at < size;) {
		struct disasm_instruction i;
		/* As far as the address space goes, and beyond. */
		disasm_decode(d, (bits & 4 ? UINT64_MAX - 20 : 0x1000) + at, data + at, size - at,
			      &i);
		check(i.length > 0 && i.length <= DISASM_STEP_MAX && i.length <= size - at,
		      "a step passes some of the bytes");
		check(i.flow <= FLOW_RETURN, "the flow is one of those there are");
		check_text(i.text);
		at += i.length;
	}
	disasm_free(d);
	return 0;
}
