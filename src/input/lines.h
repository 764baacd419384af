/* A text file line by line, in a buffer that is as large as the longest line. */
#ifndef PROF_INPUT_LINES_H
#define PROF_INPUT_LINES_H

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

#define LINES_LENGTH_MAX ((size_t)256 << 20)

/* Take each line without its end ("\n" or "\r\n"); number counts from 1. -1: fd could not be read,
 * or a line is longer than LINES_LENGTH_MAX. */
int lines_each(int fd, void (*take)(void *ctx, const char *line, size_t len, uint64_t number),
	       void *ctx, const char *name, struct error *err);

#endif
