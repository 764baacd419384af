/*
 * Any bytes as what the cache remembers. The first one says where they stand in: the whole file, or
 * the payload of an intact entry, which is then read as symbols and as places.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "cache/entry.h"
#include "symbolize/places.h"
#include "symbolize/symbol_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cache_entry *open_entry(const uint8_t *data, size_t size)
{
	struct bytes payload = { .data = (uint8_t *)(uintptr_t)(data + 1), .len = size - 1 };
	int fd = memfd_create("entry", MFD_CLOEXEC);

	if (data[0] & 1)
		io_write_full(fd, data + 1, size - 1);
	else
		cache_entry_write(fd, "key", "title", &payload);
	return cache_entry_open(fd, "key");
}

static size_t ask_others(struct symbol_table *t, const struct symbol *s)
{
	struct symbol_other others[SYMBOL_OTHERS_MAX];
	size_t n = symbol_table_others(t, s, others, SYMBOL_OTHERS_MAX), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += strlen(others[i].name) + others[i].flags;
	return sum;
}

static size_t ask_symbols(struct symbol_table *t, const uint8_t *data, size_t size)
{
	struct symbol found;
	size_t sum = 0;

	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t address;
		memcpy(&address, data + i, 8);
		if (symbol_table_find(t, address, &found) == SYMBOL_TABLE_FOUND) {
			if (address < found.start || address >= found.end)
				__builtin_trap();
			sum += strlen(found.name) + ask_others(t, &found);
		}
	}
	return sum;
}

static size_t ask_places(struct places *p, const uint8_t *data, size_t size)
{
	size_t sum = 0;

	for (size_t i = 0; i + 8 <= size; i += 4) {
		uint64_t address;
		memcpy(&address, data + i, 8);
		if (!places_find(p, address))
			continue;
		for (size_t k = 0; k < p->found.len; k++)
			sum += strlen(p->found.data[k].name);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes again = { 0 };
	struct places p = { 0 };
	const char *note;
	size_t sum = 0;

	if (size < 2)
		return 0;
	struct cache_entry *e = open_entry(data, size);
	struct symbol_table *t = e ? symbol_table_open(e) : NULL;
	if (t)
		sum += ask_symbols(t, data, size);
	symbol_table_free(t);
	e = open_entry(data, size);
	if (e && places_recall(&p, e, &note)) {
		sum += ask_places(&p, data, size) + strlen(note);
		places_compose(&p, note, &again);
		bytes_release(&again);
	}
	places_release(&p);
	return sum == SIZE_MAX;
}
