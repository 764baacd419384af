/* Signals, stopping and continuing, and rights of a launched command. */
#include "launch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define WATCH_US       20000
#define STAT_MAX_BYTES 4096

int launch_watch_signals(struct error *err)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGTSTP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(caught); i++)
		sigaddset(&set, caught[i]);
	/* Ignored signals stay ignored (nohup): they never reach the descriptor. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* past the limit of file sizes, as on a full disk: an error */
	signal(SIGCHLD, SIG_DFL); /* whoever ignores it would never see the command end */
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set_errno(err, errno, "cannot watch signals") : fd;
}

void launch_raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The letter behind the name in /proc/PID/stat: 'T' is stopped. 0: gone. */
static char state_of(pid_t pid)
{
	struct bytes text = { 0 };
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_file(path, &text, STAT_MAX_BYTES, NULL) == 0) {
		bytes_u8(&text, '\0');
		const char *name_end = strrchr((const char *)text.data, ')');
		state = name_end && name_end[1] ? name_end[2] : 0;
	}
	bytes_release(&text);
	return state;
}

/* Somebody else may make the command go on while this process is stopped: a process that lives as
 * long as that wakes it. */
static pid_t start_watcher(pid_t command)
{
	pid_t self = getpid(), watcher = fork();

	if (watcher != 0)
		return watcher;
	/* Again and again: the first may come before this process has stopped itself. */
	while (getppid() == self) {
		if (state_of(command) != 'T')
			kill(self, SIGCONT);
		usleep(WATCH_US);
	}
	_exit(0);
}

void launch_stop_with(pid_t command)
{
	pid_t watcher = start_watcher(command);

	kill(getpid(), SIGSTOP);
	if (watcher > 0)
		kill(watcher, SIGKILL); /* reaped with the other children */
	kill(command, SIGCONT);
}

bool launch_changed_rights(pid_t command)
{
	char path[64];
	struct statx st;

	if (geteuid() == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)command);
	/* What is known of it will do: its file system may not answer. */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_MODE, &st) != 0)
		return errno == EACCES;
	return st.stx_mode & (S_ISUID | S_ISGID);
}
