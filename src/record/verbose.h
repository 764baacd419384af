/* What -v and -vv tell of a recording: facts, in lines that nobody needs. */
#ifndef PROF_RECORD_VERBOSE_H
#define PROF_RECORD_VERBOSE_H

#include "record/broker.h"
#include "symbolize/symbolize.h"
#include "task/task.h"
#include <stddef.h>

/* Events, rates, stacks and rings, as they will be opened. */
void verbose_plan(const struct plan *p, uint64_t ring_bytes);
/* -vv: one event that was opened. */
void verbose_event(const struct event_spec *spec, const struct event_sampling *how,
		   const struct control_event_fd *entry);
/* How long each part took, once all is over. */
void verbose_phases(const struct broker *b);
/* Where the names of a module come from, the first time (*told); -vv: of how many addresses. */
void verbose_named(const struct task_module *m, const struct symbolize_result *r, size_t addresses,
		   bool *told);

#endif
