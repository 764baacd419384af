/* A table of counters of one row. */
#include "counted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND_NS 1000000000ull

void counted_init(struct counted *c, const char *cpu)
{
	memset(c, 0, sizeof(*c));
	c->in.table = &c->table;
	c->in.constants = METRIC_NO_CONSTANTS;
	metric_rows(&c->rows, cpu, NULL);
}

void counted_release(struct counted *c)
{
	counter_table_release(&c->table);
	metric_list_release(&c->rows);
}

void counted_add(struct counted *c, const char *name, uint64_t value, uint32_t group)
{
	char copy[256];
	struct counter_reading r = { value, SECOND_NS, SECOND_NS, COUNTER_COUNTED };
	struct counter_event e = {
		.name = copy, .scale = 1, .group = group, .is_software = !group
	};

	snprintf(copy, sizeof(copy), "%s", name);
	counter_table_add_event(&c->table, &e);
	if (c->table.rows.len == 0)
		counter_table_add_row(&c->table, &(struct counter_row){ .kind = COUNTER_ROW_ALL });
	else
		vec_push(&c->table.readings, r);
	*counter_table_at(&c->table, 0, c->table.events.len - 1) = r;
}

static size_t find(struct counted *c, const char *name)
{
	ptrdiff_t event = counter_table_find(&c->table, name, NULL);

	if (event < 0)
		fail_msg("no counter %s", name);
	return (size_t)event;
}

struct counter_reading *counted_reading(struct counted *c, const char *name)
{
	return counter_table_at(&c->table, 0, find(c, name));
}

struct counter_event *counted_event(struct counted *c, const char *name)
{
	return &c->table.events.data[find(c, name)];
}

struct metric_value counted_value(const struct counted *c, const char *metric)
{
	const struct metric *m = metric_find(&c->rows, metric);
	struct metric_inputs in = metric_inputs_of_table(&c->in);
	struct metric_value v = { 0 };

	if (!m)
		fail_msg("no metric %s", metric);
	metric_evaluate(m, &in, &v);
	return v;
}

void counted_expect(const struct counted *c, const char *metric, double expected)
{
	struct metric_value v = counted_value(c, metric);

	if (v.state != METRIC_KNOWN || !(fabs(v.value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%s: %s, %.12g (%s), expected %.12g", metric, metric_state_text(v.state),
			 v.value, v.why, expected);
	assert_string_equal(v.why, "");
}

void counted_expect_why(const struct counted *c, const char *metric, enum metric_state state,
			const char *why)
{
	struct metric_value v = counted_value(c, metric);

	assert_string_equal(v.why, why);
	assert_int_equal(v.state, state);
	assert_true(isnan(v.value));
	assert_true(isnan(v.half_width));
}
