/* What other symbolizers say of a file's addresses: addr2line and llvm-symbolizer, parsed. */
#ifndef PROF_TESTS_SYMBOLIZE_ORACLE_H
#define PROF_TESTS_SYMBOLIZE_ORACLE_H

#include "base/bytes.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oracle_frame {
	const char *name; /* linkage name */
	const char *file; /* last component */
	uint32_t line;
};

struct oracle_answer {
	uint64_t address;
	size_t first, count; /* in frames; innermost first */
};

struct oracle {
	struct bytes text;
	VEC(struct oracle_frame) frames;
	VEC(struct oracle_answer) answers; /* in the order asked */
};

/* false when the tool is missing or failed. */
bool oracle_ask(struct oracle *o, const char *tool, const char *path, const uint64_t *addresses,
		size_t count);
void oracle_release(struct oracle *o);

#endif
