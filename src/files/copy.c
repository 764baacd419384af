/* A copy in a sealed memory file: nobody can change it or cut it, and reading it asks nobody. */
#include "files/copy.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "files/fs_kind.h"

/* It lies in memory for as long as somebody reads it. */
#define MAX_COPY_BYTES ((int64_t)512 << 20)
#define STEP_BYTES     ((size_t)1 << 20)

/* What the size promises may be missing. */
static int copy_bytes(int from, int to, int64_t size)
{
	CLEANUP_FREE char *buffer = xmalloc(STEP_BYTES);

	for (int64_t at = 0; at < size;) {
		size_t step = size - at < (int64_t)STEP_BYTES ? (size_t)(size - at) : STEP_BYTES;
		ssize_t n = io_pread_full(from, buffer, step, (off_t)at);
		if (n < 0 || (n > 0 && io_write_full(to, buffer, (size_t)n) < 0))
			return -1;
		if (n == 0)
			break;
		at += n;
	}
	return fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

int copy_if_remote(int fd, const char **why)
{
	struct stat st;

	if (fs_kind_of(fd) != FS_REMOTE)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_size > MAX_COPY_BYTES) {
		*why = "too large to be copied from a file system that may stop answering";
		return -1;
	}
	int copy = memfd_create("prof-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy >= 0 && copy_bytes(fd, copy, (int64_t)st.st_size) == 0) {
		close(fd);
		return copy;
	}
	if (copy >= 0)
		close(copy);
	*why = "it cannot be copied from its file system";
	return -1;
}
