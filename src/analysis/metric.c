/* The list of rows, and what to count for a row. */
#include "analysis/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metric_file.h"
#include "analysis/metric_tables.h"
#include "base/bytes.h"

static const struct metric_rows_of *const tables[] = {
	&metric_generic, &metric_skylake, &metric_intel, &metric_amd, &metric_arm,
};

/* One of the keys in a list with commas. */
static bool fits(const char *key, size_t len, const char *cpu)
{
	if (len > 0 && key[len - 1] == '*')
		return strncmp(key, cpu, len - 1) == 0;
	return strlen(cpu) == len && strncmp(key, cpu, len) == 0;
}

bool metric_holds_on(const struct metric *m, const char *cpu)
{
	if (!m->cpus || !*m->cpus)
		return true;
	for (const char *at = m->cpus; cpu && *at;) {
		size_t len = strcspn(at, ",");
		if (fits(at, len, cpu))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

static void add(struct metric_list *list, const struct metric *m, const char *cpu)
{
	if (!metric_holds_on(m, cpu))
		return;
	for (size_t i = 0; i < list->items.len; i++) {
		if (strcmp(list->items.data[i]->name, m->name) == 0) {
			list->items.data[i] = m;
			return;
		}
	}
	vec_push(&list->items, m);
}

void metric_rows(struct metric_list *list, const char *cpu, const struct metric_user *user)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t]->len; i++)
			add(list, &tables[t]->rows[i], cpu);
	for (size_t i = 0; user && i < user->rows.len; i++)
		add(list, &user->rows.data[i]->row, cpu);
}

void metric_list_release(struct metric_list *list)
{
	vec_release(&list->items);
}

const struct metric *metric_find(const struct metric_list *list, const char *name)
{
	for (size_t i = 0; i < list->items.len; i++)
		if (strcmp(list->items.data[i]->name, name) == 0)
			return list->items.data[i];
	return NULL;
}

static const char *const constants[] = { "seconds",	     "cpus",
					 "user_seconds",     "system_seconds",
					 "threads_per_core", "slots" };

double metric_constant(const struct metric_constants *c, const char *name)
{
	const double values[] = { c->seconds,	       c->cpus, c->user_seconds, c->system_seconds,
				  c->threads_per_core, c->slots };

	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		if (strcmp(constants[i], name) == 0)
			return values[i];
	return NAN;
}

bool metric_is_constant(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		if (strcmp(constants[i], name) == 0)
			return true;
	return false;
}

int metric_compile(const struct metric *m, struct expression *e, struct error *err)
{
	if (expression_parse(e, m->formula, err) == 0)
		return 0;
	return error_context(err, "metric %s", m->name);
}

void metric_names(const struct metric *m, struct metric_names *names)
{
	struct expression e;

	if (metric_compile(m, &e, NULL) < 0)
		return;
	for (size_t i = 0; i < e.names_len; i++)
		if (!metric_is_constant(expression_name(&e, i)))
			vec_push(&names->items, xstrdup(expression_name(&e, i)));
}

void metric_names_release(struct metric_names *names)
{
	for (size_t i = 0; i < names->items.len; i++)
		free(names->items.data[i]);
	vec_release(&names->items);
}

char *metric_events(const struct metric *m)
{
	struct metric_names names = { 0 };
	struct bytes text = { 0 };

	if (m->events)
		return xstrdup(m->events);
	metric_names(m, &names);
	for (size_t i = 0; i < names.items.len; i++)
		bytes_printf(&text, "%s%s",
			     i			   ? ","
			     : names.items.len > 1 ? "{"
						   : "",
			     names.items.data[i]);
	if (names.items.len > 1)
		bytes_printf(&text, "}");
	metric_names_release(&names);
	bytes_u8(&text, 0);
	return (char *)text.data;
}

const char *metric_state_text(enum metric_state state)
{
	static const char *const texts[] = { "known", "missing", "divided by zero", "mixed",
					     "impossible" };

	return texts[state];
}
