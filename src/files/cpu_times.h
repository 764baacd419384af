/* How long the machine's CPUs worked, and how long a hypervisor kept them from it. */
#ifndef PROF_FILES_CPU_TIMES_H
#define PROF_FILES_CPU_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "files/files.h"

struct cpu_time { /* in ticks since boot */
	uint64_t cpu, busy, steal;
};

struct cpu_times { /* zeroed: not known */
	VEC(struct cpu_time) cpus;
};

/* From the text of /proc/stat, whatever it holds. */
void cpu_times_parse(struct cpu_times *t, const char *text, size_t len);
/* From the kernel, through files; none when it cannot be read. */
void cpu_times_read(struct cpu_times *t, struct files *files);
/* What went by from one time to another, of the CPUs that are in both, in ns of ticks_per_s; false,
 * and 0, when there is none. A counter that went back counts as 0. */
bool cpu_times_between(const struct cpu_times *from, const struct cpu_times *to,
		       uint64_t ticks_per_s, uint64_t *busy_ns, uint64_t *steal_ns);
void cpu_times_release(struct cpu_times *t);

#endif
