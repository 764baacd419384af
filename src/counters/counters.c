/* Readings, their sums and differences. */
#include "counters/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void counter_table_release(struct counter_table *t)
{
	for (size_t i = 0; i < t->events.len; i++) {
		free(t->events.data[i].name);
		free(t->events.data[i].type);
		free(t->events.data[i].unit);
		free(t->events.data[i].reason);
	}
	for (size_t i = 0; i < t->rows.len; i++)
		free(t->rows.data[i].label);
	vec_release(&t->events);
	vec_release(&t->rows);
	vec_release(&t->readings);
}

static char *copy(const char *text)
{
	return xstrdup(text ? text : "");
}

void counter_table_add_event(struct counter_table *t, const struct counter_event *event)
{
	struct counter_event e = *event;

	e.name = copy(event->name);
	e.type = copy(event->type);
	e.unit = copy(event->unit);
	e.reason = copy(event->reason);
	vec_push(&t->events, e);
}

void counter_table_add_row(struct counter_table *t, const struct counter_row *row)
{
	struct counter_row r = *row;

	r.label = copy(row->label);
	vec_push(&t->rows, r);
	for (size_t i = 0; i < t->events.len; i++) {
		struct counter_reading none = { .state = COUNTER_NOT_COUNTED };
		vec_push(&t->readings, none);
	}
}

struct counter_reading *counter_table_at(const struct counter_table *t, size_t row, size_t event)
{
	return &t->readings.data[row * t->events.len + event];
}

ptrdiff_t counter_table_find(const struct counter_table *t, const char *name, const char *type)
{
	for (size_t i = 0; i < t->events.len; i++) {
		const struct counter_event *e = &t->events.data[i];
		if (strcmp(e->name, name) == 0 && (!type || strcmp(e->type, type) == 0))
			return (ptrdiff_t)i;
	}
	return -1;
}

static bool is_spoilt(enum counter_state state)
{
	return state != COUNTER_NOT_COUNTED && state != COUNTER_COUNTED;
}

void counter_reading_add(struct counter_reading *sum, const struct counter_reading *r)
{
	sum->value += r->value;
	sum->enabled_ns += r->enabled_ns;
	sum->running_ns += r->running_ns;
	if (r->state > sum->state)
		sum->state = r->state;
}

void counter_table_sum(const struct counter_table *t, struct counter_table *out)
{
	const struct counter_row all = { .kind = COUNTER_ROW_ALL };

	*out = (struct counter_table){ .elapsed_ns = t->elapsed_ns, .time_ns = t->time_ns };
	for (size_t i = 0; i < t->events.len; i++)
		counter_table_add_event(out, &t->events.data[i]);
	counter_table_add_row(out, &all);
	for (size_t row = 0; row < t->rows.len; row++)
		for (size_t i = 0; i < t->events.len; i++)
			counter_reading_add(&out->readings.data[i], counter_table_at(t, row, i));
}

void counter_reading_judge(struct counter_reading *r)
{
	if (is_spoilt(r->state))
		return;
	if (r->running_ns > r->enabled_ns || (r->running_ns == 0 && r->value))
		r->state = COUNTER_IMPOSSIBLE;
	else if (r->enabled_ns) /* else nothing was due, which is counted where a counter was there
				 */
		r->state = r->running_ns ? COUNTER_COUNTED : COUNTER_NOT_COUNTED;
}

struct counter_reading counter_reading_since(const struct counter_reading *then,
					     const struct counter_reading *now)
{
	struct counter_reading d = { .state = now->state };

	if (is_spoilt(then->state))
		d.state = then->state;
	if (now->value < then->value || now->enabled_ns < then->enabled_ns ||
	    now->running_ns < then->running_ns) {
		d.state = COUNTER_WRAPPED;
		return d;
	}
	d.value = now->value - then->value;
	d.enabled_ns = now->enabled_ns - then->enabled_ns;
	d.running_ns = now->running_ns - then->running_ns;
	counter_reading_judge(&d);
	return d;
}

double counter_reading_scaled(const struct counter_reading *r)
{
	if (r->state != COUNTER_COUNTED)
		return NAN;
	if (r->running_ns == 0)
		return r->value || r->enabled_ns ? NAN : 0;
	return (double)r->value * ((double)r->enabled_ns / (double)r->running_ns);
}

double counter_reading_running(const struct counter_reading *r)
{
	if (r->state != COUNTER_COUNTED || r->enabled_ns == 0)
		return NAN;
	return (double)r->running_ns / (double)r->enabled_ns;
}

const char *counter_state_text(enum counter_state state)
{
	switch (state) {
	case COUNTER_COUNTED:
		return "counted";
	case COUNTER_NOT_COUNTED:
		return "not counted";
	case COUNTER_NOT_SUPPORTED:
		return "not supported";
	case COUNTER_REFUSED:
		return "not permitted";
	case COUNTER_WRAPPED:
		return "went backwards";
	default:
		return "impossible";
	}
}
