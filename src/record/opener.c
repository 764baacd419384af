/* An opener's own life: serve until the worker is gone. */
#include "record/opener_shared.h"

#include "base/io.h"
#include "files/files.h"
#include "record/confine.h"
#include "record/followed.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct serving {
	const struct openers *all;
	struct opener_shared *shared;
	struct followed followed;
};

static enum files_access access_to(void *ctx, pid_t pid)
{
	struct serving *s = ctx;
	if (s->all->for_caller)
		return pid == 0 ? FILES_ALLOWED : FILES_REFUSED;
	return followed_access(&s->followed, pid);
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);
	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

bool opener_was_stuck(const struct openers *o, pid_t pid, const char *path)
{
	unsigned count = atomic_load(&o->stuck->count);
	for (unsigned i = 0; i < count && i < OPENER_MAX_RESTARTS; i++) {
		const char *folder = o->stuck->places[i].folder;
		if (*folder ? *path && is_below(path, folder)
			    : !*path && pid == o->stuck->places[i].pid)
			return true;
	}
	return count >= OPENER_MAX_RESTARTS;
}

static bool begin(void *ctx, pid_t pid, const char *path)
{
	struct serving *s = ctx;
	if (opener_was_stuck(s->all, pid, path))
		return false;
	s->shared->pid = pid;
	snprintf(s->shared->path, sizeof(s->shared->path), "%s", path);
	atomic_fetch_add(&s->shared->request, 1);
	atomic_store(&s->shared->state, OPENER_BUSY);
	return true;
}

static bool end(void *ctx)
{
	struct serving *s = ctx;
	unsigned busy = OPENER_BUSY;
	struct timespec cpu = { 0 };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	atomic_store(&s->shared->cpu_ns,
		     (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec);
	return atomic_compare_exchange_strong(&s->shared->state, &busy, OPENER_IDLE) ||
	       busy == OPENER_IDLE;
}

static void owes(void *ctx, bool answer)
{
	atomic_store(&((struct serving *)ctx)->shared->owes, answer);
}

/* One at a time is kept for the broker to say; the others are only counted. */
static void refused(void *ctx, const char *path, const char *why)
{
	struct opener_shared *shared = ((struct serving *)ctx)->shared;
	if (atomic_fetch_add(&shared->refused_count, 1) > 0)
		return;
	snprintf(shared->refused, sizeof(shared->refused), "%s (%s)", path, why);
	atomic_store(&shared->refused_ready, 1);
}

/* Whoever waits for the end of what prof writes must not wait for one that is stuck. */
static void let_go_of_everything(int socket)
{
	confine_descriptors(&socket, 1);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup3(null, STDERR_FILENO, O_CLOEXEC) < 0)
		close(STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static void follow(struct serving *s, struct files *files)
{
	followed_init(&s->followed, files, s->all->since_ticks, s->all->everything);
	for (size_t i = 0; i < s->all->pids.len; i++) {
		followed_add(&s->followed, s->all->pids.data[i]);
		files_remember(files, s->all->pids.data[i]);
	}
}

_Noreturn void opener_main(const struct openers *all, const struct opener *self)
{
	struct serving s = { .all = all, .shared = self->shared };
	struct files *files = files_direct_new();
	struct files_server server = { .files = files,
				       .access = access_to,
				       .begin = begin,
				       .end = end,
				       .owes = owes,
				       .refused = refused,
				       .ctx = &s };
	prctl(PR_SET_NAME, "prof-opener");
	let_go_of_everything(self->socket);
	follow(&s, files);
	int status;
	while ((status = files_serve(&server, self->socket)) == 1)
		;
	_exit(status == 0 ? 0 : 1);
}
