/* Architectures without kernels. */
#include "peaks/kernels.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

const struct peak_kernel *peaks_kernels(size_t *count)
{
	*count = 0;
	return NULL;
}

#endif
