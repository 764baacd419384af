/* A function of a library called through a PLT stub. Truth: samples are in hot_caller, in tiny@plt
 * and in tiny; the latter two are called by hot_caller, always. In which instructions of a short
 * loop a timer finds the program is up to the processor: some are never seen. Hence tiny has a long
 * loop of its own in every hundredth call; and cold_caller, COLD times (the second argument), makes
 * the stub's page go, so that its first instruction faults. Built with lazy binding, with -z ibtplt
 * and with -fno-plt. */
#include <sys/mman.h>

#include "burn.h"

extern int tiny(int x, int rounds);
extern const char
	__executable_start[]; /* the linker's: all the code up to cold_caller comes after it */

static NOINLINE int hot_caller(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 100; k++)
			s = tiny(s, 0);
		s = tiny(s, 1000);
	}
	return s;
}

/* On a page of its own: it must not fault itself. */
static NOINLINE __attribute__((aligned(4096))) int cold_caller(int n)
{
	void *code = (void *)(uintptr_t)__executable_start;
	size_t bytes = (size_t)((uintptr_t)cold_caller - (uintptr_t)__executable_start);
	int s = 0;

	for (int i = 0; i < n; i++) {
		madvise(code, bytes, MADV_DONTNEED);
		s = tiny(s, 0);
	}
	return s;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	int sum = cold_caller(argc > 2 ? atoi(argv[2]) : 0);

	while (cpu_ns() < end)
		sum += hot_caller(2000);
	return sum == 42;
}
