/*
 * Users' own metrics, in a text file:
 *
 *   # Lines that begin with '#' and empty lines say nothing.
 *   [dram-ratio]
 *   title = loads that went to memory
 *   formula = 100 * 'MEM_LOAD_RETIRED.L3_MISS' / instructions
 *   unit = %
 *   good = low
 *   threshold = 1
 *   explanation = from this share on, memory is what the program waits for
 *
 * A name in brackets begins a row; the keys are those of the table in metric_file.c, each once,
 * only the formula is needed. A row of a name that we have replaces ours.
 */
#ifndef PROF_ANALYSIS_METRIC_FILE_H
#define PROF_ANALYSIS_METRIC_FILE_H

#include "analysis/metric.h"
#include "base/error.h"

#define METRIC_FILE_MAX_BYTES ((size_t)1 << 20)

struct metric_user_row {
	struct metric row; /* of strings in the arena */
};

struct metric_user {
	struct arena arena;
	VEC(struct metric_user_row *) rows;
};

void metric_user_init(struct metric_user *u);
void metric_user_release(struct metric_user *u);
/* Append the rows of a file's text. -1 with "NAME:LINE: what is wrong", and then none of it. */
int metric_file_parse(struct metric_user *u, const char *name, const char *text, size_t len,
		      struct error *err);

#endif
