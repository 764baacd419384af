/* Roots of mount namespaces by process. Bounded in number and in time, because an open root keeps a
 * container's file systems mounted. */
#include "files/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"

#define MAX_ROOTS     64
#define MAX_PROCESSES 16384
#define KEEP_NS	      (60 * UINT64_C(1000000000))
#define MAX_STATUS    ((size_t)64 << 10)

static bool same_key(const struct root_key *a, const struct root_key *b)
{
	return a->mount_ns == b->mount_ns && a->dev == b->dev && a->ino == b->ino;
}

static void drop_root(struct roots *r, size_t i)
{
	close_fd_ptr(&r->roots.data[i].root_fd);
	close_fd_ptr(&r->roots.data[i].ns_fd);
	r->roots.data[i] = r->roots.data[--r->roots.len];
}

static void drop_unused(struct roots *r, uint64_t now)
{
	size_t oldest = 0;

	for (size_t i = r->roots.len; i-- > 0;)
		if (now - r->roots.data[i].used_ns > KEEP_NS)
			drop_root(r, i);
	if (r->roots.len < MAX_ROOTS)
		return;
	for (size_t i = 1; i < r->roots.len; i++)
		if (r->roots.data[i].used_ns < r->roots.data[oldest].used_ns)
			oldest = i;
	drop_root(r, oldest);
}

static struct mount_root *find_root(struct roots *r, const struct root_key *key)
{
	for (size_t i = 0; i < r->roots.len; i++)
		if (same_key(&r->roots.data[i].key, key))
			return &r->roots.data[i];
	return NULL;
}

/* dir: /proc/PID or /proc/self. Its root as *root_fd (owned by the caller). false with errno. */
static bool read_key(int dir, struct root_key *key, int *root_fd)
{
	struct stat ns, root;

	*root_fd = openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*root_fd < 0)
		return false;
	if (fstat(*root_fd, &root) < 0 || fstatat(dir, "ns/mnt", &ns, 0) < 0) {
		int errnum = errno;
		close_fd_ptr(root_fd);
		errno = errnum;
		return false;
	}
	*key = (struct root_key){ ns.st_ino, root.st_dev, root.st_ino };
	return true;
}

/* Remember the root of the living process behind dir. */
static bool keep_root(struct roots *r, int dir, struct root_key *key)
{
	uint64_t now = clock_monotonic_ns();
	int root_fd;

	if (!read_key(dir, key, &root_fd))
		return false;
	struct mount_root *known = find_root(r, key);
	if (known) {
		close(root_fd);
		known->used_ns = now;
		return true;
	}
	drop_unused(r, now);
	int ns_fd = openat(dir, "ns/mnt", O_RDONLY | O_CLOEXEC);
	vec_push(&r->roots, ((struct mount_root){ *key, root_fd, ns_fd, now }));
	return true;
}

static bool read_status(int dir, struct proc_status *status)
{
	struct bytes text = { 0 };
	CLEANUP_CLOSE int fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && io_read_all(fd, &text, MAX_STATUS, NULL) == 0 &&
		  proc_status_parse((const char *)text.data, text.len, status);

	bytes_release(&text);
	return ok;
}

static struct known_process *slot_for(struct roots *r, pid_t pid)
{
	uint32_t i = hmap_get(&r->by_pid, (uint64_t)pid);

	if (i != HMAP_NONE)
		return &r->processes.data[i];
	if (r->processes.len >= MAX_PROCESSES) {
		hmap_clear(&r->by_pid);
		vec_clear(&r->processes);
	}
	hmap_put(&r->by_pid, (uint64_t)pid, (uint32_t)r->processes.len);
	vec_push(&r->processes, (struct known_process){ 0 });
	return &r->processes.data[r->processes.len - 1];
}

/* A process that ends gives its root up some time before it is a zombie, and may wait in between.
 */
static bool is_ending(int dir, int errnum)
{
	struct proc_status status;

	return errnum == ENOENT || errnum == ESRCH || !read_status(dir, &status) ||
	       status.state == 'Z' || status.state == 'X';
}

/* Everything is read below one descriptor of /proc/PID, so it belongs to one process. */
static void look_at_living(struct roots *r, pid_t pid)
{
	char path[32];
	struct proc_status status;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	CLEANUP_CLOSE int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || !read_status(dir, &status))
		return;
	struct known_process *p = slot_for(r, pid);
	struct root_key key;
	rights_of_process(&p->rights, &status);
	p->inner_pid = status.inner_pid;
	if (keep_root(r, dir, &key)) {
		p->key = key;
		p->has_root = true;
	} else if (!is_ending(dir, errno)) {
		p->has_root = false; /* of one that ends what was known stays */
	}
}

static bool is_own_root(const struct root_key *key)
{
	struct root_key own;
	int root_fd;
	CLEANUP_CLOSE int dir = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0 || !read_key(dir, &own, &root_fd))
		return false;
	close(root_fd);
	return same_key(&own, key);
}

void roots_find(struct roots *r, pid_t pid, struct place *out)
{
	*out = (struct place){ .root_fd = -1 };
	rights_of_everybody(&out->rights);
	look_at_living(r, pid);
	uint32_t i = hmap_get(&r->by_pid, (uint64_t)pid);
	if (i == HMAP_NONE)
		return;
	const struct known_process *p = &r->processes.data[i];
	out->known = true;
	out->rights = p->rights;
	out->inner_pid = p->inner_pid;
	if (!p->has_root)
		return;
	struct mount_root *root = find_root(r, &p->key);
	if (root) {
		root->used_ns = clock_monotonic_ns();
		out->root_fd = root->root_fd;
	}
	out->is_foreign = !is_own_root(&p->key);
}

void roots_release(struct roots *r)
{
	while (r->roots.len > 0)
		drop_root(r, r->roots.len - 1);
	vec_release(&r->roots);
	vec_release(&r->processes);
	hmap_release(&r->by_pid);
}
