/* perf.data through the recording pipeline: decode, order, tasks and mappings, unwind, symbolize,
 * write. */
#ifndef PROF_RECORD_IMPORT_H
#define PROF_RECORD_IMPORT_H

#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>

/* Reads perf.data from in_fd and writes prof.data to out_fd, in a process apart (apart.h). name is
 * for messages. */
int record_import_perf_data(int in_fd, const char *name, int out_fd, struct error *err);
/* True when the first bytes are perf.data's magic. */
bool record_is_perf_data(const void *head, size_t len);

#endif
