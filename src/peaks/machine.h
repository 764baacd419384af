/*
 * What is measured: which CPUs, their cores and caches, and how much memory may be used for it.
 * Read from /proc and /sys below a root, so that a test can show it any machine.
 */
#ifndef PROF_PEAKS_MACHINE_H
#define PROF_PEAKS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#define MACHINE_LEVELS	 4    /* of caches */
#define MACHINE_CPUS_MAX 4096 /* higher numbers are not known */

enum machine_caches_from { CACHES_UNKNOWN, CACHES_FROM_SYSFS, CACHES_FROM_LIBC };

struct machine_cache {	    /* of data, or of both */
	uint64_t bytes;	    /* 0: there is none */
	uint32_t shared_by; /* CPUs that share one; 0: not known */
};

struct machine_cpu {
	uint32_t cpu;
	uint32_t first_sibling; /* the lowest CPU of its core, itself where it has a core alone */
	/* The lowest CPU that has the cache of a level in common with it. Where nobody tells, L1
	 * and L2 are its own and the others are everybody's. */
	uint32_t first_sharer[MACHINE_LEVELS + 1];
};

typedef VEC(struct machine_cpu) machine_cpus;

struct machine {
	char name[128]; /* of the processor, as the kernel says it; "" when not known */
	bool is_virtual;
	machine_cpus cpus; /* those that were asked about, in their order */
	struct machine_cache caches[MACHINE_LEVELS + 1]; /* by level; of the first CPU */
	enum machine_caches_from caches_from;
	uint64_t memory_bytes; /* free for us: the least of what the machine and our cgroup have; 0:
				  not known */
};

/* root: "" for this machine. cpus: numbers, each once. */
void machine_read(struct machine *m, const char *root, const uint32_t *cpus, size_t count);
void machine_release(struct machine *m);

/* "0-3,8" → numbers in their order, each once. */
typedef VEC(uint32_t) cpu_numbers;
int cpu_numbers_parse(cpu_numbers *out, const char *text, struct error *err);
/* Those that this process may run on. */
void cpu_numbers_permitted(cpu_numbers *out);

/* One CPU of each core first, then the others: what N threads run on. */
void machine_order(struct machine *m);
/* How many cores the first count CPUs of m are. */
size_t machine_cores(const struct machine *m, size_t count);
/* How many caches of a level serve the first count CPUs, and by how many of these the busiest one
 * is shared. */
size_t machine_cache_instances(const struct machine *m, unsigned level, size_t count);
size_t machine_cache_sharers(const struct machine *m, unsigned level, size_t count);

#endif
