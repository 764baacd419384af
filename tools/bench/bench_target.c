/*
 * The program that bench_record.py has profiled: a fixed amount of work in iterations of about a
 * millisecond, each a deep call chain, so that a profiler's price shows as a longer run and as
 * slower slow iterations. Prints one line: total nanoseconds, 50th and 99th percentile iteration in
 * nanoseconds, and the CPU time it took itself. Arguments: iterations, depth.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void work(void)
{
	for (uint64_t i = 0; i < 12000; i++)
		sink = sink * 6364136223846793005ull + i;
}

static __attribute__((noinline)) void descend(unsigned depth)
{
	volatile char frame[256];
	frame[0] = (char)depth;
	if (depth)
		descend(depth - 1);
	else
		work();
	sink += (uint64_t)frame[0];
}

static int compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned depth = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 40;
	if (iterations == 0 || iterations > 10000000)
		return 2;
	uint64_t *took = calloc(iterations, sizeof(*took));
	if (!took)
		return 1;
	uint64_t start = clock_ns(CLOCK_MONOTONIC), last = start;
	for (unsigned long i = 0; i < iterations; i++) {
		for (int k = 0; k < 40; k++)
			descend(depth);
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		took[i] = now - last;
		last = now;
	}
	qsort(took, iterations, sizeof(*took), compare);
	printf("%llu %llu %llu %llu\n", (unsigned long long)(last - start),
	       (unsigned long long)took[iterations / 2],
	       (unsigned long long)took[iterations * 99 / 100],
	       (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	free(took);
	return 0;
}
