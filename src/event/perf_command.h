/* What a perf record command line recorded. */
#ifndef PROF_EVENT_PERF_COMMAND_H
#define PROF_EVENT_PERF_COMMAND_H

#include "base/bytes.h"
#include <stddef.h>

/* Appends what perf's words tell of it as prof record describes its own: the command's words,
 * quoted where a shell needs that, "pid 1,2", "thread 3" or "all processes". All of perf's words
 * where that cannot be known, as of perf sched. */
void perf_command_describe(struct bytes *out, const char *const *words, size_t count);

#endif
