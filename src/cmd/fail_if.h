/* --fail-if of prof report: limits on shares, for CI. */
#ifndef PROF_CMD_FAIL_IF_H
#define PROF_CMD_FAIL_IF_H

#include "cmd/cmd.h"
#include "cmd/input.h"

/* EXIT_DONE when all are conditions, else EXIT_USAGE after one line. */
int fail_if_check(const struct command *cmd, const struct cmd_strings *conditions);
/* EXIT_CONDITION when one holds, which is said; those that cannot be told are said too. */
int fail_if_run(const struct command *cmd, const struct cmd_strings *conditions,
		const struct cmd_view *v, const struct calltree_options *frames);

#endif
