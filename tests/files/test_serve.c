/* The broker against a worker that was taken over: crafted and random requests get nothing but what
 * a profile needs. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "child.h"
#include "files/files.h"
#include "files/kind.h"
#include "files/protocol.h"

#define SECRET "root:secret:1:0:99999:7:::\n"

struct shared { /* what the broker's callbacks tell */
	unsigned refused;
	char path[PATH_MAX], why[128];
};

struct fixture {
	struct files *files;
	pid_t broker, child;
	int socket;
	char folder[64];
	struct shared *shared;
};

struct context {
	pid_t child;
	struct shared *shared;
};

static enum files_access access_to(void *ctx, pid_t pid)
{
	return ((struct context *)ctx)->child == pid ? FILES_ALLOWED : FILES_REFUSED;
}

static void refused(void *ctx, const char *path, const char *why)
{
	struct shared *s = ((struct context *)ctx)->shared;

	s->refused++;
	snprintf(s->path, sizeof(s->path), "%s", path);
	snprintf(s->why, sizeof(s->why), "%s", why);
}

static _Noreturn void serve(struct fixture *f, int socket)
{
	struct context context = { f->child, f->shared };
	struct files_server server = { .files = files_direct_new(),
				       .access = access_to,
				       .refused = refused,
				       .ctx = &context };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("XDG_CACHE_HOME", f->folder, 1); /* the cache may be asked for too */
	while (files_serve(&server, socket) == 1)
		;
	files_free(server.files);
	_exit(0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int sockets[2];

	if (!f)
		return -1;
	f->child = child_start(NULL, NULL); /* first: it holds what is open now */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -1;
	folder_make(f->folder);
	file_make(f->folder, "secret", SECRET, 0600);
	f->shared = mmap(NULL, sizeof(*f->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	f->broker = fork();
	if (f->broker == 0) {
		close(sockets[0]);
		serve(f, sockets[1]);
	}
	close(sockets[1]);
	f->socket = sockets[0];
	f->files = files_remote_new(f->socket);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	int status = 0;

	files_free(f->files);
	close(f->socket);
	waitpid(f->broker, &status, 0);
	child_end(f->child);
	folder_remove(f->folder);
	munmap(f->shared, sizeof(*f->shared));
	free(f);
	return status == 0 ? 0 : -1;
}

static const char *in_folder(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	return path;
}

static int open_path(struct fixture *f, const char *path)
{
	int fd;

	files_open_path(f->files, f->child, path, &fd, NULL);
	return fd;
}

static int open_mapped(struct fixture *f, const char *path)
{
	struct files_mapped which = { .pid = f->child, .path = path };
	enum files_source source;
	int fd;

	files_open_mapped(f->files, &which, &fd, &source, NULL);
	return fd;
}

/* Neither as something mapped nor as something named, and it is told why. */
static void expect_nothing(struct fixture *f, const char *path, const char *why)
{
	unsigned before = f->shared->refused;

	assert_int_equal(open_mapped(f, path), -1);
	assert_int_equal(open_path(f, path), -1);
	assert_int_equal(f->shared->refused, before + 1);
	assert_string_equal(f->shared->path, path);
	assert_non_null(strstr(f->shared->why, why));
}

static void link_to(const struct fixture *f, const char *target, const char *name)
{
	assert_int_equal(symlink(target, in_folder(f, name)), 0);
}

static void planted_files(void **state)
{
	struct fixture *f = *state;
	char secret[256];

	snprintf(secret, sizeof(secret), "%s", in_folder(f, "secret"));
	expect_nothing(f, secret, "neither an ELF file nor source");
	link_to(f, secret, "libx.so.debug");
	expect_nothing(f, in_folder(f, "libx.so.debug"), "neither");
	link_to(f, secret, "unit.dwo");
	expect_nothing(f, in_folder(f, "unit.dwo"), "neither");
	link_to(f, secret, "shown.c");
	expect_nothing(f, in_folder(f, "shown.c"), "neither");
	assert_int_equal(mkdir(in_folder(f, "include"), 0755), 0);
	link_to(f, secret, "include/vector");
	expect_nothing(f, in_folder(f, "include/vector"), "neither");
	link_to(f, secret, "jit-1.dump");
	expect_nothing(f, in_folder(f, "jit-1.dump"), "neither");
	expect_nothing(f, in_folder(f, "include/../secret"), "neither");
	if (geteuid() == 0)
		expect_nothing(f, "/etc/shadow", "neither");
}

static void what_is_no_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkfifo(in_folder(f, "fifo"), 0666), 0);
	expect_nothing(f, in_folder(f, "fifo"), "not a regular file");
	assert_int_equal(mkdir(in_folder(f, "dir.debug"), 0755), 0);
	expect_nothing(f, in_folder(f, "dir.debug"), "not a regular file");
	link_to(f, "/dev/zero", "zero.dwo");
	expect_nothing(f, in_folder(f, "zero.dwo"), "not a regular file");
	expect_nothing(f, "/dev/null", "not a regular file");
	expect_nothing(f, "/proc/cpuinfo", "not a regular file");
	expect_nothing(f, "/proc/self/environ", "not a regular file");
	if (access("/proc/kcore", F_OK) == 0)
		expect_nothing(f, "/proc/kcore", "not a regular file");
	if (access("/sys/kernel/notes", F_OK) == 0)
		expect_nothing(f, "/sys/kernel/notes", "not a regular file");
}

static void write_bytes(const struct fixture *f, const char *name, const void *bytes, size_t len)
{
	int fd = open(in_folder(f, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void cores(void **state)
{
	struct fixture *f = *state;
	char core[64] = "\177ELF\2\1\1", big[64] = "\177ELF\2\2\1", program[64] = "\177ELF\2\1\1";

	core[16] = 4;
	big[17] = 4;
	program[16] = 3;
	write_bytes(f, "core", core, sizeof(core));
	expect_nothing(f, in_folder(f, "core"), "neither");
	write_bytes(f, "big", big, sizeof(big));
	expect_nothing(f, in_folder(f, "big"), "neither");
	write_bytes(f, "short", program, 17);
	expect_nothing(f, in_folder(f, "short"), "neither");
	write_bytes(f, "program", program, sizeof(program));
	int fd = open_path(f, in_folder(f, "program"));
	assert_true(fd >= 0);
	close(fd);
	fd = open_mapped(f, in_folder(f, "program"));
	assert_true(fd >= 0);
	close(fd);
}

static void what_a_profile_needs(void **state)
{
	struct fixture *f = *state;
	static const char dump[] = "DTiJ\1\0\0\0";

	file_make(f->folder, "shown.cpp", "int x;", 0644);
	assert_true(fd_holds(open_path(f, in_folder(f, "shown.cpp")), "int x;"));
	assert_int_equal(open_mapped(f, in_folder(f, "shown.cpp")), -1);
	assert_int_equal(mkdir(in_folder(f, "include"), 0755), 0);
	file_make(f->folder, "include/vector", "int y;", 0644);
	assert_true(fd_holds(open_path(f, in_folder(f, "include/vector")), "int y;"));
	write_bytes(f, "jit-12.dump", dump, sizeof(dump));
	int fd = open_mapped(f, in_folder(f, "jit-12.dump"));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(open_path(f, in_folder(f, "jit-12.dump")), -1);
	write_bytes(f, "jit-x.dump", dump, sizeof(dump));
	assert_int_equal(open_mapped(f, in_folder(f, "jit-x.dump")), -1);
}

static void a_perf_map_is_no_link(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)f->child);
	assert_int_equal(symlink(in_folder(f, "secret"), name), 0);
	assert_int_equal(files_open_perf_map(f->files, f->child, &fd, &err), -1);
	assert_int_equal(f->shared->refused, 1);
	unlink(name);
	assert_int_equal(mkfifo(name, 0666), 0);
	assert_int_equal(files_open_perf_map(f->files, f->child, &fd, &err), -1);
	unlink(name);
	file_make("/tmp", name + 5, "1000 10 f", 0600);
	assert_int_equal(files_open_perf_map(f->files, f->child, &fd, NULL), 0);
	assert_true(fd_holds(fd, "1000 10 f"));
	unlink(name);
}

static void a_perf_map_of_another_user_is_told(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char name[64];
	int fd;

	if (geteuid() != 0)
		skip();
	unsigned before = f->shared->refused;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)f->child);
	assert_int_equal(files_open_perf_map(f->files, f->child, &fd, NULL), -1);
	assert_int_equal(f->shared->refused, before); /* there is none */
	file_make("/tmp", name + 5, "1000 10 f", 0644);
	assert_int_equal(chown(name, 12345, 12345), 0);
	assert_int_equal(files_open_perf_map(f->files, f->child, &fd, &err), -1);
	unlink(name);
	assert_int_equal(err.code, ERROR_PERMISSION);
	assert_int_equal(f->shared->refused, before + 1);
}

static void other_processes(void **state)
{
	struct fixture *f = *state;
	const pid_t others[] = { 0, 1, getpid(), f->broker, 0x3ffffffe };
	struct bytes out = { 0 };
	struct error err = { 0 };
	enum files_source source;
	char byte;
	int fd;

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct files_mapped which = { .pid = others[i], .path = "/proc/self/exe" };
		assert_int_equal(files_open_path(f->files, others[i], "/bin/sh", &fd, &err), -1);
		assert_int_equal(err.code, ERROR_PERMISSION);
		assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), -1);
		assert_int_equal(files_open_perf_map(f->files, others[i], &fd, NULL), -1);
		assert_int_equal(files_read_memory(f->files, others[i], 4096, &byte, 1), -1);
		for (int what = FILES_PROC_MAPS; what <= FILES_PROC_CHILDREN; what++)
			assert_int_equal(files_read_proc(f->files, (enum files_proc)what, others[i],
							 0, &out, NULL),
					 -1);
	}
	assert_int_equal(out.len, 0);
	bytes_release(&out);
}

/* ---- random requests ---- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static pid_t random_pid(const struct fixture *f, uint64_t *random)
{
	const pid_t pids[] = { f->child, f->child, f->child, 0, 1, -1, f->broker, getpid() };
	uint64_t n = next_random(random) % (ARRAY_LEN(pids) + 1);

	return n < ARRAY_LEN(pids) ? pids[n] : (pid_t)next_random(random);
}

static size_t random_path(const struct fixture *f, uint64_t *random, char out[512])
{
	static const char *const paths[] = {
		"/etc/shadow",	 "/etc/passwd",
		"/proc/kcore",	 "/proc/self/mem",
		"/dev/zero",	 "/",
		"/bin/sh",	 "",
		"../etc/shadow", "/proc/self/exe",
		"/tmp",
	};
	uint64_t n = next_random(random) % (ARRAY_LEN(paths) + 2);
	int len;

	if (n < ARRAY_LEN(paths))
		len = snprintf(out, 512, "%s", paths[n]);
	else
		len = snprintf(out, 512, "%s/%s", f->folder, n & 1 ? "secret" : "secret.c");
	if (len > 0 && next_random(random) % 8 == 0)
		out[next_random(random) % (uint64_t)len] = (char)next_random(random);
	return (size_t)len;
}

static void send_random(const struct fixture *f, uint64_t *random)
{
	uint8_t message[sizeof(struct protocol_request) + 512];
	struct protocol_request q = { .op = (uint32_t)(next_random(random) % (OP_END + 1)),
				      .pid = random_pid(f, random),
				      .tid = next_random(random) % 2 ? 0 : random_pid(f, random),
				      .what = (uint32_t)(next_random(random) % 14),
				      .start = next_random(random) << (next_random(random) % 34),
				      .end = next_random(random) % (3 << 20) };
	size_t path_len = random_path(f, random, (char *)message + sizeof(q));
	size_t len = sizeof(q) + path_len;

	q.path_len = (uint32_t)path_len;
	memcpy(message, &q, sizeof(q));
	if (next_random(random) % 8 == 0)
		message[next_random(random) % len] ^= (uint8_t)(1u << next_random(random) % 8);
	if (next_random(random) % 16 == 0)
		len = 1 + next_random(random) % len;
	assert_int_equal(files_send_fds(f->socket, message, len, NULL, 0), len);
}

/* One that a process of another time left may be asked for by number. */
static bool is_perf_map(int fd)
{
	char link[64], path[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	return strncmp(path, "/tmp/perf-", 10) == 0;
}

/* A descriptor that arrives is of a program, or a perf map: nothing else that the random paths name
 * may be passed. */
static unsigned check_answer(const struct fixture *f)
{
	static uint8_t message[PROTOCOL_MAX_MESSAGE];
	struct protocol_answer a;
	const uint8_t *data;
	size_t count = 0;
	int fds[4];
	ssize_t n = files_receive_fds(f->socket, message, sizeof(message), fds, 4, &count);

	assert_true(n > 0);
	assert_true(protocol_parse_answer(message, (size_t)n, count, &a, &data));
	if (a.form == FORM_FILE) {
		char magic[4] = "";
		struct stat st;
		assert_int_equal(fstat(fds[0], &st), 0);
		/* Or a new file for the cache, which nobody has written to. */
		if (st.st_size > 0 && !is_perf_map(fds[0])) {
			assert_int_equal(pread(fds[0], magic, 4, 0), 4);
			assert_memory_equal(magic, "\177ELF", 4);
		}
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	assert_null(memmem(message, (size_t)n, SECRET, sizeof(SECRET) - 1));
	return a.form == FORM_FILE;
}

static void random_requests(void **state)
{
	struct fixture *f = *state;
	uint64_t random = 20240607;
	unsigned files = 0;

	link_to(f, in_folder(f, "secret"), "secret.c");
	for (int i = 0; i < 4000; i++) {
		send_random(f, &random);
		files += check_answer(f);
	}
	assert_true(files >
		    0); /* /bin/sh, now and then: the requests do reach what they are about */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(planted_files),
		TEST(what_is_no_file),
		TEST(cores),
		TEST(what_a_profile_needs),
		TEST(a_perf_map_is_no_link),
		TEST(a_perf_map_of_another_user_is_told),
		TEST(other_processes),
		TEST(random_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
