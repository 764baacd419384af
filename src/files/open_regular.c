/*
 * A path is first opened as a mere place (O_PATH), which touches no device, pipe or socket; only
 * when that is a regular file it is opened for reading, through /proc/self/fd, where the kernel
 * checks the rights again.
 */
#include "files/open_regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/fs_kind.h"

#define RETRIES 10

static int reopen_regular(int place)
{
	char self[48];
	struct stat st;

	if (fstat(place, &st) < 0)
		return -1;
	/* Those of /proc and its like say that they are regular. */
	if (!S_ISREG(st.st_mode) || fs_kind_of(place) == FS_PSEUDO) {
		errno = EINVAL;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	return open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* Closes place, keeps errno. */
static int finish(int place)
{
	if (place < 0)
		return -1;
	int fd = reopen_regular(place);
	int kept = errno;
	close(place);
	errno = kept;
	return fd;
}

int open_regular(const char *path, int flags)
{
	return finish(open(path, O_PATH | O_CLOEXEC | flags));
}

static int place_in_root(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	for (int i = 0; i < RETRIES; i++) {
		long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		/* EAGAIN: a rename somewhere raced with a "..". */
		if (fd >= 0 || errno != EAGAIN)
			return (int)fd;
	}
	return -1;
}

int open_regular_in_root(int root, const char *path, int flags)
{
	int place = place_in_root(root, path, flags);

	/* Kernels before 5.6 lack openat2; old container filters refuse it with EPERM. */
	if (place < 0 && (errno == ENOSYS || errno == EPERM)) {
		while (*path == '/')
			path++;
		place = openat(root, path, O_PATH | O_CLOEXEC | flags);
	}
	return finish(place);
}
