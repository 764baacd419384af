/* The kinds of findings. Private to analysis. */
#ifndef PROF_ANALYSIS_FINDINGS_PARTS_H
#define PROF_ANALYSIS_FINDINGS_PARTS_H

#include "analysis/findings.h"

#define FINDINGS_LEAST_SAMPLES ((uint64_t)20) /* that speak for a share */

/* Shares of the weight by what is on the stacks: page faults, locks, … */
void findings_add_shares(struct findings *f, const struct findings_input *in);
/* Of modules without source lines. */
void findings_add_no_lines(struct findings *f, const struct findings_input *in);
/* Of code that was compiled without optimization, where debug information says so. */
void findings_add_debug_build(struct findings *f, const struct findings_input *in);
/* What all of it comes to; behind all others. */
void findings_add_verdict(struct findings *f, const struct findings_input *in);
/* The half width of a share of n samples, at 95 %; NaN of none. */
double findings_binomial_error(double share, double n);
/* "prof report FILE SELECTION". */
void findings_append_report(struct bytes *out, const struct findings_input *in);

#endif
