/* Percentages as text, the same in every locale. */
#ifndef PROF_ANALYSIS_PERCENT_H
#define PROF_ANALYSIS_PERCENT_H

#include "base/bytes.h"
#include <stdint.h>

/* "12.3": part of all with one decimal. Never "100.0" or "0.0" where it is not all or nothing, but
 * "99.9" and "<0.1". */
void percent_append(struct bytes *out, uint64_t part, uint64_t all);
/* A fraction (0.0123 is "1.2") of any size that is not negative; nothing when NaN. */
void percent_append_fraction(struct bytes *out, double fraction);
/* "1.2" behind mark: the half width of a share's 95 % interval, both fractions; nothing when NaN.
 * "+1.2" without mark: the share may be so much larger, and as small as 0; "-1.2": so much smaller,
 * and as large as all. */
void percent_append_error(struct bytes *out, const char *mark, double share, double error);
/* "12.345678": for machines, six decimals. */
void percent_append_exact(struct bytes *out, uint64_t part, uint64_t all);
void percent_append_exact_fraction(struct bytes *out, double fraction);

#endif
