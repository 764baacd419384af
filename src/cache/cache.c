/* The folder, and entries going in and out of it. */
#include "cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "cache/cache_private.h"

#define USED_STEP_NS INT64_C(60000000000) /* how exact the time of the last use is */

bool cache_is_unwanted(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME");

	return xdg && strcmp(xdg, "/dev/null") == 0;
}

const char *cache_ignored_home(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME");

	return xdg && *xdg && xdg[0] != '/' ? xdg : NULL;
}

/* The folder of caches: absolute, as the specification of XDG_CACHE_HOME demands. */
static char *base_path(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return xstrdup(xdg);
	return home && home[0] == '/' ? xasprintf("%s/.cache", home) : NULL;
}

/* Root is led by nobody's links, and does not touch folders of others, where sudo -E may lead it.
 */
static int open_checked(const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = geteuid() == 0 ? RESOLVE_NO_SYMLINKS : 0 };
	struct stat st;
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && geteuid() == 0 && (fstat(fd, &st) < 0 || st.st_uid != 0)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

static int open_base(const char *path, bool create)
{
	const char *slash = strrchr(path, '/');
	int fd = open_checked(path);

	if (fd >= 0 || errno != ENOENT || !create || !slash[1])
		return fd;
	CLEANUP_FREE char *parent = xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
	CLEANUP_CLOSE int above = open_checked(parent);
	if (above < 0 || (mkdirat(above, slash + 1, 0700) < 0 && errno != EEXIST))
		return -1;
	return open_checked(path);
}

static bool is_ours_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 0077);
}

/* The last component is never followed: what is found there must be our own folder. */
static int open_folder(int base, bool create)
{
	int fd = openat(base, "prof", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && create &&
	    (mkdirat(base, "prof", 0700) == 0 || errno == EEXIST))
		fd = openat(base, "prof", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !is_ours_alone(fd)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

/* Opening a link without following it says only that it is no folder. */
static bool is_link(const char *folder)
{
	struct stat st;

	return lstat(folder, &st) == 0 && S_ISLNK(st.st_mode);
}

static int fail(struct error *err, int errnum, const char *path)
{
	CLEANUP_FREE char *folder = xasprintf("%s/prof", path);

	if (is_link(folder))
		return error_set(err, ERROR_PERMISSION,
				 "%s: not used as a cache: it is a link, which is not followed",
				 folder);
	if (errnum == ELOOP && geteuid() == 0)
		return error_set(err, ERROR_PERMISSION,
				 "%s: not used as a cache: a link leads there, which root does not "
				 "follow",
				 folder);
	if (errnum == ENOENT)
		return error_set(err, ERROR_NOT_FOUND, "%s: there is no cache", folder);
	if (errnum == EPERM)
		return error_set(err, ERROR_PERMISSION,
				 "%s: not used as a cache: it is not a folder that belongs to "
				 "this user alone",
				 folder);
	return error_set_errno(err, errnum, "cannot open the cache %s", folder);
}

int cache_open(struct cache **out, bool create, struct error *err)
{
	CLEANUP_FREE char *path = base_path();

	*out = NULL;
	if (!path)
		return error_set(err, ERROR_NOT_FOUND,
				 "no cache: neither XDG_CACHE_HOME nor HOME is an absolute path");
	CLEANUP_CLOSE int base = open_base(path, create);
	if (base < 0)
		return fail(err, errno, path);
	int folder = open_folder(base, create);
	if (folder < 0)
		return fail(err, errno, path);
	struct cache *c = xcalloc(1, sizeof(*c));
	c->path = xasprintf("%s/prof", path);
	c->folder = folder;
	c->pending = -1;
	c->max_bytes = CACHE_MAX_BYTES;
	*out = c;
	return 0;
}

static void drop_pending(struct cache *c)
{
	if (c->pending < 0)
		return;
	close_fd_ptr(&c->pending);
	c->pending = -1;
	unlinkat(c->folder, c->pending_name, 0);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	drop_pending(c);
	close_fd_ptr(&c->folder);
	free(c->path);
	free(c);
}

const char *cache_path(const struct cache *c)
{
	return c->path;
}

void cache_set_max_bytes(struct cache *c, uint64_t max)
{
	c->max_bytes = max;
}

bool cache_is_name(const char *name)
{
	return strlen(name) == CACHE_NAME_LEN && strspn(name, "0123456789abcdef") == CACHE_NAME_LEN;
}

static bool is_usable(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       (uint64_t)st->st_size <= CACHE_MAX_ENTRY_BYTES;
}

static void mark_used(int fd, const struct stat *st)
{
	int64_t then = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	int64_t passed = (int64_t)clock_realtime_ns() - then;
	struct timespec now[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (passed > USED_STEP_NS || passed < 0)
		futimens(fd, now);
}

static int open_entry(struct cache *c, const char *name, struct stat *st)
{
	if (!cache_is_name(name))
		return -1;
	int fd = openat(c->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!is_usable(fd, st)) {
		close(fd);
		return -1;
	}
	return fd;
}

int cache_look_at_entry(struct cache *c, const char *name)
{
	struct stat st;

	return open_entry(c, name, &st);
}

int cache_open_entry(struct cache *c, const char *name)
{
	struct stat st;
	int fd = open_entry(c, name, &st);

	if (fd >= 0)
		mark_used(fd, &st);
	return fd;
}

int cache_create_entry(struct cache *c)
{
	drop_pending(c);
	snprintf(c->pending_name, sizeof(c->pending_name), CACHE_NEW_PREFIX "%d-%llx",
		 (int)getpid(), (unsigned long long)clock_monotonic_ns());
	c->pending =
		openat(c->folder, c->pending_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return c->pending;
}

int cache_commit_entry(struct cache *c, const char *name)
{
	struct stat st;
	int result = -1;

	errno = EINVAL;
	if (c->pending < 0 || !cache_is_name(name))
		return -1;
	if (!is_usable(c->pending, &st))
		errno = EFBIG;
	else if ((result = renameat(c->folder, c->pending_name, c->folder, name)) == 0)
		close_fd_ptr(&c->pending);
	if (result < 0) {
		int kept = errno;
		drop_pending(c);
		errno = kept;
		return -1;
	}
	c->pending = -1;
	cache_trim(c);
	return 0;
}
