/* What reports say about the samples as a whole. Private to output/. */
#ifndef PROF_OUTPUT_FACTS_H
#define PROF_OUTPUT_FACTS_H

#include "analysis/filter.h"
#include "profile/profile.h"
#include <stdbool.h>
#include <stdint.h>

struct facts {
	const char *command, *tool, *event_name;
	uint8_t unit;
	uint64_t wall_ns; /* of the run; 0 unknown */
	uint64_t cpu_ns;  /* of the whole recording, else what clock samples say; 0 unknown */
	uint64_t samples, total;     /* of the event: sampled, and weight with synthetic rows */
	uint32_t threads, processes; /* with samples of the event */
	bool filtered;
	bool summed; /* samples are stacks of another tool, each with what all its samples weigh */
};

void facts_compute(struct facts *f, const struct profile *p, const struct filter_result *samples,
		   uint32_t event);
/* What was recorded: the command, else the name of the file it was read from, else "profile". */
const char *facts_title(const struct profile *p);
/* "user", "library", "kernel", … of an enum code_kind. */
const char *facts_kind_name(uint8_t kind);
/* The path of a module, "" when it has none. */
const char *facts_module_path(const struct profile *p, uint32_t module);

#endif
