/* Messages between broker and worker: what is malformed is refused, and its descriptors are closed.
 */
#include "files/files.h"
#include "record/control.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int pair[2];

static int open_pair(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static int receive(union control_message *m, int *fds, size_t *fd_count, struct error *err)
{
	*fd_count = 0;
	return control_receive(pair[1], m, fds, fd_count, err);
}

static void events_arrive_with_descriptors(void **state)
{
	(void)state;
	union control_message m;
	int fds[CONTROL_MAX_FDS], sent[2] = { dup(0), dup(0) };
	size_t fd_count;
	struct control_events e = { .kind = CONTROL_EVENTS, .count = 2 };
	e.fds[1].cpu = 7;
	assert_int_equal(control_send(pair[0], &e, sizeof(e), sent, 2, NULL), 0);
	assert_int_equal(receive(&m, fds, &fd_count, NULL), 0);
	assert_int_equal(fd_count, 2);
	assert_int_equal(m.events.fds[1].cpu, 7);
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(sent[i]);
	}
}

static void wrong_size_kind_and_count_are_refused(void **state)
{
	(void)state;
	union control_message m;
	int fds[CONTROL_MAX_FDS], sent = dup(0);
	size_t fd_count;
	struct error err = { 0 };
	struct control_plain odd = { .kind = CONTROL_KINDS };
	assert_int_equal(control_send(pair[0], &odd, sizeof(odd), NULL, 0, NULL), 0);
	assert_int_equal(receive(&m, fds, &fd_count, &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);

	struct control_plain cut = { .kind = CONTROL_STOP };
	assert_int_equal(control_send(pair[0], &cut, sizeof(cut), NULL, 0, NULL), 0);
	assert_int_equal(receive(&m, fds, &fd_count, NULL), -1);

	struct control_events lying = { .kind = CONTROL_EVENTS, .count = 2 };
	assert_int_equal(control_send(pair[0], &lying, sizeof(lying), &sent, 1, NULL), 0);
	assert_int_equal(receive(&m, fds, &fd_count, NULL), -1);
	assert_int_equal(fd_count, 0);
	close(sent);
}

static void other_side_gone_is_closed(void **state)
{
	(void)state;
	union control_message m;
	int fds[CONTROL_MAX_FDS];
	size_t fd_count;
	struct error err = { 0 };
	close(pair[0]);
	assert_int_equal(receive(&m, fds, &fd_count, &err), -1);
	assert_int_equal(err.code, ERROR_CLOSED);
	pair[0] = dup(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_arrive_with_descriptors, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(wrong_size_kind_and_count_are_refused, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(other_side_gone_is_closed, open_pair, close_pair),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
