/* The kinds of findings. Private to analysis. */
#ifndef PROF_ANALYSIS_FINDINGS_PARTS_H
#define PROF_ANALYSIS_FINDINGS_PARTS_H

#include "analysis/findings.h"

/* Shares of the weight by what is on the stacks: page faults, locks, … */
void findings_add_shares(struct findings *f, const struct findings_input *in);
/* "prof report FILE SELECTION". */
void findings_append_report(struct bytes *out, const struct findings_input *in);

#endif
