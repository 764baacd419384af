/* Differences between what a source showed at one time and another. */
#include "counters/series.h"

#include <string.h>

static void keep(struct counter_readings *kept, const struct counter_table *t)
{
	vec_reserve(&kept->items, t->readings.len);
	if (t->readings.len)
		memcpy(kept->items.data, t->readings.data,
		       t->readings.len * sizeof(*t->readings.data));
	kept->items.len = t->readings.len;
	kept->time_ns = t->time_ns;
}

void counter_series_release(struct counter_series *s)
{
	counter_table_release(&s->now);
	counter_slices_release(&s->slices);
	vec_release(&s->interval.items);
	vec_release(&s->sliced.items);
	vec_release(&s->seen.items);
}

void counter_series_begin(struct counter_series *s, uint64_t begin_ns)
{
	s->begin_ns = begin_ns;
	s->interval.time_ns = s->sliced.time_ns = s->seen.time_ns = begin_ns;
}

/* What was there before: nothing of rows that came later. */
static struct counter_reading before(const struct counter_readings *then, size_t i)
{
	return i < then->items.len ? then->items.data[i] : (struct counter_reading){ 0 };
}

/* What went backwards once spoils the total, whatever it shows now. */
static void note_wraps(struct counter_series *s)
{
	for (size_t i = 0; i < s->now.readings.len; i++) {
		struct counter_reading then = before(&s->seen, i);
		struct counter_reading *now = &s->now.readings.data[i];
		counter_reading_judge(now);
		struct counter_reading since = counter_reading_since(&then, now);
		if (since.state == COUNTER_WRAPPED)
			now->state = COUNTER_WRAPPED;
	}
}

int counter_series_read(struct counter_series *s, const struct counter_source *source,
			struct error *err)
{
	int result = source->read(source->ctx, &s->now, err);

	if (result <= 0)
		return result;
	note_wraps(s);
	s->now.elapsed_ns = s->now.time_ns > s->begin_ns ? s->now.time_ns - s->begin_ns : 0;
	keep(&s->seen, &s->now);
	return 1;
}

static void since(const struct counter_readings *then, const struct counter_table *now,
		  struct counter_reading *out)
{
	for (size_t i = 0; i < now->readings.len; i++) {
		struct counter_reading a = before(then, i);
		out[i] = counter_reading_since(&a, &now->readings.data[i]);
	}
}

void counter_series_slice(struct counter_series *s)
{
	size_t count = s->now.readings.len;
	CLEANUP_FREE struct counter_reading *delta = xcalloc(count ? count : 1, sizeof(*delta));

	since(&s->sliced, &s->now, delta);
	counter_slices_add(&s->slices, delta, count);
	keep(&s->sliced, &s->now);
}

static void copy_shape(struct counter_table *out, const struct counter_table *t)
{
	*out = (struct counter_table){ 0 };
	for (size_t i = 0; i < t->events.len; i++)
		counter_table_add_event(out, &t->events.data[i]);
	for (size_t i = 0; i < t->rows.len; i++)
		counter_table_add_row(out, &t->rows.data[i]);
}

void counter_series_interval(struct counter_series *s, struct counter_table *out)
{
	copy_shape(out, &s->now);
	since(&s->interval, &s->now, out->readings.data);
	out->time_ns = s->now.time_ns;
	out->elapsed_ns =
		s->now.time_ns > s->interval.time_ns ? s->now.time_ns - s->interval.time_ns : 0;
	keep(&s->interval, &s->now);
}

bool counter_series_is_shared(const struct counter_series *s)
{
	for (size_t i = 0; i < s->now.readings.len; i++)
		if (s->now.readings.data[i].running_ns < s->now.readings.data[i].enabled_ns)
			return true;
	return false;
}
