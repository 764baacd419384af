/* What was typed after "prof stat", and what it means. */
#ifndef PROF_CMD_STAT_PARSE_H
#define PROF_CMD_STAT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/metric_file.h"
#include "base/bytes.h"
#include "cmd/cmd.h"
#include "cmd/targets.h"
#include "count/options.h"

struct stat_words {
	struct cmd_strings events, pids, tids, metrics, metric_files;
	const char *cpus, *output, *separator;
	uint64_t delay_ns, duration_ns, interval_ns, repeat, warmup;
	unsigned verbose, by;
	bool system_wide, no_inherit, quiet, json, csv, topdown, by_given, warmup_given,
		interval_given;
	bool per_thread, per_core, per_socket, per_cpu; /* perf's words for by */
};

extern const char *const stat_by_choices[];

/* What was asked for, beyond the options of one counting; they borrow from it. */
struct stat_plan {
	struct count_options options;
	struct event_list events;
	struct event_cpus cpus;
	struct target_ids pids, tids;
	struct metric_user user_metrics;
	struct metric_list metrics; /* to be shown */
	struct bytes notes;	    /* lines about groups that were cut */
	unsigned warmups, repeats;
	uint32_t cpu_count, threads_per_core, slots; /* 0: not known */
};

void stat_plan_release(struct stat_plan *p);
/* Fills p, whose options' command is set already. EXIT_DONE, or another status after having said
 * why. */
int stat_parse(const struct stat_words *w, struct stat_plan *p);
/* Which metrics are shown, and the events that they need (appended to p->events). Likewise. */
int stat_parse_metrics(const struct stat_words *w, struct stat_plan *p);
/* What is counted, in words. The caller's. */
char *stat_title(const struct count_options *o);
/* The same as it is typed: "-- ./app 1", "-p 12". The caller's; NULL: it is about whole CPUs. */
char *stat_again(const struct count_options *o);

#endif
