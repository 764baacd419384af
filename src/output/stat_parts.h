/* What the formats of prof stat share. Private to output/. */
#ifndef PROF_OUTPUT_STAT_PARTS_H
#define PROF_OUTPUT_STAT_PARTS_H

#include "output/stat.h"

/* "1 234 567", "12.34 ms", "3.456 Joules"; value is scaled up, in the event's raw unit. */
const char *stat_value_text(char *buf, size_t size, const struct counter_event *event,
			    double value);
/* "12.34", four significant digits, thousands apart, never in powers of ten. */
const char *stat_number_text(char *buf, size_t size, double value);

/* Metrics of one row of a run. */
struct stat_metrics {
	struct metric_value *values; /* owned; one for each metric of the view */
	ptrdiff_t
		*beside; /* owned; the event beside which it is shown, -1: in a block of its own */
};

void stat_metrics_evaluate(struct stat_metrics *m, const struct stat_view *v,
			   const struct counter_run *run, size_t row);
void stat_metrics_release(struct stat_metrics *m);
/* 95 % half width of the scaled value; see counter_slices_half_width. */
double stat_half_width(const struct counter_run *run, size_t row, size_t event);

#endif
