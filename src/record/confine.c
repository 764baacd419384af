/* Giving up descriptors, user and capabilities. */
#include "record/confine.h"

#include "base/compress.h"
#include "base/io.h"
#include "base/memory.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY			 65534u
#define OOM_ADJUST		 "500"
#define LAST_POSSIBLE_CAPABILITY 63

static bool is_kept(int fd, const int *keep, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (keep[i] == fd)
			return true;
	}
	return fd == STDERR_FILENO;
}

void confine_descriptors(const int *keep, size_t count)
{
	DIR *dir = opendir("/proc/self/fd");
	VEC(int) open_fds = { 0 };
	for (struct dirent *e; dir && (e = readdir(dir));) {
		int fd = atoi(e->d_name);
		if (e->d_name[0] != '.' && fd != dirfd(dir) && !is_kept(fd, keep, count))
			vec_push(&open_fds, fd);
	}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < open_fds.len; i++)
		close(open_fds.data[i]);
	vec_release(&open_fds);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 2 && null >= 0; fd++) {
		if (null != fd && !is_kept(fd, keep, count))
			dup3(null, fd, O_CLOEXEC);
	}
	if (null > 1)
		close(null);
}

/* When memory runs out, the recorder goes before the recorded: what it has flushed stays. */
static void go_first_when_memory_ends(void)
{
	CLEANUP_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)io_write_full(fd, OOM_ADJUST, sizeof(OOM_ADJUST) - 1);
}

/* A user namespace may not have the first choices. false: stays what it is. */
static bool change_user(void)
{
	static const uid_t choices[] = { CONFINE_USER, NOBODY };
	(void)setgroups(0, NULL); /* refused in some user namespaces: is_somebody_else tells */
	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		uid_t id = choices[i];
		if (setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0)
			return true;
	}
	return false;
}

static bool is_somebody_else(void)
{
	uid_t real, effective, saved;
	gid_t real_group, effective_group, saved_group;
	if (getresuid(&real, &effective, &saved) != 0 ||
	    getresgid(&real_group, &effective_group, &saved_group) != 0)
		return false;
	return real && effective && saved && real_group && effective_group && saved_group &&
	       getgroups(0, NULL) == 0;
}

/* Without CAP_SETPCAP the bounding set stays; there is nothing to gain it back with. */
static void shrink_bounding_set(void)
{
	for (unsigned long c = 0; c <= LAST_POSSIBLE_CAPABILITY; c++)
		prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	if (syscall(SYS_capset, &header, data) != 0 || syscall(SYS_capget, &header, data) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(data); i++) {
		if (data[i].effective | data[i].permitted | data[i].inheritable)
			return false;
	}
	return true;
}

static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	return syscall(SYS_capget, &header, data) == 0 && (data[0].permitted || data[1].permitted);
}

static int give_up_rights(struct error *err)
{
	bool was_root = geteuid() == 0, was_privileged = was_root || has_capabilities();
	shrink_bounding_set();
	bool changed = !was_root || (change_user() && is_somebody_else());
	bool dropped = drop_capabilities();
	if (was_privileged) /* for others of this user it is not to be traced */
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!dropped)
		return error_set(err, ERROR_SYSTEM, "the capabilities cannot be given up");
	if (!changed)
		return error_set(err, ERROR_SYSTEM,
				 "there is no other user or group here that it could become");
	return 0;
}

int confine_process(struct error *err)
{
	struct error why = { 0 };
	go_first_when_memory_ends();
	compress_prepare();
	int result = give_up_rights(err);
	const char *filter = secure_getenv("PROF_FILTER");
	bool kill = filter && !strcmp(filter, "kill");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		error_set_errno(&why, errno, "new privileges cannot be renounced");
	else
		confine_system_calls(kill, &why);
	if (result == 0 && why.code && err)
		*err = why;
	return why.code ? -1 : result;
}
