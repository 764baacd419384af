/* An architecture's row. Private to disasm. */
#ifndef PROF_DISASM_ARCH_H
#define PROF_DISASM_ARCH_H

#include "disasm/disasm.h"

struct disasm_arch {
	const char *names[3]; /* as uname says it, and what else it is called */
	const char *library;  /* and Debian's package, for a message */
	const char *package;
	uint8_t unit; /* bytes that are passed where nothing is known */
	/* NULL: built without the library. Returns NULL where it cannot be loaded. */
	void *(*open)(enum disasm_syntax syntax);
	void (*close)(void *state);
	/* Fills length, flow, target and text; address is set. False: not known: at most flow and
	 * target are filled. */
	bool (*decode)(void *state, const uint8_t *bytes, size_t len,
		       struct disasm_instruction *out);
};

extern const struct disasm_arch disasm_x86_64, disasm_aarch64;

#endif
