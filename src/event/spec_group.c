/*
 * Events in braces. What one PMU counts of them is a group of its own, since a PMU schedules only
 * its own events together; what the kernel counts itself can be in any, and is in each.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "event/spec_source.h"

static bool is_anywhere(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE || spec->type == PERF_TYPE_TRACEPOINT;
}

static bool same_pmu(const struct event_spec *a, const struct event_spec *b)
{
	return strcmp(a->pmu ? a->pmu : "", b->pmu ? b->pmu : "") == 0;
}

static const struct event_spec *find(const struct event_list *list, size_t from, uint32_t asked,
				     const struct event_spec *of_pmu)
{
	for (size_t i = from; i < list->items.len; i++) {
		const struct event_spec *s = &list->items.data[i];
		if (s->asked == asked && (is_anywhere(s) || same_pmu(s, of_pmu)))
			return s;
	}
	return NULL;
}

static char *copy_text(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static struct event_spec copy_for(const struct event_spec *spec, const struct event_spec *of_pmu)
{
	struct event_spec copy = *spec;

	copy.name = copy_text(spec->name);
	copy.asked_name = copy_text(spec->asked_name);
	copy.unit = copy_text(spec->unit);
	copy.pmu = copy_text(of_pmu->pmu);
	copy.cpus = copy_text(of_pmu->cpus);
	copy.no_task = of_pmu->no_task;
	return copy;
}

static int differ(const struct event_spec *a, const struct event_spec *b, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "{%s,%s}: counted by different PMUs (%s, %s), which cannot be one group; "
			 "name them apart",
			 a->asked_name, b->asked_name, a->pmu ? a->pmu : "the core's",
			 b->pmu ? b->pmu : "the core's");
}

/* The members of the group on the PMU of the item at lead. */
static int take_pmu(const struct event_list *list, size_t from, size_t lead, uint32_t group,
		    struct event_list *out, struct error *err)
{
	const struct event_spec *of_pmu = &list->items.data[lead];
	uint32_t last = list->items.data[list->items.len - 1].asked;

	for (uint32_t asked = list->items.data[from].asked; asked <= last; asked++) {
		const struct event_spec *s = find(list, from, asked, of_pmu);
		if (!s) {
			const struct event_spec *other = &list->items.data[from];
			while (other->asked != asked)
				other++;
			return differ(of_pmu, other, err);
		}
		struct event_spec copy = copy_for(s, of_pmu);
		copy.group = group;
		vec_push(&out->items, copy);
	}
	return 0;
}

static bool is_new_pmu(const struct event_list *list, size_t from, size_t i)
{
	const struct event_spec *s = &list->items.data[i];

	if (is_anywhere(s))
		return false;
	for (size_t k = from; k < i; k++)
		if (!is_anywhere(&list->items.data[k]) && same_pmu(&list->items.data[k], s))
			return false;
	return true;
}

static void replace_tail(struct event_list *list, size_t from, struct event_list *with)
{
	for (size_t i = from; i < list->items.len; i++)
		event_spec_release(&list->items.data[i]);
	list->items.len = from;
	for (size_t i = 0; i < with->items.len; i++)
		vec_push(&list->items, with->items.data[i]);
	vec_release(&with->items);
}

int spec_group_make(struct event_list *list, size_t from, uint32_t *next_group, struct error *err)
{
	struct event_list grouped = { 0 };
	int result = 0;

	for (size_t i = from; i < list->items.len && result == 0; i++)
		if (is_new_pmu(list, from, i))
			result = take_pmu(list, from, i, (*next_group)++, &grouped, err);
	if (result < 0 || !grouped.items.len) { /* the kernel counts all of it itself */
		for (size_t i = from; i < list->items.len; i++)
			list->items.data[i].group = *next_group;
		(*next_group)++;
		event_list_release(&grouped);
		return result;
	}
	replace_tail(list, from, &grouped);
	return 0;
}
