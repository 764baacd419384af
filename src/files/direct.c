/* Opening by this process itself: whose rights and which root for which kind of path. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/cache.h"
#include "files/files_internal.h"
#include "files/open_regular.h"
#include "files/rights.h"
#include "files/roots.h"

#define DELETED " (deleted)"

struct direct {
	struct files base;
	struct roots roots;
	struct cache *cache; /* opened when it is first asked for */
	bool cache_tried;
};

static struct direct *as_direct(struct files *f)
{
	return (struct direct *)(void *)f;
}

static size_t length_without_deleted(const char *path)
{
	size_t len = strlen(path), tail = strlen(DELETED);

	return len > tail && strcmp(path + len - tail, DELETED) == 0 ? len - tail : len;
}

/* root_fd -1: our own root. flags as open_regular's. */
static int open_with_rights(int root_fd, const char *path, const struct rights *rights, int flags)
{
	struct rights_saved saved;

	if (rights_lower(rights, &saved) < 0)
		return -1;
	int fd = root_fd < 0 ? open_regular(path, flags)
			     : open_regular_in_root(root_fd, path, flags);
	rights_restore(&saved);
	return fd;
}

/* A path of the kernel's: as it stands (files may really be called so), then without " (deleted)".
 */
static int open_named(int root_fd, const char *path, const struct rights *rights)
{
	size_t len = length_without_deleted(path);

	if (path[0] != '/') {
		errno = ENOENT;
		return -1;
	}
	int fd = open_with_rights(root_fd, path, rights, 0);
	if (fd >= 0 || path[len] == '\0')
		return fd;
	char *stripped = xstrndup(path, len);
	fd = open_with_rights(root_fd, stripped, rights, 0);
	int kept = errno;
	free(stripped);
	errno = kept;
	return fd;
}

static int from_map_files(const struct files_mapped *which, const struct place *place)
{
	char path[96];

	(void)place;
	if (geteuid() != 0) { /* the kernel refuses others */
		errno = ENOENT;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)which->pid,
		 (unsigned long long)which->start, (unsigned long long)which->end);
	return open_regular(path, 0);
}

/* Under another root the link shows a longer path than the mapping: the last component has to do.
 * Whether the file is the right one is checked by its content anyway. */
static bool may_be_same_file(const char *link, const char *path)
{
	const char *a = strrchr(link, '/'), *b = strrchr(path, '/');

	if (!a || !b)
		return false;
	size_t len = length_without_deleted(a);
	return len == length_without_deleted(b) && memcmp(a, b, len) == 0;
}

static int from_exe(const struct files_mapped *which, const struct place *place)
{
	char path[32], link[PATH_MAX];

	(void)place;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)which->pid);
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -1;
	link[n] = '\0';
	if (!may_be_same_file(link, which->path)) {
		errno = ENOENT;
		return -1;
	}
	return open_regular(path, 0);
}

static int from_root(const struct files_mapped *which, const struct place *place)
{
	if (place->root_fd < 0) {
		errno = ENOENT;
		return -1;
	}
	return open_named(place->root_fd, which->path, &place->rights);
}

static int from_path(const struct files_mapped *which, const struct place *place)
{
	if (place->is_foreign) {
		errno = ENOENT;
		return -1;
	}
	return open_named(-1, which->path, &place->rights);
}

static int (*const sources[FILES_SOURCE_COUNT])(const struct files_mapped *,
						const struct place *) = {
	[FILES_FROM_MAP_FILES] = from_map_files,
	[FILES_FROM_EXE] = from_exe,
	[FILES_FROM_ROOT] = from_root,
	[FILES_FROM_PATH] = from_path,
};

static void find_place(struct direct *d, pid_t pid, struct place *place)
{
	if (pid > 0) {
		roots_find(&d->roots, pid, place);
		return;
	}
	*place = (struct place){ .root_fd = -1 };
	rights_of_ourselves(&place->rights);
}

static int direct_open_mapped(struct files *f, const struct files_mapped *which, int *fd,
			      enum files_source *source, struct error *err)
{
	struct place place;
	int errnum = ENOENT;

	find_place(as_direct(f), which->pid, &place);
	for (unsigned s = which->pid > 0 ? 0 : FILES_FROM_PATH; s < FILES_SOURCE_COUNT; s++) {
		if (which->skip & (1u << s))
			continue;
		*fd = sources[s](which, &place);
		if (*fd >= 0) {
			*source = (enum files_source)s;
			return 0;
		}
		/* Without descriptors the later places fail for reasons that follow from it. */
		if (errno != ENOENT && errno != ESRCH && errnum != EMFILE && errnum != ENFILE)
			errnum = errno;
	}
	return error_set_errno(err, errnum, "cannot open %s", which->path);
}

static int open_at_place(const struct place *place, pid_t pid, const char *path, int flags, int *fd,
			 struct error *err)
{
	if (place->is_foreign && place->root_fd < 0)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s: the mount namespace of process %d is gone", path, (int)pid);
	*fd = open_with_rights(place->root_fd, path, &place->rights, flags);
	if (*fd < 0)
		return error_set_errno(err, errno, "cannot open %s", path);
	return 0;
}

static int direct_open_path(struct files *f, pid_t pid, const char *path, int *fd,
			    struct error *err)
{
	struct place place;

	find_place(as_direct(f), pid, &place);
	return open_at_place(&place, pid, path, 0, fd, err);
}

static bool owned_by(int fd, uid_t uid)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == uid || st.st_uid == 0);
}

static int direct_open_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	struct place place;
	char path[48];

	find_place(as_direct(f), pid, &place);
	if (!place.known)
		return error_set(err, ERROR_NOT_FOUND, "process %d is gone", (int)pid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", place.inner_pid);
	/* Everybody may put something at this path. */
	if (open_at_place(&place, pid, path, O_NOFOLLOW, fd, err) < 0)
		return -1;
	if (owned_by(*fd, place.rights.uid))
		return 0;
	close_fd_ptr(fd);
	*fd = -1;
	return error_set(err, ERROR_PERMISSION,
			 "%s belongs neither to the user of process %d nor to root: not read", path,
			 (int)pid);
}

static int direct_open_old_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	struct place place;
	char path[48];

	find_place(as_direct(f), 0, &place);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	if (open_at_place(&place, 0, path, O_NOFOLLOW, fd, err) < 0)
		return -1;
	if (place.rights.uid == 0 || owned_by(*fd, place.rights.uid))
		return 0;
	close_fd_ptr(fd);
	*fd = -1;
	return error_set(err, ERROR_PERMISSION, "%s belongs to another user: not read", path);
}

static int direct_read_proc(struct files *f, enum files_proc what, pid_t pid, pid_t tid,
			    struct bytes *out, struct error *err)
{
	(void)f;
	return proc_read(what, pid, tid, out, err);
}

static ssize_t direct_read_memory(struct files *f, pid_t pid, uint64_t address, void *out,
				  size_t len)
{
	(void)f;
	return process_read_memory(pid, address, out, len);
}

static struct cache *cache_of(struct files *f)
{
	struct direct *d = as_direct(f);

	if (!d->cache_tried)
		cache_open(&d->cache, true, NULL);
	d->cache_tried = true;
	return d->cache;
}

static int direct_cache_open(struct files *f, const char *name, int *fd)
{
	struct cache *c = cache_of(f);

	*fd = c ? cache_open_entry(c, name) : -1;
	return *fd < 0 ? -1 : 0;
}

/* The caller gets a descriptor of its own; the cache keeps one to know what it puts in place. */
static int direct_cache_create(struct files *f, int *fd)
{
	struct cache *c = cache_of(f);
	int own = c ? cache_create_entry(c) : -1;

	*fd = own < 0 ? -1 : fcntl(own, F_DUPFD_CLOEXEC, 3);
	return *fd < 0 ? -1 : 0;
}

static int direct_cache_commit(struct files *f, const char *name)
{
	struct cache *c = cache_of(f);

	return c ? cache_commit_entry(c, name) : -1;
}

static void direct_free(struct files *f)
{
	cache_free(as_direct(f)->cache);
	roots_release(&as_direct(f)->roots);
	free(f);
}

static const struct files_ops direct_ops = {
	.open_mapped = direct_open_mapped,
	.open_path = direct_open_path,
	.open_perf_map = direct_open_perf_map,
	.open_old_perf_map = direct_open_old_perf_map,
	.read_proc = direct_read_proc,
	.read_memory = direct_read_memory,
	.cache_open = direct_cache_open,
	.cache_create = direct_cache_create,
	.cache_commit = direct_cache_commit,
	.free = direct_free,
};

struct files *files_direct_new(void)
{
	struct direct *d = xcalloc(1, sizeof(*d));

	d->base.ops = &direct_ops;
	return &d->base;
}
