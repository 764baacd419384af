/* A file written beside its place and renamed into it. */
#include "cmd/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define LINKS_MAX 40 /* as the kernel follows */

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Where the link at path leads, or NULL when it is none. */
static char *link_target(const char *path)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');

	if (len < 0)
		return NULL;
	target[len] = '\0';
	if (target[0] == '/' || !slash)
		return xstrdup(target);
	return xasprintf("%.*s/%s", (int)(slash - path), path, target);
}

static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The name to replace, links followed, also one that leads to nothing yet. False when there is
 * nothing that could be replaced: devices, pipes, and descriptors by /dev/stdout and the like. */
static bool find_place(struct replace *r, const char *path)
{
	r->path = xstrdup(path);
	if (is_special(path))
		return false;
	for (int i = 0; i < LINKS_MAX; i++) {
		char *next = link_target(r->path);
		if (!next)
			break;
		bool is_descriptor = strncmp(r->path, "/proc/", 6) == 0;
		free(r->path);
		r->path = next;
		if (is_descriptor)
			return false;
	}
	return true;
}

/* ---- when prof is ended meanwhile ---- */

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU };

/* What the handler removes, NULL: nothing; and whose it is, as processes that are started later
 * have the handler too. */
static char *_Atomic unfinished;
static pid_t unfinished_owner;

void replace_remove_unfinished(void)
{
	const char *path = atomic_load(&unfinished);

	if (path && getpid() == unfinished_owner)
		unlink(path);
}

static void remove_and_end(int number)
{
	replace_remove_unfinished();
	raise(number); /* by its usual way: it comes once the handler has returned */
}

static void handle_ends(void)
{
	struct sigaction action = { .sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND },
			 before;

	for (size_t i = 0; i < ARRAY_LEN(ending); i++) {
		if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	}
}

/* No such signal comes until let_signals() is given what this returned. */
static sigset_t hold_signals(void)
{
	sigset_t set, before;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

static void let_signals(sigset_t before)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- the file ---- */

static int open_temporary(struct replace *r, uint32_t mode)
{
	r->temporary = xasprintf("%s.XXXXXX", r->path);
	handle_ends();
	sigset_t signals = hold_signals();
	r->fd = mkostemp(r->temporary, O_CLOEXEC);
	int errnum = errno;
	unfinished_owner = getpid();
	atomic_store(&unfinished, r->fd >= 0 ? r->temporary : NULL);
	let_signals(signals);
	if (r->fd >= 0)
		return fchmod(r->fd, mode & 0777);
	free_ptr(&r->temporary); /* not ours to remove */
	r->temporary = NULL;
	errno = errnum;
	return -1;
}

static int take_standard_output(struct replace *r, struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_set(
			err, ERROR_USAGE,
			"-o -: a profile is no text for a terminal (name a file, or send it to a pipe)");
	r->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return r->fd < 0 ? error_set_errno(err, errno, "standard output") : 0;
}

int replace_begin(struct replace *r, const char *path, uint32_t mode, struct error *err)
{
	int rc = 0;

	signal(SIGXFSZ,
	       SIG_IGN); /* past the limit of file sizes: an error, and nothing left behind */
	*r = (struct replace){ .fd = -1 };
	if (strcmp(path, "-") == 0)
		return take_standard_output(r, err);
	if (mode == REPLACE_USUAL_MODE)
		mode = usual_mode();
	if (find_place(r, path))
		rc = open_temporary(r, mode);
	else
		r->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (r->fd >= 0 && rc == 0)
		return 0;
	error_set_errno(err, errno, "%s", path);
	replace_abandon(r);
	return -1;
}

static int keep(const char *path)
{
	CLEANUP_FREE char *old = xasprintf("%s.old", path);

	return rename(path, old) == 0 || errno == ENOENT ? 0 : -1;
}

/* Former file and new one change their names together, whatever signal comes. */
static int put_in_place(struct replace *r, bool keep_old)
{
	sigset_t signals = hold_signals();
	int rc = keep_old ? keep(r->path) : 0;

	if (rc == 0)
		rc = rename(r->temporary, r->path);
	int errnum = errno;
	if (rc == 0) {
		atomic_store(&unfinished, NULL);
		free_ptr(&r->temporary);
		r->temporary = NULL;
	}
	let_signals(signals);
	errno = errnum;
	return rc;
}

int replace_finish(struct replace *r, bool keep_old, struct error *err)
{
	int rc = 0;

	if (!r->temporary) {
		replace_abandon(r);
		return 0;
	}
	if (put_in_place(r, keep_old) < 0)
		rc = error_set_errno(err, errno, "%s", r->path);
	replace_abandon(r);
	return rc;
}

void replace_abandon(struct replace *r)
{
	close_fd_ptr(&r->fd);
	if (r->temporary) {
		unlink(r->temporary);
		atomic_store(&unfinished, NULL);
	}
	free_ptr(&r->temporary);
	free_ptr(&r->path);
}
