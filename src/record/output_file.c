/* Creating, publishing and dropping the output file. */
#include "record/output_file.h"

#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Under sudo, files belong to the invoking user. */
static void give_to_invoker(int fd)
{
	uint64_t uid, gid;
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	if (geteuid() != 0 || !u || !g || !text_parse_u64(u, &uid) || !text_parse_u64(g, &gid))
		return;
	if (uid > UINT32_MAX || gid > UINT32_MAX || fchown(fd, (uid_t)uid, (gid_t)gid) != 0)
		return; /* stays root's: still readable by root */
}

static int open_special(struct output_file *f, struct error *err)
{
	f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (f->fd < 0)
		return error_set_errno(err, errno, "cannot write %s", f->path);
	return 0;
}

int output_file_open(struct output_file *f, const char *path, struct error *err)
{
	struct stat st;
	*f = (struct output_file){ .fd = -1 };
	if (path && !strcmp(path, "-")) {
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return f->fd < 0 ? error_set_errno(err, errno, "cannot write to standard output")
				 : 0;
	}
	if (path && !*path)
		return error_set(err, ERROR_USAGE, "-o: an empty file name");
	f->path = xstrdup(path ? path : "prof.data");
	if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return error_set_errno(err, EISDIR, "cannot write %s (name a file with -o)",
					       f->path);
		return open_special(f, err);
	}
	return 0;
}

int output_file_create(struct output_file *f, struct error *err)
{
	if (f->fd >= 0)
		return 0;
	f->temporary = xasprintf("%s.XXXXXX", f->path);
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	if (f->fd < 0) {
		int errnum = errno;
		free(f->temporary);
		f->temporary = NULL;
		return error_set_errno(err, errnum,
				       "cannot create %s (choose another place with -o FILE)",
				       f->path);
	}
	give_to_invoker(f->fd);
	return 0;
}

int output_file_publish(struct output_file *f, struct error *err)
{
	if (!f->temporary)
		return 0;
	char *old = xasprintf("%s.old", f->path);
	int kept = rename(f->path, old);
	if (kept != 0 && errno != ENOENT)
		error_set_errno(err, errno, "cannot keep the former %s as %s", f->path, old);
	free(old);
	if (kept != 0 && errno != ENOENT)
		return -1;
	if (rename(f->temporary, f->path) != 0)
		return error_set_errno(err, errno, "cannot create %s", f->path);
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

void output_file_close(struct output_file *f)
{
	if (f->temporary)
		unlink(f->temporary);
	if (f->fd >= 0)
		close(f->fd);
	free(f->temporary);
	free(f->path);
	*f = (struct output_file){ .fd = -1 };
}
