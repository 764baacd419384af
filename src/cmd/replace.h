/* Writing a file so that what was there stays whole until the new one is. */
#ifndef PROF_CMD_REPLACE_H
#define PROF_CMD_REPLACE_H

#include "base/error.h"
#include <stdbool.h>

struct replace {
	char *path, *temporary;
	int fd; /* write here */
};

/* Opens a file beside path, with the usual creation mode. */
int replace_begin(struct replace *r, const char *path, struct error *err);
/* Puts it in path's place; keep_old: what was there becomes path.old. On failure the temporary is
 * gone. */
int replace_finish(struct replace *r, bool keep_old, struct error *err);
void replace_abandon(struct replace *r);

#endif
