/* The broker's care for its openers: what they have to say is said however they end. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/files.h"
#include "record/opener_shared.h"

struct fixture {
	struct openers openers;
	int clients[OPENERS]; /* the worker's ends */
	char folder[64], planted[96];
	int said, stderr_fd; /* what is written to standard error, and that itself */
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int broker_ends[OPENERS];

	if (!f)
		return -1;
	snprintf(f->folder, sizeof(f->folder), "/tmp/prof-test-XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	snprintf(f->planted, sizeof(f->planted), "%s/planted.debug", f->folder);
	if (mkdir(f->planted, 0700) < 0)
		return -1;
	for (int i = 0; i < OPENERS; i++) {
		int pair[2];
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			return -1;
		broker_ends[i] = pair[0];
		f->clients[i] = pair[1];
	}
	openers_init(&f->openers, broker_ends);
	openers_follow(&f->openers, getpid());
	f->stderr_fd = dup(STDERR_FILENO);
	f->said = memfd_create("said", MFD_CLOEXEC);
	if (f->said < 0 || dup2(f->said, STDERR_FILENO) < 0)
		return -1;
	*state = f;
	return openers_start(&f->openers, NULL);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < OPENERS; i++) {
		if (f->clients[i] >= 0)
			close(f->clients[i]);
	}
	openers_release(&f->openers);
	openers_reap(&f->openers);
	dup2(f->stderr_fd, STDERR_FILENO);
	close(f->stderr_fd);
	close(f->said);
	rmdir(f->planted);
	rmdir(f->folder);
	free(f);
	return 0;
}

/* What its opener refuses. */
static void ask_for_planted(struct fixture *f, int i)
{
	struct files *files = files_remote_new(f->clients[i]);
	int fd;

	assert_int_equal(files_open_path(files, getpid(), f->planted, &fd, NULL), -1);
	files_free(files);
}

static void the_worker_ends(struct fixture *f)
{
	for (int i = 0; i < OPENERS; i++) {
		close(f->clients[i]);
		f->clients[i] = -1;
	}
}

/* Until the first opener has ended; it is not reaped. */
static void wait_for_its_end(const struct fixture *f)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)f->openers.all[0].pid, &info, WEXITED | WNOWAIT), 0);
}

static void expect_said_once(const struct fixture *f)
{
	char want[256], text[1024] = "";

	snprintf(want, sizeof(want),
		 "prof: not read although what is recorded names it: %s (not a regular file)\n",
		 f->planted);
	assert_true(pread(f->said, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, want);
}

static void a_refusal_is_said(void **state)
{
	struct fixture *f = *state;

	ask_for_planted(f, 0);
	openers_watch(&f->openers);
	ask_for_planted(f, 1);
	openers_watch(&f->openers);
	expect_said_once(f);
}

/* A short recording may be over, worker and openers gone, before the broker looks at them. */
static void a_refusal_is_said_when_the_opener_has_ended(void **state)
{
	struct fixture *f = *state;

	ask_for_planted(f, 0);
	pid_t pid = f->openers.all[0].pid;
	the_worker_ends(f);
	wait_for_its_end(f);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(openers_ended(&f->openers, pid, status));
	openers_watch(&f->openers);
	expect_said_once(f);
}

static void a_refusal_is_said_when_nobody_looked_until_the_end(void **state)
{
	struct fixture *f = *state;

	ask_for_planted(f, 0);
	the_worker_ends(f);
	wait_for_its_end(f);
	openers_release(&f->openers);
	openers_reap(&f->openers);
	expect_said_once(f);
}

static void kill_opener(struct fixture *f, int i)
{
	pid_t pid = f->openers.all[i].pid;
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(openers_ended(&f->openers, pid, status));
	assert_true(f->openers.all[i].pid > 0 && f->openers.all[i].pid != pid);
}

static void expect_served(struct fixture *f, int i)
{
	struct files *files = files_remote_new(f->clients[i]);
	struct bytes out = { 0 };

	assert_int_equal(files_read_proc(files, FILES_PROC_STAT, getpid(), 0, &out, NULL), 0);
	assert_int_equal(strtol((const char *)out.data, NULL, 10), getpid());
	bytes_release(&out);
	files_free(files);
}

static void a_killed_opener_is_replaced(void **state)
{
	static const char want[] =
		"prof: the process that opens files has ended early: Killed; another one takes its place\n";
	struct fixture *f = *state;
	char text[1024] = "";

	expect_served(f, 0);
	while (atomic_load(&f->openers.all[0].shared->owes)) /* it has only just answered */
		sched_yield();
	for (int i = 0; i < OPENERS; i++)
		kill_opener(f, i);
	for (int i = 0; i < OPENERS; i++)
		expect_served(f, i);
	assert_int_equal(f->openers.killed, OPENERS);
	assert_false(f->openers.gave_up);
	assert_true(pread(f->said, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, want); /* once */
}

/* Wherever it was killed after it had taken a request, whoever waits gets an answer. */
static void a_request_of_a_killed_opener_fails(void **state)
{
	struct fixture *f = *state;
	struct files *files = files_remote_new(f->clients[0]);
	struct bytes out = { 0 };
	struct error err = { 0 };

	atomic_store(&f->openers.all[0].shared->owes, 1);
	kill_opener(f, 0);
	assert_int_equal(files_read_proc(files, FILES_PROC_STAT, getpid(), 0, &out, &err), -1);
	assert_string_equal(err.text, "the process that opens files has ended");
	/* The answer of the new one to that request is not taken for this one's. */
	assert_int_equal(files_read_proc(files, FILES_PROC_STAT, getppid(), 0, &out, NULL), -1);
	assert_int_equal(files_read_proc(files, FILES_PROC_STAT, getpid(), 0, &out, NULL), 0);
	assert_int_equal(strtol((const char *)out.data, NULL, 10), getpid());
	bytes_release(&out);
	files_free(files);
}

static void openers_that_end_again_and_again_are_given_up(void **state)
{
	struct fixture *f = *state;
	char text[1024] = "";
	pid_t pid;
	int status;

	for (int i = 0; i < OPENER_MAX_RESTARTS; i++)
		kill_opener(f, 0);
	pid = f->openers.all[0].pid;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(openers_ended(&f->openers, pid, status));
	assert_int_equal(f->openers.all[0].pid, 0);
	assert_true(f->openers.gave_up);
	assert_true(pread(f->said, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(
		strstr(text, "\nprof: no more files are opened: it has been started too often\n"));
}

/* However many folders hang, a recording ends. */
static void patience_ends(void **state)
{
	uint64_t all_ns = 0;
	(void)state;

	assert_int_equal(opener_patience_ns(0), 3000000000u);
	for (unsigned i = 0; i <= OPENER_MAX_RESTARTS; i++) {
		assert_true(i == 0 || opener_patience_ns(i) <= opener_patience_ns(i - 1));
		assert_in_range(opener_patience_ns(i), 100000000u, 3000000000u);
		all_ns += opener_patience_ns(i);
	}
	assert_true(all_ns < 10000000000u);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patience_ends),
		TEST(a_refusal_is_said),
		TEST(a_refusal_is_said_when_the_opener_has_ended),
		TEST(a_refusal_is_said_when_nobody_looked_until_the_end),
		TEST(a_killed_opener_is_replaced),
		TEST(a_request_of_a_killed_opener_fails),
		TEST(openers_that_end_again_and_again_are_given_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
