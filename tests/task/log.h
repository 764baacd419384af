/* A table of tasks whose changes are written down as lines of text, and short ways to feed it. */
#ifndef PROF_TESTS_TASK_LOG_H
#define PROF_TESTS_TASK_LOG_H

#include "base/bytes.h"
#include "task/task.h"

struct log {
	struct task_table *table;
	struct bytes text;
};
/* files may be NULL; borrowed. */
struct log *log_new(struct files *files);
void log_free(struct log *l);
/* The lines since the last call equal expected. Lines: "row ID PID/TID COMM sSPACE", "end ID @TIME", "space ID
 * PID", "space- ID @TIME", "map sSPACE START-END PATH+OFFSET", "unmap sSPACE START-END @TIME". */
void log_expect(struct log *l, const char *expected);
void log_skip(struct log *l); /* forget lines so far */

/* An executable mapping of a file. */
void log_map(struct log *l, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	     const char *path, uint64_t time_ns);
/* "START-END PATH+OFFSET, …" of the process's space. */
void log_expect_maps(struct log *l, uint32_t pid, uint64_t time_ns, const char *expected);

#endif
