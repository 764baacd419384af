/* Handlers on the normal and on an alternate stack, interrupting a syscall wrapper, a leaf and each other. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define OPAQUE() __asm__ volatile("" ::: "memory")

static char other_stack[65536];
static volatile int depth;

NOINLINE void work(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void handler(int number)
{
	work(2);
	if (number == SIGUSR1 && depth++ < 2)
		raise(SIGUSR2);
	OPAQUE();
}

/* The trap comes at an instruction of its own choosing, not in a system call. */
NOINLINE void trap(void)
{
	__asm__ volatile("ud2");
	OPAQUE();
}

static void skip(int number, siginfo_t *info, void *context)
{
	(void)number;
	work(1);
	/* rip is the 17th of the general registers, after flags, link and stack of the context */
	unsigned long pc;
	memcpy(&pc, (char *)context + 168, sizeof(pc));
	pc += 2;
	memcpy((char *)context + 168, &pc, sizeof(pc));
	(void)info;
}

NOINLINE void interrupted(int flags)
{
	struct sigaction sa;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	sa.sa_sigaction = skip;
	sa.sa_flags = flags | SA_SIGINFO;
	sigaction(SIGILL, &sa, NULL);
	depth = 0;
	raise(SIGUSR1);
	trap();
	OPAQUE();
}

int main(void)
{
	stack_t other;
	memset(&other, 0, sizeof(other));
	other.ss_sp = other_stack;
	other.ss_size = sizeof(other_stack);
	sigaltstack(&other, NULL);
	interrupted(0);
	interrupted(SA_ONSTACK);
	return 0;
}
