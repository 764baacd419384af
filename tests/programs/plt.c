/* A hot loop through a PLT stub. Truth: samples are in hot_caller, in tiny@plt and in tiny; the latter two are
 * called by hot_caller, always. Built with lazy binding, with -z ibtplt and with -fno-plt. */
#include "burn.h"

extern int tiny(int);

static NOINLINE int hot_caller(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s = tiny(s);
	return s;
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	int sum = 0;

	while (cpu_ns() < end)
		sum += hot_caller(2000000);
	return sum == 42;
}
