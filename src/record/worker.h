/*
 * The worker: maps the rings, brings records into time order, runs the pipeline and writes the
 * file. Runs in a process of its own and speaks to the broker alone.
 */
#ifndef PROF_RECORD_WORKER_H
#define PROF_RECORD_WORKER_H

#include "record/plan.h"

struct worker_sockets {
	int control, files, name_files;
};

/* Returns the process's exit status. */
int worker_main(const struct worker_sockets *sockets, struct plan *plan);

#endif
