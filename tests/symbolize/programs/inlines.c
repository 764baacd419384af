/* Three inlined levels around a loop, a function with a cold part, a copy made by the optimizer. */
#include <stdlib.h>

#define INLINE	 static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

INLINE unsigned long level3(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 5 + i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

INLINE unsigned long level2(unsigned long n)
{
	return level3(n) + 1;
}

INLINE unsigned long level1(unsigned long n)
{
	return level2(n) + 2;
}

NOINLINE unsigned long host(unsigned long n)
{
	unsigned long r = level1(n);

	__asm__ volatile("" : "+r"(r));
	return r;
}

NOINLINE static unsigned long copied(unsigned long a, const unsigned long *b)
{
	unsigned long sum = a;

	for (int i = 0; i < 7; i++)
		sum = sum * 3 + *b;
	return sum;
}

NOINLINE unsigned long rarely(unsigned long n)
{
	if (__builtin_expect(n > 1000, 0)) {
		abort();
	}
	return n / 7;
}

int main(int argc, char **argv)
{
	unsigned long n = (unsigned long)argc + (argv[0] != NULL);

	return host(n) + copied(n, &n) + copied(n + 1, &n) + rarely(n) == 42;
}
