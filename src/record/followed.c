/* Membership by start time and ancestors, as /proc says. */
#include "record/followed.h"

#include "files/proc_maps.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_ANCESTORS 64
#define MAX_MEMBERS   65536

/* What is looked at of one process. */
struct look {
	uint64_t start_ticks;
	struct proc_status status;
	bool one_user; /* real, effective, saved and file system user are the same */
};

static bool read_text(const struct followed *f, enum files_proc what, pid_t pid, struct bytes *out)
{
	bytes_clear(out);
	return files_read_proc(f->files, what, pid, 0, out, NULL) == 0;
}

static bool has_one_user(const char *text, size_t len)
{
	static const char key[] = "\nUid:\t";
	const char *at = memmem(text, len, key, sizeof(key) - 1);
	unsigned real, effective, saved, files;
	char line[64] = "";

	if (!at)
		return false;
	size_t left = len - (size_t)(at - text);
	memcpy(line, at, left < sizeof(line) ? left : sizeof(line) - 1);
	return sscanf(line + sizeof(key) - 1, "%u\t%u\t%u\t%u", &real, &effective, &saved,
		      &files) == 4 &&
	       real == effective && real == saved && real == files;
}

/* false: gone. */
static bool look_at(const struct followed *f, pid_t pid, struct look *out)
{
	struct bytes text = { 0 };
	bool ok = read_text(f, FILES_PROC_STAT, pid, &text) &&
		  proc_stat_start_ticks((const char *)text.data, text.len, &out->start_ticks) &&
		  read_text(f, FILES_PROC_STATUS, pid, &text) &&
		  proc_status_parse((const char *)text.data, text.len, &out->status);

	out->one_user = ok && has_one_user((const char *)text.data, text.len);
	bytes_release(&text);
	return ok;
}

static bool is_member(const struct followed *f, pid_t pid, uint64_t start_ticks)
{
	uint32_t i = hmap_get(&f->by_pid, (uint64_t)pid);
	return i != HMAP_NONE && f->members.data[i].start_ticks == start_ticks;
}

static void note_user(struct followed *f, uint32_t user)
{
	for (size_t i = 0; i < f->user_count; i++) {
		if (f->users[i] == user)
			return;
	}
	if (f->user_count < FOLLOWED_MAX_USERS)
		f->users[f->user_count++] = user;
}

static bool has_user(const struct followed *f, uint32_t user)
{
	for (size_t i = 0; i < f->user_count; i++) {
		if (f->users[i] == user || f->users[i] == 0)
			return true;
	}
	return false;
}

/* The living are found again by their ancestors. */
static void forget_descendants(struct followed *f)
{
	hmap_clear(&f->by_pid);
	f->members.len = f->added;
	for (size_t i = 0; i < f->members.len; i++)
		hmap_put(&f->by_pid, (uint64_t)f->members.data[i].pid, (uint32_t)i);
}

static void add_member(struct followed *f, pid_t pid, const struct look *l)
{
	struct followed_process p = { pid, l->start_ticks };

	if (f->members.len >= MAX_MEMBERS + f->added)
		forget_descendants(f);
	hmap_put(&f->by_pid, (uint64_t)pid, (uint32_t)f->members.len);
	vec_push(&f->members, p);
	if (l->one_user)
		note_user(f, l->status.uid);
}

/* A parent that began after its child is another process with the number of the former one. */
static bool descends(const struct followed *f, const struct look *l)
{
	struct look now = *l;

	for (int i = 0; i < MAX_ANCESTORS; i++) {
		pid_t parent = (pid_t)now.status.ppid;
		uint64_t born = now.start_ticks;
		if (parent <= 0 || !look_at(f, parent, &now) || now.start_ticks > born)
			return false;
		if (is_member(f, parent, now.start_ticks))
			return true;
	}
	return false;
}

static bool is_lost_child(const struct followed *f, const struct look *l)
{
	return l->start_ticks >= f->since_ticks && l->one_user && has_user(f, l->status.uid);
}

uint64_t followed_now_ticks(void)
{
	struct timespec now = { 0 };
	uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000;
}

void followed_init(struct followed *f, struct files *files, uint64_t since_ticks, bool everything)
{
	*f = (struct followed){ .files = files,
				.since_ticks = since_ticks,
				.everything = everything };
}

static void forget_recent(struct followed *f, unsigned i)
{
	if (f->recent[i].pid)
		close(f->recent[i].fd);
	f->recent[i].pid = 0;
}

void followed_release(struct followed *f)
{
	for (unsigned i = 0; i < FOLLOWED_RECENT; i++)
		forget_recent(f, i);
	hmap_release(&f->by_pid);
	vec_release(&f->members);
}

void followed_add(struct followed *f, pid_t pid)
{
	struct look l;

	if (!look_at(f, pid, &l))
		return;
	add_member(f, pid, &l);
	f->added = f->members.len;
}

/* The number may be a thread's: /proc knows those too. */
static bool is_followed(struct followed *f, pid_t pid, const struct look *l)
{
	pid_t process = (pid_t)l->status.tgid;

	if (is_member(f, pid, l->start_ticks))
		return true;
	if (process != pid && process > 0) {
		struct look of_process;
		return look_at(f, process, &of_process) && is_followed(f, process, &of_process);
	}
	if (!descends(f, l) && !is_lost_child(f, l))
		return false;
	add_member(f, pid, l);
	return true;
}

/* Memory of a process may be asked for many times a second. */
static bool was_allowed_lately(struct followed *f, pid_t pid)
{
	for (unsigned i = 0; i < FOLLOWED_RECENT; i++) {
		if (f->recent[i].pid != pid)
			continue;
		struct pollfd p = { .fd = f->recent[i].fd, .events = POLLIN };
		if (poll(&p, 1, 0) == 0)
			return true;
		forget_recent(f, i); /* it has ended */
	}
	return false;
}

static void remember_recent(struct followed *f, pid_t pid, int fd)
{
	unsigned i = f->next_recent++ % FOLLOWED_RECENT;

	forget_recent(f, i);
	f->recent[i].pid = pid;
	f->recent[i].fd = fd;
}

static enum files_access look_and_decide(struct followed *f, pid_t pid)
{
	struct look l;

	if (!look_at(f, pid, &l))
		return FILES_GONE;
	return is_followed(f, pid, &l) ? FILES_ALLOWED : FILES_REFUSED;
}

enum files_access followed_access(void *ctx, pid_t pid)
{
	struct followed *f = ctx;

	if (pid <= 0)
		return FILES_REFUSED;
	if (f->everything)
		return FILES_ALLOWED;
	if (was_allowed_lately(f, pid))
		return FILES_ALLOWED;
	/* Before the look, so that both are of one process; kernels before 5.3 have none. */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	enum files_access access = look_and_decide(f, pid);
	if (access == FILES_ALLOWED && fd >= 0)
		remember_recent(f, pid, fd);
	else if (fd >= 0)
		close(fd);
	return access;
}
