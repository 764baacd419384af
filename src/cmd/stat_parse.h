/* What was typed after "prof stat", and what it means. */
#ifndef PROF_CMD_STAT_PARSE_H
#define PROF_CMD_STAT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "cmd/targets.h"
#include "count/options.h"

struct stat_words {
	struct cmd_strings events, pids, tids;
	const char *cpus, *output;
	uint64_t delay_ns, duration_ns;
	unsigned verbose;
	bool system_wide, no_inherit, quiet;
};

/* What the options of a session borrow. */
struct stat_lists {
	struct event_list events;
	struct event_cpus cpus;
	struct target_ids pids, tids;
};

void stat_lists_release(struct stat_lists *lists);
/* Fills o, whose command is set already. EXIT_DONE, or EXIT_USAGE after having said why. */
int stat_parse(const struct stat_words *w, struct count_options *o, struct stat_lists *lists);
/* What is counted, in words. The caller's. */
char *stat_title(const struct count_options *o);

#endif
