/* A metric's value from its counters, or why there is none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/metric.h"

#define TOLERANCE      0.5  /* percent: what a share may be beyond 0 and 100 by rounding */
#define SUM_TOLERANCE  2.0  /* percent */
#define SUM_OF_SCALED  10.0 /* percent: different moments of the run */
#define ALWAYS_RUNNING 0.9999

struct fetched {
	struct metric_counter counters[EXPRESSION_NAMES_MAX];
	struct expression_input inputs[EXPRESSION_NAMES_MAX];
	char why[EXPRESSION_NAMES_MAX][96];
};

static void fetch(const struct expression *e, const struct metric_inputs *in, struct fetched *f)
{
	uint32_t group = in->choose_group ? in->choose_group(in->ctx, e) : 0;

	memset(f->counters, 0, sizeof(f->counters));
	for (size_t i = 0; i < e->names_len; i++) {
		struct metric_counter *c = &f->counters[i];
		f->why[i][0] = '\0';
		const char *name = expression_name(e, i);
		bool known = in->get_in_group
				     ? in->get_in_group(in->ctx, name, group, c, f->why[i],
							sizeof(f->why[i]))
				     : in->get(in->ctx, name, c, f->why[i], sizeof(f->why[i]));
		if (!known)
			c->value = NAN;
		f->inputs[i] = (struct expression_input){ c->value, c->half_width };
	}
}

static void fail(struct metric_value *out, enum metric_state state)
{
	out->state = state;
	out->value = out->half_width = NAN;
}

static void say_missing(struct metric_value *out, const struct expression *e,
			const struct fetched *f, size_t name)
{
	fail(out, METRIC_MISSING);
	snprintf(out->why, sizeof(out->why), "%.60s: %s", expression_name(e, name),
		 f->why[name][0] ? f->why[name] : "no such counter");
}

static const char *counts_what(const struct metric_counter *c, char *buf, size_t size)
{
	if (!*c->limited_to)
		return "everything";
	snprintf(buf, size, ":%s only", c->limited_to);
	return buf;
}

static void say_mixed(struct metric_value *out, const struct expression *e, const struct fetched *f,
		      size_t a, size_t b)
{
	char first[24], second[24];

	fail(out, METRIC_MIXED);
	snprintf(out->why, sizeof(out->why), "%.36s counts %s, %.36s counts %s: ask for both alike",
		 expression_name(e, a), counts_what(&f->counters[a], first, sizeof(first)),
		 expression_name(e, b), counts_what(&f->counters[b], second, sizeof(second)));
}

/* All of the same modes: what is limited must not be set in proportion to what is not. */
static bool agree(struct metric_value *out, const struct expression *e, const struct fetched *f,
		  uint32_t used)
{
	size_t first = EXPRESSION_NAMES_MAX;

	for (size_t i = 0; i < e->names_len; i++) {
		if (!(used & 1u << i) || f->counters[i].is_constant)
			continue;
		if (first == EXPRESSION_NAMES_MAX)
			first = i;
		if (strcmp(f->counters[i].limited_to, f->counters[first].limited_to) == 0)
			continue;
		say_mixed(out, e, f, first, i);
		return false;
	}
	return true;
}

/* Which counters took part at the same time. */
static void note_groups(struct metric_value *out, const struct expression *e,
			const struct fetched *f, uint32_t used)
{
	const struct metric_counter *first = NULL;

	out->running = 1;
	for (size_t i = 0; i < e->names_len; i++) {
		const struct metric_counter *c = &f->counters[i];
		if (!(used & 1u << i) || c->is_constant)
			continue;
		out->running = fmin(out->running, c->running);
		if (c->is_software)
			continue;
		if (!first)
			first = c;
		out->across_groups |= c->group != first->group;
	}
	out->scaled = out->running < ALWAYS_RUNNING;
}

static void judge_share(const struct metric *m, struct metric_value *out)
{
	double beyond = out->value < 0 ? -out->value : out->value - 100;
	double value = out->value;

	if (!m->is_share || beyond <= TOLERANCE ||
	    (!isnan(out->half_width) && beyond <= out->half_width))
		return;
	fail(out, METRIC_IMPOSSIBLE);
	snprintf(out->why, sizeof(out->why), "%.1f %% cannot be%s", value,
		 out->across_groups || out->scaled
			 ? ": its counters ran at different times"
			 : ": these events do not fit together on this processor");
}

void metric_evaluate_compiled(const struct metric *m, const struct expression *e,
			      const struct metric_inputs *in, struct metric_value *out)
{
	struct expression_value v;
	struct fetched f;

	*out = (struct metric_value){ .value = NAN, .half_width = NAN };
	fetch(e, in, &f);
	expression_evaluate(e, f.inputs, &v);
	note_groups(out, e, &f, v.used);
	switch (v.state) {
	case EXPRESSION_MISSING:
		say_missing(out, e, &f, v.name);
		return;
	case EXPRESSION_DIVIDED_BY_ZERO:
		fail(out, METRIC_DIVIDED_BY_ZERO);
		snprintf(out->why, sizeof(out->why), "divided by zero: nothing was counted of it");
		return;
	case EXPRESSION_NOT_FINITE:
		fail(out, METRIC_IMPOSSIBLE);
		snprintf(out->why, sizeof(out->why), "too large for a number");
		return;
	case EXPRESSION_KNOWN:
		break;
	}
	if (!agree(out, e, &f, v.used))
		return;
	out->value = v.value;
	out->half_width = v.half_width;
	judge_share(m, out);
}

void metric_evaluate(const struct metric *m, const struct metric_inputs *in,
		     struct metric_value *out)
{
	struct expression e;
	struct error err = { 0 };

	if (metric_compile(m, &e, &err) == 0) {
		metric_evaluate_compiled(m, &e, in, out);
		return;
	}
	*out = (struct metric_value){ 0 };
	fail(out, METRIC_IMPOSSIBLE);
	snprintf(out->why, sizeof(out->why), "%.150s", err.text);
}

bool metric_is_notable(const struct metric *m, const struct metric_value *v)
{
	double margin = isnan(v->half_width) ? 0 : v->half_width;

	if (v->state != METRIC_KNOWN || isnan(m->threshold))
		return false;
	if (m->good == METRIC_LOWER_IS_BETTER)
		return v->value - margin > m->threshold;
	return m->good == METRIC_HIGHER_IS_BETTER && v->value + margin < m->threshold;
}

/* Of the rows that are part of one whole: how much they are together. False: one is not known. */
static bool add_parts(const struct metric_list *list, const struct metric_value *values,
		      const char *whole, double *sum, double *tolerance)
{
	double squares = 0;
	bool is_rough = false;

	*sum = 0;
	for (size_t i = 0; i < list->items.len; i++) {
		const struct metric *m = list->items.data[i];
		const struct metric_value *v = &values[i];
		if (!m->part_of || strcmp(m->part_of, whole) != 0)
			continue;
		if (v->state != METRIC_KNOWN)
			return false;
		*sum += v->value;
		squares += isnan(v->half_width) ? 0 : v->half_width * v->half_width;
		is_rough |= v->scaled || v->across_groups;
	}
	*tolerance = fmax(sqrt(squares), is_rough ? SUM_OF_SCALED : SUM_TOLERANCE);
	return true;
}

static double whole_value(const struct metric_list *list, const struct metric_value *values,
			  const char *whole)
{
	for (size_t i = 0; i < list->items.len; i++)
		if (strcmp(list->items.data[i]->name, whole) == 0)
			return values[i].value;
	return 100;
}

static void spoil_parts(const struct metric_list *list, struct metric_value *values,
			const char *whole, double sum, double expected)
{
	for (size_t i = 0; i < list->items.len; i++) {
		const struct metric *m = list->items.data[i];
		if (!m->part_of || strcmp(m->part_of, whole) != 0)
			continue;
		fail(&values[i], METRIC_IMPOSSIBLE);
		snprintf(values[i].why, sizeof(values[i].why),
			 "the parts of %.40s sum up to %.1f %% instead of %.1f %%", whole, sum,
			 expected);
	}
}

void metric_check_sums(const struct metric_list *list, struct metric_value *values)
{
	double sum, tolerance;

	for (size_t i = 0; i < list->items.len; i++) {
		const char *whole = list->items.data[i]->part_of;
		if (!whole || !add_parts(list, values, whole, &sum, &tolerance))
			continue;
		double expected = whole_value(list, values, whole);
		if (fabs(sum - expected) > tolerance) /* false where the whole is not known */
			spoil_parts(list, values, whole, sum, expected);
	}
}
