/* Any bytes as Go's function table: find every function, and the depths inside. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf/go_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_table t;
	struct go_function f;
	uint64_t sum = 0, vaddr = 0x401000;
	int32_t depth;

	if (!go_table_open(&t, data, size, vaddr))
		return 0;
	for (int i = 0; i < 64 && go_table_find(&t, vaddr, &f); i++) {
		sum += strlen(f.name) + f.flags;
		for (uint64_t at = f.start; at - f.start < 64; at += 7)
			sum += go_table_depth(&t, &f, at, &depth) ? (uint64_t)depth : 1;
		vaddr = f.end;
	}
	__asm__ volatile("" : : "r"(sum)); /* keeps the work */
	return 0;
}
