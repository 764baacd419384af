/* Forking, holding and executing the command. */
#include "launch/launch.h"

#include "base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void launch_save_state(struct launch_state *s, unsigned closed_descriptors)
{
	s->closed_descriptors = closed_descriptors;
	sigprocmask(SIG_SETMASK, NULL, &s->mask);
	sigemptyset(&s->ignored);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction action;
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigaddset(&s->ignored, sig);
	}
	getrlimit(RLIMIT_NOFILE, &s->descriptors);
	s->priority = getpriority(PRIO_PROCESS, 0);
}

static void restore_state(const struct launch_state *s)
{
	for (int sig = 1; sig < NSIG; sig++) {
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, sigismember(&s->ignored, sig) == 1 ? SIG_IGN : SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	setrlimit(RLIMIT_NOFILE, &s->descriptors);
	setpriority(PRIO_PROCESS, 0, s->priority);
	for (int fd = 0; fd < 3; fd++) {
		if (s->closed_descriptors & 1u << fd)
			close(fd);
	}
}

static _Noreturn void run_child(char *const *argv, int go_fd, int result_fd)
{
	char go;
	if (io_read_full(go_fd, &go, 1) != 1)
		_exit(0); /* prof gave up */
	close(go_fd);
	struct rusage own = { 0 };
	getrusage(RUSAGE_SELF, &own);
	if (io_write_full(result_fd, &own, sizeof(own)) != 0)
		_exit(126);
	execvp(argv[0], argv);
	int errnum = errno;
	if (io_write_full(result_fd, &errnum, sizeof(errnum)) != 0)
		_exit(126);
	_exit(127);
}

int launch_prepare(struct launch *l, char *const *argv, const struct launch_state *state,
		   struct error *err)
{
	int go[2], result[2];
	if (pipe2(go, O_CLOEXEC) != 0)
		return error_set_errno(err, errno, "cannot create a pipe");
	if (pipe2(result, O_CLOEXEC) != 0) {
		int errnum = errno;
		close(go[0]);
		close(go[1]);
		return error_set_errno(err, errnum, "cannot create a pipe");
	}
	l->pid = fork();
	if (l->pid == 0) {
		close(go[1]);
		close(result[0]);
		restore_state(state);
		run_child(argv, go[0], result[1]);
	}
	int errnum = errno;
	close(go[0]);
	close(result[1]);
	l->go_fd = go[1];
	l->result_fd = result[0];
	if (l->pid > 0)
		return 0;
	close(go[1]);
	close(result[0]);
	return error_set_errno(err, errnum, "cannot start a process");
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int explain_exec(int errnum, const char *name, struct error *err)
{
	if (errnum == ENOENT || errnum == ENOTDIR)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s: command not found (check the path, or $PATH)", name);
	error_set_errno(err, errnum, "%s: cannot be executed", name);
	if (err)
		err->code = ERROR_PERMISSION;
	return -1;
}

/* It waits: all it has used is prof's. */
static uint64_t cpu_time_ns(pid_t pid)
{
	clockid_t clock;
	struct timespec t;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

int launch_go(struct launch *l, const char *name, struct error *err)
{
	int errnum = 0;
	l->own_cpu_ns = cpu_time_ns(l->pid);
	if (io_write_full(l->go_fd, "g", 1) != 0)
		errnum = errno;
	close(l->go_fd);
	if (io_read_full(l->result_fd, &l->own, sizeof(l->own)) != (ssize_t)sizeof(l->own))
		l->own = (struct rusage){ 0 };
	ssize_t n = io_read_full(l->result_fd, &errnum, sizeof(errnum));
	close(l->result_fd);
	if (n <= 0 && !errnum)
		return 0;
	reap(l->pid);
	return explain_exec(errnum, name, err);
}

void launch_abandon(struct launch *l)
{
	close(l->go_fd);
	close(l->result_fd);
	reap(l->pid);
}
