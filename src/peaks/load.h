/* Who else had the CPUs while something was measured. */
#ifndef PROF_PEAKS_LOAD_H
#define PROF_PEAKS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

struct load { /* since the machine started, in the clock ticks of /proc/stat, over all CPUs */
	uint64_t busy, steal, all;
	uint64_t own_ns; /* CPU time of this process */
	bool is_known;
};

/* root: "" for this machine. */
struct load load_read(const char *root);
/* Parts of all CPUs' time between the two, 0 to 1; NaN when it is not known. */
double load_steal(const struct load *then, const struct load *now);
double load_others(const struct load *then, const struct load *now);

#endif
