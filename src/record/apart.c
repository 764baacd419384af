/* Starting the process apart and its openers, waiting for its one message, telling how it ended. */
#include "record/apart.h"

#include "base/io.h"
#include "base/log.h"
#include "base/memory.h"
#include "files/files.h"
#include "record/confine.h"
#include "record/opener.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCH_MS   100
#define END_US	   1000
#define END_TRIES  30000 /* closing its socket is among the last things that a process does */
#define KEEP_BYTES (64 << 20)
#define TAKE_BYTES (1 << 20)
#define OWN_MAPPING_BYTES                                                       \
	(1 << 20) /* of one allocation: larger ones go back when they are freed \
		   */
#define ERROR_CODES (ERROR_CLOSED + 1)

enum { CONTROL, FILES, SOCKETS };

struct message {
	int status;
	struct error error;
	uint8_t result[APART_MAX_RESULT];
};

struct apart {
	const struct apart_job *job;
	pid_t pid;
	int control;
	struct openers openers;
};

/* ---- in the process apart ---- */

/* Of the process apart alone, where running out of memory has no other way to this. */
static int control_socket = -1;

static void send_message(const struct message *m)
{
	(void)io_write_full(control_socket, m, sizeof(*m)); /* nobody to tell */
}

static void tell_exhausted(void)
{
	static struct message m = { .status = -1 };
	error_set(&m.error, ERROR_NO_MEMORY, "out of memory");
	send_message(&m);
	_exit(1);
}

static void close_what_is_not_needed(const struct apart_job *job, const int sockets[SOCKETS])
{
	int keep[SOCKETS + APART_MAX_FDS];
	memcpy(keep, sockets, SOCKETS * sizeof(int));
	memcpy(keep + SOCKETS, job->fds, job->fd_count * sizeof(int));
	confine_descriptors(keep, SOCKETS + job->fd_count);
}

/* Becoming another user takes it back; and the parent may have ended before. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(1);
}

static void give_up_rights(const struct apart_job *job)
{
	struct error err = { 0 };
	bool is_root = geteuid() == 0;
	if (confine_process(&err) < 0)
		log_message(is_root ? LOG_NOTICE : LOG_INFO,
			    "%s: the process that reads it keeps rights that it does not need: %s",
			    job->name, err.text);
}

/* The C library's further arenas open a file of /proc when they shrink, which the filter forbids.
 * What has been freed is kept: the process lives as long as its one job, and the kernel's memory
 * is dearer than anything else here. */
static void set_up_memory(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
	mallopt(M_MMAP_THRESHOLD, OWN_MAPPING_BYTES);
	mallopt(M_TOP_PAD, TAKE_BYTES);
#endif
}

/* Once, not for every file. */
static void say_descriptors(const char *name, const struct files *files)
{
	struct error err = { 0 };
	int limit = files_remote_limit(files);
	if (!limit)
		return;
	error_set_errno(&err, limit, "%s: files could not be opened, what is in them is missing",
			name);
	log_message(LOG_NOTICE, "%s", err.text);
}

static _Noreturn void child_main(const struct apart_job *job, pid_t parent,
				 const int sockets[SOCKETS])
{
	struct message m = { 0 };
	prctl(PR_SET_NAME, "prof-reader");
	set_up_memory();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* past the limit of file sizes: an error */
	control_socket = sockets[CONTROL];
	memory_when_exhausted(tell_exhausted);
	close_what_is_not_needed(job, sockets);
	struct files *files = files_remote_new(sockets[FILES]);
	give_up_rights(job);
	end_with(parent);
	m.status = job->run(job->ctx, files, &m.error);
	say_descriptors(job->name, files);
	if (job->result_size)
		memcpy(m.result, job->result, job->result_size);
	send_message(&m);
	_exit(0);
}

/* ---- beside it ---- */

static void close_pairs(int pairs[SOCKETS][2], int end)
{
	for (int i = 0; i < SOCKETS; i++)
		close_fd_ptr(&pairs[i][end]);
}

static int start_process(struct apart *a, int pairs[SOCKETS][2], struct error *err)
{
	for (int i = 0; i < SOCKETS; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pairs[i]) != 0)
			return error_set_errno(err, errno, "cannot create a socket pair");
	}
	pid_t self = getpid();
	a->pid = fork();
	if (a->pid == 0)
		child_main(a->job, self,
			   (const int[SOCKETS]){ pairs[CONTROL][1], pairs[FILES][1] });
	return a->pid < 0 ? error_set_errno(err, errno, "cannot start a process") : 0;
}

static int start(struct apart *a, struct error *err)
{
	int pairs[SOCKETS][2] = { { -1, -1 }, { -1, -1 } };
	int result = start_process(a, pairs, err);
	close_pairs(pairs, 1);
	if (result < 0) {
		close_pairs(pairs, 0);
		return -1;
	}
	a->control = pairs[CONTROL][0];
	openers_init(&a->openers, (const int[OPENERS]){ pairs[FILES][0], -1 });
	openers_for_caller(&a->openers);
	return openers_start(&a->openers, err);
}

static void look_after_openers(struct apart *a)
{
	openers_watch(&a->openers);
	for (int i = 0; i < OPENERS; i++) {
		pid_t pid = a->openers.all[i].pid;
		int status;
		if (pid > 0 && waitpid(pid, &status, WNOHANG) == pid)
			openers_ended(&a->openers, pid, status);
	}
}

/* false: it has closed its socket without a word, or said something else. */
static bool wait_for_message(struct apart *a, struct message *m)
{
	struct pollfd p = { .fd = a->control, .events = POLLIN };
	while (poll(&p, 1, WATCH_MS) <= 0)
		look_after_openers(a);
	return recv(a->control, m, sizeof(*m), MSG_DONTWAIT) == (ssize_t)sizeof(*m);
}

/* After this it has ended. has_spoken: how does not matter. */
static int wait_for_end(struct apart *a, bool has_spoken)
{
	int status = 0;
	pid_t ended = 0;
	for (int i = 0; !has_spoken && i < END_TRIES && ended == 0; i++) {
		ended = waitpid(a->pid, &status, WNOHANG);
		if (ended == 0)
			usleep(END_US);
	}
	if (ended != 0)
		return status;
	kill(a->pid, SIGKILL);
	while (waitpid(a->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int tell_end(const char *name, int status, struct error *err)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (number == SIGSYS)
		return error_set(err, ERROR_FORMAT,
				 "%s: the process that read it was ended because it asked for a "
				 "system call that it has no need of",
				 name);
	if (number == SIGKILL)
		return error_set(err, ERROR_NO_MEMORY,
				 "%s: the process that read it was killed, as the kernel does when "
				 "memory runs out",
				 name);
	return error_set(err, ERROR_FORMAT, "%s: the process that read it ended early%s%s", name,
			 number ? ": " : "", number ? strsignal(number) : "");
}

/* Nothing in it can be relied on. */
static int take_message(const struct apart_job *job, const struct message *m, struct error *err)
{
	if (job->result_size)
		memcpy(job->result, m->result, job->result_size);
	if (m->status == 0)
		return 0;
	unsigned code = (unsigned)m->error.code;
	if (err && err->code == ERROR_NONE) {
		*err = m->error;
		err->code = code == ERROR_NONE || code >= ERROR_CODES ? ERROR_FORMAT
								      : (enum error_code)code;
		err->text[sizeof(err->text) - 1] = '\0';
	}
	return code == ERROR_NO_MEMORY ? error_context(err, "%s", job->name) : -1;
}

static void release(struct apart *a)
{
	openers_release(&a->openers);
	openers_reap(&a->openers);
	close_fd_ptr(&a->control);
}

/* However far it came: what it wanted the memory for says nothing to who reads it. */
static int tell_no_memory(const char *name, struct error *err)
{
	error_clear(err);
	return error_set(err, ERROR_NO_MEMORY, "%s: out of memory", name);
}

int apart_run(const struct apart_job *job, struct error *err)
{
	struct apart a = { .job = job,
			   .control = -1,
			   .openers = { .all = { { .socket = -1 }, { .socket = -1 } } } };
	struct message m;
	signal(SIGCHLD, SIG_DFL); /* whoever ignores it never learns how a process ended */
	if (start(&a, err) < 0) {
		if (a.pid > 0)
			wait_for_end(&a, true);
		release(&a);
		return err && err->code == ERROR_NO_MEMORY ? tell_no_memory(job->name, err) : -1;
	}
	bool has_spoken = wait_for_message(&a, &m);
	look_after_openers(&a); /* there may be something to say */
	openers_kill(&a.openers);
	int status = wait_for_end(&a, has_spoken);
	release(&a);
	return has_spoken ? take_message(job, &m, err) : tell_end(job->name, status, err);
}

int apart_seal(int fd, const char *name, struct error *err)
{
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
		return 0;
	return error_set_errno(err, errno, "%s: what was made of it cannot be sealed", name);
}
