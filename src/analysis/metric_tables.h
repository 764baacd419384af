/* The tables that metric_rows takes its rows from, one for each vendor. */
#ifndef PROF_ANALYSIS_METRIC_TABLES_H
#define PROF_ANALYSIS_METRIC_TABLES_H

#include "analysis/metric.h"

struct metric_rows_of {
	const struct metric *rows;
	size_t len;
};

extern const struct metric_rows_of metric_generic, metric_skylake, metric_intel, metric_amd,
	metric_arm;

#endif
