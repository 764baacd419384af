/*
 * The filter of system calls as a table, and its translation. Opening, creating, connecting,
 * executing, signalling, tracing and mapping executable memory are not in it; of calls that can do
 * such things too, an argument is checked.
 */
#include "record/confine.h"

#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif
#define X32_BIT	   0x40000000u
#define MAX_FILTER 512

enum { ANY_ARGUMENTS, ONE_CHECK, TWO_CHECKS };

struct check {
	uint32_t argument, mask,
		value; /* the lower half of the argument: all that these calls look at */
};

struct allowed {
	uint32_t number;
	uint32_t check_count;
	struct check checks[2];
};

#define CALL(name)                         \
	{                                  \
		SYS_##name, ANY_ARGUMENTS, \
		{                          \
			{                  \
				0          \
			}                  \
		}                          \
	}
#define CALL_IF(name, argument, mask, value)                                  \
	{                                                                     \
		SYS_##name, ONE_CHECK,                                        \
		{                                                             \
			{                                                     \
				argument, (uint32_t)(mask), (uint32_t)(value) \
			}                                                     \
		}                                                             \
	}
#define ALL	   UINT32_MAX
#define NEW_THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define NEW_NAMESPACES                                                                             \
	(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | \
	 CLONE_NEWCGROUP)
#define IOCTL_TYPE 0xff00u
#define PERF_IOCTL ('$' << 8)
#define OWN_PID	   1 /* stands for the process's own number, which the table cannot know */

static const struct allowed calls[] = {
	/* descriptors that are open, the most frequent first */
	CALL(read),
	CALL(pread64),
	CALL(write),
	CALL(sendmsg),
	CALL(recvmsg),
	CALL(ppoll),
	CALL_IF(ioctl, 1, IOCTL_TYPE, PERF_IOCTL),
	CALL_IF(ioctl, 1, ALL, TCGETS),
	CALL(close),
	CALL(writev),
	CALL(pwrite64),
	CALL(lseek),
	CALL(fstat),
	CALL(fsync),
	CALL(fdatasync),
	CALL(ftruncate),
	CALL_IF(newfstatat, 3, ALL, AT_EMPTY_PATH),
	CALL_IF(fcntl, 1, ALL, F_DUPFD_CLOEXEC),
	CALL_IF(fcntl, 1, ALL, F_GETFD),
	CALL_IF(fcntl, 1, ALL, F_GETFL),
	CALL_IF(fcntl, 1, ALL, F_GET_SEALS),
#ifdef SYS_poll
	CALL(poll),
#endif
	/* memory, never executable */
	CALL_IF(mmap, 2, PROT_EXEC, 0),
	CALL_IF(mprotect, 2, PROT_EXEC, 0),
	CALL(munmap),
	CALL(mremap),
	CALL(madvise),
	CALL(brk),
	/* threads: of this process only */
	CALL(futex),
	CALL_IF(clone, 0, NEW_THREAD | NEW_NAMESPACES, NEW_THREAD),
	CALL(set_robust_list),
	CALL(rseq),
	CALL(sched_yield),
	CALL(sched_getaffinity),
	CALL(gettid),
	CALL(getpid),
	CALL(getppid),
	CALL(exit),
	CALL(exit_group),
	{ SYS_setpriority, TWO_CHECKS, { { 0, ALL, PRIO_PROCESS }, { 1, ALL, 0 } } },
	CALL_IF(prctl, 0, ALL, PR_SET_NAME),
	CALL_IF(prctl, 0, ALL, PR_SET_PDEATHSIG), /* its own end with its parent's */
	/* signals to itself: abort() */
	CALL(rt_sigprocmask),
	CALL(rt_sigaction),
	CALL(rt_sigreturn),
	CALL(restart_syscall),
	CALL_IF(tgkill, 0, ALL, OWN_PID),
	/* libunwind looks whether its own memory can be read */
	CALL(mincore),
	CALL(msync),
	CALL(pipe2),
	/* clocks and what the C library asks about the machine */
	CALL(clock_gettime),
	CALL(clock_nanosleep),
	CALL(getrusage),
	CALL(sysinfo),
	CALL(getrandom),
#ifdef PROF_SANITIZED /* sanitizers read /proc/self/maps, start threads and report */
	CALL(openat),
	CALL(readlink),
	CALL(sigaltstack),
	CALL(prctl),
	CALL(clone),
	CALL(mmap),
	CALL(mprotect),
	CALL(getdents64),
	CALL(nanosleep),
	CALL(prlimit64),
	CALL(uname),
	CALL(newfstatat),
	CALL(ptrace),
	CALL(wait4),
	CALL(fcntl),
	CALL(open),
	CALL(geteuid),
	CALL(gettimeofday),
#endif
};

/* Asked for, and done without: never the end of the process. */
static const uint32_t refused[] = {
	SYS_clone3,	/* its arguments lie in memory, where a filter cannot look: clone is used
			   instead */
	SYS_readlinkat, /* libraries may like to know where a file lies */
#ifdef SYS_readlink
	SYS_readlink,
#endif
};

struct program {
	struct sock_filter *out;
	size_t len, room;
};

static void put(struct program *p, uint32_t code, uint32_t k, uint32_t if_true, uint32_t if_false)
{
	struct sock_filter f = {
		.code = (uint16_t)code, .jt = (uint8_t)if_true, .jf = (uint8_t)if_false, .k = k
	};
	if (p->len < p->room)
		p->out[p->len] = f;
	p->len++;
}

static void load(struct program *p, size_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct program *p, uint32_t action)
{
	put(p, BPF_RET | BPF_K, action, 0, 0);
}

/* Both architectures are little-endian: the lower half comes first. */
static void load_argument(struct program *p, uint32_t argument)
{
	load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
}

/* The number is in the accumulator, before and after. */
static void put_call(struct program *p, const struct allowed *a, pid_t self)
{
	uint32_t steps = a->check_count * 3;
	put(p, BPF_JMP | BPF_JEQ | BPF_K, a->number, 0, steps + 1 + (steps > 0));
	for (uint32_t i = 0; i < a->check_count; i++) {
		const struct check *c = &a->checks[i];
		uint32_t left = (a->check_count - i - 1) * 3;
		bool is_own_pid = a->number == SYS_tgkill;
		load_argument(p, c->argument);
		put(p, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, is_own_pid ? (uint32_t)self : c->value, 0,
		    left + 1);
	}
	answer(p, SECCOMP_RET_ALLOW);
	if (steps)
		load(p, offsetof(struct seccomp_data, nr));
}

size_t confine_filter_make(struct sock_filter *out, size_t room, pid_t self, bool kill)
{
	struct program p = { .out = out, .room = room };
	uint32_t unforeseen = kill ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | ENOSYS;
	load(&p, offsetof(struct seccomp_data, arch));
	put(&p, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
	answer(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));
	put(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	answer(&p, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		put_call(&p, &calls[i], self);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		put(&p, BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		answer(&p, SECCOMP_RET_ERRNO | ENOSYS);
	}
	answer(&p, unforeseen);
	return p.len;
}

int confine_system_calls(bool kill, struct error *err)
{
	struct sock_filter filter[MAX_FILTER];
	size_t len = confine_filter_make(filter, MAX_FILTER, getpid(), kill);
	struct sock_fprog program = { .len = (unsigned short)len, .filter = filter };
	if (len > MAX_FILTER)
		return error_set(err, ERROR_LIMIT, "the filter of system calls is too long");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		return error_set_errno(err, errno, "system calls cannot be filtered");
	return 0;
}
