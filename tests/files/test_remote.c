/* The broker's protocol: the same answers as direct ones, and hostile messages from either end. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "child.h"
#include "files/files.h"
#include "files/protocol.h"

struct fixture {
	struct files *files, *direct;
	pid_t broker;
	int sockets[2]; /* ours, the broker's */
};

/* Refuses init, and everybody's root. */
static enum files_access access_to(void *ctx, pid_t pid)
{
	(void)ctx;
	return pid > 1 ? FILES_ALLOWED : FILES_REFUSED;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, f->sockets) < 0)
		return -1;
	f->direct = files_direct_new();
	f->files = files_remote_new(f->sockets[0]);
	f->broker = fork();
	if (f->broker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(f->sockets[0]);
		struct files_server server = { .files = f->direct, .access = access_to };
		while (files_serve(&server, f->sockets[1]) == 1)
			;
		_exit(0);
	}
	close(f->sockets[1]);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	int status = 0;

	files_free(f->files);
	files_free(f->direct);
	close(f->sockets[0]);
	if (f->broker > 0)
		waitpid(f->broker, &status, 0);
	free(f);
	return WIFEXITED(status) || WTERMSIG(status) == SIGKILL ? 0 : -1;
}

/* The broker inherits where the cache is. */
static int set_up_cache(void **state)
{
	static char base[] = "/tmp/prof-test-remote-XXXXXX";

	if (!mkdtemp(base) || setenv("XDG_CACHE_HOME", base, 1) < 0)
		return -1;
	return set_up(state);
}

static int tear_down_cache(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", getenv("XDG_CACHE_HOME"));
	return system(command) | tear_down(state);
}

static void cache_entries_are_passed(void **state)
{
	struct fixture *f = *state;
	const char *name = "0123456789abcdef0123456789abcdef";
	char text[8] = "";
	int fd;

	assert_int_equal(files_cache_open(f->files, name, &fd), -1);
	assert_int_equal(files_cache_commit(f->files, name), -1); /* nothing was created */
	assert_int_equal(files_cache_create(f->files, &fd), 0);
	assert_int_equal(write(fd, "kept", 4), 4);
	assert_int_equal(files_cache_commit(f->files, "../../../../../../../../../etc/x"), -1);
	assert_int_equal(files_cache_commit(f->files, name), 0);
	close(fd);
	assert_int_equal(files_cache_open(f->files, name, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "kept");
	close(fd);
	/* Names that this side would not even ask for. */
	struct protocol_request q = { .op = OP_CACHE_OPEN, .path_len = 9 };
	char message[sizeof(q) + 9], answer[4096];
	memcpy(message, &q, sizeof(q));
	memcpy(message + sizeof(q), "../passwd", 9);
	assert_int_equal(send(f->sockets[0], message, sizeof(message), 0), sizeof(message));
	ssize_t n = recv(f->sockets[0], answer, sizeof(answer), 0);
	assert_true(n > (ssize_t)sizeof(struct protocol_answer));
	assert_int_equal(((struct protocol_answer *)(void *)answer)->form, FORM_ERROR);
}

static void files_are_passed(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char folder[64], path[128], real[256];
	enum files_source source;
	int fd;

	folder_make(folder);
	file_make(folder, "one.c", "content", 0644);
	snprintf(path, sizeof(path), "%s/one.c", folder);
	assert_int_equal(files_open_path(f->files, getpid(), path, &fd, NULL), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_true(fd_holds(fd, "content"));
	ssize_t n = readlink("/proc/self/exe", real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	struct files_mapped which = { getpid(), 0, 0, real, 0 };
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_EXE);
	close(fd);
	assert_int_equal(files_open_path(f->files, getpid(), "/no/such", &fd, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(err.errnum, ENOENT);
	assert_non_null(strstr(err.text, "/no/such"));
	folder_remove(folder);
}

static bool reads_are_the_same(struct fixture *f, enum files_proc kind, pid_t pid)
{
	struct bytes a = { 0 }, b = { 0 };

	assert_int_equal(files_read_proc(f->files, kind, pid, 0, &a, NULL), 0);
	assert_int_equal(files_read_proc(f->direct, kind, pid, 0, &b, NULL), 0);
	bool same = a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
	if (kind == FILES_PROC_KALLSYMS)
		assert_true(a.len > PROTOCOL_MAX_MESSAGE);
	bytes_release(&a);
	bytes_release(&b);
	return same;
}

static void proc_entries_are_the_same(void **state)
{
	static const enum files_proc kinds[] = { FILES_PROC_MAPS, FILES_PROC_TASKS,
						 FILES_PROC_CMDLINE, FILES_PROC_EXE_LINK,
						 FILES_PROC_KALLSYMS }; /* the last: megabytes */
	struct fixture *f = *state;
	pid_t pid = child_start(NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		/* The kernel's symbols change when somebody loads a module or a BPF program. */
		int tries = 10;
		while (tries > 0 && !reads_are_the_same(f, kinds[i], pid))
			tries--;
		assert_int_not_equal(tries, 0);
	}
	child_end(pid);
}

static void memory_of_any_size(void **state)
{
	struct fixture *f = *state;
	size_t size = (size_t)1 << 20;
	uint8_t *mine = malloc(size), *got = malloc(size);
	pid_t pid;

	for (size_t i = 0; i < size; i++)
		mine[i] = (uint8_t)(i * 7 >> 3);
	pid = child_start(NULL, NULL);
	static const size_t lengths[] = {
		0, 1, 4096, PROTOCOL_MAX_INLINE, PROTOCOL_MAX_INLINE + 1, (size_t)1 << 20
	};
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		memset(got, 0, size);
		assert_int_equal(files_read_memory(f->files, pid, (uintptr_t)mine, got, lengths[i]),
				 lengths[i]);
		assert_memory_equal(mine, got, lengths[i] + (lengths[i] == 0));
	}
	assert_int_equal(files_read_memory(f->files, pid, 8, got, 8), -1);
	assert_int_equal(errno, EFAULT);
	child_end(pid);
	assert_int_equal(files_read_memory(f->files, pid, (uintptr_t)mine, got, 8), -1);
	assert_int_equal(errno, ESRCH);
	free(mine);
	free(got);
}

static void only_allowed_processes(void **state)
{
	struct fixture *f = *state;
	struct bytes b = { 0 };
	struct error err = { 0 };
	char byte;
	int fd;

	assert_int_equal(files_read_proc(f->files, FILES_PROC_STATUS, 1, 0, &b, &err), -1);
	assert_int_equal(err.code, ERROR_PERMISSION);
	assert_non_null(strstr(err.text, "not being recorded"));
	assert_int_equal(files_open_path(f->files, 0, "/etc/shadow", &fd, NULL), -1);
	assert_int_equal(files_open_perf_map(f->files, 1, &fd, NULL), -1);
	assert_int_equal(files_read_memory(f->files, 1, 4096, &byte, 1), -1);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_PIDS, 0, 0, &b, NULL), 0);
	bytes_release(&b);
}

static void a_dead_broker_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char byte;
	int fd;

	kill(f->broker, SIGKILL);
	assert_int_equal(files_open_path(f->files, getpid(), "/etc/passwd", &fd, &err), -1);
	assert_int_equal(err.code, ERROR_CLOSED);
	assert_int_equal(files_read_memory(f->files, getpid(), 4096, &byte, 1), -1);
	assert_int_equal(errno, EPIPE);
}

static enum error_code answer_code(int socket)
{
	uint8_t message[PROTOCOL_MAX_MESSAGE];
	struct protocol_answer answer;
	const uint8_t *data;
	size_t fd_count;
	int fds[4];
	ssize_t n = files_receive_fds(socket, message, sizeof(message), fds, 4, &fd_count);

	assert_true(n > 0);
	assert_true(protocol_parse_answer(message, (size_t)n, fd_count, &answer, &data));
	while (fd_count > 0)
		close(fds[--fd_count]);
	return answer.form == FORM_ERROR ? (enum error_code)answer.code : ERROR_NONE;
}

static enum error_code send_raw(int socket, const void *message, size_t len)
{
	assert_int_equal(files_send_fds(socket, message, len, NULL, 0), len);
	return answer_code(socket);
}

static enum error_code send_request(int socket, const struct protocol_request *q, const void *path,
				    size_t path_len)
{
	uint8_t message[8192];

	memcpy(message, q, sizeof(*q));
	memcpy(message + sizeof(*q), path, path_len);
	return send_raw(socket, message, sizeof(*q) + path_len);
}

static void hostile_requests_get_errors(void **state)
{
	struct fixture *f = *state;
	int s = f->sockets[0];
	static uint8_t noise[PROTOCOL_MAX_MESSAGE];
	const struct protocol_request good = { .op = OP_OPEN_PATH, .pid = getpid(), .path_len = 4 };
	struct protocol_request q;

	assert_int_equal(send_request(s, &good, "/bad", 4), ERROR_NOT_FOUND);
	assert_int_equal(send_request(s, &good, "/b\0d", 4), ERROR_FORMAT);
	assert_int_equal(send_request(s, &good, "/ba", 3), ERROR_FORMAT);
	assert_int_equal(send_request(s, &good, "/badd", 5), ERROR_FORMAT);
	assert_int_equal(send_request(s, &good, "bad!", 4), ERROR_NOT_FOUND);
	for (size_t len = 1; len < sizeof(good); len++)
		assert_int_equal(send_raw(s, &good, len), ERROR_FORMAT);
	q = good;
	q.op = OP_END;
	assert_int_equal(send_request(s, &q, "/bad", 4), ERROR_FORMAT);
	q = good;
	q.pid = -1;
	assert_int_equal(send_request(s, &q, "/bad", 4), ERROR_FORMAT);
	q = (struct protocol_request){ .op = OP_READ_PROC, .pid = getpid(), .what = 1000 };
	assert_int_equal(send_request(s, &q, "", 0), ERROR_USAGE);
	q = (struct protocol_request){ .op = OP_READ_MEMORY, .pid = getpid(), .end = UINT64_MAX };
	assert_int_equal(send_request(s, &q, "", 0), ERROR_SYSTEM);
	q.end = (1 << 20) + 1;
	assert_int_equal(send_request(s, &q, "", 0), ERROR_SYSTEM);
	assert_int_equal(send_raw(s, noise, sizeof(noise)), ERROR_FORMAT);
	memset(noise, 0xff, sizeof(noise));
	assert_int_equal(send_raw(s, noise, sizeof(noise)), ERROR_FORMAT);
}

static void descriptors_with_a_request_are_refused_and_closed(void **state)
{
	struct fixture *f = *state;
	struct protocol_request q = { .op = OP_OPEN_PATH, .pid = getpid() };
	int pair[2];
	char c;

	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(files_send_fds(f->sockets[0], &q, sizeof(q), &pair[1], 1) > 0);
		answer_code(f->sockets[0]);
	}
	close(pair[1]);
	assert_int_equal(read(pair[0], &c, 1), 0); /* nobody holds the other end */
	close(pair[0]);
}

/* A peer that asks and never reads must not stop the broker for ever. */
static void answers_are_not_waited_for(void **state)
{
	struct fixture *f = *state;
	struct protocol_request q = { .op = OP_READ_PROC, .what = FILES_PROC_MODULES };
	int status;

	alarm(1200); /* ends this test where both wait for each other */
	for (int i = 0; i < 100000; i++)
		if (files_send_fds(f->sockets[0], &q, sizeof(q), NULL, 0) < 0)
			break;
	assert_int_equal(waitpid(f->broker, &status, 0), f->broker);
	f->broker = -1;
	alarm(0);
	assert_true(WIFEXITED(status));
}

/* The other way round: what a client makes of answers nobody should send. */
static void hostile_answers_are_refused(void **state)
{
	int s[2], fd;
	struct error err = { 0 };
	struct bytes out = { 0 };
	struct protocol_answer a;
	uint8_t request[PROTOCOL_MAX_MESSAGE];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	struct files *f = files_remote_new(s[0]);
	a = (struct protocol_answer){ .form = FORM_INLINE, .len = 1000 };
	assert_true(files_send_fds(s[1], &a, sizeof(a), NULL, 0) > 0);
	assert_int_equal(files_read_proc(f, FILES_PROC_PIDS, 0, 0, &out, &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_true(read(s[1], request, sizeof(request)) > 0);
	a = (struct protocol_answer){ .form = FORM_FILE };
	assert_true(files_send_fds(s[1], &a, sizeof(a), NULL, 0) > 0);
	assert_int_equal(files_open_path(f, 0, "/x", &fd, NULL), -1);
	assert_true(read(s[1], request, sizeof(request)) > 0);
	/* a memfd that is not sealed, of another size, or a file that is none */
	int memfd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(memfd, 4096), 0);
	int sealed = protocol_seal("12345", 5), plain = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	const struct {
		int fd;
		uint64_t len;
		int expected;
	} rows[] = { { memfd, 4096, -1 },
		     { sealed, 6, -1 },
		     { sealed, 4, -1 },
		     { plain, 4096, -1 },
		     { sealed, 5, 0 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		a = (struct protocol_answer){ .form = FORM_MEMFD, .len = rows[i].len };
		assert_true(files_send_fds(s[1], &a, sizeof(a), &rows[i].fd, 1) > 0);
		assert_int_equal(files_read_proc(f, FILES_PROC_PIDS, 0, 0, &out, NULL),
				 rows[i].expected);
		assert_true(read(s[1], request, sizeof(request)) > 0);
	}
	assert_int_equal(out.len, 5);
	assert_memory_equal(out.data, "12345", 5);
	files_free(f);
	bytes_release(&out);
	const int all[] = { s[0], s[1], memfd, sealed, plain };
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		close(all[i]);
}

/* As when a server answered, was killed, and was answered for. */
static void late_answers_are_dropped(void **state)
{
	static const struct protocol_answer late = { .form = FORM_INLINE, .serial = 1 };
	static const struct protocol_answer lost = { .form = FORM_ERROR };

	struct {
		struct protocol_answer head;
		char data[8];
	} good = { { .form = FORM_INLINE, .serial = 2, .len = 8 }, "an entry" };
	struct bytes out = { 0 };
	int s[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	struct files *f = files_remote_new(s[0]);
	assert_true(files_send_fds(s[1], &lost, sizeof(lost), NULL, 0) > 0);
	assert_int_equal(files_read_proc(f, FILES_PROC_PIDS, 0, 0, &out, NULL), -1);
	assert_true(files_send_fds(s[1], &late, sizeof(late), NULL, 0) > 0);
	assert_true(files_send_fds(s[1], &good, sizeof(good), NULL, 0) > 0);
	assert_int_equal(files_read_proc(f, FILES_PROC_PIDS, 0, 0, &out, NULL), 0);
	assert_int_equal(out.len, 8);
	assert_memory_equal(out.data, "an entry", 8);
	/* One with a file, which is closed. */
	struct protocol_answer file = { .form = FORM_FILE, .serial = 2 };
	assert_true(files_send_fds(s[1], &file, sizeof(file), &null, 1) > 0);
	good.head.serial = 3;
	assert_true(files_send_fds(s[1], &good, sizeof(good), NULL, 0) > 0);
	int next = dup(null);
	close(next);
	assert_int_equal(files_read_proc(f, FILES_PROC_PIDS, 0, 0, &out, NULL), 0);
	assert_int_equal(dup(null), next);
	const int all[] = { s[0], s[1], null, next };
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		close(all[i]);
	files_free(f);
	bytes_release(&out);
}

static void passing_many_descriptors(void **state)
{
	int s[2], fds[200], got[200];
	size_t count = 0;
	char text[8];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	for (int i = 0; i < 200; i++)
		fds[i] = 0;
	assert_int_equal(files_send_fds(s[0], "abc", 3, fds, 200), 3);
	assert_int_equal(files_receive_fds(s[1], text, sizeof(text), got, 200, &count), 3);
	assert_int_equal(count, 200);
	assert_memory_equal(text, "abc", 3);
	int next = dup(0);
	for (int i = 0; i < 200; i++)
		close(got[i]);
	close(next);
	/* no room for all: the rest is closed */
	assert_int_equal(files_send_fds(s[0], "abc", 3, fds, 10), 3);
	assert_int_equal(files_receive_fds(s[1], text, sizeof(text), got, 2, &count), 3);
	assert_int_equal(count, 2);
	close(got[0]);
	close(got[1]);
	int after = dup(0);
	assert_true(after <= next);
	close(after);
	assert_int_equal(files_send_fds(s[0], "abcdefghi", 9, NULL, 0), 9);
	assert_int_equal(files_receive_fds(s[1], text, sizeof(text), got, 2, &count), -1);
	assert_int_equal(errno, EMSGSIZE);
	/* no descriptor is left for them */
	struct rlimit usual, full;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	full = usual;
	full.rlim_cur = (rlim_t)after;
	assert_int_equal(files_send_fds(s[0], "abc", 3, fds, 10), 3);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	assert_int_equal(files_receive_fds(s[1], text, sizeof(text), got, 10, &count), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(count, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(dup(0), after);
	close(after);
	assert_int_equal(files_send_fds(s[0], "", 0, NULL, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(files_send_fds(s[0], "a", 1, fds, 201), -1);
	close(s[0]);
	assert_int_equal(files_receive_fds(s[1], text, sizeof(text), got, 2, &count), 0);
	close(s[1]);
}

struct waiting {
	int socket, calls;
};

/* The answer is sent only when it has been waited for three times. */
static void answer_the_third_time(void *ctx)
{
	struct waiting *w = ctx;
	struct error err = { 0 };

	error_set(&err, ERROR_NOT_FOUND, "no file today");
	if (++w->calls == 3)
		assert_int_equal(files_answer_for(w->socket, &err), 1);
}

static void waiting_is_told(void **state)
{
	struct error err = { 0 };
	int s[2], fd;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	struct files *f = files_remote_new(s[0]);
	struct waiting w = { .socket = s[1] };
	files_remote_on_wait(f, answer_the_third_time, &w);
	assert_int_equal(files_open_path(f, 0, "/some/file", &fd, &err), -1);
	assert_string_equal(err.text, "no file today");
	assert_int_equal(w.calls, 3);
	close(s[1]); /* who is gone is not waited for */
	assert_int_equal(files_open_path(f, 0, "/some/file", &fd, &err), -1);
	files_free(f);
	close(s[0]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(files_are_passed),
		TEST(proc_entries_are_the_same),
		TEST(memory_of_any_size),
		TEST(only_allowed_processes),
		TEST(a_dead_broker_is_an_error),
		TEST(hostile_requests_get_errors),
		TEST(descriptors_with_a_request_are_refused_and_closed),
		TEST(answers_are_not_waited_for),
		cmocka_unit_test_setup_teardown(cache_entries_are_passed, set_up_cache,
						tear_down_cache),
		cmocka_unit_test(hostile_answers_are_refused),
		cmocka_unit_test(late_answers_are_dropped),
		cmocka_unit_test(waiting_is_told),
		cmocka_unit_test(passing_many_descriptors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
