/*
 * What the worker gives up before it looks at the first byte that others wrote: the user, every
 * capability, and all system calls but those that reading and writing open descriptors needs.
 */
#ifndef PROF_RECORD_CONFINE_H
#define PROF_RECORD_CONFINE_H

#include "base/error.h"
#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A user and group that nobody else has ("prof" in ASCII): whoever shares a user can signal and
 * trace. */
#define CONFINE_USER 0x70726f66u

/* Close every descriptor but standard error and these; standard input and output become /dev/null.
 */
void confine_descriptors(const int *keep, size_t count);
/* For the calling process, which has one thread. Root becomes CONFINE_USER; nobody keeps a
 * capability. -1 with err when something could not be given up; the rest has been nevertheless. */
int confine_process(struct error *err);

/* confine_filter.c: the system calls that are left. A call that is not foreseen fails with ENOSYS,
 * or ends the process where PROF_FILTER=kill is in the environment (in tests, so that none is
 * missed). */
int confine_system_calls(bool kill, struct error *err);
/* The program of that filter for process self. Returns its length, at most room. */
size_t confine_filter_make(struct sock_filter *out, size_t room, pid_t self, bool kill);

#endif
