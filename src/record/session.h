/*
 * One recording, from the command line's wishes to a finished prof.data. Splits into two processes:
 * the broker (this process: launches or attaches, opens events and foreign files, waits for the
 * child, handles signals) and the worker (maps rings, decodes, unwinds, symbolizes, writes).
 */
#ifndef PROF_RECORD_SESSION_H
#define PROF_RECORD_SESSION_H

#include "base/error.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum record_stacks {
	RECORD_STACKS_AUTO,
	RECORD_STACKS_FP,
	RECORD_STACKS_DWARF,
	RECORD_STACKS_NONE
};

enum record_kernel { RECORD_KERNEL_AUTO, RECORD_KERNEL_YES, RECORD_KERNEL_NO };

struct record_options {
	char *const *command;	  /* NULL-terminated, or NULL */
	const pid_t *pids, *tids; /* attach */
	size_t pid_count, tid_count;
	bool system_wide; /* -a */
	const char
		*cpus; /* -C "0,2-3", NULL: all; implies system-wide when nothing else is given */
	uint64_t duration_ns, delay_ns; /* 0: none */
	uint64_t frequency;		/* Hz; UINT64_MAX = max; 0 when period is given */
	uint64_t period;		/* -c */
	const char *const *events;	/* -e, each a list; NULL-terminated; NULL: default */
	enum record_stacks stacks;
	uint32_t stack_bytes; /* dwarf,SIZE; 0: adaptive */
	enum record_kernel kernel;
	const char *output;	     /* NULL: prof.data; "-": stdout */
	uint64_t ring_pages;	     /* -m; 0: by budget */
	uint32_t check_stacks;	     /* every Nth stack is unwound a second time; 0: never */
	unsigned closed_descriptors; /* bit N: descriptor N (0..2) was closed when prof began; the
					command finds it so */
	bool quiet;
	unsigned verbose;
};

/* Runs the whole recording. Returns the status prof should exit with (>= 0), having set
 * *die_by_signal to a signal to re-raise when the child died by one; -1 with err when nothing could
 * be recorded (err->code tells 125/126/127: ERROR_NOT_FOUND = command not found, ERROR_PERMISSION
 * with errnum ENOEXEC/EACCES = not executable). */
int record_run(const struct record_options *options, int *die_by_signal, struct error *err);

#endif
