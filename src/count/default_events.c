/* The default set, with what is counted together. */
#include "count/default_events.h"

/* Members of a row are one group: a row of software events costs one read, ratios within a row of
 * hardware events are of the same moments. */
static const struct row {
	const char *events;
	bool optional;
} task_rows[] = {
	{ "{task-clock,context-switches,cpu-migrations,page-faults,major-faults}", false },
	{ "{cycles,instructions,branches,branch-misses}", true },
	{ "{cache-references,cache-misses}", true },
	{ NULL, false },
}, /* a clock of whole CPUs tells the time, not what they did */
	cpu_rows[] = {
		{ "{context-switches,cpu-migrations,page-faults,major-faults}", false },
		{ "{cycles,instructions,branches,branch-misses}", true },
		{ "{cache-references,cache-misses}", true },
		{ NULL, false },
	};

int count_default_events(struct event_list *list, bool whole_cpus, size_t *optional_from,
			 struct error *err)
{
	const struct row *rows = whole_cpus ? cpu_rows : task_rows;

	*optional_from = SIZE_MAX;
	for (size_t i = 0; rows[i].events; i++) {
		if (rows[i].optional && *optional_from == SIZE_MAX)
			*optional_from = list->items.len;
		if (event_parse(list, rows[i].events, err) < 0)
			return -1;
	}
	return 0;
}
