/* Groups: counters that are read with the samples of their first event. */
#include "record/plan.h"

#include "base/bytes.h"
#include <stdlib.h>
#include <string.h>

/* perf_event_attr.type of what the processor's PMU counts */
enum { TYPE_HARDWARE = 0, TYPE_CACHE = 3, TYPE_RAW = 4 };

size_t plan_leader(const struct plan *p, size_t i)
{
	const struct event_spec *e = p->events.items.data;
	for (size_t k = 0; e[i].group && k < i; k++) {
		if (e[k].group == e[i].group)
			return k;
	}
	return i;
}

static size_t count_group(const struct plan *p, size_t i)
{
	const struct event_spec *e = p->events.items.data;
	size_t count = 0;
	for (size_t k = 0; k < p->events.items.len; k++)
		count += k == i || (e[i].group && e[k].group == e[i].group);
	return count;
}

bool plan_leads(const struct plan *p, size_t i)
{
	return plan_leader(p, i) == i && count_group(p, i) > 1;
}

static bool is_member(const struct plan *p, size_t i)
{
	return plan_leader(p, i) != i;
}

static bool has_groups(const struct plan *p)
{
	for (size_t i = 0; i < p->events.items.len; i++) {
		if (is_member(p, i))
			return true;
	}
	return false;
}

static bool needs_hardware(const struct event_spec *e)
{
	return e->type == TYPE_HARDWARE || e->type == TYPE_CACHE || e->type == TYPE_RAW;
}

/* Take out members, all or those that this machine has no counter for; their names, caller frees.
 */
static char *drop_members(struct plan *p, bool all)
{
	struct bytes names = { 0 };
	for (size_t i = p->events.items.len; i-- > 1;) {
		struct event_spec *e = &p->events.items.data[i];
		if (!is_member(p, i) || !(all || needs_hardware(e)))
			continue;
		struct bytes text = { 0 };
		bytes_printf(&text, names.len ? "%s, " : "%s", e->name);
		bytes_append(&text, names.data, names.len);
		bytes_release(&names);
		names = text;
		event_spec_release(e);
		memmove(e, e + 1, (--p->events.items.len - i) * sizeof(*e));
	}
	if (names.len)
		bytes_u8(&names, '\0');
	return (char *)names.data;
}

static void drop_uncounted(struct plan *p)
{
	CLEANUP_FREE char *names = p->limits.has_hardware ? NULL : drop_members(p, false);
	if (names)
		plan_note(p, "no hardware counters here: recorded without %s", names);
}

/* The project's tests choose the ways of older kernels. */
static bool reads_inherited(void)
{
	const char *way = getenv("PROF_COUNTERS");
	return way ? !strcmp(way, "inherited") : event_reads_inherited_groups();
}

static bool may_whole_cpus(const struct plan *p)
{
	const char *way = getenv("PROF_COUNTERS");
	return p->limits.may_system_wide && p->options->tid_count == 0 &&
	       !(way && !strcmp(way, "threads"));
}

static void choose_older_way(struct plan *p)
{
	static const char why[] = "kernels before 6.12 do not read counters that threads inherit";
	if (may_whole_cpus(p)) {
		p->counters = COUNTERS_PER_CPU;
		p->system_wide = p->filtered = true;
		plan_note(p, "%s: whole CPUs are sampled, other processes left out", why);
	} else if (!p->options->command) {
		p->counters = COUNTERS_PER_THREAD;
		plan_note(p, "%s: threads that start from now on are not recorded", why);
	} else {
		CLEANUP_FREE char *names = drop_members(p, true);
		plan_note(p, "%s: recorded without %s (use `sudo prof`)", why, names);
	}
}

int plan_choose_counters(struct plan *p, struct error *err)
{
	drop_uncounted(p);
	for (size_t i = 0; i < p->events.items.len; i++) {
		if (plan_leads(p, i) && count_group(p, i) > EVENT_READ_MAX)
			return error_set(err, ERROR_LIMIT,
					 "%s leads a group of more than %d events: split it",
					 p->events.items.data[i].name, EVENT_READ_MAX);
	}
	if (!has_groups(p))
		return 0;
	if (p->system_wide)
		p->counters = COUNTERS_PER_CPU;
	else if (reads_inherited())
		p->counters = COUNTERS_INHERITED;
	else
		choose_older_way(p);
	return 0;
}
