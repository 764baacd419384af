/* argv[1] frames of recursion, argv[2] bytes in each. True recursion is no loop. */
#include <alloca.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int recurse(int depth, int bytes)
{
	volatile char *p = alloca((size_t)bytes);
	p[0] = (char)depth;
	if (depth > 1)
		recurse(depth - 1, bytes);
	__asm__ volatile("" ::: "memory");
	return p[0];
}

int main(int argc, char **argv)
{
	recurse(argc > 1 ? atoi(argv[1]) : 300, argc > 2 ? atoi(argv[2]) : 16);
	return 0;
}
