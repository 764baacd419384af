/* Hot functions in two executable segments, beside others of the same shape that would have the samples if addresses
 * were off. Compiled as a program, or with -DLIBRARY as a library with segments_burn(ms) (segments_main.c).
 * Truth: states the time of first_hot and second_hot; the decoys never run. */
#include "burn.h"

/* A segment that may be written to as well is one of its own: linkers keep such sections apart. */
#define SECOND __attribute__((section(".second,\"awx\",@progbits#")))

NOINLINE void first_before(unsigned long n)
{
	SPIN(n);
	SPIN(n);
}

NOINLINE void first_hot(unsigned long n)
{
	SPIN(n);
}

NOINLINE void first_after(unsigned long n)
{
	SPIN(n);
	SPIN(n);
}

SECOND NOINLINE void second_before(unsigned long n)
{
	SPIN(n);
	SPIN(n);
}

SECOND NOINLINE void second_hot(unsigned long n)
{
	SPIN(n);
}

SECOND NOINLINE void second_after(unsigned long n)
{
	SPIN(n);
	SPIN(n);
}

int segments_burn(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400), spent[2] = { 0 };

	for (uint64_t start = cpu_ns(); start < end;) {
		first_hot(200000);
		uint64_t middle = cpu_ns();
		second_hot(400000);
		spent[0] += middle - start;
		start = cpu_ns();
		spent[1] += start - middle;
	}
	if (argc > 5) {
		first_before(1);
		first_after(1);
		second_before(1);
		second_after(1);
	}
	state_truth("first_hot", spent[0]);
	state_truth("second_hot", spent[1]);
	return 0;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	return segments_burn(argc, argv);
}
#endif
