/* Each processor's counters of a truth: the formulas, solved the other way round. */
#include "slots.h"

#include <string.h>

#define CYCLES 4e9

static void put(struct counted *c, const char *name, double value, uint32_t group)
{
	counted_add(c, name, (uint64_t)(value + 0.5), group);
}

/* Skylake: half of what was lost to wrong speculation was issued, half waited for recovery. */
static void skylake(struct counted *c, const struct slots_truth *t, double slots,
		    const char *recovery, double recovery_times)
{
	double bad = t->bad * slots, retired = t->retiring * slots, ports_1 = 3e8, ports_2 = 2e8;
	double stores = 1e8, total = 2e9;
	double memory = t->memory * (total + ports_1 + t->retiring * ports_2 + stores) - stores;

	put(c, "cycles", CYCLES, 1);
	put(c, "cpu/event=0x9c,umask=0x01/", t->frontend * slots, 1);
	put(c, "cpu/event=0x9c,umask=0x01,cmask=4/", t->frontend * t->latency * slots / 4, 1);
	put(c, "cpu/event=0x0e,umask=0x01/", retired + bad / 2, 1);
	put(c, "cpu/event=0xc2,umask=0x02/", retired, 1);
	put(c, recovery, bad / 2 / 4 * recovery_times, 1);
	put(c, "cpu/event=0xc5,umask=0x00/", 1e7 * t->branches, 1);
	put(c, "cpu/event=0xc3,umask=0x01,edge=1,cmask=1/", 1e7 * (1 - t->branches), 1);
	put(c, "cpu/event=0xa3,umask=0x14,cmask=20/", memory > 0 ? memory : 0, 1);
	put(c, "cpu/event=0xa3,umask=0x04,cmask=4/", total, 1);
	put(c, "cpu/event=0xa6,umask=0x40/", stores, 1);
	put(c, "cpu/event=0xa6,umask=0x02/", ports_1, 1);
	put(c, "cpu/event=0xa6,umask=0x04/", ports_2, 1);
	put(c, "cpu/event=0xc2,umask=0x04/", 1e8, 1);
	put(c, "instructions", retired + 1e8 - t->heavy * retired, 1);
}

static void skylake_alone(struct counted *c, const struct slots_truth *t)
{
	skylake(c, t, 4 * CYCLES, "cpu/event=0x0d,umask=0x01/", 1);
}

/* The other thread was idle in 30 % of the cycles. */
static void skylake_smt(struct counted *c, const struct slots_truth *t)
{
	skylake(c, t, 4 * CYCLES / 2 * 1.3, "cpu/event=0x0d,umask=0x01,any=1/", 2);
	put(c, "cpu/event=0x3c,umask=0x02/", 3e7, 2);
	put(c, "cpu/event=0x3c,umask=0x01/", 1e8, 2);
}

/* The PMU's own division: 1 % of the slots were dropped and counted for the front end, and 1 % of
 * the back end's are counted as wrong speculation. */
static void put_metrics(struct counted *c, const struct slots_truth *t, double slots,
			double corrected, const char *dropped)
{
	put(c, "cpu/slots/", slots, 1);
	put(c, "cpu/topdown-retiring/", t->retiring * slots, 1);
	put(c, "cpu/topdown-bad-spec/", (t->bad - 0.01 + corrected) * slots, 1);
	put(c, "cpu/topdown-fe-bound/", (t->frontend + 0.01) * slots, 1);
	put(c, "cpu/topdown-be-bound/", (t->backend - corrected) * slots, 1);
	put(c, dropped, 0.01 * slots, 1);
}

static void ice_lake(struct counted *c, const struct slots_truth *t)
{
	double slots = 5 * CYCLES, ports_1 = 3e8, ports_2 = 2e8, stores = 1e8, total = 2e9;
	double memory = t->memory * (total + ports_1 + t->retiring * ports_2 + stores) - stores;

	put_metrics(c, t, slots, 0.01, "cpu/event=0x0d,umask=0x10/");
	put(c, "cpu/event=0x0d,umask=0x01,edge=1,cmask=1/", 0.01 * slots / 5, 1);
	put(c, "cpu/event=0x9c,umask=0x01,cmask=5/", (t->frontend * t->latency + 0.01) * slots / 5,
	    1);
	put(c, "cpu/event=0xc5,umask=0x00/", 1e7 * t->branches, 1);
	put(c, "cpu/event=0xc3,umask=0x01,edge=1,cmask=1/", 1e7 * (1 - t->branches), 1);
	put(c, "cpu/event=0xa3,umask=0x14,cmask=20/", memory > 0 ? memory : 0, 1);
	put(c, "cpu/event=0xa3,umask=0x04,cmask=4/", total, 1);
	put(c, "cpu/event=0xa6,umask=0x40,cmask=2/", stores, 1);
	put(c, "cpu/event=0xa6,umask=0x02/", ports_1, 1);
	put(c, "cpu/event=0xa6,umask=0x04/", ports_2, 1);
	put(c, "cpu/event=0x0e,umask=0x01/", 1e10, 1);
	put(c, "cpu/event=0x79,umask=0x30/", t->heavy / 2 * 1e10, 1);
	put(c, "cpu/event=0x79,umask=0x04/", 1e9, 1);
	put(c, "cpu/event=0x56,umask=0x01/", t->heavy / 2 * 1e9 + 5e8, 1);
	put(c, "cpu/event=0x56,umask=0x01,cmask=1/", 5e8, 1);
}

static void sapphire_rapids(struct counted *c, const struct slots_truth *t)
{
	double slots = 6 * CYCLES;

	put_metrics(c, t, slots, 0, "cpu/event=0xad,umask=0x10/");
	put(c, "cpu/topdown-heavy-ops/", t->heavy * t->retiring * slots, 1);
	put(c, "cpu/topdown-br-mispredict/", t->branches * t->bad * slots, 1);
	put(c, "cpu/topdown-fetch-lat/", (t->latency * t->frontend + 0.01) * slots, 1);
	put(c, "cpu/topdown-mem-bound/", t->memory * t->backend * slots, 1);
}

static void zen4(struct counted *c, const struct slots_truth *t)
{
	double slots = 6 * CYCLES, retired = t->retiring * slots;

	put(c, "cycles", CYCLES, 1);
	put(c, "cpu/event=0x1a0,umask=0x01/", t->frontend * slots, 1);
	put(c, "cpu/event=0x1a0,umask=0x01,cmask=6/", t->frontend * t->latency * CYCLES, 1);
	put(c, "cpu/event=0x1a0,umask=0x1e/", t->backend * slots, 1);
	put(c, "cpu/event=0x1a0,umask=0x60/", t->smt * slots, 1);
	put(c, "cpu/event=0xaa,umask=0x07/", retired + t->bad * slots, 1);
	put(c, "cpu/event=0xc1,umask=0x00/", retired, 1);
	put(c, "cpu/event=0x1c2,umask=0x00/", retired * t->heavy, 1);
	put(c, "cpu/event=0xc3,umask=0x00/", 1e7 * t->branches, 1);
	put(c, "cpu/event=0x96,umask=0x00/", 1e7 * (1 - t->branches), 1);
	put(c, "cpu/event=0xd6,umask=0xa2/", 1e9 * t->memory, 1);
	put(c, "cpu/event=0xd6,umask=0x02/", 1e9, 1);
}

/* A misprediction leaves slots of `front` and `back` cycles empty at the ends. */
static void neoverse(struct counted *c, const struct slots_truth *t, double width, double too_many,
		     double front, double back)
{
	double slots = width * CYCLES, wrong = 0.0005 * CYCLES;
	double at_front = t->frontend + front * wrong / CYCLES;
	double at_back = t->backend + back * wrong / CYCLES;
	double used = 1 - at_front - at_back;

	put(c, "cycles", CYCLES, 1);
	put(c, "r3e", at_front * slots + too_many, 1);
	put(c, "r3d", at_back * slots, 1);
	put(c, "r3f", (at_front + at_back) * slots + too_many, 1);
	put(c, "r3a", 1e10 * t->retiring / used, 1);
	put(c, "r3b", 1e10, 1);
	put(c, "r10", wrong, 1);
}

static void neoverse_v1(struct counted *c, const struct slots_truth *t)
{
	neoverse(c, t, 8, 0, 4, 0);
}

static void neoverse_v2(struct counted *c, const struct slots_truth *t)
{
	neoverse(c, t, 8, 0, 1, 3);
}

static void neoverse_n2(struct counted *c, const struct slots_truth *t)
{
	neoverse(c, t, 5, 0, 1, 3);
}

static void neoverse_n2_early(struct counted *c, const struct slots_truth *t)
{
	neoverse(c, t, 5, CYCLES, 1, 3);
}

const struct slots_cpu slots_cpus[] = {
	{ "intel:skl", skylake_alone, false, true },
	{ "intel:skl+smt", skylake_smt, false, true },
	{ "intel:skx", skylake_alone, false, true },
	{ "intel:skx+smt", skylake_smt, false, true },
	{ "intel:clx", skylake_alone, false, true },
	{ "intel:clx+smt", skylake_smt, false, true },
	{ "intel:icl+smt", ice_lake, false, true },
	{ "intel:icx", ice_lake, false, true },
	{ "intel:icx+smt", ice_lake, false, true },
	{ "intel:spr", sapphire_rapids, false, true },
	{ "intel:spr+smt", sapphire_rapids, false, true },
	{ "intel:emr+smt", sapphire_rapids, false, true },
	{ "amd:zen4", zen4, true, true },
	{ "amd:zen4+smt", zen4, true, true },
	{ "arm:neoverse-n2", neoverse_n2, false, false },
	{ "arm:neoverse-n2-r0p2", neoverse_n2_early, false, false },
	{ "arm:neoverse-v1", neoverse_v1, false, false },
	{ "arm:neoverse-v2", neoverse_v2, false, false },
};
const size_t slots_cpus_len = ARRAY_LEN(slots_cpus);

static double next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (double)(*seed >> 8) / (1 << 24);
}

/* No part is too small to hold what a PMU counts for another. */
struct slots_truth slots_truth_of(uint32_t seed, const struct slots_cpu *cpu)
{
	struct slots_truth t = { 0.03 + next(&seed),
				 0.03 + next(&seed),
				 0.03 + next(&seed),
				 0.03 + next(&seed),
				 0.03 + next(&seed),
				 0,
				 0,
				 0,
				 0 };

	if (!cpu->has_smt_part)
		t.smt = 0;
	double sum = t.frontend + t.bad + t.backend + t.smt + t.retiring;
	t.frontend = 0.02 + 0.9 * t.frontend / sum;
	t.bad = 0.02 + 0.9 * t.bad / sum;
	t.backend = 0.02 + 0.9 * t.backend / sum;
	t.smt = 0.9 * t.smt / sum;
	t.retiring = 1 - t.frontend - t.bad - t.backend - t.smt;
	t.latency = next(&seed);
	t.branches = next(&seed);
	t.memory = 0.05 + 0.8 * next(&seed);
	t.heavy = next(&seed);
	return t;
}

double slots_expected(const struct slots_truth *t, const char *metric)
{
	const struct {
		const char *name;
		double share;
	} parts[] = {
		{ "frontend-bound", t->frontend },
		{ "bad-speculation", t->bad },
		{ "backend-bound", t->backend },
		{ "smt-contention", t->smt },
		{ "retiring", t->retiring },
		{ "fetch-latency", t->frontend * t->latency },
		{ "fetch-bandwidth", t->frontend * (1 - t->latency) },
		{ "branch-mispredicts", t->bad * t->branches },
		{ "machine-clears", t->bad * (1 - t->branches) },
		{ "pipeline-restarts", t->bad * (1 - t->branches) },
		{ "memory-bound", t->backend * t->memory },
		{ "core-bound", t->backend * (1 - t->memory) },
		{ "heavy-operations", t->retiring * t->heavy },
		{ "light-operations", t->retiring * (1 - t->heavy) },
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (strcmp(parts[i].name, metric) == 0)
			return 100 * parts[i].share;
	return NAN;
}
