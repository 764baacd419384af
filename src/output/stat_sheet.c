/* A row of counters with its uncertainty and metrics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/stat_parts.h"

bool stat_has_rows(const struct counter_run *run)
{
	return run->total.rows.len != 1 || run->total.rows.data[0].kind != COUNTER_ROW_ALL;
}

/* ---- metrics ---- */

/* Is this event what the name in a formula stands for? Modifiers may follow it. */
static bool is_named(const struct counter_event *event, const char *name)
{
	size_t len = strlen(name);

	return strncmp(event->name, name, len) == 0 &&
	       (event->name[len] == '\0' || event->name[len] == ':');
}

static ptrdiff_t event_named(const struct counter_table *t, const char *name, const char *type)
{
	for (size_t i = 0; i < t->events.len; i++) {
		const struct counter_event *e = &t->events.data[i];
		if (is_named(e, name) && (!type || !*e->type || strcmp(e->type, type) == 0))
			return (ptrdiff_t)i;
	}
	return -1;
}

/* The first counter of its formula that is in the table. */
static ptrdiff_t place_of(const struct metric *m, const struct counter_table *t, const char *type)
{
	struct metric_names names = { 0 };
	ptrdiff_t at = -1;

	metric_names(m, &names);
	for (size_t i = 0; i < names.items.len && at < 0; i++)
		at = event_named(t, names.items.data[i], type);
	metric_names_release(&names);
	return at;
}

/* Software counts on all core types together: no ratio of it and one type's counter means anything.
 */
static void judge_types(struct stat_metric *m, const struct counter_table *t)
{
	struct metric_names names = { 0 };
	bool typed = false, untyped = false;

	metric_names(m->row, &names);
	for (size_t i = 0; i < names.items.len; i++) {
		ptrdiff_t at = event_named(t, names.items.data[i], m->type);
		typed |= at >= 0 && *t->events.data[at].type;
		untyped |= at >= 0 && !*t->events.data[at].type;
	}
	metric_names_release(&names);
	if (!typed || !untyped || m->value.state != METRIC_KNOWN)
		return;
	m->value.state = METRIC_MIXED;
	m->value.value = m->value.half_width = NAN;
	snprintf(m->value.why, sizeof(m->value.why),
		 "a counter of one core type and one of all core types together");
}

/* None of its counters was asked for. */
static bool is_beside_the_point(const struct stat_metric *m)
{
	struct metric_names names = { 0 };

	if (m->beside >= 0 || m->value.state == METRIC_KNOWN)
		return false;
	metric_names(m->row, &names);
	bool has_counters = names.items.len > 0;
	metric_names_release(&names);
	return has_counters;
}

static void evaluate_for(struct stat_sheet *s, const struct stat_view *v, const char *type,
			 bool is_first, const struct metric_constants *constants)
{
	size_t count = v->metrics->items.len;
	CLEANUP_FREE struct metric_value *values = xcalloc(count + 1, sizeof(*values));
	struct metric_table table = {
		.table = &s->table, .type = type, .half_widths = s->widths, .constants = *constants
	};
	struct metric_inputs inputs = metric_inputs_of_table(&table);

	for (size_t i = 0; i < count; i++)
		metric_evaluate(v->metrics->items.data[i], &inputs, &values[i]);
	if (count)
		metric_check_sums(v->metrics, values);
	for (size_t i = 0; i < count; i++) {
		struct stat_metric m = { .row = v->metrics->items.data[i],
					 .type = type,
					 .value = values[i] };
		m.beside = place_of(m.row, &s->table, type);
		judge_types(&m, &s->table);
		bool of_type = m.beside >= 0 && *s->table.events.data[m.beside].type;
		m.type = of_type ? type : NULL;
		/* What is not of a type is told once, what has no counter here not at all. */
		if ((of_type || is_first) && !is_beside_the_point(&m))
			vec_push(&s->metrics, m);
	}
}

static bool is_new_type(const struct counter_table *t, size_t event)
{
	for (size_t i = 0; i < event; i++)
		if (strcmp(t->events.data[i].type, t->events.data[event].type) == 0)
			return false;
	return *t->events.data[event].type != '\0';
}

static void evaluate(struct stat_sheet *s, const struct stat_view *v,
		     const struct metric_constants *constants)
{
	bool is_first = true;

	if (!v->metrics)
		return;
	for (size_t i = 0; i < s->table.events.len; i++) {
		if (!is_new_type(&s->table, i))
			continue;
		evaluate_for(s, v, s->table.events.data[i].type, is_first, constants);
		is_first = false;
	}
	if (is_first)
		evaluate_for(s, v, NULL, true, constants);
}

/* ---- sheets ---- */

/* From here on the kernel's split of CPU time into user and system is more than a guess: it looks
 * once a tick, of which there are 100 to 1000 a second. */
#define SPLIT_MIN_NS 500000000u

/* For how long it was counted: with a delay less than it ran. */
static uint64_t counted_ns(const struct counter_run *run)
{
	return run->delayed ? run->total.elapsed_ns : run->wall_ns;
}

static struct metric_constants constants_of(const struct stat_view *v,
					    const struct counter_run *run)
{
	struct metric_constants c = METRIC_NO_CONSTANTS;
	const struct counter_usage *u = &run->usage;

	if (run->wall_ns)
		c.seconds = (double)counted_ns(run) / 1e9;
	if (v->cpus)
		c.cpus = v->cpus;
	if (v->threads_per_core)
		c.threads_per_core = v->threads_per_core;
	if (v->slots)
		c.slots = v->slots;
	if (u->known && !run->delayed && u->user_ns + u->system_ns >= SPLIT_MIN_NS) {
		c.user_seconds = (double)u->user_ns / 1e9;
		c.system_seconds = (double)u->system_ns / 1e9;
	}
	return c;
}

static double row_width(const struct counter_run *run, size_t row, size_t event)
{
	size_t index = row * run->total.events.len + event;

	return counter_slices_half_width(&run->slices, &run->total.readings.data[index], index);
}

/* Rows are counted apart, so their errors add up as squares; those without a count add none. */
static double total_width(const struct counter_run *run, size_t event)
{
	double squares = 0;

	for (size_t row = 0; row < run->total.rows.len; row++) {
		if (counter_table_at(&run->total, row, event)->state == COUNTER_NOT_COUNTED)
			continue;
		double width = row_width(run, row, event);
		squares += width * width;
	}
	return sqrt(squares);
}

void stat_sheet_of_run(struct stat_sheet *s, const struct stat_view *v,
		       const struct counter_run *run)
{
	struct metric_constants constants = constants_of(v, run);

	*s = (struct stat_sheet){ 0 };
	counter_table_sum(&run->total, &s->table);
	s->widths = xcalloc(s->table.events.len + 1, sizeof(*s->widths));
	for (size_t i = 0; i < s->table.events.len; i++)
		s->widths[i] = total_width(run, i);
	evaluate(s, v, &constants);
}

void stat_sheet_of_row(struct stat_sheet *s, const struct stat_view *v,
		       const struct counter_run *run, size_t row)
{
	struct metric_constants constants = METRIC_NO_CONSTANTS;
	const struct counter_table *t = &run->total;

	*s = (struct stat_sheet){ 0 };
	s->widths = xcalloc(t->events.len + 1, sizeof(*s->widths));
	for (size_t i = 0; i < t->events.len; i++)
		counter_table_add_event(&s->table, &t->events.data[i]);
	counter_table_add_row(&s->table, &t->rows.data[row]);
	for (size_t i = 0; i < t->events.len; i++) {
		*counter_table_at(&s->table, 0, i) = *counter_table_at(t, row, i);
		s->widths[i] = row_width(run, row, i);
	}
	if (run->wall_ns)
		constants.seconds = (double)counted_ns(run) / 1e9;
	if (v->threads_per_core)
		constants.threads_per_core = v->threads_per_core;
	if (v->slots)
		constants.slots = v->slots;
	evaluate(s, v, &constants);
}

void stat_sheet_of_interval(struct stat_sheet *s, const struct stat_view *v,
			    const struct counter_table *t)
{
	struct metric_constants constants = METRIC_NO_CONSTANTS;

	*s = (struct stat_sheet){ 0 };
	counter_table_sum(t, &s->table);
	s->widths = xcalloc(t->events.len + 1, sizeof(*s->widths));
	for (size_t i = 0; i < t->events.len; i++) {
		double running = counter_reading_running(counter_table_at(&s->table, 0, i));
		s->widths[i] = running < 1 ? NAN : 0;
	}
	if (t->elapsed_ns)
		constants.seconds = (double)t->elapsed_ns / 1e9;
	if (v->cpus)
		constants.cpus = v->cpus;
	if (v->threads_per_core)
		constants.threads_per_core = v->threads_per_core;
	if (v->slots)
		constants.slots = v->slots;
	evaluate(s, v, &constants);
}

void stat_sheet_release(struct stat_sheet *s)
{
	counter_table_release(&s->table);
	free_ptr(&s->widths);
	vec_release(&s->metrics);
}
