/* A deep stack of C++ over three libraries: std::function, templates, qsort's callbacks, frames of variable size.
 * Truth: main, then ROUNDS times dive;layer_alloca;…;layer_templates;…;layer_qsort;…;layer_compare, then leaf_burn:
 * the same frames in every sample, at least 74. */
#include "layers.h"

#include "burn.h"

#define ROUNDS 4

static uint64_t burn_for;

NOINLINE static long leaf_burn(long n)
{
	BURN_NS(burn_for);
	OPAQUE();
	return n;
}

NOINLINE static long dive(long rounds)
{
	if (rounds == 0) {
		long result = leaf_burn(rounds);
		OPAQUE();
		return result;
	}
	layer deeper = [rounds](long) { return dive(rounds - 1) + 1; };
	layer sort = [&deeper](long n) { return layer_qsort(n, deeper) + 1; };
	layer templates = [&sort](long n) { return layer_templates(n, sort) + 1; };
	long result = layer_alloca(rounds, templates);
	OPAQUE();
	return result;
}

int main(int argc, char **argv)
{
	burn_for = ms_argument(argc, argv, 400);
	long result = dive(ROUNDS);
	OPAQUE();
	return result == 0;
}
