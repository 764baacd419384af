/* The third library of layers.cpp. */
#include "layers.h"
#include <cstdlib>

static thread_local const layer *pending;
static thread_local long argument, answer;

extern "C" int layer_compare(const void *a, const void *b)
{
	const layer *next = pending;
	pending = nullptr;
	if (next) {
		long result = (*next)(argument);
		answer = result;
	}
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

long layer_qsort(long n, const layer &next)
{
	int two[2] = { 2, 1 };
	pending = &next;
	argument = n;
	qsort(two, 2, sizeof(two[0]), layer_compare);
	return answer + two[0];
}
