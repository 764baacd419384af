/*
 * Small loops that keep one part of a processor as busy as it gets: the arithmetic units, or what
 * moves data between the registers and one level of memory. One file for each architecture; which
 * rows of its table can be run is asked of the processor and the system at run time.
 *
 * The loops are assembler, so that neither an optimizing compiler nor one that does not optimize,
 * nor a sanitizer, changes what is measured.
 */
#ifndef PROF_PEAKS_KERNELS_H
#define PROF_PEAKS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEAK_GRAIN 4096u /* arrays are a multiple of so many bytes, and aligned to 64 */
#define PEAK_REPEAT_NS                                                                \
	200000000u /* a kernel of arithmetic is not run for longer: its numbers would \
		      shrink to denormal ones */

enum peak_kind {
	PEAK_FLOPS,
	PEAK_LOAD,  /* reads b */
	PEAK_COPY,  /* a = b */
	PEAK_TRIAD, /* a = b + s * c, doubles */
	PEAK_KINDS
};

struct peak_work {
	uint64_t repeats; /* of the loop, or passes over the arrays; not 0 */
	uint8_t *a, *b, *c;
	size_t bytes; /* of each array */
};

struct peak_kernel {
	const char
		*name; /* "avx2-fma", "load"… unique among those that can be run, with precision */
	enum peak_kind kind;
	bool is_double, is_vector, is_fma;
	bool is_streaming; /* stores that pass the caches by */
	unsigned rank;	   /* of those that move data: the highest that can be run is used */
	unsigned flops;	   /* of one repeat; where granules is set, for each of them */
	unsigned (*granules)(void); /* 128-bit parts of a vector whose length is the processor's */
	bool (*is_usable)(void);
	void (*run)(const struct peak_work *w);
};

/* The table of the architecture this was compiled for; *count is 0 where there is none. */
const struct peak_kernel *peaks_kernels(size_t *count);
/* Floating-point operations of one repeat. */
uint64_t peaks_flops(const struct peak_kernel *k);
/* 128-bit parts of this processor's scalable vectors; 1 where it has none. */
unsigned peaks_vector_parts(void);
/* Arrays that a kernel uses, and what a pass over them is counted as: every byte that is read or
 * written, as the program sees it. */
unsigned peaks_arrays(enum peak_kind kind);
/* The kernel of this kind that moves most data here; NULL: there is none. */
const struct peak_kernel *peaks_mover(enum peak_kind kind, bool is_streaming);
const char *peaks_kind_name(enum peak_kind kind);

#endif
