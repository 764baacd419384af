/* What is counted when nobody says what. */
#ifndef PROF_COUNT_DEFAULT_EVENTS_H
#define PROF_COUNT_DEFAULT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "event/spec.h"

/* Appends software events, which are there on every machine, then hardware events that many have;
 * *optional_from is the first of these. */
int count_default_events(struct event_list *list, bool whole_cpus, size_t *optional_from,
			 struct error *err);

#endif
