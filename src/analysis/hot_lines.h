/* The hottest source lines: of the innermost frame at each sampled place. Pure. */
#ifndef PROF_ANALYSIS_HOT_LINES_H
#define PROF_ANALYSIS_HOT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "base/memory.h"
#include "profile/profile.h"

struct hot_line {
	uint32_t file, line; /* file: string */
	uint32_t function;   /* of the profile: one that has the line */
	uint64_t weight, count;
	double error; /* 95 % half width as a fraction of all; NaN: not known */
};

struct hot_lines {
	VEC(struct hot_line) rows; /* heaviest first */
	uint64_t total;		   /* of the event, with rows for what was not seen */
};

/* At most so many; those without a line number take no part. no_inline: the line that the code
 * inlined there was called from. */
void hot_lines_find(struct hot_lines *h, const struct profile *p,
		    const struct filter_result *samples, uint32_t event, bool no_inline,
		    size_t most);
/* All of them, without errors. */
void hot_lines_find_all(struct hot_lines *h, const struct profile *p,
			const struct filter_result *samples, uint32_t event, bool no_inline);
void hot_lines_release(struct hot_lines *h);

#endif
