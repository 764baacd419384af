/* MS TAIL INLINED: starts children in every way: vfork and exec, posix_spawn, fork, clone(CLONE_VM), and a
 * grandchild that outlives its parent. Truth: each burns MS/5 (the parent twice) in a function of its own, the
 * exec'd ones under their own command name; the parent's functions keep their names after children exec. */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;
static uint64_t part;

static NOINLINE void parent_burn(void)
{
	BURN_NS(part);
	OPAQUE();
}

static NOINLINE void fork_child_burn(void)
{
	BURN_NS(part);
	OPAQUE();
}

static NOINLINE int shared_memory_burn(void *unused)
{
	(void)unused;
	BURN_NS(part);
	OPAQUE();
	return 0;
}

static NOINLINE void orphan_burn(void)
{
	BURN_NS(part);
	OPAQUE();
}

static void run_vforked(const char *program, char *ms)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(program, "vforked", ms, (char *)NULL);
		_exit(9);
	}
	waitpid(pid, NULL, 0);
}

static void run_spawned(const char *program, char *ms)
{
	char name[] = "spawned";
	char *args[] = { name, ms, NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, args, environ) == 0)
		waitpid(pid, NULL, 0);
}

static void run_forked(void (*work)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void leave_an_orphan(void)
{
	if (fork() == 0) {
		orphan_burn();
		_exit(0);
	}
}

static void run_sharing_memory(void)
{
	enum { STACK = 1 << 18 };
	char *stack = malloc(STACK);
	pid_t pid = clone(shared_memory_burn, stack + STACK, CLONE_VM | SIGCHLD, NULL);

	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	char ms[32], none;
	int held[2]; /* by the orphan, to its end */

	if (argc < 4)
		return 2;
	part = ms_argument(argc, argv, 400) / 5;
	snprintf(ms, sizeof(ms), "%llu", (unsigned long long)(part / 1000000));
	run_vforked(argv[2], ms);
	run_spawned(argv[3], ms);
	parent_burn();
	run_forked(fork_child_burn);
	run_sharing_memory();
	if (pipe(held) != 0)
		return 3;
	run_forked(leave_an_orphan);
	close(held[1]);
	parent_burn();
	return read(held[0], &none, 1) == 0 ? 0 : 3;
}
