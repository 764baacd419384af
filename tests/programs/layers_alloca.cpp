/* The first library of layers.cpp. */
#include "layers.h"
#include <alloca.h>

__attribute__((noinline)) static long in_variable_frame(long n, const layer &next)
{
	volatile char *p = static_cast<volatile char *>(alloca(static_cast<size_t>(n % 7 * 24 + 40)));
	p[0] = static_cast<char>(n);
	long result = next(n);
	return result + p[0];
}

long layer_alloca(long n, const layer &next)
{
	return in_variable_frame(n, next) + 1;
}
