/* Process numbers, closed descriptors, and a launched command's end as our own. */
#include "cmd/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* The next number of "12,34". 1, 0 at the end, or -1 after having said why. */
static int next_id(const struct command *cmd, char **rest, const char *letter, pid_t *out)
{
	const char *word = strsep(rest, ",");
	uint64_t id;

	if (!word)
		return 0;
	if (text_parse_u64(word, &id) && id > 0 && id <= INT32_MAX) {
		*out = (pid_t)id;
		return 1;
	}
	cmd_usage(cmd, "%s: '%s' is not a process or thread number", letter, word);
	return -1;
}

int target_parse_ids(const struct command *cmd, const char *letter, const struct cmd_strings *words,
		     struct target_ids *ids)
{
	for (size_t i = 0; i < words->len; i++) {
		CLEANUP_FREE char *copy = xstrdup(words->items[i]);
		char *rest = copy;
		pid_t id;
		int rc;
		while ((rc = next_id(cmd, &rest, letter, &id)) > 0)
			vec_push(&ids->items, id);
		if (rc < 0)
			return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Those that were closed are held open with close-on-exec (main.c); inherited ones never have it.
 */
unsigned target_closed_descriptors(void)
{
	unsigned closed = 0;

	for (int fd = 0; fd <= 2; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (flags < 0 || (flags & FD_CLOEXEC))
			closed |= 1u << fd;
	}
	return closed;
}

/* Calls check on each place where the shell would look for the command; true when one says so. */
static bool any_place(const char *command, bool (*check)(const char *path))
{
	const char *path = getenv("PATH");

	if (strchr(command, '/'))
		return check(command);
	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t len = strcspn(path, ":");
		CLEANUP_FREE char *place =
			xasprintf("%.*s/%s", (int)len, len ? path : ".", command);
		if (check(place))
			return true;
		path += len;
	}
	return false;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0 || errno == EACCES;
}

static bool is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool target_is_executable(const char *command)
{
	return any_place(command, is_executable);
}

int target_failure_status(char *const *argv, const struct error *err)
{
	const char *command = argv ? argv[0] : NULL;

	if (err->code == ERROR_USAGE)
		return EXIT_USAGE;
	if (command && err->code == ERROR_NOT_FOUND && !any_place(command, exists))
		return EXIT_NOT_FOUND;
	if (command && (err->errnum == ENOEXEC || !any_place(command, is_executable)) &&
	    any_place(command, exists))
		return EXIT_NOT_EXECUTABLE;
	return EXIT_NOT_RECORDED;
}

int target_die_by(int signal)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, signal);
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigaction(signal, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return 128 + signal; /* one that does not kill */
}
