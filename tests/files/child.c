#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void remove_perf_map(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	unlink(path);
}

pid_t child_start(int (*setup)(void *ctx), void *ctx)
{
	int ready[2];
	char c;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid_t starter = getpid(), pid = fork();
	if (pid == 0) {
		remove_perf_map(getpid());
		if (setup && setup(ctx) < 0)
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* after a change of user, which clears it */
		if (getppid() != starter)
			_exit(1);
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ssize_t n = read(ready[0], &c, 1);
	close(ready[0]);
	if (n == 1)
		return pid;
	child_end(pid);
	return -1;
}

void child_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void folder_make(char name[64])
{
	snprintf(name, 64, "/tmp/prof-test-XXXXXX");
	if (!mkdtemp(name) || chmod(name, 0755) < 0)
		abort();
}

void folder_remove(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", name);
	if (system(command) != 0)
		abort();
}

void file_make(const char *folder, const char *name, const char *content, unsigned mode)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, content, strlen(content)) != (ssize_t)strlen(content) ||
	    fchmod(fd, mode) < 0)
		abort();
	close(fd);
}

bool fd_holds(int fd, const char *content)
{
	char buffer[256] = "";
	ssize_t n = fd >= 0 ? read(fd, buffer, sizeof(buffer) - 1) : -1;

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(content) && memcmp(buffer, content, strlen(content)) == 0;
}
