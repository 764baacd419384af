/* A leaf without a frame pointer below functions that keep one (-momit-leaf-frame-pointer).
 * Truth: main;outer;mid;leaf, whichever instruction of leaf was interrupted. */
#include "burn.h"

static NOINLINE unsigned long leaf(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005ul + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static NOINLINE unsigned long mid(unsigned long n)
{
	unsigned long r = leaf(n);

	OPAQUE();
	return r + 1;
}

static NOINLINE unsigned long outer(unsigned long n)
{
	unsigned long r = mid(n);

	OPAQUE();
	return r + 1;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	unsigned long sum = 0;

	while (cpu_ns() < end)
		sum += outer(1000000);
	return sum == 42;
}
