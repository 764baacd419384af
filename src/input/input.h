/*
 * Input formats: one file, one row each. A reader fills a struct profile from a descriptor. Which row serves is
 * decided by the first bytes.
 */
#ifndef PROF_INPUT_INPUT_H
#define PROF_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"
#include "profile/profile.h"

struct input_format {
	const char *name; /* "prof.data", "perf.data" */
	bool (*matches)(const void *head, size_t len); /* head: up to 64 first bytes */
	/* fd is at the start. warnings: what was cut or skipped is appended as lines to p->notes. */
	int (*read)(struct profile *p, int fd, const char *name, struct error *err);
};
extern const struct input_format *const input_formats[]; /* NULL-terminated */
/* Open path ("-" = stdin; NULL: prof.data here), find its format, read and index it. */
int input_open(struct profile *p, const char *path, struct error *err);

#endif
