/* Lists of CPUs as the kernel and users write them: "0-3,8". */
#ifndef PROF_EVENT_CPUS_H
#define PROF_EVENT_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

#define EVENT_CPU_MAX 65535

struct event_cpus { /* ascending, each once */
	VEC(uint32_t) items;
};

void event_cpus_release(struct event_cpus *c);
/* The whole text; a newline at its end is let pass. False, and nothing added, when it is no such
 * list. "" is an empty one. */
bool event_cpus_parse(struct event_cpus *c, const char *text);
bool event_cpus_have(const struct event_cpus *c, uint32_t cpu);

#endif
