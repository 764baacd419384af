/* A file written beside its place and renamed into it. */
#include "cmd/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

int replace_begin(struct replace *r, const char *path, uint32_t mode, struct error *err)
{
	if (mode == REPLACE_USUAL_MODE)
		mode = usual_mode();
	r->path = xstrdup(path);
	r->temporary = xasprintf("%s.XXXXXX", path);
	r->fd = mkostemp(r->temporary, O_CLOEXEC);
	if (r->fd >= 0 && fchmod(r->fd, mode & 0777) == 0)
		return 0;
	error_set_errno(err, errno, "%s", path);
	replace_abandon(r);
	return -1;
}

static int keep(const char *path)
{
	CLEANUP_FREE char *old = xasprintf("%s.old", path);

	return rename(path, old) == 0 || errno == ENOENT ? 0 : -1;
}

int replace_finish(struct replace *r, bool keep_old, struct error *err)
{
	int rc = 0;

	if ((keep_old && keep(r->path) < 0) || rename(r->temporary, r->path) < 0) {
		rc = error_set_errno(err, errno, "%s", r->path);
	} else {
		free_ptr(&r->temporary);
		r->temporary = NULL;
	}
	replace_abandon(r);
	return rc;
}

void replace_abandon(struct replace *r)
{
	close_fd_ptr(&r->fd);
	if (r->temporary)
		unlink(r->temporary);
	free_ptr(&r->temporary);
	free_ptr(&r->path);
}
