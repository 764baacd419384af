/*
 * Input formats: one file, one row each. A reader fills a struct profile from a descriptor. Which
 * row serves is decided by the first bytes.
 */
#ifndef PROF_INPUT_INPUT_H
#define PROF_INPUT_INPUT_H

#include "base/error.h"
#include "profile/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_DEFAULT_PATH "prof.data"
#define INPUT_HEAD_BYTES   4096

struct input_format {
	const char *name; /* "prof.data", "perf.data" */
	/* head: the first bytes, INPUT_HEAD_BYTES unless there are no more. */
	bool (*matches)(const void *head, size_t len);
	/* fd is at the start and can be sought. What was cut or skipped is appended as lines to
	 * p->notes, their number is *warnings (0 when called). */
	int (*read)(struct profile *p, int fd, const char *name, uint32_t *warnings,
		    struct error *err);
};
extern const struct input_format *const input_formats[]; /* NULL-terminated */
/* The row for what fd, which can be sought, begins with; NULL: none. */
const struct input_format *input_find_format(int fd);
/* Say that fd is in none of the formats; returns -1. */
int input_refuse(int fd, const char *name, struct error *err);
/* A descriptor of path ("-" = stdin, gathered when it is a pipe; NULL: prof.data here) that can be
 * sought, at its start, or -1. *name: what to call it. */
int input_open_bytes(const char *path, const char **name, struct error *err);
/* Open path ("-" = stdin; NULL: prof.data here), find its format, read and index it. *p is
 * initialized by it, and released again on failure. warnings (may be NULL): how many notes at the
 * end of p->notes are about the reading. */
int input_open(struct profile *p, const char *path, uint32_t *warnings, struct error *err);

#endif
