/*
 * Counters with known truth: how a core's issue slots were used, as the PMU of each processor that
 * we have top-down rows for would have counted it.
 */
#ifndef TESTS_ANALYSIS_SLOTS_H
#define TESTS_ANALYSIS_SLOTS_H

#include "counted.h"

/* Fractions: level 1 sums up to 1, and each pair of level 2 to its part of level 1. */
struct slots_truth {
	double frontend, bad, backend, smt, retiring;
	double latency, branches, memory, heavy; /* of 1 each: the part of its part */
};

struct slots_cpu {
	const char *key;
	void (*count)(struct counted *c, const struct slots_truth *t);
	bool has_smt_part, has_level_2;
};

extern const struct slots_cpu slots_cpus[];
extern const size_t slots_cpus_len;

/* A truth of its own for each seed. */
struct slots_truth slots_truth_of(uint32_t seed, const struct slots_cpu *cpu);
/* What the metric of this name is, in per cent; NaN: the truth does not say. */
double slots_expected(const struct slots_truth *t, const char *metric);

#endif
