/* Quantiles of distributions that error bars are made of. */
#ifndef PROF_BASE_QUANTILE_H
#define PROF_BASE_QUANTILE_H

#include <stdint.h>

/* Student's t, 0.975 quantile. NaN for 0 degrees of freedom. */
double student_t975(uint32_t degrees);

#endif
