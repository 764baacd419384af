/* The user's editor. File names come from whoever made the profile: they reach it as an argument,
 * never through a shell's eyes. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tui/terminal.h"

static const char *editor(void)
{
	const char *visual = getenv("VISUAL"), *name = getenv("EDITOR");

	return visual && *visual ? visual : name && *name ? name : "vi";
}

/* As git does it: the variable may hold options, which the shell splits; what follows is "$@". */
static void become_editor(const char *path, uint32_t line)
{
	CLEANUP_FREE char *script = xasprintf("%s \"$@\"", editor());
	CLEANUP_FREE char *at = xasprintf("+%" PRIu32, line);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	if (line)
		execl("/bin/sh", "sh", "-c", script, "editor", at, path, (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", script, "editor", path, (char *)NULL);
	_exit(127);
}

int editor_run(const char *path, uint32_t line, struct error *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, leave;
	int status;

	/* Ctrl-C is the editor's. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &leave);
	pid_t pid = fork();
	if (pid == 0)
		become_editor(path, line);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int failed = pid < 0 ? errno : 0;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &leave, NULL);
	if (pid < 0)
		return error_set_errno(err, failed, "the editor");
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return error_set(err, ERROR_NOT_FOUND, "'%s' cannot be run: set EDITOR", editor());
	return 0;
}
