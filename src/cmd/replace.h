/* Writing a file so that what was there stays whole until the new one is. */
#ifndef PROF_CMD_REPLACE_H
#define PROF_CMD_REPLACE_H

#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

struct replace {
	char *path, *temporary; /* temporary: NULL when path is written in place */
	int fd;			/* write here */
};

#define REPLACE_USUAL_MODE UINT32_MAX

/* Opens a file beside path; mode: its permissions, or REPLACE_USUAL_MODE for what the umask leaves.
 * "-": standard output, which is no terminal. A link stays and what it leads to is replaced; a
 * device, pipe or socket is itself written to. One file at a time: a signal that ends prof
 * meanwhile removes what is unfinished. */
int replace_begin(struct replace *r, const char *path, uint32_t mode, struct error *err);
/* Puts it in path's place; keep_old: what was there becomes path.old. On failure the temporary is
 * gone. */
int replace_finish(struct replace *r, bool keep_old, struct error *err);
void replace_abandon(struct replace *r);
/* When the process is about to end and cannot wait: removes the unfinished file, if it is its own.
 * Allocates nothing. */
void replace_remove_unfinished(void);

#endif
