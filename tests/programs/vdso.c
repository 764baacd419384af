/* clock_gettime in a loop. Truth: main;reader;clock_gettime;(the vdso's function, in the module [vdso]). */
#include "burn.h"

static NOINLINE unsigned long reader(int n)
{
	struct timespec t;
	unsigned long sum = 0;

	while (n--) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sum += (unsigned long)t.tv_nsec;
	}
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	unsigned long sum = 0;

	while (cpu_ns() < end)
		sum += reader(100000);
	return sum == 1;
}
