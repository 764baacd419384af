/* Assembler between C functions: with CFI, and without, a half of the time each. What is true is in its output. */
#include "zoo.h"

typedef void callback(unsigned long n);
void asm_with_cfi(callback *f, unsigned long n);
void asm_without_cfi(callback *f, unsigned long n);

static NOINLINE void called(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++) {
		x = x * 7 + i;
		KEEP(x);
	}
}

static NOINLINE void through_described(void)
{
	asm_with_cfi(called, 200000);
	OPAQUE();
}

static NOINLINE void through_plain(void)
{
	asm_without_cfi(called, 200000);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400), spent[2] = { 0 };

	while (cpu_ns() < end) {
		TURN(spent[0], through_described());
		TURN(spent[1], through_plain());
	}
	state_part("main;through_described;asm_with_cfi;called", spent[0]);
	state_part("main;through_plain;asm_without_cfi;called", spent[1]);
	return 0;
}
