/* Two stacks that take turns: makecontext and swapcontext. Ends with status 0. */
#include <stdlib.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define OPAQUE() __asm__ volatile("" ::: "memory")

static ucontext_t main_context, other;
static volatile long sink;

NOINLINE void step(long n)
{
	sink += n;
	OPAQUE();
	if (n > 1)
		step(n - 1);
	else
		swapcontext(&other, &main_context);
	OPAQUE();
}

static void body(void)
{
	for (long n = 1; n < 4; n++)
		step(n);
}

int main(void)
{
	char *stack = malloc(65536);
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = 65536;
	other.uc_link = &main_context;
	makecontext(&other, body, 0);
	for (int n = 0; n < 3; n++) {
		swapcontext(&main_context, &other);
		OPAQUE();
	}
	return sink == 10 ? 0 : 1;
}
