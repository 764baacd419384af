/* One row of a table of counters as what metrics are computed from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/metric.h"

#define NO_GROUP UINT32_MAX

static bool is_type(const struct metric_table *t, const struct counter_event *e)
{
	return !t->type || !*e->type || strcmp(e->type, t->type) == 0;
}

/* "cycles:u" and "cpu/slots/u" are what "cycles" and "cpu/slots/" are, limited to "u". NULL: not.
 */
static const char *limits_of(const char *event, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(event, name, len) != 0)
		return NULL;
	event += len;
	event += *event == ':' && event[1];
	return event[strspn(event, "ukhpP")] == '\0' && strlen(event) < 8 &&
			       (!*event || event[-1] == ':' || event[-1] == '/')
		       ? event
		       : NULL;
}

/* "uncore_imc_3/read/" for "uncore_imc/read/". */
static bool is_unit_of(const char *event, const char *name)
{
	size_t len = strcspn(name, "/");

	if (name[len] != '/' || strncmp(event, name, len) != 0 || event[len] != '_')
		return false;
	size_t digits = strspn(event + len + 1, "0123456789");
	return digits > 0 && strcmp(event + len + 1 + digits, name + len) == 0;
}

static void say_why(const struct metric_table *t, size_t event, char *why, size_t size)
{
	const struct counter_event *e = &t->table->events.data[event];
	const struct counter_reading *r = counter_table_at(t->table, t->row, event);

	snprintf(why, size, "%s%s%.70s", counter_state_text(r->state), *e->reason ? ": " : "",
		 e->reason);
}

static double half_width_of(const struct metric_table *t, size_t event, double running)
{
	if (t->half_widths)
		return t->half_widths[event];
	return running >= 1 ? 0 : NAN;
}

/* False: it was not counted. */
static bool read_counter(const struct metric_table *t, size_t event, struct metric_counter *out,
			 char *why, size_t size)
{
	const struct counter_event *e = &t->table->events.data[event];
	const struct counter_reading *r = counter_table_at(t->table, t->row, event);
	double scale = e->scale > 0 ? e->scale : 1;

	*out = (struct metric_counter){ .value = counter_reading_scaled(r) * scale,
					.running = counter_reading_running(r),
					.group = e->group,
					.is_software = e->is_software };
	if (isnan(out->value)) {
		say_why(t, event, why, size);
		return false;
	}
	out->half_width = half_width_of(t, event, out->running) * scale;
	return true;
}

/* Of several units' counters: what they are together. */
static void add_unit(struct metric_counter *sum, const struct metric_counter *c)
{
	sum->value += c->value;
	sum->half_width = sqrt(sum->half_width * sum->half_width + c->half_width * c->half_width);
	sum->running = fmin(sum->running, c->running);
}

static bool get_units(const struct metric_table *t, const char *name, struct metric_counter *out,
		      char *why, size_t size)
{
	struct metric_counter c;
	bool found = false;

	for (size_t i = 0; i < t->table->events.len; i++) {
		if (!is_unit_of(t->table->events.data[i].name, name))
			continue;
		if (!read_counter(t, i, &c, why, size))
			return false;
		if (found)
			add_unit(out, &c);
		else
			*out = c;
		found = true;
	}
	/* Units of a PMU have counters each, so they run at the same time whatever their group. */
	out->is_software = found;
	return found;
}

/* Whether the event is it, and (out->limited_to) only in part. */
static bool is_meant(const struct metric_table *t, size_t event, const char *name, bool whole,
		     char *limited_to, size_t size)
{
	const struct counter_event *e = &t->table->events.data[event];
	const char *limits = limits_of(e->name, name);

	if (!is_type(t, e) || !limits || (whole && *limits))
		return false;
	snprintf(limited_to, size, "%s", limits);
	return true;
}

/* The event of this name, or with modifiers besides, that of the group if it is there, else the
 * first; -1: none, -2: of several core types. */
static ptrdiff_t find(const struct metric_table *t, const char *name, uint32_t group, bool whole,
		      char *limited_to, char *why, size_t size)
{
	ptrdiff_t found = -1;

	for (size_t i = 0; i < t->table->events.len; i++) {
		const struct counter_event *e = &t->table->events.data[i];
		char limits[sizeof(((struct metric_counter *)0)->limited_to)];
		if (!is_meant(t, i, name, whole, limits, sizeof(limits)))
			continue;
		if (found >= 0 && strcmp(e->type, t->table->events.data[found].type) != 0) {
			snprintf(why, size, "counted on several core types: %.20s and %.20s",
				 t->table->events.data[found].type, e->type);
			return -2;
		}
		if (found >= 0 &&
		    (e->group != group || t->table->events.data[found].group == group))
			continue;
		memcpy(limited_to, limits, sizeof(limits));
		found = (ptrdiff_t)i;
	}
	return found;
}

static bool get_constant(const struct metric_table *t, const char *name, struct metric_counter *out,
			 char *why, size_t size)
{
	*out = (struct metric_counter){ .value = metric_constant(&t->constants, name),
					.running = 1,
					.is_constant = true };
	snprintf(why, size, "not known here");
	return !isnan(out->value);
}

static bool get_in_group(void *ctx, const char *name, uint32_t group, struct metric_counter *out,
			 char *why, size_t size)
{
	const struct metric_table *t = ctx;
	char limited_to[sizeof(out->limited_to)] = "";

	if (metric_is_constant(name))
		return get_constant(t, name, out, why, size);
	ptrdiff_t event = find(t, name, group, true, limited_to, why, size);
	if (event == -1)
		event = find(t, name, group, false, limited_to, why, size);
	if (event == -1)
		return get_units(t, name, out, why, size);
	if (event < 0 || !read_counter(t, (size_t)event, out, why, size))
		return false;
	memcpy(out->limited_to, limited_to, sizeof(limited_to));
	return true;
}

static bool get(void *ctx, const char *name, struct metric_counter *out, char *why, size_t size)
{
	return get_in_group(ctx, name, NO_GROUP, out, why, size);
}

static size_t count_named(const struct metric_table *t, const char *name, uint32_t group)
{
	size_t count = 0;

	for (size_t i = 0; i < t->table->events.len; i++) {
		const struct counter_event *e = &t->table->events.data[i];
		count += is_type(t, e) && limits_of(e->name, name) &&
			 (group == NO_GROUP || e->group == group);
	}
	return count;
}

static size_t names_in_group(const struct metric_table *t, const struct expression *e,
			     uint32_t group)
{
	size_t count = 0;

	for (size_t i = 0; i < e->names_len; i++)
		count += count_named(t, expression_name(e, i), group) > 0;
	return count;
}

static uint32_t choose_group(void *ctx, const struct expression *e)
{
	const struct metric_table *t = ctx;
	size_t most = 0;
	uint32_t best = NO_GROUP;
	bool is_choice = false;

	for (size_t i = 0; i < e->names_len && !is_choice; i++)
		is_choice = count_named(t, expression_name(e, i), NO_GROUP) > 1;
	for (size_t i = 0; i < t->table->events.len && is_choice; i++) {
		uint32_t group = t->table->events.data[i].group;
		size_t count = group == best ? 0 : names_in_group(t, e, group);
		best = count > most ? group : best;
		most = count > most ? count : most;
	}
	return best;
}

struct metric_inputs metric_inputs_of_table(const struct metric_table *t)
{
	union { /* the callback's context is not const, and stays untouched */
		const struct metric_table *in;
		void *out;
	} ctx = { .in = t };

	return (struct metric_inputs){ .get = get,
				       .choose_group = choose_group,
				       .get_in_group = get_in_group,
				       .ctx = ctx.out };
}
