/* Frames of many shapes: recursion, alloca, variable frames, callbacks through libc, tail calls, leaves,
 * variadic calls, the vdso. Ends with status 0. */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define OPAQUE() __asm__ volatile("" ::: "memory")

static volatile long sink;

NOINLINE long leaf(long n)
{
	for (long x = n; n > 0; n--) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return n;
}

NOINLINE long tail_target(long n)
{
	return leaf(n & 3) + 1;
}

NOINLINE long tail_call(long n)
{
	OPAQUE();
	return tail_target(n);
}

NOINLINE long with_alloca(long n)
{
	volatile char *p = alloca((size_t)(n * 17 + 1));
	p[0] = (char)n;
	long r = tail_call(n);
	OPAQUE();
	return r + p[0];
}

NOINLINE long recurse(long n, long a, long b, long c, long d, long e, long f, long g)
{
	if (n == 0)
		return with_alloca(a & 7);
	long r = recurse(n - 1, b, c, d, e, f, g, a);
	OPAQUE();
	return r + a;
}

/* An aligned frame: the stack pointer is rounded down, the CFA found through a register or the frame. */
NOINLINE long aligned(long n)
{
	struct {
		char c[64];
	} __attribute__((aligned(64))) box, *p = &box;
	__asm__ volatile("" : "+r"(p) : : "memory");
	memset(p, (int)n, sizeof(*p));
	volatile char *q = alloca((size_t)n + 8);
	q[0] = p->c[3];
	long r = with_alloca(n);
	OPAQUE();
	return r + q[0];
}

NOINLINE long variadic(int n, ...)
{
	va_list ap;
	long r = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		r += (long)va_arg(ap, double);
	va_end(ap);
	return r + leaf(2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + (int)(leaf(1) & 0);
}

NOINLINE void sort(void)
{
	int v[9];
	for (int i = 0; i < 9; i++)
		v[i] = i * 7919 % 101;
	qsort(v, 9, sizeof(v[0]), compare);
	sink += v[0];
}

NOINLINE __attribute__((cold)) void cold(long n)
{
	sink += leaf(n);
}

NOINLINE long split(long n)
{
	long r = 0;
	for (long i = 0; i < n; i++) {
		if (__builtin_expect(i == 2, 0)) {
			cold(2);
			r += sink;
		}
		r += i;
	}
	return r;
}

int main(void)
{
	struct timespec now;
	char text[64];
	sink += recurse(5, 1, 2, 3, 4, 5, 6, 7);
	sink += aligned(3);
	sink += variadic(3, 1.0, 2.0, 3.0);
	sort();
	sink += split(4);
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(text, sizeof(text), "%s %d %.3f", "text", (int)sink, 3.25);
	char *p = malloc(100);
	memset(p, 1, 100);
	memcpy(p, text, sizeof(text));
	sink += (long)strlen(p);
	free(p);
	return 0;
}
