/* Lines of perf maps, from text that comes piece by piece. */
#include "symbolize/perf_map.h"

#include <string.h>

#define MAX_LINE_BYTES ((size_t)64 << 10)

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

static bool parse_line(const char *p, const char *end, struct perf_map_line *out)
{
	uint64_t code_end;

	skip_blanks(&p, end);
	if (!parse_hex(&p, end, &out->start) || !skip_blanks(&p, end) ||
	    !parse_hex(&p, end, &out->size) || !skip_blanks(&p, end))
		return false;
	while (end > p && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	out->name = p;
	out->name_len = strnlen(p, (size_t)(end - p)); /* a NUL ends the name */
	return out->name_len > 0 && out->size > 0 &&
	       !__builtin_add_overflow(out->start, out->size, &code_end);
}

static void take_line(const char *p, const char *end, uint64_t text_end, perf_map_each each,
		      void *ctx)
{
	struct perf_map_line line = { .end = text_end };

	if (parse_line(p, end, &line))
		each(ctx, &line);
}

/* Keeps what has no newline yet. A line without end is cut, so that it cannot grow without bound.
 */
static void keep_rest(struct perf_map *m, const char *p, size_t len)
{
	if (m->rest.len + len > MAX_LINE_BYTES)
		len = MAX_LINE_BYTES > m->rest.len ? MAX_LINE_BYTES - m->rest.len : 0;
	bytes_append(&m->rest, p, len);
}

/* What comes before the first newline ends the line that was begun before. */
static void end_line(struct perf_map *m, const char *p, const char *newline, perf_map_each each,
		     void *ctx)
{
	if (m->in_middle) {
		m->in_middle = false;
		return;
	}
	if (m->rest.len == 0) {
		take_line(p, newline, m->text_bytes, each, ctx);
		return;
	}
	keep_rest(m, p, (size_t)(newline - p));
	const char *line = (const char *)m->rest.data;
	take_line(line, line + m->rest.len, m->text_bytes, each, ctx);
	bytes_clear(&m->rest);
}

void perf_map_append(struct perf_map *m, const char *text, size_t len, perf_map_each each,
		     void *ctx)
{
	const char *p = text, *end = text + len, *newline;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		m->text_bytes += (size_t)(newline + 1 - p);
		end_line(m, p, newline, each, ctx);
		p = newline + 1;
	}
	m->text_bytes += (size_t)(end - p);
	if (p < end && !m->in_middle)
		keep_rest(m, p, (size_t)(end - p));
}

void perf_map_end(struct perf_map *m, perf_map_each each, void *ctx)
{
	const char *line = (const char *)m->rest.data;

	if (m->rest.len)
		take_line(line, line + m->rest.len, m->text_bytes, each, ctx);
	bytes_clear(&m->rest);
}

void perf_map_skip_to(struct perf_map *m, uint64_t offset)
{
	m->text_bytes = offset;
	m->in_middle = offset > 0;
	bytes_clear(&m->rest);
}

void perf_map_release(struct perf_map *m)
{
	bytes_release(&m->rest);
	*m = (struct perf_map){ 0 };
}
