/* "Did you mean": the names nearest to one that was not found. */
#ifndef PROF_ANALYSIS_NEAR_H
#define PROF_ANALYSIS_NEAR_H

#include "base/bytes.h"
#include <stddef.h>

#define NEAR_COUNT 3

struct near {
	const char *wanted;
	unsigned best_count, some_count;

	struct {
		const char *name; /* borrowed */
		unsigned distance;
	} best[NEAR_COUNT];

	const char *some[NEAR_COUNT]; /* the first names offered, for when none is near */
	size_t offered;
};

void near_init(struct near *n, const char *wanted);
/* Offer a name that exists. It must stay valid; the same name twice is one. */
void near_offer(struct near *n, const char *name);
/* Append "; did you mean a or b?", or "; there are a, b, …", or nothing when there are no names. */
void near_append(const struct near *n, struct bytes *out);

#endif
