/* Three levels of inlining around one loop. Truth: main;host;level1;level2;level3, once each and in this order. */
#include "burn.h"

#define INLINED static inline __attribute__((always_inline))

INLINED unsigned long level3(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 5 + i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

INLINED unsigned long level2(unsigned long n)
{
	return level3(n) + 1;
}

INLINED unsigned long level1(unsigned long n)
{
	return level2(n) + 2;
}

static NOINLINE unsigned long host(unsigned long n)
{
	unsigned long r = level1(n);

	OPAQUE();
	return r;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	unsigned long sum = 0;

	while (cpu_ns() < end)
		sum += host(1000000);
	return sum == 42;
}
