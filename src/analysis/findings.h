/*
 * What a profile shows that its user can act on: each with how much it weighs, what helps, and the
 * next command. Silent where the samples do not tell: an estimated share is a finding only when its
 * whole 95 % interval is above the limit. Pure.
 */
#ifndef PROF_ANALYSIS_FINDINGS_H
#define PROF_ANALYSIS_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/filter.h"
#include "analysis/health.h"
#include "base/memory.h"
#include "profile/profile.h"

struct finding {
	const char *id;	 /* for scripts: stays the same */
	const char *of;	 /* what share is a share of: "weight", "samples", "samples due", "wall" */
	char *text;	 /* what it is and what helps; names in it are not made printable */
	char *command;	 /* to copy; NULL: there is none */
	double share;	 /* NaN: of all shares */
	double error;	 /* 95 % half width; NaN: share is counted, not estimated */
	bool is_verdict; /* what all of it comes to; ids are verdict.c's, "verdict-" before them */
};

struct findings {
	VEC(struct finding)
	items; /* what makes the recording less true first, then by
		    share, verdicts last */
};

struct findings_input {
	const struct profile *profile;
	const struct filter_result *samples;
	uint32_t event;
	const struct health *health; /* of these samples */
	const char *selection;	     /* options that choose them, for commands to copy, each behind
					a space; NULL: none */
};

void findings_compute(struct findings *f, const struct findings_input *in);
void findings_release(struct findings *f);

#endif
