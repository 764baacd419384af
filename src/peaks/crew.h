/*
 * Threads that stand ready, each pinned to its CPU with memory of its own that it touched first,
 * and run a kernel together: they start from a barrier, and what counts is the time from the first
 * start to the last end.
 */
#ifndef PROF_PEAKS_CREW_H
#define PROF_PEAKS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "peaks/kernels.h"

struct crew;

struct crew_job {
	const struct peak_kernel *kernel;
	size_t threads;	       /* the first so many */
	size_t array_bytes;    /* each array of each thread; 0 for arithmetic */
	uint64_t repeats;      /* of the kernel */
	uint64_t warm_repeats; /* before the barrier, not timed; may be 0 */
	/* Instead of whole passes, repeats pieces of PEAK_GRAIN from where the run before ended, so
	 * that a short run meets what has not been used for long. At most one pass. */
	bool is_walk;
};

struct crew_time {
	uint64_t wall_ns;	   /* from the first start to the last end */
	uint64_t spent_ns, cpu_ns; /* summed over the threads: at work by the clock, and on a CPU */
};

/* cpus: one for each of count threads. first_bytes: memory of the first thread, other_bytes: of
 * each of the others; for all arrays together. NULL with err. */
struct crew *crew_start(const uint32_t *cpus, size_t count, size_t first_bytes, size_t other_bytes,
			struct error *err);
struct crew_time crew_run(struct crew *crew, const struct crew_job *job);
void crew_end(struct crew *crew);

/* What a job's arrays take, with the gaps between them. */
size_t crew_memory(unsigned arrays, size_t array_bytes);

#endif
