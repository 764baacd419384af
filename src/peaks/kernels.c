/* What is common to all tables of kernels. */
#include "peaks/kernels.h"

uint64_t peaks_flops(const struct peak_kernel *k)
{
	return (uint64_t)k->flops * (k->granules ? k->granules() : 1);
}

unsigned peaks_vector_parts(void)
{
	size_t count;
	const struct peak_kernel *table = peaks_kernels(&count);

	for (size_t i = 0; i < count; i++)
		if (table[i].granules && table[i].is_usable())
			return table[i].granules();
	return 1;
}

unsigned peaks_arrays(enum peak_kind kind)
{
	static const unsigned arrays[PEAK_KINDS] = { 0, 1, 2, 3 };

	return kind < PEAK_KINDS ? arrays[kind] : 0;
}

const char *peaks_kind_name(enum peak_kind kind)
{
	static const char *const names[PEAK_KINDS] = { "arithmetic", "load", "copy", "triad" };

	return kind < PEAK_KINDS ? names[kind] : "";
}

const struct peak_kernel *peaks_mover(enum peak_kind kind, bool is_streaming)
{
	const struct peak_kernel *best = NULL;
	size_t count;
	const struct peak_kernel *table = peaks_kernels(&count);

	for (size_t i = 0; i < count; i++) {
		const struct peak_kernel *k = &table[i];
		if (k->kind == kind && k->is_streaming == is_streaming && k->is_usable() &&
		    (!best || k->rank > best->rank))
			best = k;
	}
	return best;
}
