/* Words that several commands take: whom to look at, and what becomes of a launched command. */
#ifndef PROF_CMD_TARGETS_H
#define PROF_CMD_TARGETS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "cmd/cmd.h"

struct target_ids {
	VEC(pid_t) items;
};

/* Appends the numbers of "12,34" for each word; letter: the option, for what is said. EXIT_DONE, or
 * EXIT_USAGE after having said why. */
int target_parse_ids(const struct command *cmd, const char *letter, const struct cmd_strings *words,
		     struct target_ids *ids);
/* Bit N: descriptor N was closed when prof began. */
unsigned target_closed_descriptors(void);
/* How to end when the command could not be run: only a fault of the command itself is 126 or 127.
 */
int target_failure_status(char *const *command, const struct error *err);
/* The shell would find it, and could execute it. */
bool target_is_executable(const char *command);
/* As the command died; its core is the one worth keeping. Returns only for a signal that does not
 * kill: the status to end with. */
int target_die_by(int signal);

#endif
