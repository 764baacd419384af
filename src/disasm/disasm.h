/*
 * Machine code as text, one instruction after the other, and where its jumps go. The one place that
 * knows decoder libraries; an architecture is a file and a row (arch.h). Bytes come from files that
 * anybody may have written: whatever they are, each step passes at least one of them.
 */
#ifndef PROF_DISASM_DISASM_H
#define PROF_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum disasm_syntax { DISASM_INTEL, DISASM_ATT }; /* of x86; others have one */

enum disasm_flow {
	FLOW_NEXT, /* goes on behind it */
	FLOW_JUMP,
	FLOW_BRANCH, /* a jump, or goes on */
	FLOW_CALL,
	FLOW_RETURN,
};

#define DISASM_TEXT_MAX 200 /* with its NUL */
#define DISASM_STEP_MAX 15  /* bytes */

struct disasm_instruction {
	uint64_t address;
	uint8_t length; /* bytes, at least 1 */
	uint8_t flow;	/* enum disasm_flow */
	bool known;	/* false: bytes that are no instruction, or one the library does not know */
	bool has_target; /* of a jump, branch or call */
	uint64_t target;
	char text[DISASM_TEXT_MAX]; /* printable ASCII */
};

struct disasm;
/* architecture as uname says it. -1: there is no such row, or prof was built without its library.
 */
int disasm_new(struct disasm **out, const char *architecture, enum disasm_syntax syntax,
	       struct error *err);
void disasm_free(struct disasm *d);
/* Decodes what stands at bytes, of which there are len (at least 1), as if at address. */
void disasm_decode(struct disasm *d, uint64_t address, const uint8_t *bytes, size_t len,
		   struct disasm_instruction *out);

#endif
