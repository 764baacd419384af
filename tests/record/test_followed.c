/* Who belongs to a recording: descendants, those who lost their parents, and nobody else. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/followed.h"

/* A process that starts another one, tells its number and then waits or ends. */
static pid_t start_pair(pid_t *grandchild, bool parent_ends, uid_t user)
{
	int numbers[2];

	assert_int_equal(pipe(numbers), 0);
	pid_t child = fork();
	if (child == 0) {
		pid_t inner = fork();
		if (inner == 0) {
			if (user && setuid(user) < 0)
				_exit(1);
			inner = getpid();
			if (write(numbers[1], &inner, sizeof(inner)) != sizeof(inner))
				_exit(1);
		} else if (parent_ends) {
			_exit(0);
		}
		for (;;)
			pause();
	}
	assert_int_equal(read(numbers[0], grandchild, sizeof(*grandchild)), sizeof(*grandchild));
	close(numbers[0]);
	close(numbers[1]);
	if (parent_ends)
		waitpid(child, NULL, 0);
	return child;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void wait_until_gone(pid_t pid)
{
	while (kill(pid, 0) == 0)
		usleep(1000);
}

/* This process is not followed, nor are its other children: only what was added and comes of it. */
static void descendants(void **state)
{
	struct files *files = files_direct_new();
	struct followed f;
	pid_t grandchild, other_grandchild;
	(void)state;
	pid_t child = start_pair(&grandchild, false, 0);

	followed_init(&f, files, UINT64_MAX, false);
	assert_int_equal(followed_access(&f, child), FILES_REFUSED);
	followed_add(&f, child);
	pid_t other = start_pair(&other_grandchild, false, 0);
	assert_int_equal(followed_access(&f, child), FILES_ALLOWED);
	assert_int_equal(followed_access(&f, grandchild), FILES_ALLOWED);
	assert_int_equal(followed_access(&f, other), FILES_REFUSED);
	assert_int_equal(followed_access(&f, other_grandchild), FILES_REFUSED);
	assert_int_equal(followed_access(&f, getpid()), FILES_REFUSED);
	assert_int_equal(followed_access(&f, 1), FILES_REFUSED);
	assert_int_equal(followed_access(&f, 0), FILES_REFUSED);
	assert_int_equal(followed_access(&f, -1), FILES_REFUSED);
	kill(grandchild, SIGKILL);
	kill(other_grandchild, SIGKILL);
	end(child);
	end(other);
	assert_int_equal(followed_access(&f, child), FILES_GONE);
	followed_release(&f);
	files_free(files);
}

static void a_number_alone_is_nobody(void **state)
{
	struct files *files = files_direct_new();
	struct followed f;
	pid_t grandchild;
	(void)state;
	pid_t child = start_pair(&grandchild, false, 0);

	followed_init(&f, files, UINT64_MAX, false);
	followed_add(&f, child);
	f.members.data[0].start_ticks--; /* as if it were an earlier process */
	assert_int_equal(followed_access(&f, child), FILES_REFUSED);
	assert_int_equal(followed_access(&f, grandchild), FILES_REFUSED);
	kill(grandchild, SIGKILL);
	end(child);
	followed_release(&f);
	files_free(files);
}

/* What is begun in the background has no parent to be known by. */
static void those_without_parents(void **state)
{
	struct files *files = files_direct_new();
	struct followed f, earlier;
	pid_t grandchild;
	(void)state;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* so that it can be ended */
	followed_init(&f, files, followed_now_ticks(), false);
	followed_add(&f, getpid());
	start_pair(&grandchild, true, 0);
	f.members.len = f.added = 0; /* the users stay; nobody descends from anybody */
	hmap_clear(&f.by_pid);
	assert_int_equal(followed_access(&f, grandchild), FILES_ALLOWED);
	followed_init(&earlier, files, UINT64_MAX, false); /* it began before the recording */
	assert_int_equal(followed_access(&earlier, grandchild), FILES_REFUSED);
	end(grandchild);
	wait_until_gone(grandchild);
	assert_int_equal(followed_access(&f, grandchild), FILES_GONE);
	followed_release(&f);
	followed_release(&earlier);
	files_free(files);
}

static void other_users_without_parents(void **state)
{
	struct files *files = files_direct_new();
	struct followed f;
	pid_t grandchild;
	(void)state;

	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	followed_init(&f, files, followed_now_ticks(), false);
	f.users[f.user_count++] = 65534;
	start_pair(&grandchild, true, 0); /* root's, while nobody's are followed */
	assert_int_equal(followed_access(&f, grandchild), FILES_REFUSED);
	end(grandchild);
	start_pair(&grandchild, true, 65534);
	assert_int_equal(followed_access(&f, grandchild), FILES_ALLOWED);
	end(grandchild);
	followed_release(&f);
	files_free(files);
}

static void threads_are_their_process(void **state)
{
	struct files *files = files_direct_new();
	struct followed f;
	struct bytes tids = { 0 };
	(void)state;

	followed_init(&f, files, UINT64_MAX, false);
	followed_add(&f, getpid());
	assert_int_equal(files_read_proc(files, FILES_PROC_TASKS, getpid(), 0, &tids, NULL), 0);
	struct bytes_reader r;
	reader_init(&r, tids.data, tids.len);
	while (reader_left(&r) >= 4)
		assert_int_equal(followed_access(&f, (pid_t)reader_u32(&r)), FILES_ALLOWED);
	bytes_release(&tids);
	followed_release(&f);
	files_free(files);
}

static void everybody(void **state)
{
	struct followed f;
	(void)state;
	followed_init(&f, NULL, 0, true);
	assert_int_equal(followed_access(&f, 1), FILES_ALLOWED);
	assert_int_equal(followed_access(&f, 0), FILES_REFUSED);
	followed_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descendants),
		cmocka_unit_test(a_number_alone_is_nobody),
		cmocka_unit_test(those_without_parents),
		cmocka_unit_test(other_users_without_parents),
		cmocka_unit_test(threads_are_their_process),
		cmocka_unit_test(everybody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
