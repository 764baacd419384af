/* "Did you mean": the names nearest to one that was not found. */
#ifndef PROF_ANALYSIS_NEAR_H
#define PROF_ANALYSIS_NEAR_H

#include "base/bytes.h"
#include <stddef.h>
#include <stdint.h>

#define NEAR_COUNT 3

struct near {
	const char *wanted;
	unsigned best_count, some_count;

	struct {
		const char *name; /* borrowed */
		unsigned distance;
	} best[NEAR_COUNT];

	/* The heaviest names offered, or the first of equal ones, for when none is near. */
	const char *some[NEAR_COUNT];
	uint64_t some_weights[NEAR_COUNT];
	size_t offered;
};

void near_init(struct near *n, const char *wanted);
/* Offer a name that exists. It must stay valid; the same name twice is one. */
void near_offer(struct near *n, const char *name);
/* The same, of a name that weighs something: the heaviest are told when none is near. */
void near_offer_weighted(struct near *n, const char *name, uint64_t weight);
/* Append "; did you mean a or b?", or "; there are a, b, …", or nothing when there are no names.
 * Names as they are: whoever prints an error escapes it. */
void near_append(const struct near *n, struct bytes *out);

#endif
