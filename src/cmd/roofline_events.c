/* The first set of each kind whose events all can be opened. */
#include "cmd/roofline_events.h"

#include <stdio.h>
#include <string.h>

static bool try_event(struct event_list *list, const char *spec, bool *is_known, struct error *err)
{
	size_t first = list->items.len;

	*is_known = event_parse(list, spec, err) == 0;
	for (size_t i = first; *is_known && i < list->items.len; i++)
		if (event_probe(&list->items.data[i], err) < 0)
			return false;
	return *is_known;
}

/* Into a list of its own first, so that nothing of a set that fails is left. A reason from the
 * kernel says more than that a name is not known, which is so for all sets of other processors. */
static bool try_set(const struct roofline_set *set, char *reason, size_t size, bool *has_reason)
{
	struct event_list list = { 0 };
	struct error err = { 0 };
	bool ok = true, is_known = true;

	for (const struct roofline_event *e = set->events; ok && e->spec; e++)
		ok = try_event(&list, e->spec, &is_known, &err);
	if (!ok && is_known && !*has_reason) {
		snprintf(reason, size, "%.500s", err.text);
		*has_reason = true;
	}
	event_list_release(&list);
	return ok;
}

/* Names are known where the processor is; a machine without counters may not be known by name. */
static bool why_no_cycles(char *reason, size_t size)
{
	struct event_list list = { 0 };
	struct error err = { 0 };
	bool is_known, ok = try_event(&list, "cycles", &is_known, &err);

	if (!ok && err.code == ERROR_PERMISSION)
		snprintf(reason, size, "%.500s", err.text);
	else if (!ok)
		snprintf(
			reason, size,
			"the processor's counters are not there (a virtual machine without a PMU?)");
	event_list_release(&list);
	return !ok;
}

static const struct roofline_set *first_set(enum roofline_source source, const char *architecture,
					    const char *processor, char *reason, size_t size)
{
	bool has_reason = false;

	for (const struct roofline_set *s = roofline_sets(); s->name; s++)
		if (s->source == source && roofline_set_fits(s, architecture, processor) &&
		    try_set(s, reason, size, &has_reason))
			return s;
	if (!why_no_cycles(reason, size) && !has_reason)
		snprintf(reason, size, "no event of this processor is known that tells it");
	return NULL;
}

/* Several items for a PMU of several instances, or core types: a name each, once. */
static void name_events(struct roofline_choice *c, size_t first, const struct roofline_event *e)
{
	for (size_t i = first; i < c->events.items.len; i++) {
		const char *name = c->events.items.data[i].name;
		bool is_new = true;
		for (size_t k = 0; k < c->named.len; k++)
			is_new = is_new && strcmp(c->named.data[k].name, name) != 0;
		if (is_new)
			vec_push(&c->named, ((struct roofline_named){ name, e }));
	}
}

static int add_set(struct roofline_choice *c, const struct roofline_set *set, struct error *err)
{
	for (const struct roofline_event *e = set ? set->events : NULL; e && e->spec; e++) {
		size_t first = c->events.items.len;
		if (event_parse(&c->events, e->spec, err) < 0)
			return -1;
		name_events(c, first, e);
	}
	return 0;
}

int roofline_choose(struct roofline_choice *c, const char *architecture, const char *processor,
		    bool whole_machine, struct error *err)
{
	*c = (struct roofline_choice){ 0 };
	c->arithmetic = first_set(ROOFLINE_ARITHMETIC, architecture, processor,
				  c->arithmetic_reason, sizeof(c->arithmetic_reason));
	if (c->arithmetic && whole_machine)
		c->bytes = first_set(ROOFLINE_TRAFFIC, architecture, processor, c->bytes_reason,
				     sizeof(c->bytes_reason));
	if (c->arithmetic && !c->bytes)
		c->bytes = first_set(ROOFLINE_FILLS, architecture, processor, c->bytes_reason,
				     sizeof(c->bytes_reason));
	if (event_parse(&c->events, "task-clock", err) < 0 || add_set(c, c->arithmetic, err) < 0)
		return -1;
	return add_set(c, c->bytes, err);
}

void roofline_choice_release(struct roofline_choice *c)
{
	event_list_release(&c->events);
	vec_release(&c->named);
}
