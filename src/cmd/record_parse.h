/* What was typed after "prof record", and what it means. */
#ifndef PROF_CMD_RECORD_PARSE_H
#define PROF_CMD_RECORD_PARSE_H

#include "cmd/cmd.h"
#include "cmd/targets.h"
#include "record/session.h"
#include <stdbool.h>
#include <stdint.h>

struct record_words {
	struct cmd_strings events, pids, tids;
	const char *frequency, *call_graph, *cpus, *output, *ring;
	uint64_t period, delay_ns, duration_ns, check_stacks;
	unsigned verbose;
	bool frequency_given, period_given, system_wide, stacks_on, kernel, kernel_given, quiet;
};

struct record_ids {
	struct target_ids pids, tids;
};

/* Fills r, whose command is set already; r borrows from o and ids. EXIT_DONE, or EXIT_USAGE
 * after having said why. */
int record_parse(const struct record_words *o, struct record_options *r, struct record_ids *ids);

#endif
