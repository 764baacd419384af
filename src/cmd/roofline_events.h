/* Which events place a program on this machine, and why not, where none do. */
#ifndef PROF_CMD_ROOFLINE_EVENTS_H
#define PROF_CMD_ROOFLINE_EVENTS_H

#include <stdbool.h>

#include "analysis/roofline.h"
#include "base/memory.h"
#include "event/spec.h"

struct roofline_choice {
	struct event_list events;	  /* task-clock first, then those of the sets */
	VEC(struct roofline_named) named; /* names belong to events */
	const struct roofline_set *arithmetic, *bytes;	/* NULL: none can be counted */
	char arithmetic_reason[600], bytes_reason[600]; /* why there is none */
};

/* Tries the sets for this processor by opening their events. whole_machine: events of the memory
 * controllers too. -1 with err when not even the clock is known. */
int roofline_choose(struct roofline_choice *c, const char *architecture, const char *processor,
		    bool whole_machine, struct error *err);
void roofline_choice_release(struct roofline_choice *c);

#endif
