/* struct files: checks what every implementation needs checked, then calls it. */
#include "files/files_internal.h"

#include <errno.h>
#include <unistd.h>

#include "cache/cache.h"

void files_free(struct files *f)
{
	if (f)
		f->ops->free(f);
}

int files_open_mapped(struct files *f, const struct files_mapped *which, int *fd,
		      enum files_source *source, struct error *err)
{
	*fd = -1;
	return f->ops->open_mapped(f, which, fd, source, err);
}

/* Nothing is opened where every source is skipped, but every implementation looks at the process
 * first. */
void files_remember(struct files *f, pid_t pid)
{
	struct files_mapped nothing = { .pid = pid, .path = "", .skip = ~0u };
	enum files_source source;
	int fd;

	if (files_open_mapped(f, &nothing, &fd, &source, NULL) == 0)
		close(fd);
}

int files_open_path(struct files *f, pid_t pid, const char *path, int *fd, struct error *err)
{
	*fd = -1;
	if (path[0] != '/')
		return error_set(err, ERROR_NOT_FOUND, "not an absolute path: %s", path);
	return f->ops->open_path(f, pid, path, fd, err);
}

int files_open_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	*fd = -1;
	return f->ops->open_perf_map(f, pid, fd, err);
}

int files_open_old_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	*fd = -1;
	if (pid <= 0)
		return error_set(err, ERROR_NOT_FOUND, "not a process: %d", (int)pid);
	return f->ops->open_old_perf_map(f, pid, fd, err);
}

int files_read_proc(struct files *f, enum files_proc what, pid_t pid, pid_t tid, struct bytes *out,
		    struct error *err)
{
	return f->ops->read_proc(f, what, pid, tid, out, err);
}

ssize_t files_read_memory(struct files *f, pid_t pid, uint64_t address, void *out, size_t len)
{
	if (len > FILES_MAX_MEMORY_BYTES || pid <= 0) {
		errno = EINVAL;
		return -1;
	}
	return f->ops->read_memory(f, pid, address, out, len);
}

int files_cache_open(struct files *f, const char *name, int *fd)
{
	*fd = -1;
	return cache_is_name(name) ? f->ops->cache_open(f, name, fd) : -1;
}

int files_cache_create(struct files *f, int *fd)
{
	*fd = -1;
	return f->ops->cache_create(f, fd);
}

int files_cache_commit(struct files *f, const char *name)
{
	return cache_is_name(name) ? f->ops->cache_commit(f, name) : -1;
}
