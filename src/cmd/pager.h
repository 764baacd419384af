/* Text that is longer than the terminal goes through a pager, as git's does. */
#ifndef PROF_CMD_PAGER_H
#define PROF_CMD_PAGER_H

#include "base/bytes.h"
#include "cmd/cmd.h"

/* The row for commands that print through one; field: a bool. */
#define CMD_PAGER_OPTION(type, field)                                                              \
	OPTION(type, field, OPT_FLAG, 0, "no-pager",                                               \
	       .help = "straight to the terminal (default: what is longer than it through $PROF_PAGER, $PAGER or less)")

/*
 * As cmd_write_output to standard output. When that is a terminal, and the text has more lines than
 * it, through the pager that PROF_PAGER, else PAGER names (a command for the shell; "" or "cat":
 * none), else less; LESS is FRX unless it is set. Returns when the pager has ended; how does not
 * matter. Where it cannot be run the text is written without.
 */
int cmd_write_paged(const struct command *cmd, const struct bytes *b, bool no_pager);

#endif
