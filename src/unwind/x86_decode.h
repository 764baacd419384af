/* x86-64 instruction lengths, and the fields that tell what happens to the stack. */
#ifndef PROF_UNWIND_X86_DECODE_H
#define PROF_UNWIND_X86_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_INSTRUCTION_MAX 15

struct x86_instruction {
	uint8_t length;
	uint8_t map; /* 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a; others by VEX and EVEX */
	uint8_t opcode;
	bool is_vector;	      /* VEX or EVEX: no effect on general registers that matters here */
	bool has_modrm, wide; /* wide: REX.W */
	uint8_t mod, reg, rm; /* with REX applied; rm is the base register when mod is not 3 */
	bool has_index;	      /* the memory operand is more than base + displacement */
	bool rip_relative;
	int32_t displacement;
	int64_t immediate; /* sign-extended; of the first immediate or a relative branch */
};

/* False when the bytes are not one whole instruction. */
bool x86_decode(const uint8_t *code, size_t len, struct x86_instruction *out);

#endif
