/*
 * The launched command: forked early, executed only when told, so that events are in place before
 * its first instruction. It gets prof's own descriptors, signal mask and dispositions as they were
 * when prof began.
 */
#ifndef PROF_LAUNCH_LAUNCH_H
#define PROF_LAUNCH_LAUNCH_H

#include "base/error.h"
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What the command gets back from before prof changed it. */
struct launch_state {
	sigset_t mask;	  /* signal mask */
	sigset_t ignored; /* signals that were ignored; all others are set to default */
	struct rlimit descriptors;
	int priority;		     /* nice value */
	unsigned closed_descriptors; /* bit N: descriptor N was closed */
};

/* Fills *s from this process, before anything is changed. */
void launch_save_state(struct launch_state *s, unsigned closed_descriptors);

struct launch {
	pid_t pid;
	int go_fd;	     /* write one byte: execute; close: exit without executing */
	int result_fd; /* readable: its usage, errno of a failed exec; end of file: it runs */
	uint64_t own_cpu_ns; /* what it used as a part of prof, before it was told to execute */
	struct rusage own;   /* the same, all of it, just before its exec; zeroed: not known */
};

/* argv ends with NULL. */
int launch_prepare(struct launch *l, char *const *argv, const struct launch_state *state,
		   struct error *err);
/* Executes it. -1: ERROR_NOT_FOUND or ERROR_PERMISSION (or another), the child is reaped. */
int launch_go(struct launch *l, const char *name, struct error *err);
/* Never executed: end and reap it. */
void launch_abandon(struct launch *l);

#endif
