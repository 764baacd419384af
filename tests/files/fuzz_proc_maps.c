/* The parsers of /proc entries: maps, status, stat on the same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/proc_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_maps(const char *text, size_t len)
{
	struct proc_map m;
	size_t pos = 0, before = 0;
	volatile char last;

	while (proc_maps_next(text, len, &pos, &m)) {
		require(pos > before && pos <= len);
		require(m.start < m.end);
		require(m.path >= text && m.path + m.path_len <= text + len);
		require(!memchr(m.path, '\n', m.path_len));
		if (m.path_len > 0)
			last = m.path[m.path_len - 1];
		before = pos;
	}
	(void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text =
		malloc(size ? size : 1); /* of the exact size, so that a read past it is seen */
	struct proc_status status;
	uint64_t ticks;

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	check_maps(text, size);
	if (proc_status_parse(text, size, &status)) {
		require(memchr(status.name, '\0', sizeof(status.name)) != NULL);
		require(status.group_count <= 32 && status.ns_levels >= 1);
	}
	proc_stat_start_ticks(text, size, &ticks);
	free(text);
	return 0;
}
