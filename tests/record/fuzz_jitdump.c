/* Any bytes as a jitdump that is followed while it grows: the first byte says how much is there at
 * the first look. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "record/code_feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_NS 1000000000u

static void take_events(struct code_feed *f, struct code_map *map)
{
	const struct code_event *e;
	uint64_t last_ns = 0;

	while ((e = code_feed_peek(f, UINT64_MAX))) {
		struct code_event event = *e;
		if (event.time_ns < last_ns || event.time_ns > NOW_NS)
			__builtin_trap();
		last_ns = event.time_ns;
		code_feed_pop(f);
		if (!event.entry)
			continue;
		uint64_t start = event.entry->start, end = event.entry->end;
		for (uint64_t at = start; at < end && at < start + 64; at += 8) {
			const struct code_line *line = code_entry_line(event.entry, at);
			if (line && (line->offset > at - start || strlen(line->file) == 0))
				__builtin_trap();
		}
		code_map_add(map, event.entry);
		if (!code_map_find(map, start))
			__builtin_trap();
	}
	if (f->events_bytes != 0)
		__builtin_trap();
}

static void look(struct code_feed *f, uint64_t now_ns, bool is_last)
{
	struct code_look l = { now_ns, now_ns, 64u << 20, 16u << 20, is_last };

	code_feed_look(f, &l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	struct code_feed f;
	struct code_map map = { 0 };

	if (size == 0 || fd < 0)
		goto out;
	size_t first = (size_t)data[0] * (size - 1) / 255;
	code_feed_init(&f, CODE_FEED_DUMP, 1);
	f.has_clock = data[0] % 2;
	code_feed_open(&f, fd);
	if (io_write_full(fd, data + 1, first) == 0)
		look(&f, NOW_NS / 2, false);
	take_events(&f, &map);
	if (io_write_full(fd, data + 1 + first, size - 1 - first) == 0)
		look(&f, NOW_NS, true);
	take_events(&f, &map);
	if (f.position > f.size && f.has_header && f.position != f.header.size)
		__builtin_trap();
	code_map_release(&map);
	code_feed_release(&f);
	return 0;
out:
	if (fd >= 0)
		close(fd);
	return 0;
}
