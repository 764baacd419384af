/* The parts of prof info. Private to output/. */
#ifndef PROF_OUTPUT_INFO_H
#define PROF_OUTPUT_INFO_H

#include "analysis/filter.h"
#include "analysis/health.h"
#include "base/bytes.h"
#include "profile/profile.h"
#include <stdint.h>

/* Samples and weight of one row of a table. */
struct info_use {
	uint32_t id; /* of the row */
	uint64_t samples, weight;
};

struct info {
	const struct profile *profile;
	bool unicode;
	struct filter_result all;
	struct health health;
	/* By event id; tasks and modules (of the leaf) by samples, then weight, descending. Weights
	 * of tasks and modules are in the first event's unit. */
	struct info_use *events, *tasks, *modules;
};

void info_print_text(struct bytes *out, const struct info *i);
void info_print_json(struct bytes *out, const struct info *i);

/* What its identity is (enum module_identity): "build ID", …, "" for none. */
const char *info_identity_name(uint8_t identity);
/* "2024-02-29 12:34:56 UTC". */
const char *info_time(char *buf, size_t size, uint64_t realtime_ns);

#endif
