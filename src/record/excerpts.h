/*
 * What a reader on another machine needs to see the hot spots: machine code of the hottest
 * functions and the source lines around the hottest lines. Each is capped, so that a recording
 * stays small. Runs in the naming thread.
 */
#ifndef PROF_RECORD_EXCERPTS_H
#define PROF_RECORD_EXCERPTS_H

#include "base/bytes.h"
#include "base/memory.h"
#include "files/files.h"
#include "symbolize/symbolize.h"
#include <stdint.h>

struct excerpt_code {
	uint64_t address;
	uint32_t offset, length; /* in bytes */
};

struct excerpt_source {
	char *file;		    /* owned */
	uint32_t first_line, flags; /* SOURCE_IS_NEWER */
	uint32_t offset, length;    /* in bytes */
};

struct excerpt_line {
	char *file; /* owned */
	uint32_t line;
};

struct excerpt_lines { /* zeroed is valid */
	VEC(struct excerpt_line) items;
};

struct excerpts { /* zeroed is valid */
	VEC(struct excerpt_code) code;
	VEC(struct excerpt_source) sources;
	struct bytes bytes;
	int64_t program_time; /* when the module's file was last changed, in seconds; 0: not known
			       */
};

void excerpts_release(struct excerpts *e);
/* For one module: its hottest addresses, hottest first. */
void excerpts_collect(struct excerpts *e, struct symbolizer *s, struct files *files,
		      const struct symbolize_module *m, const uint64_t *addresses, size_t count);
/* A hot line; only of files that are named by their whole path, or a file's URL. */
void excerpt_lines_add(struct excerpt_lines *lines, const char *file, uint32_t line);
void excerpt_lines_release(struct excerpt_lines *lines);
/* The text around lines, which are sorted for it, of files as the process (0: we) sees them. */
void excerpts_collect_lines(struct excerpts *e, struct files *files, pid_t pid,
			    struct excerpt_lines *lines);

#endif
