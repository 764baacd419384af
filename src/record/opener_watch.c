/* The broker's care for its openers: starting, watching, leaving behind. */
#include "base/io.h"
#include "base/log.h"
#include "files/files.h"
#include "record/followed.h"
#include "record/opener_shared.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKED_NS   3000000000ull  /* in one wait, the first time */
#define IMPATIENT_NS 100000000ull   /* and at last */
#define BUSY_NS	     20000000000ull /* with one request, however much it gets done meanwhile */
#define REAP_US	     1000
#define REAP_TRIES   200
#define STATUS_BYTES ((size_t)64 << 10)

void openers_init(struct openers *o, const int sockets[OPENERS])
{
	*o = (struct openers){ .since_ticks = followed_now_ticks() };
	for (int i = 0; i < OPENERS; i++)
		o->all[i].socket = sockets[i];
}

void openers_follow(struct openers *o, pid_t pid)
{
	vec_push(&o->pids, pid);
}

void openers_follow_all(struct openers *o)
{
	o->everything = true;
}

void openers_for_caller(struct openers *o)
{
	o->for_caller = true;
}

/* Shut down, since one that is stuck keeps it open, and the worker may still wait for an answer. */
static void close_opener(struct opener *p)
{
	if (p->socket >= 0)
		shutdown(p->socket, SHUT_RDWR);
	close_fd_ptr(&p->socket);
}

static void *map_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int start(const struct openers *o, struct opener *p, struct error *err)
{
	struct opener_shared *shared = map_shared(sizeof(*shared));
	if (!shared)
		return error_set_errno(err, errno, "no memory to share with a process");
	p->shared = shared; /* a former one stays with who may still be stuck in it */
	p->pid = fork();
	if (p->pid == 0)
		opener_main(o, p);
	if (p->pid > 0)
		return 0;
	p->pid = 0;
	return error_set_errno(err, errno, "cannot start a process");
}

int openers_start(struct openers *o, struct error *err)
{
	o->stuck = map_shared(sizeof(*o->stuck));
	if (!o->stuck)
		return error_set_errno(err, errno, "no memory to share with a process");
	for (int i = 0; i < OPENERS; i++) {
		if (o->all[i].socket >= 0 && start(o, &o->all[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Also of one that has ended: the last it did may have been to refuse something. */
static void say_refused(struct openers *o, struct opener_shared *shared)
{
	if (!atomic_load(&shared->refused_ready) || atomic_exchange(&shared->refused_ready, 0) == 0)
		return;
	shared->refused[sizeof(shared->refused) - 1] = '\0';
	log_message(o->said_refused ? LOG_INFO : LOG_NOTICE,
		    "not read although what is recorded names it: %s", shared->refused);
	o->said_refused = true;
}

static void restart(struct openers *o, struct opener *p)
{
	struct error err = { 0 };
	o->ended_cpu_ns += atomic_load(&p->shared->cpu_ns);
	say_refused(o, p->shared);
	if (o->restarts < OPENER_MAX_RESTARTS && p->socket >= 0)
		o->restarts++;
	else
		error_set(&err, ERROR_LIMIT, "it has been started too often");
	if (err.code == ERROR_NONE && start(o, p, &err) == 0)
		return;
	if (p->socket >= 0) {
		o->gave_up = true;
		log_message(LOG_ERROR, "no more files are opened: %s", err.text);
	}
	p->pid = 0;
	close_opener(p);
}

/* Switches between tasks tell whether somebody who waits has not waited for something else
 * meanwhile. false: it does not wait. */
static bool waits(pid_t pid, uint64_t *switches)
{
	static const char key[] = "\nvoluntary_ctxt_switches:\t";
	char path[64];
	struct bytes text = { 0 };
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	bool read = io_read_file(path, &text, STATUS_BYTES, NULL) == 0;
	bytes_u8(&text, '\0');
	const char *state = read ? strstr((const char *)text.data, "\nState:\t") : NULL;
	const char *count = read ? strstr((const char *)text.data, key) : NULL;
	bool waiting = state && state[8] != 'R';
	*switches = count ? strtoull(count + sizeof(key) - 1, NULL, 10) : 0;
	bytes_release(&text);
	return waiting;
}

/* Many folders may hang, and the end of the recording must not wait for each of them as long. */
uint64_t opener_patience_ns(unsigned restarts)
{
	uint64_t ns = restarts < 6 ? BLOCKED_NS >> restarts : 0;
	return ns > IMPATIENT_NS ? ns : IMPATIENT_NS;
}

static bool is_stuck(struct opener *p, uint64_t now_ns, uint64_t patience_ns)
{
	uint32_t request = atomic_load(&p->shared->request);
	uint64_t switches;
	if (atomic_load(&p->shared->state) != OPENER_BUSY) {
		p->busy_since_ns = 0;
		return false;
	}
	bool same = p->busy_since_ns && request == p->seen_request;
	if (!same)
		p->busy_since_ns = now_ns;
	bool waiting = waits(p->pid, &switches);
	if (!same || !waiting || switches != p->seen_switches)
		p->blocked_since_ns = now_ns;
	p->seen_request = request;
	p->seen_switches = switches;
	return now_ns - p->blocked_since_ns > patience_ns || now_ns - p->busy_since_ns > BUSY_NS;
}

/* The file's folder, or the file itself when that is the root. */
static void remember(struct opener_stuck *stuck, const struct opener_shared *shared)
{
	unsigned i = atomic_load(&stuck->count);
	const char *slash = strrchr(shared->path, '/');
	size_t len = strlen(shared->path);
	if (slash && slash > shared->path)
		len = (size_t)(slash - shared->path);
	if (i >= OPENER_MAX_RESTARTS)
		return;
	stuck->places[i].pid = shared->pid;
	snprintf(stuck->places[i].folder, sizeof(stuck->places[i].folder), "%.*s", (int)len,
		 shared->path);
	atomic_store(&stuck->count, i + 1);
}

/* Both openers may have got stuck in the same place: it is said once. */
static void say_stuck(const struct openers *o, const struct opener_shared *shared)
{
	bool known = opener_was_stuck(o, shared->pid, shared->path);
	log_message(known ? LOG_INFO : LOG_NOTICE,
		    "%s%s: the file system does not answer; prof goes on without",
		    *shared->path ? "" : "memory of a process", shared->path);
}

static void answer_stuck(const struct opener *p)
{
	struct error err = { 0 };
	error_set_errno(&err, ETIMEDOUT, "%s%sthe file system does not answer", p->shared->path,
			*p->shared->path ? ": " : "");
	files_answer_for(p->socket, &err);
}

static void leave_behind(struct openers *o, struct opener *p)
{
	unsigned busy = OPENER_BUSY;
	if (!atomic_compare_exchange_strong(&p->shared->state, &busy, OPENER_ABANDONED))
		return; /* it has got an answer after all */
	p->shared->path[sizeof(p->shared->path) - 1] = '\0';
	say_stuck(o, p->shared);
	remember(o->stuck, p->shared);
	answer_stuck(p);
	kill(p->pid, SIGKILL); /* may take effect at once, or never */
	restart(o, p);
}

void openers_watch(struct openers *o)
{
	uint64_t now_ns = clock_monotonic_ns();
	for (int i = 0; i < OPENERS; i++) {
		struct opener *p = &o->all[i];
		if (p->pid <= 0)
			continue;
		say_refused(o, p->shared);
		if (is_stuck(p, now_ns, opener_patience_ns(o->restarts)))
			leave_behind(o, p);
	}
}

/* It ends by itself only when nobody is left who could ask it. */
static bool was_killed(const struct opener *p, int status)
{
	return p->socket >= 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

/* Both may have been killed at once. */
static void say_killed(struct openers *o, int status)
{
	log_message(o->killed ? LOG_INFO : LOG_NOTICE,
		    "the process that opens files has ended early%s%s; another one takes its place",
		    WIFSIGNALED(status) ? ": " : "",
		    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
	o->killed++;
}

static void replace_killed(struct openers *o, struct opener *p, int status)
{
	struct error err = { 0 };
	say_killed(o, status);
	if (atomic_load(&p->shared->owes)) {
		error_set(&err, ERROR_SYSTEM, "the process that opens files has ended");
		files_answer_for(p->socket, &err);
	}
	restart(o, p);
}

bool openers_ended(struct openers *o, pid_t pid, int status)
{
	for (int i = 0; i < OPENERS; i++) {
		struct opener *p = &o->all[i];
		if (p->pid != pid)
			continue;
		p->pid = 0;
		if (was_killed(p, status)) {
			replace_killed(o, p, status);
		} else {
			say_refused(o, p->shared);
			close_opener(p); /* its client is gone */
		}
		return true;
	}
	return false;
}

uint64_t openers_cpu_ns(const struct openers *o)
{
	uint64_t sum = o->ended_cpu_ns;
	for (int i = 0; i < OPENERS; i++) {
		if (o->all[i].shared)
			sum += atomic_load(&o->all[i].shared->cpu_ns);
	}
	return sum;
}

void openers_kill(const struct openers *o)
{
	for (int i = 0; i < OPENERS; i++) {
		if (o->all[i].pid > 0)
			kill(o->all[i].pid, SIGKILL);
	}
}

/* One that works may be stuck in a way that nothing ends. */
static void reap(const struct opener *p)
{
	bool may_be_stuck = atomic_load(&p->shared->state) != OPENER_IDLE;
	kill(p->pid, SIGKILL);
	for (int tries = 0; may_be_stuck && tries < REAP_TRIES; tries++) {
		if (waitpid(p->pid, NULL, WNOHANG) != 0)
			return;
		usleep(REAP_US);
	}
	while (!may_be_stuck && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void openers_reap(struct openers *o)
{
	for (int i = 0; i < OPENERS; i++) {
		if (o->all[i].pid > 0)
			reap(&o->all[i]);
		o->all[i].pid = 0;
		if (o->all[i].shared)
			say_refused(o, o->all[i].shared);
	}
}

void openers_release(struct openers *o)
{
	for (int i = 0; i < OPENERS; i++)
		close_opener(&o->all[i]);
	vec_release(&o->pids);
}
