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
	size_t run_count;		/* above 1: medians of them are shown */
	unsigned warmups;
	char *const *notes; /* said at the end, one line each */
	size_t note_count;
	const struct metric_list *metrics; /* those to be shown, in their order; NULL: none */
	/* Of this machine, or those that were asked for; 0: not known. */
	uint32_t cpus, threads_per_core, slots;
	/* How it was run, for commands to copy ("-- ./app 1", "-p 12"), quoted; NULL: no verdict.
	 */
	const char *again;
	uint32_t width; /* columns that remarks are wrapped to; 0: 80 */
	bool colour, unicode;
	bool verbose; /* say what metrics mean */
};

void output_stat_text(struct bytes *out, const struct stat_view *v);
/* Lines of intervals: what was counted in t, as one line, with a heading when begins. */
void output_stat_text_interval(struct bytes *out, const struct stat_view *v,
			       const struct counter_table *t, uint64_t since_begin_ns, bool begins);
/* The fields are described in docs/counters.md. on_one_line: as the last of JSON lines. */
void output_stat_json(struct bytes *out, const struct stat_view *v, bool on_one_line);
void output_stat_json_interval(struct bytes *out, const struct stat_view *v,
			       const struct counter_table *t, uint64_t since_begin_ns);
/* A row for each counter and metric; separator: one character or more. The first call's heading is
 * written when begins. */
void output_stat_csv(struct bytes *out, const struct stat_view *v, const char *separator,
		     bool begins);
void output_stat_csv_interval(struct bytes *out, const struct stat_view *v,
			      const struct counter_table *t, uint64_t since_begin_ns,
			      const char *separator, bool begins);

#endif
