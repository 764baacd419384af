/*
 * Which events tell operations and bytes. An event of Intel's counts instructions by the width of
 * their vectors, a fused multiply-add twice; its umasks are the same from Broadwell on. AMD counts
 * operations. Arm counts operations of vectors of 128 bits, or for each 128 bits of scalable ones.
 */
#include "analysis/roofline.h"

#include <math.h>
#include <string.h>

#define LINE 64
#define MIB  1048576

#define SCALARS                                                                  \
	{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", ROOFLINE_DOUBLE, 1, false },    \
	{                                                                        \
		"FP_ARITH_INST_RETIRED:SCALAR_SINGLE", ROOFLINE_SINGLE, 1, false \
	}
#define PACKED(bits, doubles)                                                                    \
	{ "FP_ARITH_INST_RETIRED:" bits "B_PACKED_DOUBLE", ROOFLINE_DOUBLE, doubles, false },    \
	{                                                                                        \
		"FP_ARITH_INST_RETIRED:" bits "B_PACKED_SINGLE", ROOFLINE_SINGLE, 2 * (doubles), \
			false                                                                    \
	}

#define INTEL_DOCUMENT "Intel 64 and IA-32 Architectures SDM, volume 3; perfmon-events.intel.com"
#define AMD_DOCUMENT   "AMD Processor Programming Reference, PMCx003 and PMCx044"
#define ARM_DOCUMENT   "Arm Architecture Reference Manual, common events 0x80C0, 0x80C1 and 0x0037"

/* Neoverse V1, N2, V2, V3, N3: older ones do not count it, and say 0. */
#define ARM_WITH_OPERATIONS "part 0xd40|part 0xd49|part 0xd4f|part 0xd84|part 0xd8e"

static const struct roofline_set sets[] = {
	{ .name = "Intel FP_ARITH_INST_RETIRED with AVX-512",
	  .source = ROOFLINE_ARITHMETIC,
	  .architecture = "x86_64",
	  .events = { SCALARS, PACKED("128", 2), PACKED("256", 4), PACKED("512", 8) },
	  .documented = INTEL_DOCUMENT },
	{ .name = "Intel FP_ARITH_INST_RETIRED",
	  .source = ROOFLINE_ARITHMETIC,
	  .architecture = "x86_64",
	  .events = { SCALARS, PACKED("128", 2), PACKED("256", 4) },
	  .documented = INTEL_DOCUMENT },
	{ .name = "AMD RETIRED_SSE_AVX_FLOPS",
	  .source = ROOFLINE_ARITHMETIC,
	  .architecture = "x86_64",
	  .events = { { "RETIRED_SSE_AVX_FLOPS:ANY", ROOFLINE_EITHER, 1, false } },
	  .documented = AMD_DOCUMENT },
	{ .name = "Arm FP_FIXED_OPS_SPEC and FP_SCALE_OPS_SPEC",
	  .source = ROOFLINE_ARITHMETIC,
	  .architecture = "aarch64",
	  .processors = ARM_WITH_OPERATIONS,
	  .events = { { "r80c1", ROOFLINE_EITHER, 1, false },
		      { "r80c0", ROOFLINE_EITHER, 1, true } },
	  .documented = ARM_DOCUMENT },
	{ .name = "Intel memory controllers, CAS_COUNT",
	  .source = ROOFLINE_TRAFFIC,
	  .architecture = "x86_64",
	  .events = { { "uncore_imc/cas_count_read/", ROOFLINE_BYTES, LINE, false },
		      { "uncore_imc/cas_count_write/", ROOFLINE_BYTES, LINE, false } },
	  .documented = INTEL_DOCUMENT },
	{ .name = "Intel memory controller of desktop processors",
	  .source = ROOFLINE_TRAFFIC,
	  .architecture = "x86_64",
	  .events = { { "uncore_imc/data_reads/", ROOFLINE_BYTES, LINE, false },
		      { "uncore_imc/data_writes/", ROOFLINE_BYTES, LINE, false } },
	  .documented = INTEL_DOCUMENT },
	{ .name = "AMD cache fills from memory (Zen 4 on)",
	  .source = ROOFLINE_FILLS,
	  .architecture = "x86_64",
	  .events = { { "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR", ROOFLINE_BYTES,
			LINE, false } },
	  .documented = AMD_DOCUMENT },
	{ .name = "AMD cache fills from memory (Zen 3)",
	  .source = ROOFLINE_FILLS,
	  .architecture = "x86_64",
	  .events = { { "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL:MEM_IO_RMT", ROOFLINE_BYTES,
			LINE, false } },
	  .documented = AMD_DOCUMENT },
	{ .name = "Intel misses of the last-level cache",
	  .source = ROOFLINE_FILLS,
	  .architecture = "x86_64",
	  .processors = "Intel",
	  .events = { { "cache-misses", ROOFLINE_BYTES, LINE, false } },
	  .documented = INTEL_DOCUMENT },
	{ .name = "Arm LL_CACHE_MISS_RD",
	  .source = ROOFLINE_FILLS,
	  .architecture = "aarch64",
	  .processors = ARM_WITH_OPERATIONS,
	  .events = { { "r37", ROOFLINE_BYTES, LINE, false } },
	  .documented = ARM_DOCUMENT },
	{ .name = NULL },
};

const struct roofline_set *roofline_sets(void)
{
	return sets;
}

static bool has_part(const char *name, const char *parts)
{
	while (*parts) {
		size_t len = strcspn(parts, "|");
		if (memmem(name, strlen(name), parts, len))
			return true;
		parts += len + (parts[len] == '|');
	}
	return false;
}

bool roofline_set_fits(const struct roofline_set *set, const char *architecture,
		       const char *processor)
{
	return strcmp(set->architecture, architecture) == 0 &&
	       (!set->processors || has_part(processor, set->processors));
}

/* ---- adding up ---- */

/* "name", or "name:u" where the kernel's part is not permitted. */
static bool is_named(const char *in_table, const char *name)
{
	size_t len = strlen(name);

	return strncmp(in_table, name, len) == 0 &&
	       (in_table[len] == '\0' || strcmp(in_table + len, ":u") == 0);
}

static void add(double *to, double amount)
{
	*to = isnan(*to) ? amount : *to + amount;
}

static void add_count(struct roofline_sum *sum, const struct roofline_event *e, double amount)
{
	if (e->what == ROOFLINE_BYTES) {
		add(&sum->bytes, amount);
		return;
	}
	add(&sum->flops, amount);
	if (e->what != ROOFLINE_EITHER)
		add(&sum->single, e->what == ROOFLINE_SINGLE ? amount : 0);
}

static bool add_event(struct roofline_sum *sum, const struct roofline_named *named,
		      const struct counter_event *e, const struct counter_reading *r,
		      unsigned vector_parts)
{
	double value = counter_reading_scaled(r), running = counter_reading_running(r);
	double each = named->event->amount;

	if (isnan(value)) {
		sum->lacking = named->name;
		sum->state = r->state;
		return false;
	}
	if (e->unit && strcmp(e->unit, "MiB") == 0)
		each = e->scale * MIB;
	if (named->event->by_vector)
		each *= vector_parts;
	if (running < sum->running)
		sum->running = running;
	add_count(sum, named->event, value * each);
	return true;
}

bool roofline_add_up(struct roofline_sum *sum, const struct counter_table *t, size_t row,
		     const struct roofline_named *events, size_t count, unsigned vector_parts)
{
	*sum = (struct roofline_sum){ .flops = NAN, .bytes = NAN, .single = NAN, .running = 1 };
	for (size_t i = 0; i < count; i++) {
		bool found = false;
		for (size_t k = 0; k < t->events.len; k++) {
			const struct counter_event *e = &t->events.data[k];
			if (!is_named(e->name, events[i].name))
				continue;
			found = true;
			if (!add_event(sum, &events[i], e, counter_table_at(t, row, k),
				       vector_parts))
				return false;
		}
		if (!found) {
			sum->lacking = events[i].name;
			sum->state = COUNTER_NOT_COUNTED;
			return false;
		}
	}
	return true;
}
