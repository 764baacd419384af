/*
 * A function whose lines, inlined call and instructions are known. Truth: what was spent at the
 * lines with the comments "first" and "second" of work(), the latter in helper(), which is inlined;
 * and in counted() all but the call is two instructions, the second a jump to the first.
 */
#include "burn.h"

static uint64_t first_ns, second_ns;

static inline __attribute__((always_inline)) void helper(void)
{
	BURN_NS(1000000); /* inside */
}

static NOINLINE void work(void)
{
	uint64_t start = cpu_ns(), middle;

	BURN_NS(3000000); /* first */
	middle = cpu_ns();
	helper(); /* second */
	first_ns += middle - start;
	second_ns += cpu_ns() - middle;
}

static NOINLINE void counted(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n)); /* loop */
#else
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n)); /* loop */
#endif
}

int main(int argc, char **argv)
{
	uint64_t ms = ms_argument(argc, argv, 800), end = cpu_ns() + ms;

	while (cpu_ns() < end) {
		work();
		counted(1000000);
	}
	state_truth("first", first_ns);
	state_truth("second", second_ns);
	return 0;
}
