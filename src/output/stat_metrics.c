/* Metrics of counted rows: computed, and put beside the counter they begin with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/stat_parts.h"

double stat_half_width(const struct counter_run *run, size_t row, size_t event)
{
	size_t index = row * run->total.events.len + event;

	return counter_slices_half_width(&run->slices, &run->total.readings.data[index], index);
}

static struct metric_constants constants_of(const struct stat_view *v,
					    const struct counter_run *run)
{
	struct metric_constants c = METRIC_NO_CONSTANTS;

	if (run->wall_ns)
		c.seconds = (double)run->wall_ns / 1e9;
	if (v->cpus)
		c.cpus = v->cpus;
	if (run->usage.known && !run->delayed && !run->cut_short) {
		c.user_seconds = (double)run->usage.user_ns / 1e9;
		c.system_seconds = (double)run->usage.system_ns / 1e9;
	}
	return c;
}

/* Is this event what the name in a formula stands for? Modifiers may follow it. */
static bool is_named(const struct counter_event *event, const char *name)
{
	size_t len = strlen(name);

	return strncmp(event->name, name, len) == 0 &&
	       (event->name[len] == '\0' || event->name[len] == ':');
}

static ptrdiff_t event_named(const struct counter_table *t, const char *name)
{
	for (size_t i = 0; i < t->events.len; i++)
		if (is_named(&t->events.data[i], name))
			return (ptrdiff_t)i;
	return -1;
}

/* The first counter of its formula that is in the table. */
static ptrdiff_t place_of(const struct metric *m, const struct counter_table *t)
{
	struct metric_names names = { 0 };
	ptrdiff_t at = -1;

	metric_names(m, &names);
	if (names.items.len)
		at = event_named(t, names.items.data[0]);
	metric_names_release(&names);
	return at;
}

void stat_metrics_evaluate(struct stat_metrics *m, const struct stat_view *v,
			   const struct counter_run *run, size_t row)
{
	size_t count = v->metrics ? v->metrics->items.len : 0, events = run->total.events.len;
	CLEANUP_FREE double *widths = xcalloc(events + 1, sizeof(*widths));
	struct metric_table table = { .table = &run->total,
				      .row = row,
				      .half_widths = widths,
				      .constants = constants_of(v, run) };
	struct metric_inputs inputs = metric_inputs_of_table(&table);

	for (size_t i = 0; i < events; i++)
		widths[i] = stat_half_width(run, row, i);
	m->values = xcalloc(count + 1, sizeof(*m->values));
	m->beside = xcalloc(count + 1, sizeof(*m->beside));
	for (size_t i = 0; i < count; i++) {
		metric_evaluate(v->metrics->items.data[i], &inputs, &m->values[i]);
		m->beside[i] = place_of(v->metrics->items.data[i], &run->total);
	}
	if (count)
		metric_check_sums(v->metrics, m->values);
}

void stat_metrics_release(struct stat_metrics *m)
{
	free_ptr(&m->values);
	free_ptr(&m->beside);
}
