/* Work in a C library without unwind tables: musl's qsort and printf. Truth: main;sorter;…;compare
 * and main;printer in every stack, whole. */
#include <string.h>

#include "burn.h"

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int sorter(void)
{
	int v[500];
	for (int i = 0; i < 500; i++)
		v[i] = i * 7919 % 503;
	qsort(v, 500, sizeof(v[0]), compare);
	OPAQUE();
	return v[0];
}

__attribute__((noinline)) static int printer(void)
{
	char text[64];
	int n = 0;
	for (int i = 0; i < 200; i++)
		n += snprintf(text, sizeof(text), "%d %s %.3f", i, "text", i / 3.0);
	OPAQUE();
	return n;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	int n = 0;
	while (cpu_ns() < end)
		n += sorter() + printer();
	return n == 0;
}
