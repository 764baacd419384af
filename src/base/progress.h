/* A progress line on standard error when it is a terminal, nothing otherwise. Shows after 0.5 s. */
#ifndef PROF_BASE_PROGRESS_H
#define PROF_BASE_PROGRESS_H

#include <stdint.h>

struct progress {
	const char *what;
	uint64_t start_ns, last_ns;
	int enabled, shown;
};

void progress_start(struct progress *p, const char *what);
void progress_update(struct progress *p, uint64_t done,
		     uint64_t total);  /* cheap; redraws 10 times a second */
void progress_end(struct progress *p); /* erases the line */

#endif
