/*
 * What a process that waits for a command has to see to: signals as something to poll, a command
 * that is stopped and continued, one that takes other rights.
 */
#ifndef PROF_LAUNCH_WATCH_H
#define PROF_LAUNCH_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Blocks the signals that would end or stop this process, and SIGCHLD, and ignores SIGPIPE and
 * SIGXFSZ. Returns a signalfd of them, not blocking and close-on-exec; -1 with err. Save the state
 * that the command is to get (launch_save_state) before. */
int launch_watch_signals(struct error *err);
/* As many open files as may be. */
void launch_raise_descriptors(void);
/* The command was stopped (Ctrl-Z, or by itself): the shell must see this process stop too, and
 * both go on together, whoever continues which. Returns when they do. */
void launch_stop_with(pid_t command);
/* Is it an ordinary user's, and has it executed a set-uid or unreadable program? The kernel takes
 * the events away then. */
bool launch_changed_rights(pid_t command);

#endif
