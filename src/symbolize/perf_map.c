/* Parsing perf maps piece by piece, and lookups in the flattened result. */
#include "symbolize/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

/* The file belongs to the profiled program, which may write anything. */
#define MAX_READ_BYTES ((uint64_t)64 << 20) /* at a time, from the end */
#define MAX_ENTRIES    ((size_t)768 << 10)
#define MAX_NAMES      ((size_t)32 << 20) /* bytes of all names */
#define MAX_NAME_BYTES ((size_t)4096)
#define MAX_LINE_BYTES ((size_t)64 << 10)
#define READ_BYTES     ((size_t)1 << 20)
#define NAME_PADDING   ((size_t)15) /* at most, by the arena's alignment */

static bool parse_hex(const char **p, const char *end, uint64_t *out)
{
	uint64_t v = 0;
	int digits = 0;

	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	for (; *p < end; (*p)++, digits++) {
		char c = (char)(**p | 0x20);
		if (v >> 60)
			return false;
		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*out = v;
	return digits > 0;
}

static bool skip_blanks(const char **p, const char *end)
{
	const char *start = *p;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	return *p > start;
}

static void parse_line(struct perf_map *m, const char *p, const char *end)
{
	struct perf_map_entry e;
	uint64_t size;

	skip_blanks(&p, end);
	if (!parse_hex(&p, end, &e.start) || !skip_blanks(&p, end) || !parse_hex(&p, end, &size) ||
	    !skip_blanks(&p, end))
		return;
	while (end > p && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	size_t len = strnlen(p, (size_t)(end - p)); /* a NUL ends the name */
	if (len == 0 || size == 0 || __builtin_add_overflow(e.start, size, &e.end))
		return;
	e.name = arena_strndup(&m->arena, p, len < MAX_NAME_BYTES ? len : MAX_NAME_BYTES);
	vec_push(&m->entries, e);
	m->stale = true;
}

/* The first of the newest entries that fill no more than half of what may be kept. */
static size_t first_to_keep(const struct perf_map *m)
{
	size_t first = m->entries.len, names = 0;

	while (first > 0 && m->entries.len - first < MAX_ENTRIES / 2) {
		names += strlen(m->entries.data[first - 1].name) + 1 + NAME_PADDING;
		if (names > MAX_NAMES / 2)
			break;
		first--;
	}
	return first;
}

/* Later lines win, so the oldest go. Half of them at once: the work stays linear in the text. */
static void make_room(struct perf_map *m)
{
	if (m->entries.len < MAX_ENTRIES && m->arena.total_bytes < MAX_NAMES)
		return;
	struct arena kept = { 0 };
	size_t first = first_to_keep(m), count = m->entries.len - first;
	for (size_t i = 0; i < count; i++) {
		struct perf_map_entry e = m->entries.data[first + i];
		e.name = arena_strndup(&kept, e.name, strlen(e.name));
		m->entries.data[i] = e;
	}
	m->entries.len = count;
	arena_release(&m->arena);
	m->arena = kept;
	m->left_out |= first > 0;
	m->stale = true;
}

static void take_line(struct perf_map *m, const char *p, const char *end)
{
	make_room(m);
	parse_line(m, p, end);
}

/* Keeps what has no newline yet. A line without end is cut, so that it cannot grow without bound.
 */
static void keep_rest(struct perf_map *m, const char *p, size_t len)
{
	if (m->rest.len + len > MAX_LINE_BYTES)
		len = MAX_LINE_BYTES > m->rest.len ? MAX_LINE_BYTES - m->rest.len : 0;
	bytes_append(&m->rest, p, len);
	m->stale = true;
}

/* What comes before the first newline ends the line that was begun before. */
static void end_line(struct perf_map *m, const char *p, const char *newline)
{
	if (m->in_middle) {
		m->in_middle = false;
		return;
	}
	if (m->rest.len == 0) {
		take_line(m, p, newline);
		return;
	}
	keep_rest(m, p, (size_t)(newline - p));
	const char *line = (const char *)m->rest.data;
	take_line(m, line, line + m->rest.len);
	bytes_clear(&m->rest);
}

void perf_map_append(struct perf_map *m, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *newline;

	m->text_bytes += len;
	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		end_line(m, p, newline);
		p = newline + 1;
	}
	if (p < end && !m->in_middle)
		keep_rest(m, p, (size_t)(end - p));
}

/* Of very much text only the end is read. */
static void skip_old_text(struct perf_map *m, uint64_t size)
{
	if (size < m->text_bytes)
		perf_map_clear(m);
	if (size - m->text_bytes <= MAX_READ_BYTES)
		return;
	m->text_bytes = size - MAX_READ_BYTES;
	m->in_middle = true;
	m->left_out = true;
	bytes_clear(&m->rest);
}

int perf_map_read(struct perf_map *m, int fd, struct error *err)
{
	struct stat st;
	int result = 0;

	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot examine the perf map");
	skip_old_text(m, (uint64_t)st.st_size);
	char *buffer = xmalloc(READ_BYTES);
	for (uint64_t done = 0; done <= MAX_READ_BYTES; done += READ_BYTES) {
		ssize_t got = io_pread_full(fd, buffer, READ_BYTES, (off_t)m->text_bytes);
		if (got < 0)
			result = error_set_errno(err, errno, "cannot read the perf map");
		if (got <= 0)
			break;
		perf_map_append(m, buffer, (size_t)got);
	}
	free(buffer);
	return result;
}

static void rebuild(struct perf_map *m)
{
	size_t known = m->entries.len;
	const char *rest = (const char *)m->rest.data;

	/* A file may end without a newline: its last line counts until more of it arrives. */
	if (m->rest.len)
		parse_line(m, rest, rest + m->rest.len);
	flat_map_release(&m->map); /* before the next one needs memory */
	struct flat_range *ranges = xcalloc(m->entries.len, sizeof(*ranges));
	for (size_t i = 0; i < m->entries.len; i++) {
		const struct perf_map_entry *e = &m->entries.data[i];
		ranges[i] = (struct flat_range){ e->start, e->end, i, (uint32_t)i };
	}
	flat_map_build(&m->map, ranges, m->entries.len);
	free(ranges);
	m->entries.len = known;
	m->stale = false;
}

const struct perf_map_entry *perf_map_find(struct perf_map *m, uint64_t address)
{
	if (m->stale)
		rebuild(m);
	const struct flat_segment *segment = flat_map_find(&m->map, address);
	/* The element of an unfinished last line stays behind the counted ones. */
	return segment ? &m->entries.data[segment->value] : NULL;
}

void perf_map_clear(struct perf_map *m)
{
	perf_map_release(m);
}

void perf_map_release(struct perf_map *m)
{
	vec_release(&m->entries);
	bytes_release(&m->rest);
	flat_map_release(&m->map);
	arena_release(&m->arena);
	m->text_bytes = 0;
	m->stale = m->left_out = m->in_middle = false;
}
