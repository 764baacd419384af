/* A file that is being written is put in place whole, or nothing of it is left. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cmd/replace.h"

static char folder[64], path[96];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/prof-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int tear_down(void **state)
{
	char old[128];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	unlink(path);
	return rmdir(folder); /* fails where something is left */
}

static size_t files_there(void)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void put(const char *text, bool keep_old)
{
	struct replace r;

	assert_int_equal(replace_begin(&r, path, REPLACE_USUAL_MODE, NULL), 0);
	assert_int_equal(write(r.fd, text, strlen(text)), strlen(text));
	assert_int_equal(replace_finish(&r, keep_old, NULL), 0);
}

static void expect_content(const char *name, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	assert_string_equal(got, text);
}

/* What a process does that writes and is sent a signal; how it ended. */
static int end_of(int number, void (*before)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct replace r;
		if (before)
			before();
		if (replace_begin(&r, path, REPLACE_USUAL_MODE, NULL) < 0 ||
		    write(r.fd, "new", 3) != 3)
			_exit(9);
		raise(number);
		_exit(replace_finish(&r, false, NULL) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void ignore_hangup(void)
{
	signal(SIGHUP, SIG_IGN);
}

static void signals_leave_nothing_behind(void **state)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };

	(void)state;
	put("old", false);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		int status = end_of(numbers[i], NULL);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i]);
		assert_int_equal(files_there(), 1);
		expect_content(path, "old");
	}
	/* nohup */
	int status = end_of(SIGHUP, ignore_hangup);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(files_there(), 1);
	expect_content(path, "new");
}

/* Processes that prof starts may end by a signal while it goes on writing. */
static void another_process_removes_nothing(void **state)
{
	struct replace r;
	int status;

	(void)state;
	assert_int_equal(replace_begin(&r, path, REPLACE_USUAL_MODE, NULL), 0);
	pid_t pid = fork();
	if (pid == 0) {
		raise(SIGTERM);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(write(r.fd, "text", 4), 4);
	assert_int_equal(replace_finish(&r, false, NULL), 0);
	expect_content(path, "text");
}

static void former_files(void **state)
{
	char old[128];
	struct replace r;

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	put("one", true);
	put("two", true);
	expect_content(path, "two");
	expect_content(old, "one");
	assert_int_equal(replace_begin(&r, path, REPLACE_USUAL_MODE, NULL), 0);
	replace_abandon(&r);
	expect_content(path, "two");
	assert_int_equal(files_there(), 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(signals_leave_nothing_behind),
		TEST(another_process_removes_nothing),
		TEST(former_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
