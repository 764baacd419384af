/*
 * A PMU that describes itself in sysfs: its folder holds a type number, in format/ which bits of
 * config, config1 and config2 a term fills, in events/ ready-made term lists with their scale and
 * unit, and in cpus (core PMUs) or cpumask (uncore and power) where it counts. Inside of event
 * names. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices*.
 */
#ifndef PROF_EVENT_SPEC_PMU_H
#define PROF_EVENT_SPEC_PMU_H

#include "event/spec_source.h"

struct pmu {
	const char *root; /* borrowed */
	char name[64];
	uint32_t type;
	char *cpus;    /* owned; NULL: all */
	bool is_core;  /* counts the instructions of tasks: generic events are its */
	bool no_task;  /* counts CPUs only */
	bool is_mixed; /* a core PMU of several here: its events need their type told */
};

/* The PMU of this name; false when there is none. Release it either way. */
bool pmu_open(struct pmu *pmu, const char *root, const char *name, size_t len);
void pmu_release(struct pmu *pmu);
/* The first line of root/pmu/folder/file as an owned string, NULL when there is none. */
char *pmu_read(const struct pmu *pmu, const char *folder, const char *file);
bool pmu_has(const struct pmu *pmu, const char *folder, const char *file);
/* A name that is one path component and cannot lead elsewhere. */
bool pmu_is_plain_name(const char *s, size_t len);
/* An alias's file of another meaning: mem-loads.unit. */
bool pmu_is_attribute_file(const char *name);
/* Every PMU in order of names, the numbers in them counted; until it returns nonzero. */
int pmu_each(const char *root, int (*each)(void *ctx, struct pmu *pmu), void *ctx);
/* The length of a name without the number of an instance: uncore_imc_3, hisi_ddrc0. */
size_t pmu_family_length(const char *name);

/* Fill the event from "event=0x3c,umask=1": terms, names of the PMU's events, generic events of a
 * core PMU. The name is left alone but for a term name=…. */
int pmu_apply_terms(const struct pmu *pmu, const char *terms, struct event_spec *spec,
		    struct error *err);
/* Where it counts, which is not told where all events of tasks are counted alike. */
void pmu_place(const struct pmu *pmu, struct event_spec *spec);

#endif
