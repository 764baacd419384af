/* Measuring a machine's ceilings with all kernels that it can run. */
#ifndef PROF_PEAKS_MEASURE_H
#define PROF_PEAKS_MEASURE_H

#include "base/error.h"
#include "base/progress.h"
#include "peaks/ceilings.h"
#include "peaks/machine.h"

struct peaks_options {
	bool is_quick;		   /* in about 1.5 s, with more spread; else in about 8 s */
	struct progress *progress; /* started; NULL: none */
};

/* On the CPUs of m: the first of them alone, and all. Fills *c, which ceilings_release frees
 * whatever is returned. 0, or -1 with err. */
int peaks_measure(struct ceilings *c, const struct machine *m, const struct peaks_options *options,
		  struct error *err);

#endif
