/* The kernel's counters, read into a table. */
#include "count/perf_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "count/perf_parts.h"

void perf_source_note(struct perf_source *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&s->notes, xstrdup(text));
}

static void release(void *ctx)
{
	struct perf_source *s = ctx;

	for (size_t i = 0; i < s->counters.len; i++)
		close(s->counters.data[i].fd);
	for (size_t i = 0; i < s->references.len; i++)
		close(s->references.data[i].fd);
	for (size_t i = 0; i < s->slots.len; i++)
		free(s->slots.data[i].reason);
	for (size_t i = 0; i < s->cpus_of.len; i++)
		event_cpus_release(&s->cpus_of.data[i]);
	for (size_t i = 0; i < s->units.len; i++)
		vec_release(&s->units.data[i].specs);
	for (size_t i = 0; i < s->notes.len; i++)
		free(s->notes.data[i]);
	perf_threads_free(s->threads);
	vec_release(&s->counters);
	vec_release(&s->references);
	vec_release(&s->slots);
	vec_release(&s->slot_of);
	vec_release(&s->cpus_of);
	vec_release(&s->units);
	vec_release(&s->notes);
	free(s);
}

/* ---- the table ---- */

/* What was left out for want of permission shows in the name, as it is typed. Clocks have none: all
 * of a task's time counts for them. */
static char *shown_name(const struct perf_source *s, const struct perf_slot *slot)
{
	const struct event_spec *spec = slot->spec;
	bool marked = slot->user_only && !spec->is_clock;

	if (s->whole_cpus && spec->is_clock)
		return xstrdup("cpu-clock");
	return xasprintf("%s%s", spec->asked_name ? spec->asked_name : spec->name,
			 marked ? ":u" : "");
}

static bool is_one_of_several(const struct perf_source *s, const struct perf_slot *slot)
{
	for (size_t i = 0; i < s->slots.len; i++) {
		const struct event_spec *other = s->slots.data[i].spec;
		if (other != slot->spec && other->asked == slot->spec->asked && other->asked)
			return true;
	}
	return false;
}

static void add_event(struct perf_source *s, struct perf_slot *slot, struct counter_table *t)
{
	const struct event_spec *spec = slot->spec;
	CLEANUP_FREE char *name = shown_name(s, slot);
	uint32_t own = (uint32_t)(s->units.len + (size_t)(slot - s->slots.data));
	struct counter_event event = {
		.name = name,
		.type = spec->pmu && is_one_of_several(s, slot) ? spec->pmu : NULL,
		.unit = spec->unit	 ? spec->unit
			: spec->is_clock ? (char *)(uintptr_t) "ns"
					 : NULL,
		.reason =
			s->whole_cpus && slot->spec->is_clock && slot->opened
				? (char *)(uintptr_t) "the time that goes by on the CPUs, busy or not"
				: slot->reason,
		.scale = spec->scale > 0 ? spec->scale : 1,
		.group = 1 + (slot->alone ? own : slot->unit),
		.is_software = event_is_software(spec),
	};

	slot->index = (ptrdiff_t)t->events.len;
	counter_table_add_event(t, &event);
}

static void fill_table(struct perf_source *s, const struct count_places *p, struct counter_table *t)
{
	for (size_t i = 0; i < s->slots.len; i++)
		if (!s->slots.data[i].dropped)
			add_event(s, &s->slots.data[i], t);
	for (size_t i = 0; i < p->rows.len; i++)
		counter_table_add_row(t, &p->rows.data[i]);
}

/* ---- reading ---- */

static void clear(const struct perf_source *s, struct counter_table *t)
{
	for (size_t i = 0; i < t->readings.len; i++)
		t->readings.data[i] = (struct counter_reading){ .state = COUNTER_NOT_COUNTED };
	for (size_t i = 0; i < s->slots.len; i++) {
		const struct perf_slot *slot = &s->slots.data[i];
		for (size_t row = 0; slot->index >= 0 && row < t->rows.len; row++)
			counter_table_at(t, row, (size_t)slot->index)->state = slot->refused;
	}
}

static void add_reading(const struct perf_source *s, const struct perf_counter *c,
			struct counter_reading r, struct counter_table *t)
{
	if (c->reference != PERF_NO_REFERENCE) {
		uint64_t due_ns = s->references.data[c->reference].running_ns;
		/* Read a moment earlier: what ran since then was due, too. */
		r.enabled_ns = due_ns > r.running_ns ? due_ns : r.running_ns;
	}
	r.state = COUNTER_COUNTED;
	counter_reading_judge(&r);
	ptrdiff_t index = s->slots.data[c->slot].index;
	counter_reading_add(counter_table_at(t, c->row, (size_t)index), &r);
}

/* A counter that the kernel has given up keeps what the others of its event have. */
static void read_counter(const struct perf_source *s, const struct perf_counter *c,
			 struct counter_table *t)
{
	struct counter_reading r = { 0 };
	uint64_t values[EVENT_GROUP_MAX];

	if (!c->grouped) {
		if (event_read_counter(c->fd, &r.value, &r.enabled_ns, &r.running_ns) == 0)
			add_reading(s, c, r, t);
		return;
	}
	if (event_read_group(c->fd, values, c->members, &r.enabled_ns, &r.running_ns) < 0)
		return;
	for (uint32_t i = 0; i < c->members; i++) {
		r.value = values[i];
		add_reading(s, &c[i], r, t);
	}
}

static void read_references(struct perf_source *s)
{
	uint64_t value, enabled_ns;

	for (size_t i = 0; i < s->references.len; i++)
		event_read_counter(s->references.data[i].fd, &value, &enabled_ns,
				   &s->references.data[i].running_ns);
}

static void tell_threads_apart(const struct perf_source *s, struct counter_table *t)
{
	CLEANUP_FREE ptrdiff_t *column = xcalloc(s->slots.len + 1, sizeof(*column));

	for (size_t i = 0; i < s->slots.len; i++)
		column[i] = s->slots.data[i].index;
	perf_threads_tell_apart(s->threads, t, column);
}

static int read_all(void *ctx, struct counter_table *t, struct error *err)
{
	struct perf_source *s = ctx;

	(void)err;
	clear(s, t);
	read_references(s);
	for (size_t i = 0; i < s->counters.len; i += s->counters.data[i].members)
		read_counter(s, &s->counters.data[i], t);
	if (s->threads)
		tell_threads_apart(s, t);
	t->time_ns = clock_monotonic_ns();
	return 1;
}

static int enable(void *ctx, struct error *err)
{
	const struct perf_source *s = ctx;

	for (size_t i = 0; i < s->references.len; i++)
		event_enable(s->references.data[i].fd);
	for (size_t i = 0; i < s->counters.len; i += s->counters.data[i].members)
		if (event_enable(s->counters.data[i].fd) < 0)
			return error_set_errno(err, errno, "cannot begin to count");
	return 0;
}

struct perf_source *perf_source_open(const struct count_options *o, const struct count_places *p,
				     const struct perf_how *how, struct counter_table *t,
				     struct error *err)
{
	struct perf_source *s = xcalloc(1, sizeof(*s));

	s->options = o;
	s->how = *how;
	s->whole_cpus = p->items.len && p->items.data[0].pid < 0;
	perf_plan(s);
	if (how->threads_of) {
		struct record_layout layout;
		s->no_group_reads = true; /* their records hold one value each */
		struct event_counting like = { .exact_at_exit = true, .track = true };
		event_counting_layout(&event_dummy, &like, &layout);
		s->threads = perf_threads_new(how->threads_of, &layout, (uint32_t)s->slots.len);
	}
	if (perf_open_all(s, p, err) < 0) {
		release(s);
		return NULL;
	}
	fill_table(s, p, t);
	return s;
}

struct counter_source perf_source_interface(struct perf_source *s)
{
	return (struct counter_source){
		.read = read_all, .enable = enable, .release = release, .ctx = s
	};
}

void perf_source_drain(struct perf_source *s)
{
	if (s->threads)
		perf_threads_drain(s->threads);
}

uint64_t perf_source_incomplete(const struct perf_source *s)
{
	return s->threads ? perf_threads_incomplete(s->threads) : 0;
}

size_t perf_source_notes(const struct perf_source *s, char *const **notes)
{
	*notes = s->notes.data;
	return s->notes.len;
}

bool perf_source_is_user_only(const struct perf_source *s)
{
	return s->user_only;
}
