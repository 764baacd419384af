/* The second library of layers.cpp. */
#include "layers.h"

template <int N> struct level {
	__attribute__((noinline)) static long go(long n, const layer &next)
	{
		long result = level<N - 1>::go(n + N, next);
		__asm__ volatile("" ::: "memory");
		return result + N;
	}
};

template <> struct level<0> {
	__attribute__((noinline)) static long go(long n, const layer &next)
	{
		long result = next(n);
		__asm__ volatile("" ::: "memory");
		return result;
	}
};

long layer_templates(long n, const layer &next)
{
	return level<9>::go(n, next) + 1;
}
