/* Errors are filled once and gain context; messages and whole reads and writes. */
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/progress.h"
#include "groups.h"

static void test_the_first_error_stays(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(error_set(&err, ERROR_FORMAT, "bad %d", 7), -1);
	assert_int_equal(error_set(&err, ERROR_USAGE, "later"), -1);
	assert_int_equal(error_set_errno(&err, EIO, "later"), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_string_equal(err.text, "bad 7");
	assert_int_equal(error_context(&err, "file %s", "x"), -1);
	assert_string_equal(err.text, "file x: bad 7");
	error_clear(&err);
	assert_int_equal(err.code, ERROR_NONE);
	assert_string_equal(err.text, "");
	assert_int_equal(error_set(NULL, ERROR_FORMAT, "nobody listens"), -1);
	assert_int_equal(error_context(NULL, "nobody"), -1);
}

static void test_codes_follow_errno(void **state)
{
	static const struct {
		int errnum;
		enum error_code code;
	} rows[] = { { EACCES, ERROR_PERMISSION },
		     { EPERM, ERROR_PERMISSION },
		     { ENOENT, ERROR_NOT_FOUND },
		     { ENOMEM, ERROR_NO_MEMORY },
		     { EIO, ERROR_SYSTEM } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = { 0 };
		error_set_errno(&err, rows[i].errnum, "cannot open %s", "f");
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(err.errnum, rows[i].errnum);
	}
	struct error err = { 0 };
	error_set_errno(&err, ENOENT, "cannot open f");
	assert_string_equal(err.text, "cannot open f: No such file or directory");
	error_clear(&err);
	error_set_errno(&err, EMFILE, "cannot open f");
	assert_string_equal(err.text, "cannot open f: Too many open files (raise ulimit -n)");
}

static void test_long_texts_are_cut(void **state)
{
	struct error err = { 0 };
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set_errno(&err, EIO, "%s", text);
	error_context(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

/* What log_message writes to standard error. */
static size_t logged(enum log_level level, const char *text, char *out, size_t size)
{
	int ends[2], saved = dup(STDERR_FILENO);

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	dup2(ends[1], STDERR_FILENO);
	log_message(level, "%s", text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	ssize_t n = io_read_full(ends[0], out, size - 1);
	close(ends[0]);
	assert_true(n >= 0);
	out[n] = '\0';
	return (size_t)n;
}

static void test_messages(void **state)
{
	char out[256];

	(void)state;
	logged(LOG_NOTICE, "a\033[31mb\n", out, sizeof(out));
	assert_string_equal(out, "prof: a\\x1b[31mb\n");
	assert_int_equal(logged(LOG_INFO, "hidden", out, sizeof(out)), 0);
	log_set_level(LOG_DEBUG);
	assert_int_equal(log_get_level(), LOG_DEBUG);
	assert_true(logged(LOG_DEBUG, "shown", out, sizeof(out)) > 0);
	log_set_level(LOG_ERROR);
	assert_int_equal(logged(LOG_NOTICE, "quiet", out, sizeof(out)), 0);
	assert_true(logged(LOG_ERROR, "still", out, sizeof(out)) > 0);
	log_set_level(LOG_NOTICE);
}

static void show_progress(int fd)
{
	int saved = dup(STDERR_FILENO);
	struct progress p;

	dup2(fd, STDERR_FILENO);
	progress_start(&p, "reading");
	progress_update(&p, 1, 4); /* too early to be worth a line */
	p.start_ns -= 1000000000;
	p.last_ns -= 1000000000;
	progress_update(&p, 1, 4);
	progress_update(&p, 2, 4); /* too soon after the last */
	progress_end(&p);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void test_progress_on_a_terminal(void **state)
{
	static const char expected[] = "\r\033[Kreading: 25 %\r\033[K";
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char out[64] = "";

	(void)state;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		print_message("no pseudo-terminal can be opened here\n");
		skip();
	}
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	show_progress(terminal);
	/* A terminal passes on when it likes: wait for all of it. */
	assert_int_equal(io_read_full(master, out, sizeof(expected) - 1), sizeof(expected) - 1);
	assert_string_equal(out, expected);
	close(terminal);
	close(master);
}

static void test_no_progress_into_a_pipe(void **state)
{
	int ends[2];
	char out;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	show_progress(ends[1]);
	close(ends[1]);
	assert_int_equal(io_read_full(ends[0], &out, 1), 0);
	close(ends[0]);
}

static void test_files(void **state)
{
	char path[] = "/tmp/prof-test-XXXXXX";
	struct bytes in = { 0 };
	struct error err = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_write_full(fd, "0123456789", 10), 0);
	char part[4] = "";
	assert_int_equal(io_pread_full(fd, part, 3, 8), 2);
	assert_memory_equal(part, "89", 2);
	close(fd);
	assert_int_equal(io_read_file(path, &in, 10, &err), 0);
	assert_int_equal(in.len, 10);
	assert_int_equal(io_read_file(path, &in, 9, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.text, path));
	unlink(path);
	error_clear(&err);
	assert_int_equal(io_read_file(path, &in, 10, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	bytes_release(&in);
}

static void test_clocks_advance(void **state)
{
	(void)state;
	uint64_t before = clock_monotonic_ns();
	assert_true(clock_monotonic_ns() >= before);
	assert_true(before > 0);
	assert_true(clock_realtime_ns() > 1600000000ull * 1000000000);
	assert_true(clock_thread_cpu_ns() > 0);
}

int test_errors_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_error_stays),
		cmocka_unit_test(test_codes_follow_errno),
		cmocka_unit_test(test_long_texts_are_cut),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_progress_on_a_terminal),
		cmocka_unit_test(test_no_progress_into_a_pipe),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_clocks_advance),
	};

	return cmocka_run_group_tests_name("errors, messages, files", tests, NULL, NULL);
}
