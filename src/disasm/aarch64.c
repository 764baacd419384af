/*
 * aarch64, by Capstone. What it does not know (in version 4: LSE atomics, SVE) is shown as words.
 * Jumps are read from the words themselves: their encodings are few and fixed, so targets are right
 * whatever the library's version says of them. The library is 6.7 MB with 77,000 pointers, and is
 * loaded when there is aarch64 code to show.
 */
#include "disasm/arch.h"

#if PROF_WITH_CAPSTONE
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/library.h"
#include "base/memory.h"

#define WORD_BYTES 4

#define TEXT(x)	  #x
#define SONAME(x) "libcapstone.so." TEXT(x)

struct capstone {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
};

static const struct library_function functions[] = {
	LIBRARY_FUNCTION(struct capstone, cs_, open),
	LIBRARY_FUNCTION(struct capstone, cs_, close),
	LIBRARY_FUNCTION(struct capstone, cs_, malloc),
	LIBRARY_FUNCTION(struct capstone, cs_, free),
	LIBRARY_FUNCTION(struct capstone, cs_, disasm_iter),
};

struct state {
	struct capstone cs;
	csh handle;
	cs_insn *instruction;
};

static void close_decoder(void *state)
{
	struct state *s = state;

	if (s->instruction)
		s->cs.free(s->instruction, 1);
	if (s->handle)
		s->cs.close(&s->handle);
	free(s);
}

static void *open_decoder(enum disasm_syntax syntax)
{
	struct state *s = xcalloc(1, sizeof(*s));

	(void)syntax;
	if (library_load(SONAME(CS_API_MAJOR), functions, ARRAY_LEN(functions), &s->cs) &&
	    s->cs.open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &s->handle) == CS_ERR_OK)
		s->instruction = s->cs.malloc(s->handle);
	if (s->instruction)
		return s;
	close_decoder(s);
	return NULL;
}

/* The signed field of so many bits from bit first on, in words, as bytes. */
static uint64_t offset_of(uint32_t word, unsigned first, unsigned bits)
{
	uint64_t field = (uint64_t)word >> first << (64 - bits);

	return (uint64_t)((int64_t)field >> (64 - bits)) * 4;
}

static void set_target(struct disasm_instruction *out, enum disasm_flow flow, uint64_t offset)
{
	out->flow = (uint8_t)flow;
	out->has_target = true;
	out->target = out->address + offset;
}

static void find_flow(struct disasm_instruction *out, uint32_t word)
{
	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		set_target(out, word >> 31 ? FLOW_CALL : FLOW_JUMP, offset_of(word, 0, 26));
	else if ((word & 0xff000010) == 0x54000000) /* b.cond */
		set_target(out, FLOW_BRANCH, offset_of(word, 5, 19));
	else if ((word & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		set_target(out, FLOW_BRANCH, offset_of(word, 5, 19));
	else if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		set_target(out, FLOW_BRANCH, offset_of(word, 5, 14));
	else if ((word & 0xfe9ff000) ==
		 0xd61f0000) /* br, blr, ret, with or without authentication */
		out->flow = (uint8_t)((word >> 21 & 3) == 0   ? FLOW_JUMP
				      : (word >> 21 & 3) == 1 ? FLOW_CALL
							      : FLOW_RETURN);
}

static bool decode(void *state, const uint8_t *bytes, size_t len, struct disasm_instruction *out)
{
	struct state *s = state;
	uint64_t address = out->address;

	if (len < WORD_BYTES)
		return false;
	find_flow(out, (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
			       (uint32_t)bytes[1] << 8 | bytes[0]);
	if (!s->cs.disasm_iter(s->handle, &bytes, &len, &address, s->instruction))
		return false;
	out->length = WORD_BYTES;
	snprintf(out->text, sizeof(out->text), "%s%s%s", s->instruction->mnemonic,
		 s->instruction->op_str[0] ? " " : "", s->instruction->op_str);
	return true;
}
#endif

const struct disasm_arch disasm_aarch64 = {
	.names = { "aarch64", "arm64" },
	.library = "Capstone",
	.package = "libcapstone-dev",
	.unit = 4,
#if PROF_WITH_CAPSTONE
	.open = open_decoder,
	.close = close_decoder,
	.decode = decode,
#endif
};
