/* A text file line by line, in a buffer that is as large as the longest line. */
#ifndef PROF_INPUT_LINES_H
#define PROF_INPUT_LINES_H

#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_LENGTH_MAX ((size_t)256 << 20)

struct lines {
	int fd;
	char *data;
	size_t at, len, cap; /* what is left of the buffer: [at, len) */
	bool at_end;	     /* of the file */
	uint64_t number;     /* of the latest line, from 1 */
};

void lines_init(struct lines *l, int fd);
void lines_release(struct lines *l);
/* The next line without its end ("\n" or "\r\n"), valid until the next call; 1, 0 at the end of the
 * file, or -1: it could not be read, or is longer than LINES_LENGTH_MAX. */
int lines_next(struct lines *l, const char **line, size_t *len, const char *name,
	       struct error *err);

#endif
