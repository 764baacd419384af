/*
 * A machine's ceilings as they were measured: how many floating-point operations a second, and how
 * many bytes a second to and from each level of memory; on one core, and on all that were used.
 */
#ifndef PROF_PEAKS_CEILINGS_H
#define PROF_PEAKS_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* A median this far below the best says that the rounds were disturbed. */
#define CEILING_NOISY 0.10

struct ceiling_rate {		    /* each second, over the rounds */
	double best, median, least; /* best is 0 when it was not measured */
};

struct ceiling_flops {
	char name[24]; /* "avx2-fma" */
	bool is_double, is_vector, is_fma;
	struct ceiling_rate one, all; /* FLOP/s */
};

struct ceiling_bandwidth {
	char place[16];		       /* "L1", "L2", "L3", "memory" */
	char what[24];		       /* "load", "copy", "triad", "triad, streaming" */
	uint64_t one_bytes, all_bytes; /* that one core worked on, and each of all */
	struct ceiling_rate one, all;  /* bytes/s */
};

struct ceiling_cache {
	uint32_t level, shared_by; /* CPUs; 0: not known */
	uint64_t bytes;
};

struct ceilings {
	char processor[128]; /* as the kernel says it; "" when not known */
	char architecture[24];
	bool is_virtual;
	bool caches_are_guessed; /* their sizes are the C library's: L3 may be that of all together
				  */
	bool memory_is_small;	 /* what stands for memory is less than 4 times the last cache */
	bool is_quick;
	uint32_t threads, cores; /* of "all" */
	uint32_t rounds;	 /* the fewest of any number */
	uint64_t elapsed_ns;
	/* Parts of the time, 0 to 1, NaN when not known: that the host gave the CPUs to others;
	 * that other processes had them; that our threads did not run although they were at work.
	 */
	double steal, others, held_up;
	VEC(struct ceiling_cache) caches;
	VEC(struct ceiling_flops) flops;
	VEC(struct ceiling_bandwidth) bandwidth; /* nearest to the registers first */
};

void ceilings_release(struct ceilings *c);

bool ceiling_is_noisy(const struct ceiling_rate *r);
/* Sorts count rates (at least one) and takes best, median and least of them. */
struct ceiling_rate ceiling_rate_of(double *rates, size_t count);
/* The rate for one core, or for all. */
const struct ceiling_rate *ceiling_flops_rate(const struct ceiling_flops *f, bool all);
const struct ceiling_rate *ceiling_bandwidth_rate(const struct ceiling_bandwidth *b, bool all);

#endif
