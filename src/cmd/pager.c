/* A pager as a child of ours, fed through a pipe. */
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

#define NOT_EXECUTABLE 126 /* by which a shell says so */
#define NOT_FOUND      127

extern char **environ;

/* Of the terminal; 0: there is none. */
static struct winsize terminal_size(void)
{
	struct winsize size = { 0 };
	const char *term = getenv("TERM");

	if (!term || !*term || strcmp(term, "dumb") == 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		memset(&size, 0, sizeof(size));
	return size;
}

/* With the prompt there is no room for all of it. Colours count as if they took room. */
static bool is_longer(const struct bytes *b, const struct winsize *size)
{
	const char *at = (const char *)b->data, *end = at + b->len;
	size_t lines = 0;

	while (at && at < end && lines < size->ws_row) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		size_t width = text_width(at, (size_t)(stop - at));
		lines += 1 + (size->ws_col && width ? (width - 1) / size->ws_col : 0);
		at = newline ? newline + 1 : end;
	}
	return lines >= size->ws_row;
}

/* A command for the shell, or NULL. */
static const char *find_pager(void)
{
	const char *pager = getenv("PROF_PAGER");

	pager = pager ? pager : getenv("PAGER");
	pager = pager ? pager : "less";
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

/* What a pager is told, as git tells it, unless the user did. */
static char **pager_environment(void)
{
	static char less[] = "LESS=FRX", lv[] = "LV=-c";
	size_t count = 0;

	while (environ[count])
		count++;
	char **copy = xcalloc(count + 3, sizeof(*copy));
	memcpy(copy, environ, count * sizeof(*copy));
	if (!getenv("LESS"))
		copy[count++] = less;
	if (!getenv("LV"))
		copy[count++] = lv;
	return copy;
}

/* The signals that the terminal sends are the pager's to answer. */
struct signals {
	struct sigaction interrupt, quit, pipe;
};

static void ignore_signals(struct signals *before)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, &before->interrupt);
	sigaction(SIGQUIT, &ignore, &before->quit);
	sigaction(SIGPIPE, &ignore, &before->pipe);
}

static void restore_signals(const struct signals *before)
{
	sigaction(SIGINT, &before->interrupt, NULL);
	sigaction(SIGQUIT, &before->quit, NULL);
	sigaction(SIGPIPE, &before->pipe, NULL);
}

/* Reads input; 0 or an errno. */
static int spawn(const char *pager, int input, const struct signals *before, pid_t *pid)
{
	char shell[] = "sh", option[] = "-c";
	CLEANUP_FREE char *command = xstrdup(pager);
	char *const argv[] = { shell, option, command, NULL };
	CLEANUP_FREE char **env = pager_environment();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;

	/* What was ignored when we began stays so. */
	sigemptyset(&defaults);
	if (before->interrupt.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (before->quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	int failed = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

/* How the shell ended. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* False: there was no pager, and nothing was shown. */
static bool page(const char *pager, const struct bytes *b)
{
	struct signals before;
	int ends[2], status = NOT_FOUND;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	ignore_signals(&before);
	int failed = spawn(pager, ends[0], &before, &pid);
	close(ends[0]);
	if (!failed)
		(void)io_write_full(ends[1], b->data, b->len); /* a reader may have seen enough */
	close(ends[1]);
	if (!failed)
		status = wait_for(pid);
	restore_signals(&before);
	return status != NOT_FOUND && status != NOT_EXECUTABLE;
}

int cmd_write_paged(const struct command *cmd, const struct bytes *b, bool no_pager)
{
	struct winsize size = no_pager ? (struct winsize){ 0 } : terminal_size();
	const char *pager = size.ws_row ? find_pager() : NULL;

	if (pager && is_longer(b, &size) && page(pager, b))
		return EXIT_DONE;
	return cmd_write_output(cmd, b, NULL);
}
