/* Another program at the same addresses as replaced.c, whose functions' names must not appear. */
#include "burn.h"

NOINLINE void decoy1(unsigned long n);
NOINLINE void decoy2(unsigned long n);

NOINLINE void decoy1(unsigned long n)
{
	SPIN(n);
	SPIN(n);
	SPIN(n);
}

NOINLINE void decoy2(unsigned long n)
{
	SPIN(n);
	SPIN(n);
	SPIN(n);
}

int main(int argc, char **argv)
{
	(void)argv;
	decoy1((unsigned long)argc);
	decoy2((unsigned long)argc);
	return 0;
}
