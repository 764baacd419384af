/* Which core and socket each CPU belongs to, and of which type its core is, as sysfs says. */
#ifndef PROF_COUNT_TOPOLOGY_H
#define PROF_COUNT_TOPOLOGY_H

#include <stdint.h>

#include "base/memory.h"
#include "counters/counters.h"
#include "event/cpus.h"

struct count_topology {
	struct count_cpu {
		uint32_t cpu, core, socket, type; /* type: index into types */
	} * cpus;

	size_t cpu_count;
	VEC(char *) types; /* owned; "cpu_core", "cpu_atom"; "cpu" where there is one */
};

/* root: "/sys", or a test's folder. Where sysfs is silent, each CPU is a core of its own in socket
 * 0, of type "cpu". */
void count_topology_read(struct count_topology *t, const char *root, const struct event_cpus *cpus);
void count_topology_release(struct count_topology *t);
/* The row that a CPU belongs to when rows are CPUs, cores, sockets or types; the label is the
 * caller's. */
struct counter_row count_topology_row(const struct count_topology *t, enum counter_row_kind kind,
				      uint32_t cpu);

#endif
