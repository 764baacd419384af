/* One line of /proc/PID/maps: "START-END perms OFFSET MAJOR:MINOR INODE   PATH". */
#include "files/proc_maps.h"

#include <string.h>

#define DELETED " (deleted)"

struct cursor {
	const char *pos, *end;
	bool failed;
};

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* At least one digit, at most 64 bits. */
static uint64_t take_number(struct cursor *c, unsigned base)
{
	const char *first = c->pos;
	uint64_t n = 0;

	while (c->pos < c->end) {
		int digit = digit_value(*c->pos);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (n > (UINT64_MAX - (unsigned)digit) / base)
			c->failed = true;
		n = n * base + (unsigned)digit;
		c->pos++;
	}
	if (c->pos == first)
		c->failed = true;
	return n;
}

static uint32_t take_number_u32(struct cursor *c, unsigned base)
{
	uint64_t n = take_number(c, base);

	if (n > UINT32_MAX)
		c->failed = true;
	return (uint32_t)n;
}

static void take_char(struct cursor *c, char expected)
{
	if (c->pos < c->end && *c->pos == expected)
		c->pos++;
	else
		c->failed = true;
}

static void take_permissions(struct cursor *c, struct proc_map *out)
{
	if (c->end - c->pos < 4) {
		c->failed = true;
		return;
	}
	out->readable = c->pos[0] == 'r';
	out->writable = c->pos[1] == 'w';
	out->executable = c->pos[2] == 'x';
	out->shared = c->pos[3] == 's';
	c->pos += 4;
}

static void take_path(struct cursor *c, struct proc_map *out)
{
	size_t tail = strlen(DELETED);

	while (c->pos < c->end && *c->pos == ' ')
		c->pos++;
	out->path = c->pos;
	out->path_len = (size_t)(c->end - c->pos);
	if (out->path_len > tail && memcmp(c->end - tail, DELETED, tail) == 0) {
		out->deleted = true;
		out->path_len -= tail;
	}
}

static bool parse_line(const char *line, const char *end, struct proc_map *out)
{
	struct cursor c = { line, end, false };

	*out = (struct proc_map){ 0 };
	out->start = take_number(&c, 16);
	take_char(&c, '-');
	out->end = take_number(&c, 16);
	take_char(&c, ' ');
	take_permissions(&c, out);
	take_char(&c, ' ');
	out->file_offset = take_number(&c, 16);
	take_char(&c, ' ');
	out->dev_major = take_number_u32(&c, 16);
	take_char(&c, ':');
	out->dev_minor = take_number_u32(&c, 16);
	take_char(&c, ' ');
	out->inode = take_number(&c, 10);
	take_path(&c, out);
	return !c.failed && out->start < out->end;
}

bool proc_maps_next(const char *text, size_t len, size_t *pos, struct proc_map *out)
{
	while (*pos < len) {
		const char *line = text + *pos;
		const char *end = memchr(line, '\n', len - *pos);
		if (!end)
			end = text + len;
		*pos = (size_t)(end - text) + (end < text + len);
		if (parse_line(line, end, out))
			return true;
	}
	return false;
}
