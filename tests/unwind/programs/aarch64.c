/* Functions of the shapes that aarch64 compilers make, for trace_aarch64.py: leaves, large and variable frames, many saved
 * registers, tail calls, callbacks through libc, signals, and code of aarch64_plain.S that no CFI describes. */
#include <alloca.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define OPAQUE() __asm__ volatile("" ::: "memory")

long plain_leaf(long n);
long plain_saves(long n, long (*f)(long));
long plain_record(long n, long (*f)(long));
long plain_branches(long n, long (*f)(long));

static volatile long sink;

NOINLINE long leaf(long n)
{
	for (long x = n; n > 0; n--) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return n;
}

/* No call, but room on the stack. */
NOINLINE long leaf_with_frame(long n)
{
	volatile long room[6];
	room[n & 3] = n;
	return room[n & 3] + 1;
}

NOINLINE long tail_call(long n)
{
	OPAQUE();
	return leaf(n & 3);
}

NOINLINE long with_alloca(long n)
{
	volatile char *p = alloca((size_t)(n * 17 + 1));
	p[0] = (char)n;
	long r = tail_call(n) + leaf_with_frame(n);
	OPAQUE();
	return r + p[0];
}

/* More than one immediate can say, and more than a guard page. */
NOINLINE long large_frame(long n)
{
	volatile char bytes[9000];
	bytes[n] = (char)n;
	long r = leaf(2);
	OPAQUE();
	return r + bytes[n];
}

/* All registers that a function keeps for its caller. */
NOINLINE long many_registers(long a, long b, long c, long d, long e, long f)
{
	long g = leaf(a & 1) + a, h = leaf(b & 1) + b, i = leaf(c & 1) + c, j = leaf(d & 1) + d;
	long k = leaf(e & 1) + e, l = leaf(f & 1) + f;
	OPAQUE();
	return with_alloca(1) + g * h + i * j + k * l + a + b + c + d + e + f;
}

NOINLINE long early_return(long n)
{
	if (n < 1) /* before anything is saved, when the compiler shrinks prologues */
		return n;
	long r = leaf(n & 1);
	OPAQUE();
	return r + with_alloca(n & 3);
}

NOINLINE long recurse(long n)
{
	if (n == 0)
		return large_frame(3);
	long r = recurse(n - 1);
	OPAQUE();
	return r + n;
}

NOINLINE double variadic(int n, ...)
{
	va_list ap;
	double r = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		r += va_arg(ap, double);
	va_end(ap);
	return r + (double)leaf(2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + (int)(leaf(1) & 0);
}

NOINLINE void sort(void)
{
	int v[4] = { 3, 1, 2, 0 };
	qsort(v, 4, sizeof(v[0]), compare);
	sink += v[0];
}

static void handler(int number)
{
	sink += leaf(1) + number;
	OPAQUE();
}

NOINLINE void signals(void)
{
	struct sigaction sa;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	OPAQUE();
}

NOINLINE void plain(void)
{
	sink += plain_leaf(2);
	sink += plain_saves(2, leaf);
	sink += plain_record(2, leaf);
	sink += plain_branches(0, leaf);
	sink += plain_branches(5, leaf);
	OPAQUE();
}

__attribute__((noreturn)) NOINLINE void last(void)
{
	leaf(1);
	exit(0); /* the last instruction is a call */
}

int main(void)
{
	sink = leaf(2) + leaf_with_frame(3);
	sink += many_registers(1, 2, 3, 4, 5, 6);
	sink += early_return(0) + early_return(3);
	sink += recurse(3);
	sink += (long)variadic(2, 1.0, 2.0);
	sort();
	signals();
	plain();
	last();
}
