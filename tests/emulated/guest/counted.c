/* Three functions that execute known numbers of instructions, 6 : 3 : 1, in turns: MILLIONS of them
 * altogether (the first argument). Truth: "instructions NAME COUNT" for each, plus the few of a
 * call. For aarch64. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
/* Two instructions a round. */
#define ROUNDS(n)                                                                                 \
	do {                                                                                      \
		uint64_t left_ = (n);                                                             \
		__asm__ volatile("1:	subs %0, %0, #1\n	b.ne 1b" : "+r"(left_) : : "cc"); \
	} while (0)

enum { TURN = 10000, PER_ROUND = 2, HEAVY = 6, MIDDLE = 3, LIGHT = 1 };

static NOINLINE void heavy(void)
{
	ROUNDS(HEAVY * TURN / PER_ROUND);
}

static NOINLINE void middle(void)
{
	ROUNDS(MIDDLE * TURN / PER_ROUND);
}

static NOINLINE void light(void)
{
	ROUNDS(LIGHT * TURN / PER_ROUND);
}

int main(int argc, char **argv)
{
	uint64_t turns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000 / (10 * TURN);

	for (uint64_t i = 0; i < turns; i++) {
		heavy();
		middle();
		light();
	}
	printf("instructions heavy %llu\n", (unsigned long long)turns * HEAVY * TURN);
	printf("instructions middle %llu\n", (unsigned long long)turns * MIDDLE * TURN);
	printf("instructions light %llu\n", (unsigned long long)turns * LIGHT * TURN);
	return 0;
}
