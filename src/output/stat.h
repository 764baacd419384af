/*
 * What prof stat shows of counted runs: as text for people, as JSON and as CSV for programs. Pure
 * functions of the runs.
 */
#ifndef PROF_OUTPUT_STAT_H
#define PROF_OUTPUT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/metric.h"
#include "base/bytes.h"
#include "counters/run.h"

struct stat_view {
	const char *title;		/* what was counted: "./app --fast", "process 1234" */
	const struct counter_run *runs; /* in their order; warm-ups are not among them */
	size_t run_count;
	unsigned warmups;
	char *const *notes; /* said at the end, one line each */
	size_t note_count;
	const struct metric_list *metrics; /* those to be shown, in their order */
	uint32_t cpus; /* of this machine, or those that were asked for; 0: not known */
	bool colour, unicode;
	bool verbose; /* what metrics mean */
};

void output_stat_text(struct bytes *out, const struct stat_view *v);

#endif
