/* A process apart: what it can still do, what comes back, and how each of its ends is told. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/memory.h"
#include "files/files.h"
#include "record/apart.h"
#include "record/confine.h"

#define SECRET "secret-b7f31c"

static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/prof-apart-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_text(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_int_equal(io_write_full(fd, text, strlen(text)), 0);
	close(fd);
}

static int run(int (*act)(void *, struct files *, struct error *), void *ctx, struct error *err)
{
	struct apart_job job = { .name = "that.data", .run = act, .ctx = ctx };
	return apart_run(&job, err);
}

/* ---- what comes back ---- */

struct found {
	int fd, number;
};

static int write_and_find(void *ctx, struct files *files, struct error *err)
{
	struct found *f = ctx;
	(void)files;
	if (io_write_full(f->fd, "made", 4) < 0)
		return error_set_errno(err, errno, "cannot write");
	f->number = 4711;
	return 0;
}

static void test_result_and_descriptor(void **state)
{
	(void)state;
	struct found f = { memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING), 0 };
	struct apart_job job = { .name = "x",
				 .run = write_and_find,
				 .ctx = &f,
				 .fds = { f.fd },
				 .fd_count = 1,
				 .result = &f.number,
				 .result_size = sizeof(f.number) };
	char text[5] = "";
	assert_int_equal(apart_run(&job, NULL), 0);
	assert_int_equal(f.number, 4711);
	assert_int_equal(io_pread_full(f.fd, text, 5, 0), 4);
	assert_string_equal(text, "made");
	assert_int_equal(apart_seal(f.fd, "x", NULL), 0);
	assert_int_equal(write(f.fd, "more", 4), -1);
	assert_int_equal(errno, EPERM);
	close(f.fd);
}

static int end_early(void *ctx, struct files *files, struct error *err)
{
	(void)ctx;
	(void)files;
	return error_set(err, ERROR_TRUNCATED, "it ends early");
}

static void test_error(void **state)
{
	(void)state;
	struct error err = { 0 };
	assert_int_equal(run(end_early, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_TRUNCATED);
	assert_string_equal(err.text, "it ends early");
}

/* One that was taken over says what it likes. */
static int fail_with_nonsense(void *ctx, struct files *files, struct error *err)
{
	(void)ctx;
	(void)files;
	memset(err, 0xff, sizeof(*err));
	return -1;
}

static void test_nonsense(void **state)
{
	(void)state;
	struct error err = { 0 };
	assert_int_equal(run(fail_with_nonsense, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_int_equal(strnlen(err.text, sizeof(err.text)), sizeof(err.text) - 1);
}

/* ---- its ends ---- */

static int crash(void *ctx, struct files *files, struct error *err)
{
	int number = *(int *)ctx;
	(void)files;
	(void)err;
	signal(number, SIG_DFL); /* sanitizers catch some */
	syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
	return 0;
}

static void test_crash(void **state)
{
	(void)state;
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGBUS };
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct error err = { 0 };
		int number = numbers[i];
		char want[200];
		snprintf(want, sizeof(want), "that.data: the process that read it ended early: %s",
			 strsignal(number));
		assert_int_equal(run(crash, &number, &err), -1);
		assert_string_equal(err.text, want);
	}
}

static int leave(void *ctx, struct files *files, struct error *err)
{
	(void)ctx;
	(void)files;
	(void)err;
	_exit(0); /* without a word */
}

static void test_silent_end(void **state)
{
	(void)state;
	struct error err = { 0 };
	assert_int_equal(run(leave, NULL, &err), -1);
	assert_string_equal(err.text, "that.data: the process that read it ended early");
}

static int stay(void *ctx, struct files *files, struct error *err)
{
	(void)files;
	(void)err;
	(void)io_write_full(*(int *)ctx, "", 1);
	while (poll(NULL, 0, -1) <= 0)
		;
	return 0;
}

/* The only child that runs a job: prof-reader. */
static pid_t child_called(const char *name)
{
	char path[64], line[64];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)getppid(), (int)getppid());
	struct bytes text = { 0 };
	pid_t found = 0;
	assert_int_equal(io_read_file(path, &text, 4096, NULL), 0);
	bytes_u8(&text, '\0');
	char *at = (char *)text.data, *next;
	for (long pid; (pid = strtol(at, &next, 10)) > 0; at = next) {
		struct bytes comm = { 0 };
		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		if (io_read_file(path, &comm, 64, NULL) == 0) {
			snprintf(line, sizeof(line), "%.*s", (int)comm.len, (char *)comm.data);
			if (strcmp(line, name) == 0)
				found = (pid_t)pid;
		}
		bytes_release(&comm);
	}
	bytes_release(&text);
	return found;
}

static void test_killed(void **state)
{
	(void)state;
	struct error err = { 0 };
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t killer = fork();
	if (killer == 0) {
		char c;
		pid_t reader;
		if (io_read_full(ends[0], &c, 1) == 1 && (reader = child_called("prof-reader\n")))
			kill(reader, SIGKILL);
		_exit(0);
	}
	struct apart_job job = {
		.name = "that.data", .run = stay, .ctx = &ends[1], .fds = { ends[1] }, .fd_count = 1
	};
	assert_int_equal(apart_run(&job, &err), -1);
	assert_string_equal(err.text, "that.data: the process that read it was killed, as the "
				      "kernel does when memory runs out");
	close(ends[0]);
	close(ends[1]);
	waitpid(killer, NULL, 0);
}

static int ask_for_a_socket(void *ctx, struct files *files, struct error *err)
{
	(void)ctx;
	(void)files;
	errno = 0;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd < 0 && errno == ENOSYS ? 0 : error_set(err, ERROR_SYSTEM, "%d %d", fd, errno);
}

static void test_system_call_that_is_not_left(void **state)
{
	(void)state;
	struct error err = { 0 };
	unsetenv("PROF_FILTER");
	assert_int_equal(run(ask_for_a_socket, NULL, &err), 0);
	setenv("PROF_FILTER", "kill", 1);
	assert_int_equal(run(ask_for_a_socket, NULL, &err), -1);
	assert_string_equal(err.text, "that.data: the process that read it was ended because it "
				      "asked for a system call that it has no need of");
	unsetenv("PROF_FILTER");
}

static int use_up_memory(void *ctx, struct files *files, struct error *err)
{
	(void)ctx;
	(void)files;
	(void)err;
	for (int i = 0; i < 1000; i++)
		memset(xmalloc((size_t)1 << 30), 1, 1);
	return 0;
}

static void test_out_of_memory(void **state)
{
	(void)state;
#ifdef PROF_SANITIZED
	skip(); /* the shadow needs more addresses than a limit leaves */
#endif
	struct error err = { 0 };
	struct rlimit old, limit;
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	limit = old;
	limit.rlim_cur = (rlim_t)4 << 30;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	int result = run(use_up_memory, NULL, &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	assert_int_equal(result, -1);
	assert_int_equal(err.code, ERROR_NO_MEMORY);
	assert_string_equal(err.text, "that.data: out of memory");
}

/* ---- what it is ---- */

static int tell_rights(void *ctx, struct files *files, struct error *err)
{
	int secret = *(int *)ctx;
	(void)files;
	if (read(secret, &(char){ 0 }, 1) >= 0)
		return error_set(err, ERROR_SYSTEM, "a descriptor is open that is not its own");
	if (syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0)
		return error_set(err, ERROR_SYSTEM, "it opens files");
	return 0;
}

static void test_nothing_else_is_left(void **state)
{
	(void)state;
#ifdef PROF_SANITIZED
	skip(); /* sanitizers open files */
#endif
	struct error err = { 0 };
	write_text("secret", SECRET, 0600);
	int secret = open("secret", O_RDONLY);
	assert_true(secret > 2);
	assert_int_equal(run(tell_rights, &secret, &err), 0);
	close(secret);
}

static int wait_to_be_looked_at(void *ctx, struct files *files, struct error *err)
{
	int *ends = ctx;
	char c;
	(void)files;
	(void)err;
	(void)io_write_full(ends[1], "", 1);
	return io_read_full(ends[2], &c, 1) == 1 ? 0 : -1;
}

static bool has_line(const char *text, const char *line)
{
	return strstr(text, line) != NULL;
}

/* Looked at from outside, while it works: user, capabilities, filter. */
static void look_at_reader(const int to_me, const int to_it)
{
	char c, path[64], user[64];
	struct bytes text = { 0 };
	if (io_read_full(to_me, &c, 1) != 1)
		_exit(1);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)child_called("prof-reader\n"));
	if (io_read_file(path, &text, 65536, NULL) < 0)
		_exit(2);
	bytes_u8(&text, '\0');
	const char *s = (const char *)text.data;
	unsigned id = geteuid() == 0 ? CONFINE_USER : geteuid();
	snprintf(user, sizeof(user), "\nUid:\t%u\t%u\t%u\t%u\n", id, id, id, id);
	int wrong = (!has_line(s, user) && !has_line(s, "\nUid:\t65534\t65534\t65534\t65534\n")) |
		    !has_line(s, "\nCapPrm:\t0000000000000000\n") << 1 |
		    !has_line(s, "\nCapBnd:\t0000000000000000\n") << 2 |
		    !has_line(s, "\nNoNewPrivs:\t1\n") << 3 | !has_line(s, "\nSeccomp:\t2\n") << 4;
	if (geteuid() != 0)
		wrong &= ~4; /* the bounding set stays an ordinary user's */
	(void)io_write_full(to_it, "", 1);
	_exit(wrong ? 10 + wrong : 0);
}

static void test_confined_as_the_worker(void **state)
{
	(void)state;
	int there[2], back[2], status;
	struct error err = { 0 };
	assert_int_equal(pipe2(there, O_CLOEXEC) | pipe2(back, O_CLOEXEC), 0);
	pid_t looker = fork();
	if (looker == 0)
		look_at_reader(there[0], back[1]);
	int ends[3] = { 0, there[1], back[0] };
	struct apart_job job = { .name = "x",
				 .run = wait_to_be_looked_at,
				 .ctx = ends,
				 .fds = { there[1], back[0] },
				 .fd_count = 2 };
	assert_int_equal(apart_run(&job, &err), 0);
	assert_int_equal(waitpid(looker, &status, 0), looker);
	assert_int_equal(status, 0);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

/* ---- what the opener opens for it ---- */

static int open_named(struct files *files, const char *name)
{
	char path[200];
	int fd;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (files_open_path(files, 0, path, &fd, NULL) < 0)
		return -1;
	close(fd);
	return 0;
}

static int open_mapped(struct files *files, const char *path)
{
	struct files_mapped which = { .path = path };
	enum files_source source;
	int fd;
	if (files_open_mapped(files, &which, &fd, &source, NULL) < 0)
		return -1;
	close(fd);
	return 0;
}

static int ask_for_files(void *ctx, struct files *files, struct error *err)
{
	struct bytes text = { 0 };
	pid_t other = *(pid_t *)ctx;
	char buffer[8];
	int fd;

	struct {
		const char *what;
		int got, want;
	} asked[] = {
		{ "a program", open_named(files, "program"), 0 },
		{ "a mapped program", open_mapped(files, "/bin/sh"), 0 },
		{ "a mapped secret", open_mapped(files, "/etc/shadow"), -1 },
		{ "source", open_named(files, "source.c"), 0 },
		{ "a secret", open_named(files, "secret"), -1 },
		{ "a secret behind a name of source", open_named(files, "link.c"), -1 },
		{ "a pipe", open_named(files, "pipe"), -1 },
		{ "a folder", open_named(files, "."), -1 },
		{ "a device", files_open_path(files, 0, "/dev/zero", &fd, NULL), -1 },
		{ "passwords", files_open_path(files, 0, "/etc/shadow", &fd, NULL), -1 },
		{ "another process's memory maps",
		  files_read_proc(files, FILES_PROC_MAPS, other, 0, &text, NULL), -1 },
		{ "its own starter's", files_read_proc(files, FILES_PROC_MAPS, 1, 0, &text, NULL),
		  -1 },
		{ "memory",
		  (int)files_read_memory(files, other, (uint64_t)(uintptr_t)folder, buffer, 8),
		  -1 },
		{ "a file as another process sees it",
		  files_open_path(files, other, "/bin/sh", &fd, NULL), -1 },
		{ "a living process's perf map", files_open_perf_map(files, other, &fd, NULL), -1 },
	};

	bytes_release(&text);
	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		if (asked[i].got != asked[i].want)
			error_set(err, ERROR_SYSTEM, "%s: %d", asked[i].what, asked[i].got);
	}
	return err->code ? -1 : 0;
}

static void test_what_is_opened(void **state)
{
	(void)state;
	struct error err = { 0 };
	pid_t self = getpid();
	write_text("secret", "root:" SECRET ":1:0:99999:7:::\n", 0600);
	write_text("source.c", "int main;\n", 0600);
	assert_int_equal(symlink("secret", "link.c"), 0);
	assert_int_equal(symlink("/bin/sh", "program"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	if (run(ask_for_files, &self, &err) != 0)
		fail_msg("%s", err.text);
}

struct map_asked {
	pid_t pid;
	int got;
};

static int ask_for_map(void *ctx, struct files *files, struct error *err)
{
	struct map_asked *m = ctx;
	int fd;
	(void)err;
	m->got = files_open_old_perf_map(files, m->pid, &fd, NULL);
	return 0;
}

static int map_of(pid_t pid)
{
	struct map_asked m = { pid, 1 };
	struct apart_job job = {
		.name = "x", .run = ask_for_map, .ctx = &m, .result = &m, .result_size = sizeof(m)
	};
	assert_int_equal(apart_run(&job, NULL), 0);
	return m.got;
}

/* Of a process of another time: by its exact name, and no link. */
static void test_old_perf_map(void **state)
{
	(void)state;
	pid_t gone = fork();
	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)gone);
	unlink(path);
	assert_int_equal(map_of(gone), -1);
	write_text(path, "1000 10 generated\n", 0600);
	assert_int_equal(map_of(gone), 0);
	unlink(path);
	write_text("secret", SECRET, 0600);
	char secret[128];
	snprintf(secret, sizeof(secret), "%s/secret", folder);
	assert_int_equal(symlink(secret, path), 0);
	assert_int_equal(map_of(gone), -1);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(map_of(gone), -1);
	unlink(path);
	assert_int_equal(map_of(0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_result_and_descriptor, enter_folder,
						leave_folder),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_silent_end),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_system_call_that_is_not_left),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test_setup_teardown(test_nothing_else_is_left, enter_folder,
						leave_folder),
		cmocka_unit_test(test_confined_as_the_worker),
		cmocka_unit_test_setup_teardown(test_what_is_opened, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(test_old_perf_map, enter_folder, leave_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
