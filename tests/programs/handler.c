/* A signal handler burns CPU time, first on the normal stack, then on an alternate one.
 * Truth: main;interrupted;…;the signal frame;handler;handler_work in both halves. */
#include <signal.h>
#include <sys/mman.h>

#include "burn.h"

static NOINLINE void handler_work(void)
{
	BURN_NS(20000000);
	OPAQUE();
}

static void handler(int sig)
{
	(void)sig;
	handler_work();
	OPAQUE();
}

static NOINLINE void interrupted(int flags, uint64_t ns)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGUSR1, &sa, NULL);
	uint64_t end = cpu_ns() + ns;
	while (cpu_ns() < end)
		raise(SIGUSR1);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 400);
	stack_t stack = { .ss_size = 1 << 17 };

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	interrupted(0, ns / 2);
	interrupted(SA_ONSTACK, ns / 2);
	return 0;
}
