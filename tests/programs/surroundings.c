/* MS: prints what a program gets from whoever starts it, one line each: descriptors, working directory, signal mask
 * and ignored signals, limits, process group, environment. Truth: the same with and without prof. */
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static void print_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");

	for (struct dirent *e; dir && (e = readdir(dir));) {
		int fd = atoi(e->d_name);
		char path[64], link[256] = "";
		if (e->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, link, sizeof(link) - 1);
		if (n > 0)
			link[n] = '\0';
		printf("fd %d %s\n", fd, link);
	}
	if (dir)
		closedir(dir);
}

static void print_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction action;
		if (sigismember(&mask, sig) == 1)
			printf("blocked %d\n", sig);
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			printf("ignored %d\n", sig);
	}
}

static void print_limits(void)
{
	for (int which = 0; which < (int)RLIM_NLIMITS; which++) {
		struct rlimit limit;
		if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
			printf("limit %d %llu %llu\n", which, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	}
}

int main(int argc, char **argv)
{
	char cwd[4096];
	mode_t mask = umask(0);

	print_descriptors();
	print_signals();
	print_limits();
	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
	printf("umask %o\n", mask);
	printf("leads its group %d, session is the starter's %d\n", getpgrp() == getpid(), getsid(0) == getsid(getppid()));
	for (char **e = environ; *e; e++)
		printf("env %s\n", *e);
	fflush(stdout);
	BURN_NS(ms_argument(argc, argv, 50));
	return 0;
}
