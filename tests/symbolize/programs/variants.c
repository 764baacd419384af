/* Copies and parts of functions that gcc -O2 makes: scale.constprop.0, sum.isra.0, fails.cold,
 * early.part.0. */
#include <stdio.h>
#include <stdlib.h>

struct pair {
	long a, b, unused;
};

__attribute__((noinline)) static long sum(struct pair *p, long n)
{
	long s = p->a;

	for (long i = 0; i < n; i++)
		s += i ^ s;
	return s;
}

__attribute__((noinline)) static long scale(long n, long by)
{
	long s = 1;

	for (long i = 0; i < n; i++)
		s = s * by + i;
	return s;
}

__attribute__((cold, noinline)) void rare(long v)
{
	printf("%ld\n", v);
}

__attribute__((noinline)) long fails(long v)
{
	if (v == 77) {
		rare(v);
		rare(v + 1);
		v++;
	}
	return v * 3;
}

static void early(long *v)
{
	if (!v)
		return;
	for (long i = 0; i < *v; i++) {
		printf("%ld", i);
		*v += scale(i, 7);
		if (*v % 11 == 3)
			printf("%ld %ld\n", *v, i);
		if (*v % 13 == 3)
			printf("%ld %ld %ld\n", *v, i, i * *v);
	}
}

__attribute__((noinline)) void one(long *v)
{
	early(v);
	puts("one");
}

__attribute__((noinline)) void two(long *v)
{
	early(v);
	puts("two");
}

int main(int argc, char **argv)
{
	struct pair p = { argc, 2, 3 }, q = { argc + 1, 2, 3 };
	long v = argc;

	(void)argv;
	one(argc > 2 ? &v : NULL);
	two(argc > 3 ? &v : NULL);
	return (int)(sum(&p, argc) + sum(&q, argc) + scale(argc, 7) + fails(argc));
}
