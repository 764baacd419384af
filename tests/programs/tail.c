/* Tail calls: first calls second calls work, each as its last act. Truth: main;work, or the two as marked logical
 * frames between them, and no other name. */
#include "burn.h"

static NOINLINE unsigned long work(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static NOINLINE unsigned long second(unsigned long n)
{
	OPAQUE();
	return work(n);
}

static NOINLINE unsigned long first(unsigned long n)
{
	OPAQUE();
	return second(n);
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	unsigned long sum = 0;

	while (cpu_ns() < end)
		sum += first(1000000);
	return sum == 42;
}
