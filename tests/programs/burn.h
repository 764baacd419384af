/* What the test programs share: burning CPU time in a function of their own, and stating their truth. Each
 * program takes the milliseconds of CPU time to burn as its first argument. */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
/* The compiler must not move or drop what is around this, nor make the call before it a tail call. */
#define OPAQUE() __asm__ volatile("" ::: "memory")
#if defined(__clang__)
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

static inline uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A loop in the function that uses it: no call, no memory but one stack slot. */
#define SPIN(n)                                                          \
	do {                                                             \
		volatile unsigned long spin_;                            \
		for (spin_ = 0; spin_ < (unsigned long)(n); spin_++)     \
			;                                                \
	} while (0)

/* Spin in the function that uses it for so many nanoseconds of the thread's CPU time. */
#define BURN_NS(ns)                                                      \
	do {                                                             \
		uint64_t burn_end_ = cpu_ns() + (uint64_t)(ns);          \
		while (cpu_ns() < burn_end_)                             \
			SPIN(100000);                                    \
	} while (0)

static inline uint64_t ms_argument(int argc, char **argv, uint64_t otherwise)
{
	return (argc > 1 ? strtoull(argv[1], NULL, 10) : otherwise) * 1000000u;
}

/* "truth NAME NANOSECONDS" on standard output: the CPU time spent under NAME. */
static inline void state_truth(const char *name, uint64_t ns)
{
	printf("truth %s %llu\n", name, (unsigned long long)ns);
	fflush(stdout);
}

#endif
