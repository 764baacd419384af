/* How the programs of the zoo say what is true of them, on standard output:
 *
 *   part NANOSECONDS STACK   CPU time under a stack: names from the root to the leaf, directly below each other;
 *                            "..." stands for the functions of a library, one or more; what comes after "|" is
 *                            inlined into the function before it
 *   line NAME FROM TO        the lines NAME's code is on; where NAME calls what is inlined, the call's
 */
#ifndef ZOO_H
#define ZOO_H

#include "burn.h"

#define PART_NS 1000000u /* each turn of a part */

static inline void state_part(const char *stack, uint64_t ns)
{
	printf("part %llu %s\n", (unsigned long long)ns, stack);
}

static inline void state_lines(const char *name, int from, int to)
{
	printf("line %s %d %d\n", name, from, to);
}

/* The turn of a part: call it until its time is over, and add what it took. */
#define TURN(sum, call)                                         \
	do {                                                    \
		uint64_t turn_ = cpu_ns(), now_ = turn_;        \
		while (now_ < turn_ + PART_NS) {                \
			call;                                   \
			now_ = cpu_ns();                        \
		}                                               \
		(sum) += now_ - turn_;                          \
	} while (0)

/* The compiler must keep the loop, whatever it optimizes. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))

#endif
