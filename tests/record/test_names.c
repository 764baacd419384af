/* Naming that does not come to an end is given up, and says at which module. */
#include "record/names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* A file that is asked for and never comes: for the naming thread that is work without end. */
static void a_module_without_end_is_given_up(void **state)
{
	int sockets[2];
	char path[] = "/without/end";
	struct rows rows = { 0 };
	struct task_module m = { .kind = MODULE_FILE,
				 .path = path,
				 .fd = -1,
				 .seen_pid = getpid(),
				 .build_id_len = 20 };
	(void)state;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	struct files *files = files_remote_new(sockets[0]);
	struct names *n = names_new(files, &rows, NULL, NULL, false);
	names_limit(n, 1);
	names_note(n, &m, 0x1000);
	assert_null(names_gave_up(n));
	names_finish(n, NULL);
	assert_string_equal(names_gave_up(n), "/without/end");
	names_add_excerpts(n, NULL); /* waits for nobody */
	names_free(n);		     /* nor does this: the thread still runs */
	assert_int_equal(send(sockets[1], "", 1, MSG_NOSIGNAL), 1);
}

static void nothing_to_do_is_done(void **state)
{
	struct rows rows = { 0 };
	struct files *files = files_direct_new();
	(void)state;

	struct names *n = names_new(files, &rows, NULL, NULL, false);
	names_limit(n, 1);
	names_finish(n, NULL);
	names_add_excerpts(n, NULL);
	assert_null(names_gave_up(n));
	names_free(n);
	files_free(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_do_is_done),
		cmocka_unit_test(a_module_without_end_is_given_up),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	_exit(failed); /* beside a thread that was given up */
}
