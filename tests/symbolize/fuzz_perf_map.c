/* Any text as a perf map, in pieces whose lengths the input chooses. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbolize/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every address between entries has one answer: the last line that covers it. */
static void check(struct perf_map *m, uint64_t address)
{
	const struct perf_map_entry *found = perf_map_find(m, address), *expected = NULL;

	for (size_t i = m->entries.len; i > 0 && !expected; i--) {
		const struct perf_map_entry *e = &m->entries.data[i - 1];
		if (address >= e->start && address < e->end)
			expected = e;
	}
	if (m->rest.len == 0 && found != expected)
		__builtin_trap();
	if (found && strlen(found->name) == 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map m = { 0 };
	size_t step = size ? data[0] % 64 + (size_t)1 : 1;

	for (size_t at = 0; at < size; at += step) {
		perf_map_append(&m, (const char *)data + at, step < size - at ? step : size - at);
		if (at % 7 == 0)
			perf_map_find(&m, 0x1000);
	}
	for (size_t i = 0; i < m.entries.len && i < 64; i++) {
		check(&m, m.entries.data[i].start);
		check(&m, m.entries.data[i].end);
		check(&m, m.entries.data[i].end - 1);
	}
	perf_map_release(&m);
	return 0;
}
