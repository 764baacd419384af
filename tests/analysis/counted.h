/* A table of counters of one row, and what metrics make of it. */
#ifndef TESTS_ANALYSIS_COUNTED_H
#define TESTS_ANALYSIS_COUNTED_H

#include "analysis/metric.h"

struct counted {
	struct counter_table table;
	struct metric_table in;
	struct metric_list rows;
};

/* For the metrics of a processor; NULL: those of all. */
void counted_init(struct counted *c, const char *cpu);
void counted_release(struct counted *c);
/* Counted all the time, one second. A group of 0 is a software event. */
void counted_add(struct counted *c, const char *name, uint64_t value, uint32_t group);
struct counter_reading *counted_reading(struct counted *c, const char *name);
struct counter_event *counted_event(struct counted *c, const char *name);
/* Of the metric of this name, which there must be. */
struct metric_value counted_value(const struct counted *c, const char *metric);
/* It is known, and this. */
void counted_expect(const struct counted *c, const char *metric, double expected);
/* It is not known, and says why. */
void counted_expect_why(const struct counted *c, const char *metric, enum metric_state state,
			const char *why);

#endif
