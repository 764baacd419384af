/*
 * Any text as a perf map, in pieces whose lengths the input chooses. What covers an address is
 * compared with what the lines say by themselves, and whatever was seen of a generation of an
 * address must stay so.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/code_map.h"
#include "symbolize/perf_map.h"

#define MAX_LINES 256
#define MAX_SEEN  512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct line {
	uint64_t start, end;
	char *name;
};

struct seen {
	uint64_t address;
	uint32_t generation;
	char *name;
};

struct state {
	struct code_map map;
	struct line lines[MAX_LINES];
	size_t line_count;
	struct seen seen[MAX_SEEN];
	size_t seen_count;
};

static void look_at(struct state *s, uint64_t address)
{
	const struct code_piece *found = code_map_find(&s->map, address);
	const struct line *expected = NULL;

	for (size_t i = s->line_count; i > 0 && !expected; i--)
		if (address >= s->lines[i - 1].start && address < s->lines[i - 1].end)
			expected = &s->lines[i - 1];
	if (!expected != !found || (found && strcmp(found->entry->name, expected->name) != 0))
		__builtin_trap();
	if (!found || s->seen_count == MAX_SEEN || found->generation == CODE_GENERATION_MAX)
		return;
	found->entry->used = true;
	for (size_t i = 0; i < s->seen_count; i++)
		if (s->seen[i].address == address && s->seen[i].generation == found->generation &&
		    strcmp(s->seen[i].name, found->entry->name) != 0)
			__builtin_trap();
	s->seen[s->seen_count++] =
		(struct seen){ address, found->generation, strdup(found->entry->name) };
}

static void take(void *ctx, const struct perf_map_line *line)
{
	struct state *s = ctx;
	/* Moments of their own: the last line wins. */
	struct code_source from = { .start = line->start,
				    .size = line->size,
				    .name = line->name,
				    .name_len = line->name_len,
				    .moment = (uint32_t)s->line_count };

	if (line->name_len == 0 || s->line_count == MAX_LINES)
		return;
	struct code_entry *e = code_entry_new(&from);
	s->lines[s->line_count++] = (struct line){ e->start, e->end, strdup(e->name) };
	code_map_add(&s->map, e);
	if (s->line_count % 2) {
		look_at(s, line->start);
		look_at(s, line->start + line->size - 1);
	}
}

static void check_bounds(const struct state *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->line_count; i++) {
		const struct code_piece *p = code_map_find(&s->map, s->lines[i].start);
		bytes += p && p->entry->pieces > 0;
	}
	if (s->line_count && (bytes == 0 || s->map.entries > s->line_count))
		__builtin_trap();
}

static void release(struct state *s)
{
	for (size_t i = 0; i < s->line_count; i++)
		free(s->lines[i].name);
	for (size_t i = 0; i < s->seen_count; i++)
		free(s->seen[i].name);
	code_map_release(&s->map);
	free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map m = { 0 };
	struct state *s = calloc(1, sizeof(*s));
	size_t step = size ? data[0] % 64 + (size_t)1 : 1;

	for (size_t at = 0; at < size; at += step)
		perf_map_append(&m, (const char *)data + at, step < size - at ? step : size - at,
				take, s);
	if (m.text_bytes != size)
		__builtin_trap();
	perf_map_end(&m, take, s);
	for (size_t i = 0; i < s->line_count; i++) {
		look_at(s, s->lines[i].start);
		look_at(s, s->lines[i].end - 1);
		look_at(s, s->lines[i].end);
	}
	check_bounds(s);
	code_map_halve(&s->map);
	code_map_halve(&s->map);
	perf_map_release(&m);
	release(s);
	return 0;
}
