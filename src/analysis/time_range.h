/* The words of --time. */
#ifndef PROF_ANALYSIS_TIME_RANGE_H
#define PROF_ANALYSIS_TIME_RANGE_H

#include "base/error.h"
#include "profile/profile.h"
#include <stdint.h>

struct time_range { /* from_ns <= t < to_ns, on the profile's clock */
	uint64_t from_ns, to_ns;
};

/* "A,B" or "A-B", either end open; seconds from the start with or without a unit, or percentages.
 */
int time_range_parse(struct time_range *out, const struct profile *p, const char *text,
		     struct error *err);
/* When the profile begins and ends: its runs, or its samples where runs do not say. */
struct time_range time_range_of_profile(const struct profile *p);

#endif
