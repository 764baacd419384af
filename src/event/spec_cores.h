/*
 * Machines with several kinds of cores (P and E cores, big.LITTLE) have a PMU for each. What the
 * kernel counts under a generic name exists once on each of them. Inside of event names.
 */
#ifndef PROF_EVENT_SPEC_CORES_H
#define PROF_EVENT_SPEC_CORES_H

#include "event/spec_pmu.h"

struct spec_cores {
	const char *root;      /* borrowed */
	VEC(struct pmu) items; /* the core PMUs */
};

void spec_cores_read(struct spec_cores *cores, const char *root);
void spec_cores_release(struct spec_cores *cores);
/* Is it one of several core PMUs? */
bool spec_cores_is_mixed(const struct spec_cores *cores, const char *pmu);
/* Append a generic hardware, cache or raw event, once for each kind of cores; others as they are.
 * Takes the spec over. */
void spec_cores_append(const char *root, struct event_spec *spec, struct event_list *out);

#endif
