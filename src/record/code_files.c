/* The files in which a process tells of its code: finding, opening and following them. */
#include "record/codes_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

#define QUEUES_MAX    ((size_t)16 << 20) /* what waits to take effect */
#define QUEUE_MIN     ((size_t)64 << 10)
#define LOOK_BYTES    ((uint64_t)8 << 20) /* of all files in one look */
#define IMPORT_BYTES  ((uint64_t)64 << 20)
#define FEEDS_MAX     ((size_t)256) /* files followed at a time */
#define RETRY_MAX_NS  3200000000ull
#define REOPEN_NS     5000000000ull /* another file may have taken its place */
#define SETTLED_NS    1000000000ull /* records are never later than this */
#define CLOCK_TICK_NS 10000000ull   /* of /proc/PID/stat */

/* When a process began, in CLOCK_BOOTTIME; 0 when it cannot be told. */
static uint64_t begun_ns(struct files *files, pid_t pid)
{
	struct bytes text = { 0 };
	uint64_t ticks = 0;

	if (files_read_proc(files, FILES_PROC_STAT, pid, 0, &text, NULL) == 0) {
		bytes_u8(&text, 0);
		const char *at = strrchr((const char *)text.data, ')');
		for (int field = 2; at && field < 22; field++)
			at = strchr(at + 1, ' ');
		ticks = at ? strtoull(at, NULL, 10) : 0;
	}
	bytes_release(&text);
	return ticks * CLOCK_TICK_NS;
}

/* A file that nobody touched since the process began is of another that had its number. */
static bool is_stale(struct codes *c, const struct process *p, const struct stat *st)
{
	struct timespec boot;
	uint64_t now = clock_realtime_ns(), begun = begun_ns(c->config.files, p->pid);
	uint64_t changed =
		(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;

	if (!begun || changed >= now || clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
		return false;
	uint64_t age = now - changed;
	uint64_t up = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
	return age > up || up - age + SETTLED_NS < begun;
}

static int open_text(struct codes *c, struct process *p)
{
	struct stat st;
	int fd;

	if (c->config.imported)
		return files_open_old_perf_map(c->config.files, p->pid, &fd, NULL) < 0 ? -1 : fd;
	if (files_open_perf_map(c->config.files, p->pid, &fd, NULL) < 0)
		return -1;
	if (fstat(fd, &st) == 0 && !is_stale(c, p, &st))
		return fd;
	close(fd);
	return -1;
}

static int open_dump(struct codes *c, struct process *p)
{
	struct files_mapped which = {
		.pid = c->config.imported ? 0 : p->pid,
		.start = p->dump_file.start,
		.end = p->dump_file.end,
		.path = p->dump_file.path,
	};
	enum files_source source;
	int fd;

	return files_open_mapped(c->config.files, &which, &fd, &source, NULL) < 0 ? -1 : fd;
}

/* The one that is read, or was read last: what has been read of it is not read again. */
static bool is_same_file(const struct code_feed *f, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && f->inode && st.st_dev == f->device && st.st_ino == f->inode;
}

/* Opens the file when it is due: the first time, again while it is missing, and to see whether
 * another one has taken its place. True when it is another one than before. */
static bool open_feed(struct codes *c, struct process *p, struct code_feed *f, uint64_t now_ns)
{
	uint64_t *due_ns = &p->open_due_ns[f->kind], *wait_ns = &p->open_wait_ns[f->kind];
	bool is_open = f->fd >= 0;

	if (now_ns < *due_ns || (*due_ns && !p->is_sampled) || (!is_open && c->feeds >= FEEDS_MAX))
		return false;
	if (f->kind == CODE_FEED_DUMP && (!p->dump_file.path || (p->is_lazy && !p->is_sampled)))
		return false;
	int fd = f->kind == CODE_FEED_MAP ? open_text(c, p) : open_dump(c, p);
	if (fd < 0) {
		*due_ns = now_ns + *wait_ns;
		*wait_ns *= *wait_ns < RETRY_MAX_NS ? 2 : 1;
		return false;
	}
	*due_ns = now_ns + REOPEN_NS;
	*wait_ns = CODE_RETRY_NS;
	c->feeds += !is_open;
	if (is_same_file(f, fd)) {
		code_feed_reopen(f, fd);
		return false;
	}
	code_feed_open(f, fd);
	return true;
}

static void close_feed(struct codes *c, struct code_feed *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	c->feeds--;
}

/* Takes what it reads off from look->read_max. */
static void look_at(struct codes *c, struct process *p, struct code_feed *f, struct code_look *look,
		    uint64_t now_ns)
{
	open_feed(c, p, f, now_ns);
	uint64_t before = f->position;
	look->is_last = p->is_ended || c->config.imported;
	bool has_more = code_feed_look(f, look);
	if (f->is_unlinked && p->open_due_ns[f->kind] > now_ns + p->open_wait_ns[f->kind])
		p->open_due_ns[f->kind] = now_ns;
	if (f->is_unlinked && open_feed(c, p, f, now_ns)) {
		before = 0;
		has_more = code_feed_look(f, look);
	}
	uint64_t done = f->position > before ? f->position - before : 0;
	look->read_max -= done < look->read_max ? done : look->read_max;
	c->has_more |= has_more;
	p->left_out |= f->left_out;
	/* Of an ended process nothing more comes. Its jitdump's code may still be wanted. */
	if (p->is_ended && !has_more && f->kind == CODE_FEED_MAP)
		close_feed(c, f);
}

static struct code_look new_look(const struct codes *c, uint64_t now_ns)
{
	size_t share = QUEUES_MAX / (c->feeds + 1);

	return (struct code_look){
		/* An imported file tells of times that the records have not come to yet. */
		.now_ns = c->config.imported ? UINT64_MAX : now_ns,
		.realtime_ns = clock_realtime_ns(),
		.read_max = c->config.imported ? IMPORT_BYTES : LOOK_BYTES,
		.queue_max = share > QUEUE_MIN ? share : QUEUE_MIN,
	};
}

void codes_look_at_dump(struct codes *c, struct process *p)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct code_look look = new_look(c, now_ns);

	look_at(c, p, &p->dump, &look, now_ns);
	codes_set_next(c);
}

void codes_look(struct codes *c, uint64_t now_ns)
{
	if (c->processes.len == 0 || (c->config.imported && !c->has_more))
		return;
	c->has_more = false;
	struct code_look look = new_look(c, now_ns);
	/* Not always the same ones first: they could use up what may be read. */
	c->first_looked++;
	for (size_t i = 0; i < c->processes.len; i++) {
		struct process *p = c->processes.data[(i + c->first_looked) % c->processes.len];
		look_at(c, p, &p->text, &look, now_ns);
		look_at(c, p, &p->dump, &look, now_ns);
	}
	codes_set_next(c);
	codes_look_registered(c, now_ns);
	codes_copy_wanted(c);
	if (!c->config.imported && now_ns > SETTLED_NS)
		codes_advance(c, now_ns - SETTLED_NS);
}
