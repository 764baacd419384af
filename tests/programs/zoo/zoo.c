/* Inlined functions, a function called back by the C library, and a signal's handler: each a third of the time.
 * What is true is in its output (zoo.h). */
#include "zoo.h"
#include <signal.h>

#define INLINED static inline __attribute__((always_inline))

enum { ROUNDS = 200000 };

INLINED unsigned long level3(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++) {
		x = x * 5 + i;
		KEEP(x);
	}
	return x;
}
enum { LEVEL3_FROM = __LINE__ - 9, LEVEL3_TO = __LINE__ - 1 };

INLINED unsigned long level2(unsigned long n)
{
	return level3(n) + 1;
}
enum { LEVEL2_LINE = __LINE__ - 2 };

INLINED unsigned long level1(unsigned long n)
{
	return level2(n) + 2;
}
enum { LEVEL1_LINE = __LINE__ - 2 };

static NOINLINE unsigned long host(unsigned long n)
{
	unsigned long r = level1(n);
	OPAQUE();
	return r;
}
enum { HOST_LINE = __LINE__ - 4 };

static NOINLINE int compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned *)a;
	for (unsigned long i = 0; i < ROUNDS; i++) {
		x = x * 3 + i;
		KEEP(x);
	}
	return x == *(const unsigned *)b;
}

static NOINLINE void sorted(void)
{
	unsigned values[2] = { 1, 2 };
	qsort(values, 2, sizeof(*values), compare);
	OPAQUE();
}

static NOINLINE void handler_work(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++) {
		x = x * 7 + i;
		KEEP(x);
	}
}

static void handler(int number)
{
	handler_work(ROUNDS + (unsigned long)number);
	OPAQUE();
}

static NOINLINE void signaled(void)
{
	raise(SIGUSR1);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400), spent[3] = { 0 };
	unsigned long sum = 0;

	signal(SIGUSR1, handler);
	while (cpu_ns() < end) {
		TURN(spent[0], sum += host(ROUNDS));
		TURN(spent[1], sorted());
		TURN(spent[2], signaled());
	}
	state_part("main;host|level1;level2;level3", spent[0]);
	state_part("main;sorted;...;compare", spent[1]);
	state_part("main;signaled;...;handler;handler_work", spent[2]);
	state_lines("level3", LEVEL3_FROM, LEVEL3_TO);
	state_lines("level2", LEVEL2_LINE, LEVEL2_LINE);
	state_lines("level1", LEVEL1_LINE, LEVEL1_LINE);
	state_lines("host", HOST_LINE, HOST_LINE);
	return sum == 42;
}
