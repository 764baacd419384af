/* Recursion: MS DEPTH FRAME_BYTES. Truth: main, then rec DEPTH times, then leaf_burn, or a stack that says it was
 * cut. */
#include <alloca.h>

#include "burn.h"

static uint64_t burn_for;
static size_t frame_bytes = 16;

static NOINLINE void leaf_burn(void)
{
	BURN_NS(burn_for);
	OPAQUE();
}

static NOINLINE int rec(int depth)
{
	volatile char *p = alloca(frame_bytes);

	p[0] = (char)depth;
	if (depth <= 1)
		leaf_burn();
	else
		rec(depth - 1);
	OPAQUE();
	return p[0];
}

int main(int argc, char **argv)
{
	burn_for = ms_argument(argc, argv, 400);
	int depth = argc > 2 ? atoi(argv[2]) : 300;
	if (argc > 3)
		frame_bytes = strtoul(argv[3], NULL, 10);
	rec(depth);
	OPAQUE();
	return 0;
}
