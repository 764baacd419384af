/* What a confined process can still do, and what not: tried for real, in children. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "record/confine.h"

/* Exit statuses of children: 0, or the number of the first attempt that went another way, from 1.
 */
static int status_of(void (*act)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		/* The test library's own handlers would go on with the next test, in the child. */
		for (int i = 1; i < NSIG; i++)
			signal(i, SIG_DFL);
		act();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void need(bool condition, int number)
{
	if (!condition)
		_exit(number);
}

static void confine(bool kill)
{
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_system_calls(kill, NULL) == 0,
	     100);
}

static void *thread_main(void *arg)
{
	setpriority(PRIO_PROCESS, 0, 5);
	*(int *)arg = 1;
	return NULL;
}

static void do_what_is_left(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), pair[2], ran = 0;
	char text[4] = "";
	struct stat st;
	pthread_t thread;

	need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, 1);
	confine(false);
	need(pread(fd, text, 4, 0) == 4 && !memcmp(text, "\177ELF", 4), 2);
	need(fstat(fd, &st) == 0 && st.st_size > 4, 3);
	need(fcntl(fd, F_DUPFD_CLOEXEC, 3) > fd, 4);
	struct iovec part = { text, 4 };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	need(sendmsg(pair[0], &m, 0) == 4 && recvmsg(pair[1], &m, 0) == 4, 5);
	char *big = malloc((size_t)64 << 20);
	need(big != NULL, 6);
	memset(big, 1, (size_t)64 << 20);
	free(big);
	need(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED, 7);
	need(pthread_create(&thread, NULL, thread_main, &ran) == 0, 8);
	need(pthread_join(thread, NULL) == 0 && ran, 9);
	need(clock_thread_cpu_ns() > 0, 10);
}

static void what_is_left_works(void **state)
{
	(void)state;
	assert_int_equal(status_of(do_what_is_left), 0);
}

#ifndef PROF_SANITIZED /* sanitizers need some of these */
static bool fails(long result)
{
	return result < 0 && errno == ENOSYS;
}

static void do_what_is_taken(void)
{
	char *const argv[] = { NULL };
	char c = 'x';

	confine(false);
	need(fails(open("/etc/passwd", O_RDONLY | O_CLOEXEC)), 1);
	need(fails(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0)), 2);
	need(fails(socket(AF_INET, SOCK_STREAM, 0)), 3);
	need(fails(execve("/bin/true", argv, argv)), 4);
	need(fails(kill(getppid(), 0)), 5);
	need(fails(syscall(SYS_tgkill, 1, 1, 0)), 6);
	need(fails(ptrace(PTRACE_ATTACH, 1, NULL, NULL)), 7);
	need(fails(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0)), 8);
	need(fails(fork()), 9);
	need(fails(ioctl(0, TIOCSTI, &c)), 10);
	need(fails(fcntl(0, F_SETOWN, 1)), 11);
	need(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			     MAP_FAILED &&
		     errno == ENOSYS,
	     12);
	need(fails(setpriority(PRIO_PROCESS, 1, 19)), 13);
	need(fails(unlink("/no/such")) && fails(mkdir("/no/such", 0)), 14);
	need(fails(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)), 15);
	need(fails(syscall(SYS_clone3, NULL, 0)), 16);
	struct stat st;
	need(fails(stat("/", &st)), 17);
	need(fails(syscall(SYS_seccomp, 0, 0, NULL)), 18);
}

static void the_rest_is_refused(void **state)
{
	(void)state;
	assert_int_equal(status_of(do_what_is_taken), 0);
}

static void open_after_kill_filter(void)
{
	confine(true);
	open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static void abort_after_kill_filter(void)
{
	struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	confine(true);
	abort();
}

static void tests_see_what_is_not_foreseen(void **state)
{
	(void)state;
	int status = status_of(open_after_kill_filter);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
	status = status_of(abort_after_kill_filter);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

#ifdef __x86_64__
/* Numbers of the 32-bit interface mean other calls: 39 is getpid here and mkdir there. */
static void call_in_32_bit(void)
{
	long result = 20; /* getpid there, writev here */

	confine(false);
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
}

static void call_x32(void)
{
	confine(false);
	syscall(0x40000000 | SYS_getpid);
}

static void other_interfaces_end_the_process(void **state)
{
	(void)state;
	int status = status_of(call_x32);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	status = status_of(call_in_32_bit); /* SIGSEGV where the kernel has no such interface */
	assert_true(WIFSIGNALED(status));
	assert_true(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
}
#endif
#endif

static void filters_fit(void **state)
{
	struct sock_filter filter[BPF_MAXINSNS];

	(void)state;
	size_t len = confine_filter_make(filter, BPF_MAXINSNS, 1, false);
	assert_true(len > 10 && len < 400);
	for (size_t i = 0; i < len; i++) { /* every jump stays inside */
		if (BPF_CLASS(filter[i].code) == BPF_JMP)
			assert_true(i + 1 + filter[i].jt < len && i + 1 + filter[i].jf < len);
	}
	assert_int_equal(BPF_CLASS(filter[len - 1].code), BPF_RET);
	assert_true(confine_filter_make(filter, 10, 1, false) == len); /* written no further */
}

/* The value behind a key in /proc/PID/status. */
static void status_line(pid_t pid, const char *key, char out[128])
{
	char path[64];
	struct bytes text = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	assert_int_equal(io_read_file(path, &text, 1 << 16, NULL), 0);
	bytes_u8(&text, 0);
	char *at = strstr((char *)text.data, key);
	assert_non_null(at);
	at += strlen(key) + 1;
	snprintf(out, 128, "%.*s", (int)strcspn(at, "\n"), at);
	bytes_release(&text);
}

static void expect_line(pid_t pid, const char *key, const char *value)
{
	char line[128];

	status_line(pid, key, line);
	assert_string_equal(line, value);
}

static pid_t confined_child(int *end)
{
	int ready[2], wait[2];
	char c;

	assert_true(pipe(ready) == 0 && pipe(wait) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(wait[1]);
		if (confine_process(NULL) == 0)
			(void)io_write_full(ready[1], "r", 1);
		_exit(read(wait[0], &c, 1) == 0 ? 0 : 1);
	}
	close(wait[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*end = wait[1];
	return pid;
}

static void nothing_is_left_of_rights(void **state)
{
	int end, status;
	char ids[128];
	(void)state;
	bool is_root = geteuid() == 0;
	pid_t pid = confined_child(&end);

	expect_line(pid, "CapEff:", "0000000000000000");
	expect_line(pid, "CapPrm:", "0000000000000000");
	expect_line(pid, "CapInh:", "0000000000000000");
	expect_line(pid, "CapAmb:", "0000000000000000");
	expect_line(pid, "NoNewPrivs:", "1");
	expect_line(pid, "Seccomp:", "2");
	if (is_root) {
		expect_line(pid, "CapBnd:", "0000000000000000");
		status_line(pid, "Uid:", ids);
		unsigned uid = (unsigned)strtoul(ids, NULL, 10);
		assert_true(uid == CONFINE_USER || uid == 65534);
		snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u", uid, uid, uid, uid);
		expect_line(pid, "Uid:", ids);
		expect_line(pid, "Gid:", ids);
		expect_line(pid, "Groups:", " ");
	}
	close(end);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void only_named_descriptors_are_kept(void **state)
{
	int pair[2], status;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		int other = dup(pair[0]);
		confine_descriptors(&pair[1], 1);
		need(fcntl(pair[1], F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0, 1);
		need(fcntl(pair[0], F_GETFD) < 0 && fcntl(other, F_GETFD) < 0, 2);
		struct stat in, out;
		need(fstat(0, &in) == 0 && fstat(1, &out) == 0, 3);
		need(S_ISCHR(in.st_mode) && in.st_rdev == out.st_rdev, 4);
		_exit(0);
	}
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_works),
#ifndef PROF_SANITIZED
		cmocka_unit_test(the_rest_is_refused),
		cmocka_unit_test(tests_see_what_is_not_foreseen),
#ifdef __x86_64__
		cmocka_unit_test(other_interfaces_end_the_process),
#endif
#endif
		cmocka_unit_test(filters_fit),
		cmocka_unit_test(nothing_is_left_of_rights),
		cmocka_unit_test(only_named_descriptors_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
