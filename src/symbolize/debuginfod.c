/* Running debuginfod-find and linking what it found into a folder by build ID. */
#include "symbolize/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "elf/elf_image.h"
#include "files/open_regular.h"

#define PROGRAM	     "debuginfod-find"
#define MIN_BUILD_ID 8
#define MAX_BUILD_ID 128

extern char **environ;

struct debuginfod {
	char folder[512];
	uint64_t deadline_ns;
	sigset_t usual;	  /* what was blocked before */
	sigset_t deadly;  /* what is blocked to remove the folder first */
	int signal_fd;	  /* readable when one of those is pending; -1: none */
	VEC(char *) made; /* paths below the folder, in the order they were made */
};

static int make_folder(struct debuginfod *d, const char *path, struct error *err)
{
	if (mkdir(path, 0700) < 0)
		return errno == EEXIST ? 0 : error_set_errno(err, errno, "cannot make %s", path);
	vec_push(&d->made, xstrdup(path));
	return 0;
}

/* What would end prof waits until the folder is removed. Ignored signals (nohup) are let alone:
 * blocked, they would become pending. */
static void hold_signals(struct debuginfod *d)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	sigemptyset(&d->deadly);
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++) {
		struct sigaction action;
		if (sigaction(deadly[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&d->deadly, deadly[i]);
	}
	sigprocmask(SIG_BLOCK, &d->deadly, &d->usual);
	d->signal_fd = signalfd(-1, &d->deadly, SFD_CLOEXEC);
}

/* One that came meanwhile ends prof here. */
static void let_signals_go(struct debuginfod *d)
{
	close_fd_ptr(&d->signal_fd);
	sigprocmask(SIG_SETMASK, &d->usual, NULL);
}

bool debuginfod_interrupted(const struct debuginfod *d)
{
	struct pollfd p = { .fd = d->signal_fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

int debuginfod_new(struct debuginfod **out, uint64_t time_ns, struct error *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *tmp = getenv("TMPDIR");
	char path[1024];

	*out = NULL;
	if (!urls || strspn(urls, " \t\n") == strlen(urls))
		return error_set(err, ERROR_USAGE,
				 "debuginfod: name the servers to ask in DEBUGINFOD_URLS, "
				 "such as https://debuginfod.debian.net");
	struct debuginfod *d = xcalloc(1, sizeof(*d));
	d->deadline_ns = clock_monotonic_ns() + time_ns;
	snprintf(d->folder, sizeof(d->folder), "%.480s/prof-debuginfod-XXXXXX",
		 tmp && tmp[0] == '/' ? tmp : "/tmp");
	hold_signals(d);
	if (!mkdtemp(d->folder)) {
		error_set_errno(err, errno, "cannot make the folder %s", d->folder);
		let_signals_go(d);
		free(d);
		return -1;
	}
	snprintf(path, sizeof(path), "%s/.build-id", d->folder);
	if (make_folder(d, path, err) < 0) {
		debuginfod_free(d);
		return -1;
	}
	*out = d;
	return 0;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	for (size_t i = d->made.len; i-- > 0;) {
		remove(d->made.data[i]);
		free(d->made.data[i]);
	}
	vec_release(&d->made);
	rmdir(d->folder);
	let_signals_go(d);
	free(d);
}

const char *debuginfod_folder(const struct debuginfod *d)
{
	return d->folder;
}

static bool is_build_id(const char *hex)
{
	size_t len = strlen(hex);

	return len >= MIN_BUILD_ID && len <= MAX_BUILD_ID && strspn(hex, "0123456789abcdef") == len;
}

/* Starts the program; its standard output comes through *from. */
static int start(const struct debuginfod *d, const char *build_id, pid_t *pid, int *from,
		 struct error *err)
{
	char *const argv[] = { (char[]){ PROGRAM }, (char[]){ "debuginfo" }, xstrdup(build_id),
			       NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		free(argv[2]);
		return error_set_errno(err, errno, "cannot make a pipe");
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &d->usual);
	int failed = posix_spawnp(pid, PROGRAM, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(argv[2]);
	close(ends[1]);
	*from = ends[0];
	if (!failed)
		return 0;
	close(ends[0]);
	if (failed == ENOENT)
		return error_set(err, ERROR_NOT_FOUND,
				 PROGRAM " is not installed (Debian: apt install debuginfod)");
	return error_set_errno(err, failed, "cannot run " PROGRAM);
}

/* What it writes, until it ends, time is up or prof is to end; then it is killed. true: it ended by
 * itself. */
static bool read_until(const struct debuginfod *d, int from, char *out, size_t size)
{
	uint64_t deadline_ns = d->deadline_ns;
	size_t used = 0;
	uint64_t now;

	while ((now = clock_monotonic_ns()) < deadline_ns) {
		struct pollfd p[2] = { { .fd = from, .events = POLLIN },
				       { .fd = d->signal_fd, .events = POLLIN } };
		uint64_t left_ms = (deadline_ns - now) / 1000000 + 1;
		int ready = poll(p, 2, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
		if (ready == 0 || (ready < 0 && errno == EINTR))
			continue;
		if (p[1].revents)
			return false;
		ssize_t n = ready < 0 ? -1 : read(from, out + used, size - 1 - used);
		if (n <= 0 || (used += (size_t)n) == size - 1) {
			out[used] = '\0';
			return n == 0;
		}
	}
	return false;
}

static int link_to(struct debuginfod *d, const char *build_id, const char *file, struct error *err)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/.build-id/%.2s", d->folder, build_id);
	if (make_folder(d, path, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", d->folder, build_id,
		 build_id + 2);
	if (symlink(file, path) < 0)
		return error_set_errno(err, errno, "cannot make %s", path);
	vec_push(&d->made, xstrdup(path));
	return 0;
}

enum debuginfod_fault debuginfod_check(int fd, const char *file, const char *build_id)
{
	struct elf_image *image;
	uint8_t id[MAX_BUILD_ID / 2];
	char hex[MAX_BUILD_ID + 1] = "";

	if (elf_image_open_fd(&image, fd, file, NULL) < 0)
		return DEBUGINFOD_NOT_ELF;
	size_t len = elf_image_build_id(image, id);
	elf_image_free(image);
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	if (!len)
		return DEBUGINFOD_NO_BUILD_ID;
	return strcmp(hex, build_id) == 0 ? DEBUGINFOD_RIGHT : DEBUGINFOD_OTHER_BUILD_ID;
}

/* NULL: the file has this build ID; otherwise why it is of no use, or an error in err. */
static const char *mismatch(const char *file, const char *build_id, debuginfod_checker *check,
			    struct error *err)
{
	static const char *const why[] = {
		[DEBUGINFOD_NOT_ELF] = "it is no ELF file",
		[DEBUGINFOD_NO_BUILD_ID] = "it has no build ID",
		[DEBUGINFOD_OTHER_BUILD_ID] = "its build ID is another one",
	};
	enum debuginfod_fault fault = DEBUGINFOD_NOT_ELF;
	CLEANUP_CLOSE int fd = open_regular(file, 0);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		error_set_errno(err, errno, "it cannot be opened");
		return err->text;
	}
	if (fd < 0)
		return "it cannot be opened";
	if (check(fd, file, build_id, &fault, err) < 0)
		return err->text;
	return (size_t)fault < ARRAY_LEN(why) ? why[fault] : why[DEBUGINFOD_NOT_ELF];
}

/* A wrong file is linked as well: the recording then says for the module why it is not used. */
static int take(struct debuginfod *d, const char *build_id, const char *file,
		debuginfod_checker *check, struct error *err)
{
	struct error failed = { 0 };

	if (link_to(d, build_id, file, err) < 0)
		return -1;
	const char *why = mismatch(file, build_id, check, &failed);
	if (why)
		return error_set(err, ERROR_FORMAT,
				 "debuginfod: what came for build ID %s is not the recorded file: "
				 "%s",
				 build_id, why);
	return 0;
}

int debuginfod_fetch(struct debuginfod *d, const char *build_id, debuginfod_checker *check,
		     struct error *err)
{
	char path[PATH_MAX];
	int from = -1, status = 0;
	pid_t pid;

	if (!is_build_id(build_id))
		return error_set(err, ERROR_FORMAT, "not a build ID: %.200s", build_id);
	if (debuginfod_interrupted(d))
		return error_set(err, ERROR_LIMIT, "debuginfod: interrupted");
	if (clock_monotonic_ns() >= d->deadline_ns)
		return error_set(err, ERROR_LIMIT, "debuginfod: no time left");
	if (start(d, build_id, &pid, &from, err) < 0)
		return -1;
	bool ended = read_until(d, from, path, sizeof(path));
	close(from);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ended && clock_monotonic_ns() >= d->deadline_ns)
		return error_set(err, ERROR_LIMIT, "debuginfod: the servers took too long");
	if (!ended)
		return error_set(err, ERROR_FORMAT,
				 "debuginfod: " PROGRAM " does not answer with a path");
	path[strcspn(path, "\n")] = '\0';
	if (status != 0 || path[0] != '/')
		return error_set(err, ERROR_NOT_FOUND, "debuginfod: no server has build ID %s",
				 build_id);
	return take(d, build_id, path, check, err);
}
