/* Which metrics there are, and their values. */
#include "analysis/counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/near.h"
#include "base/bytes.h"
#include "base/text.h"

#define MOST_SLICES  ((uint32_t)160)
#define LEAST_BLOCKS 6 /* fewer slices say nothing about the next one */
#define LEAST_ALIKE  4
#define NONE_UP_TO   3.69 /* events that may be due when none came, at 97.5 % (Poisson) */

bool counted_has(const struct profile *p, uint32_t event)
{
	if (event >= p->events.len || !p->events.data[event].group || !p->counts.len)
		return false;
	return profile_leader(p, event) == event;
}

static void add_member(struct counted *c, uint16_t event)
{
	const struct profile *p = c->profile;
	const struct profile_event *e = &p->events.data[event];

	union { /* only read */
		const char *in;
		char *out;
	} name = { .in = profile_str(p, e->name) }, unit = { .in = e->unit == UNIT_NS ? "ns" : "" };
	struct counter_event row = {
		.name = name.out, .unit = unit.out, .scale = 1, .group = e->group
	};

	if (e->unit == UNIT_NS && c->clock < 0)
		c->clock = (ptrdiff_t)c->members.len;
	vec_push(&c->members, event);
	counter_table_add_event(&c->table, &row);
}

static void prepare(struct counted *c, const struct profile *p, uint32_t event)
{
	struct counter_row row = { .kind = COUNTER_ROW_ALL };

	memset(c, 0, sizeof(*c));
	c->profile = p;
	c->event = event;
	c->clock = -1;
	for (uint32_t i = 0; i < p->events.len; i++)
		if (p->events.data[i].group == p->events.data[event].group)
			add_member(c, (uint16_t)i);
	counter_table_add_row(&c->table, &row);
	for (size_t i = 0; i < c->members.len; i++) {
		struct counter_reading *r = counter_table_at(&c->table, 0, i);
		r->state = COUNTER_COUNTED;
		r->enabled_ns = r->running_ns = 1; /* shares of time are the whole group's */
	}
	metric_rows(&c->rows, NULL, NULL);
	c->inputs.table = &c->table;
	c->inputs.constants = METRIC_NO_CONSTANTS;
}

static void set_counters(struct counted *c, const double *values)
{
	for (size_t i = 0; i < c->members.len; i++)
		counter_table_at(&c->table, 0, i)->value = (uint64_t)(values[i] + 0.5);
	c->inputs.constants.seconds = c->clock < 0 ? NAN : values[c->clock] / 1e9;
}

/* What a formula calls seconds is CPU time here: a clock by it would be 1. */
static bool is_pointless(const struct counted *c, const struct metric *m)
{
	return c->clock >= 0 && strstr(m->formula, "seconds") &&
	       strstr(m->formula, c->table.events.data[c->clock].name);
}

/* Can it be computed from this group, whatever was counted? */
static bool is_possible(struct counted *c, const struct metric *m, struct metric_value *v)
{
	struct metric_inputs in = metric_inputs_of_table(&c->inputs);
	double *ones = xcalloc(c->members.len, sizeof(*ones));

	for (size_t i = 0; i < c->members.len; i++)
		ones[i] = 1e9;
	set_counters(c, ones);
	free(ones);
	metric_evaluate(m, &in, v);
	if (is_pointless(c, m))
		v->state = METRIC_MISSING;
	return v->state != METRIC_MISSING && v->state != METRIC_MIXED;
}

static char *names_of(struct counted *c)
{
	struct bytes out = { 0 };
	struct metric_value v;

	for (size_t i = 0; i < c->rows.items.len; i++)
		if (is_possible(c, c->rows.items.data[i], &v))
			bytes_printf(&out, "%s%s", out.len ? "," : "", c->rows.items.data[i]->name);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

char *counted_names(const struct profile *p, uint32_t event)
{
	struct counted c;

	if (!counted_has(p, event))
		return xstrdup("");
	prepare(&c, p, event);
	char *names = names_of(&c);
	counted_release(&c);
	return names;
}

/* Near names of those that can be computed here, else of all. */
static int unknown(struct counted *c, const char *option, const char *name, struct error *err)
{
	struct bytes hint = { 0 };
	struct metric_value v;
	struct near near;
	CLEANUP_FREE char *shown = text_printable(name);

	near_init(&near, name);
	for (size_t i = 0; i < c->rows.items.len; i++)
		if (is_possible(c, c->rows.items.data[i], &v))
			near_offer(&near, c->rows.items.data[i]->name);
	near_append(&near, &hint);
	bytes_u8(&hint, '\0');
	error_set(err, ERROR_NOT_FOUND, "%s: no metric \"%.60s\"%s", option, shown,
		  (const char *)hint.data);
	bytes_release(&hint);
	return -1;
}

static int not_counted(const char *option, const struct metric *m, const struct metric_value *v,
		       struct error *err)
{
	CLEANUP_FREE char *events = metric_events(m);

	return error_set(err, ERROR_NOT_FOUND,
			 "%s %s: the recording has not what it takes (%s); record it with prof "
			 "record -e '%s'",
			 option, m->name, v->why, events);
}

static int add_column(struct counted *c, const char *option, const char *name, struct error *err)
{
	const struct metric *m = metric_find(&c->rows, name);
	struct metric_value v;

	if (!m)
		return unknown(c, option, name, err);
	if (!is_possible(c, m, &v))
		return not_counted(option, m, &v, err);
	struct counted_column *column = xcalloc(1, sizeof(*column));
	column->metric = m;
	vec_push(&c->columns, column);
	return metric_compile(m, &column->formula, err);
}

int counted_init(struct counted *c, const struct profile *p, uint32_t event, const char *option,
		 const char *names, struct error *err)
{
	char *state = NULL;
	int result = 0;

	memset(c, 0, sizeof(*c));
	if (!counted_has(p, event))
		return error_set(
			err, ERROR_NOT_FOUND,
			"%s: no counters were recorded with the samples%s%s; prof record -e "
			"'{cycles,instructions,cache-misses}' does",
			option, event < p->events.len ? " of " : "",
			event < p->events.len ? profile_str(p, p->events.data[event].name) : "");
	prepare(c, p, event);
	CLEANUP_FREE char *copy = xstrdup(names);
	for (char *name = strtok_r(copy, ", ", &state); name && result == 0;
	     name = strtok_r(NULL, ", ", &state))
		result = add_column(c, option, name, err);
	if (result == 0 && !c->columns.len)
		result = error_set(err, ERROR_USAGE, "%s: a metric's name is missing", option);
	if (result < 0)
		counted_release(c);
	return result;
}

void counted_release(struct counted *c)
{
	for (size_t i = 0; i < c->columns.len; i++)
		free(c->columns.data[i]);
	vec_release(&c->columns);
	vec_release(&c->members);
	metric_list_release(&c->rows);
	counter_table_release(&c->table);
}

/* ---- sums ---- */

void counted_sums_init(struct counted_sums *s, const struct counted *c, size_t rows)
{
	memset(s, 0, sizeof(*s));
	s->members = c->members.len;
	s->rows = rows;
	s->first = xcalloc(rows + 1, sizeof(*s->first));
	memset(s->first, 0xff, (rows + 1) * sizeof(*s->first));
}

void counted_sums_release(struct counted_sums *s)
{
	free_ptr(&s->first);
	vec_release(&s->entries);
	vec_release(&s->values);
}

void counted_sums_add(struct counted_sums *s, size_t row, uint32_t slice, const double *values)
{
	uint32_t at = s->first[row];

	if (at == PROFILE_NONE || s->entries.data[at].slice != slice) {
		struct counted_entry entry = { slice, at };
		at = s->first[row] = (uint32_t)s->entries.len;
		vec_push(&s->entries, entry);
		for (size_t i = 0; i < s->members; i++)
			vec_push(&s->values, 0);
	}
	double *sums = s->values.data + at * s->members;
	for (size_t i = 0; i < s->members; i++)
		sums[i] += values[i];
}

double counted_sums_total(const struct counted_sums *s, size_t row, size_t member)
{
	double sum = 0;

	for (uint32_t at = s->first[row]; at != PROFILE_NONE; at = s->entries.data[at].next)
		sum += s->values.data[at * s->members + member];
	return sum;
}

/* ---- samples ---- */

void counted_slices_init(struct counted_slices *s, const struct counted *c,
			 const struct filter_result *samples)
{
	s->samples = samples;
	slices_init(&s->slices, c->profile, samples, c->event, MOST_SLICES);
}

void counted_slices_release(struct counted_slices *s)
{
	slices_release(&s->slices);
}

uint32_t counted_slice_of(const struct counted_slices *s, size_t i)
{
	uint32_t slice = s->slices.count ? s->slices.of_sample[i] : 0;

	return slice == PROFILE_NONE ? 0 : slice;
}

bool counted_values(const struct counted *c, const struct filter_result *samples, size_t i,
		    double *values)
{
	uint32_t sample = samples->samples.data[i], n;
	uint32_t at = profile_find_counts(c->profile, sample, &n);

	if (!n || c->profile->samples.data[sample].event != c->event)
		return false;
	memset(values, 0, c->members.len * sizeof(*values));
	for (uint32_t k = 0; k < n; k++) {
		const struct profile_count *count = &c->profile->counts.data[at + k];
		for (size_t m = 0; m < c->members.len; m++)
			if (c->members.data[m] == count->event)
				values[m] = (double)count->value;
	}
	return true;
}

/* ---- values ---- */

static double evaluate(struct counted *c, size_t column, const double *values,
		       enum metric_state *state)
{
	const struct counted_column *col = c->columns.data[column];
	struct metric_inputs in = metric_inputs_of_table(&c->inputs);
	struct metric_value v;

	set_counters(c, values);
	metric_evaluate_compiled(col->metric, &col->formula, &in, &v);
	*state = v.state;
	return v.value;
}

/* Leaving out each slice in which the row has samples; the others change nothing. NaN: one of them
 * alone makes the value, or there are too few. */
static double leave_out(struct counted *c, const struct counted_sums *s, size_t row, size_t column,
			const double *totals, double value)
{
	double sum = 0, squares = 0, weight = 0, weights = 0;
	double *rest = xcalloc(s->members, sizeof(*rest));
	uint32_t blocks = 0;
	bool is_known = true;

	for (uint32_t at = s->first[row]; at != PROFILE_NONE; at = s->entries.data[at].next) {
		enum metric_state state;
		for (size_t i = 0; i < s->members; i++)
			rest[i] = totals[i] - s->values.data[at * s->members + i];
		double its = s->values.data[at * s->members];
		weight += its;
		weights += its * its;
		double apart = evaluate(c, column, rest, &state) - value;
		is_known &= state == METRIC_KNOWN;
		sum += apart;
		squares += apart * apart;
		blocks++;
	}
	free(rest);
	/* Slices that have more of the row than others count for more: as if there were fewer. */
	double alike = weights > 0 ? weight * weight / weights : 0;
	if (!is_known || blocks < LEAST_BLOCKS || alike < LEAST_ALIKE)
		return NAN;
	double variance = (blocks - 1.0) / blocks * fmax(squares - sum * sum / blocks, 0);
	return student_t975((uint32_t)alike - 1) * sqrt(variance);
}

/* Of events that never came the slices are all alike, though some may be due. */
static double none_came(struct counted *c, size_t column, const double *totals, double value)
{
	double *some = xcalloc(c->members.len, sizeof(*some));
	enum metric_state state;
	bool any = false;

	for (size_t i = 0; i < c->members.len; i++) {
		any |= totals[i] <= 0;
		some[i] = totals[i] > 0 ? totals[i] : NONE_UP_TO;
	}
	double other = any ? evaluate(c, column, some, &state) : value;
	free(some);
	return fabs(other - value);
}

void counted_cell(struct counted *c, const struct counted_sums *s, size_t row, size_t column,
		  struct counted_cell *out)
{
	*out = (struct counted_cell){ NAN, NAN, METRIC_MISSING };
	if (s->first[row] == PROFILE_NONE)
		return;
	double *totals = xcalloc(s->members, sizeof(*totals));
	for (size_t i = 0; i < s->members; i++)
		totals[i] = counted_sums_total(s, row, i);
	out->value = evaluate(c, column, totals, &out->state);
	out->half_width = NAN;
	if (out->state == METRIC_KNOWN) {
		double width = leave_out(c, s, row, column, totals, out->value);
		out->half_width =
			isnan(width) ? NAN : fmax(width, none_came(c, column, totals, out->value));
	}
	free(totals);
}
