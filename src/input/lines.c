/* Lines of a text. */
#include "input/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"

#define BLOCK ((size_t)1 << 18)

struct lines {
	int fd;
	char *data;
	size_t at, len, cap; /* what is left of the buffer: [at, len) */
	bool at_end;	     /* of the file */
	uint64_t number;     /* of the latest line */
};

/* Room for a block behind what is left, and the block. */
static int fill(struct lines *l, const char *name, struct error *err)
{
	if (l->at > 0)
		memmove(l->data, l->data + l->at, l->len - l->at);
	l->len -= l->at;
	l->at = 0;
	if (l->len > LINES_LENGTH_MAX)
		return error_set(err, ERROR_LIMIT, "%s: line %" PRIu64 " is longer than 256 MB",
				 name, l->number + 1);
	if (l->cap - l->len < BLOCK) {
		l->cap = 2 * l->cap + BLOCK;
		l->data = xrealloc_array(l->data, l->cap, 1);
	}
	ssize_t n = io_read_full(l->fd, l->data + l->len, BLOCK);
	if (n < 0)
		return error_set_errno(err, errno, "%s", name);
	l->len += (size_t)n;
	l->at_end = n < (ssize_t)BLOCK;
	return 0;
}

/* 1, 0 at the end, or -1. The line is valid until the next call. */
static int next(struct lines *l, const char **line, size_t *len, const char *name,
		struct error *err)
{
	size_t searched = 0;
	const char *end = NULL;

	for (;;) {
		size_t left = l->len - l->at;
		if (left > searched)
			end = memchr(l->data + l->at + searched, '\n', left - searched);
		if (end || l->at_end)
			break;
		searched = left;
		if (fill(l, name, err) < 0)
			return -1;
	}
	if (!end && l->at == l->len)
		return 0;
	*line = l->data + l->at;
	*len = end ? (size_t)(end - *line) : l->len - l->at;
	l->at += *len + (end ? 1 : 0);
	l->number++;
	if (*len && (*line)[*len - 1] == '\r')
		--*len;
	return 1;
}

int lines_each(int fd, void (*take)(void *ctx, const char *line, size_t len, uint64_t number),
	       void *ctx, const char *name, struct error *err)
{
	struct lines l = { .fd = fd };
	const char *line;
	size_t len;
	int rc;

	while ((rc = next(&l, &line, &len, name, err)) > 0)
		take(ctx, line, len, l.number);
	free_ptr(&l.data);
	return rc;
}
