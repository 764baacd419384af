/*
 * Another user's rights, by setfsuid and setfsgid. The raw setgroups is used because the C
 * library's changes all threads; here only the calling thread may change.
 */
#include "files/rights.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

#define ID_NOBODY 65534u
#define ID_QUERY  ((uid_t)-1) /* never valid: the call only tells the present one */

void rights_of_process(struct rights *r, const struct proc_status *status)
{
	r->uid = status->uid;
	r->gid = status->gid;
	r->group_count = 0;
	for (uint32_t i = 0; i < status->group_count && i < ARRAY_LEN(r->groups); i++)
		r->groups[r->group_count++] = status->groups[i];
}

void rights_of_everybody(struct rights *r)
{
	r->uid = ID_NOBODY;
	r->gid = ID_NOBODY;
	r->group_count = 0;
}

void rights_of_ourselves(struct rights *r)
{
	r->uid = geteuid();
	r->gid = getegid();
	r->group_count = 0;
}

static int save_groups(struct rights_saved *saved)
{
	int n = getgroups(0, NULL);

	if (n < 0)
		return -1;
	saved->groups = xcalloc((size_t)n + 1, sizeof(gid_t));
	n = getgroups(n, saved->groups);
	if (n < 0) {
		free_ptr(&saved->groups);
		return -1;
	}
	saved->group_count = (size_t)n;
	return 0;
}

static int set_thread_groups(size_t count, const gid_t *groups)
{
	return (int)syscall(SYS_setgroups, count, groups);
}

int rights_lower(const struct rights *r, struct rights_saved *saved)
{
	*saved = (struct rights_saved){ 0 };
	if (geteuid() != 0 || r->uid == 0)
		return 0;
	if (save_groups(saved) < 0)
		return -1;
	if (set_thread_groups(r->group_count, r->groups) < 0) {
		free_ptr(&saved->groups);
		return -1;
	}
	saved->gid = (gid_t)setfsgid(r->gid);
	setfsuid(r->uid);
	saved->lowered = true;
	if ((uid_t)setfsuid(ID_QUERY) != r->uid || (gid_t)setfsgid(ID_QUERY) != r->gid) {
		rights_restore(saved);
		errno = EPERM; /* an id that our user namespace does not know */
		return -1;
	}
	return 0;
}

void rights_restore(struct rights_saved *saved)
{
	int kept = errno;

	if (!saved->lowered)
		return;
	setfsuid(0);
	setfsgid(saved->gid);
	if ((uid_t)setfsuid(ID_QUERY) != 0 || (gid_t)setfsgid(ID_QUERY) != saved->gid ||
	    set_thread_groups(saved->group_count, saved->groups) < 0)
		abort();
	free_ptr(&saved->groups);
	saved->lowered = false;
	errno = kept;
}
