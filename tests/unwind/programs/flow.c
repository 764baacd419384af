/* Control that does not go up and down in order: longjmp, vfork, computed jumps, functions that never return,
 * large and variable frames, frames set up on one path only. Ends with status 0. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define OPAQUE() __asm__ volatile("" ::: "memory")
#if defined(__clang__)
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

static jmp_buf back;
static volatile long sink;

NOINLINE void leave(int n)
{
	char text[40];
	memset(text, n, sizeof(text));
	sink += text[3];
	if (n > 0)
		leave(n - 1);
	longjmp(back, 1);
}

NOINLINE void jumps(void)
{
	if (setjmp(back) == 0)
		leave(3);
	OPAQUE();
}

NOINLINE void forks(void)
{
	int status;
	pid_t pid = vfork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, &status, 0);
	OPAQUE();
}

NOINLINE long computed(const unsigned char *code)
{
	static const void *const labels[] = { &&add, &&twice, &&stop };
	long n = 1;
	goto *labels[*code++];
add:
	n += 3;
	goto *labels[*code++];
twice:
	n *= 2;
	goto *labels[*code++];
stop:
	return n;
}

NOINLINE long large_frame(long n)
{
	volatile char page[20000];
	page[0] = (char)n;
	page[19999] = (char)n;
	OPAQUE();
	return page[0] + page[n];
}

NOINLINE long variable_frame(long n)
{
	volatile char v[n * 100 + 1];
	v[0] = (char)n;
	v[n] = 1;
	OPAQUE();
	return v[0];
}

/* The usual way needs no frame: it is set up on the other one only. */
NOINLINE long on_one_path(long n, long *out)
{
	if (__builtin_expect(n < 2, 1))
		return n;
	long a = large_frame(n), b = variable_frame(n), c = large_frame(n + 1);
	*out = a + b;
	return b + c;
}

NOINLINE long many_arguments(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	OPAQUE();
	return a + b * c + d + e * f + g + h * i;
}

NOINLINE long choose(long n)
{
	switch (n) {
	case 0:
		return large_frame(1);
	case 1:
		return many_arguments(1, 2, 3, 4, 5, 6, 7, 8, n);
	case 2:
		return variable_frame(2) + 1;
	case 3:
		return computed((const unsigned char *)"\0\1\0\2");
	case 4:
		return on_one_path(1, (long *)&sink);
	case 5:
		return on_one_path(3, (long *)&sink);
	default:
		return -n;
	}
}

static void at_end(void)
{
	sink += choose(1);
}

__attribute__((noreturn)) NOINLINE void finish(void)
{
	sink += choose(9);
	exit(0);
}

int main(void)
{
	atexit(at_end);
	jumps();
	forks();
	for (long n = 0; n < 7; n++)
		sink += choose(n);
	finish();
}
