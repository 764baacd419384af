/* Three functions burn 50, 30 and 20 % of the CPU time, in turns. Truth: their times, below main, nothing else. */
#include "burn.h"

static NOINLINE void half(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

static NOINLINE void third(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

static NOINLINE void fifth(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t left = ms_argument(argc, argv, 1000), spent[3] = { 0 };

	while (left > 10000000) {
		uint64_t start = cpu_ns();
		half(5000000);
		uint64_t second = cpu_ns();
		third(3000000);
		uint64_t last = cpu_ns();
		fifth(2000000);
		spent[0] += second - start;
		spent[1] += last - second;
		spent[2] += cpu_ns() - last;
		left -= 10000000;
	}
	state_truth("half", spent[0]);
	state_truth("third", spent[1]);
	state_truth("fifth", spent[2]);
	return 0;
}
