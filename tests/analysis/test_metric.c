/* Metrics of generic events: their values, their marks, and the reasons where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted.h"

static void generic_formulas(void **state)
{
	static const struct {
		const char *metric;
		double expected;
	} cases[] = {
		{ "cpus-utilized", 1.5 },
		{ "kernel-share", 25 },
		{ "switches-per-second", 50 },
		{ "migrations-per-second", 5 },
		{ "faults-per-second", 1000 },
		{ "major-faults-per-second", 1.5 },
		{ "ipc", 2 },
		{ "ghz", 1 },
		{ "branch-miss-ratio", 4 },
		{ "branch-mpki", 8 },
		{ "cache-miss-ratio", 20 },
		{ "mpki", 2 },
		{ "l1d-miss-ratio", 5 },
		{ "l1d-mpki", 15 },
		{ "l1i-mpki", 1 },
		{ "llc-miss-ratio", 50 },
		{ "llc-mpki", 1 },
		{ "dtlb-miss-ratio", 0.5 },
		{ "dtlb-mpki", 1.5 },
		{ "itlb-miss-ratio", 200 },
		{ "itlb-mpki", 0.25 },
		{ "frontend-stalls", 10 },
		{ "backend-stalls", 40 },
	};
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	c.in.constants = (struct metric_constants){ .seconds = 2,
						    .user_seconds = 2.25,
						    .system_seconds = 0.75 };
	counted_add(&c, "task-clock", 3000000000, 0);
	counted_add(&c, "context-switches", 100, 0);
	counted_add(&c, "cpu-migrations", 10, 0);
	counted_add(&c, "page-faults", 2000, 0);
	counted_add(&c, "major-faults", 3, 0);
	counted_add(&c, "cycles", 3000000000, 1);
	counted_add(&c, "instructions", 6000000000, 1);
	counted_add(&c, "branches", 1200000000, 1);
	counted_add(&c, "branch-misses", 48000000, 1);
	counted_add(&c, "cache-references", 60000000, 1);
	counted_add(&c, "cache-misses", 12000000, 1);
	counted_add(&c, "L1-dcache-loads", 1800000000, 1);
	counted_add(&c, "L1-dcache-load-misses", 90000000, 1);
	counted_add(&c, "L1-icache-load-misses", 6000000, 1);
	counted_add(&c, "LLC-loads", 12000000, 1);
	counted_add(&c, "LLC-load-misses", 6000000, 1);
	counted_add(&c, "dTLB-loads", 1800000000, 1);
	counted_add(&c, "dTLB-load-misses", 9000000, 1);
	counted_add(&c, "iTLB-loads", 750000, 1);
	counted_add(&c, "iTLB-load-misses", 1500000, 1);
	counted_add(&c, "stalled-cycles-frontend", 300000000, 1);
	counted_add(&c, "stalled-cycles-backend", 1200000000, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		counted_expect(&c, cases[i].metric, cases[i].expected);
	assert_int_equal(ARRAY_LEN(cases), c.rows.items.len);
	counted_release(&c);
}

static void every_row_is_whole(void **state)
{
	struct counted c;
	struct error err = { 0 };

	(void)state;
	counted_init(&c, NULL);
	for (size_t i = 0; i < c.rows.items.len; i++) {
		const struct metric *m = c.rows.items.data[i];
		struct expression e;
		if (metric_compile(m, &e, &err) < 0)
			fail_msg("%s", err.text);
		if (!m->title || !m->unit || !m->explanation || !*m->explanation || !m->source ||
		    !*m->source)
			fail_msg("%s lacks words", m->name);
		assert_true(isnan(m->threshold) || m->good != METRIC_NEUTRAL);
	}
	counted_release(&c);
}

static void what_to_count(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	char *ipc = metric_events(metric_find(&c.rows, "ipc"));
	char *faults = metric_events(metric_find(&c.rows, "faults-per-second"));
	char *kernel = metric_events(metric_find(&c.rows, "kernel-share"));
	assert_string_equal(ipc, "{instructions,cycles}");
	assert_string_equal(faults, "page-faults");
	assert_string_equal(kernel, "");
	free(ipc);
	free(faults);
	free(kernel);
	counted_release(&c);
}

static void groups_are_marked(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles", 2000, 1);
	counted_add(&c, "task-clock", 1000, 0);
	counted_add(&c, "instructions", 3000, 1);
	counted_add(&c, "branches", 1000, 2);
	counted_add(&c, "branch-misses", 10, 3);
	struct metric_value v = counted_value(&c, "ipc");
	assert_false(v.across_groups || v.scaled);
	assert_true(v.half_width == 0 && v.running == 1);
	assert_false(counted_value(&c, "ghz").across_groups);
	assert_true(counted_value(&c, "branch-miss-ratio").across_groups);
	counted_release(&c);
}

/* Cycles were counted in each of three groups: a formula takes those of its own. */
static void counters_of_one_group_are_preferred(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles", 1000, 1);
	counted_add(&c, "branches", 500, 1);
	counted_add(&c, "cycles", 2000, 2);
	counted_add(&c, "instructions", 3000, 2);
	counted_add(&c, "cycles", 4000, 3);
	counted_add(&c, "stalled-cycles-backend", 1000, 3);
	counted_expect(&c, "ipc", 1.5);
	counted_expect(&c, "backend-stalls", 25);
	assert_false(counted_value(&c, "ipc").across_groups);
	assert_false(counted_value(&c, "backend-stalls").across_groups);
	counted_release(&c);
}

static void multiplexed_is_scaled(void **state)
{
	struct counted c;
	double half_widths[] = { 40, 30 };

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles", 500, 1);
	counted_add(&c, "instructions", 3000, 2);
	counted_reading(&c, "cycles")->running_ns /= 4; /* 2000 when scaled */
	counted_expect(&c, "ipc", 1.5);
	struct metric_value v = counted_value(&c, "ipc");
	assert_true(v.scaled && v.across_groups && v.running == 0.25);
	assert_true(isnan(v.half_width));
	c.in.half_widths = half_widths;
	v = counted_value(&c, "ipc");
	/* 1.5 x sqrt((40 / 2000)^2 + (30 / 3000)^2) */
	assert_true(fabs(v.half_width - 1.5 * sqrt(0.0005)) < 1e-12);
	counted_release(&c);
}

static void reasons(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles", 0, 1);
	counted_expect_why(&c, "ipc", METRIC_MISSING, "instructions: no such counter");
	counted_add(&c, "instructions", 10, 1);
	counted_expect_why(&c, "ipc", METRIC_DIVIDED_BY_ZERO,
			   "divided by zero: nothing was counted of it");
	struct counter_reading *r = counted_reading(&c, "cycles");
	r->state = COUNTER_NOT_COUNTED;
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: not counted");
	r->state = COUNTER_WRAPPED;
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: went backwards");
	r->state = COUNTER_IMPOSSIBLE;
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: impossible");
	r->state = COUNTER_NOT_SUPPORTED;
	struct counter_event *e = counted_event(&c, "cycles");
	free(e->reason);
	e->reason = xstrdup("there is no PMU");
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: not supported: there is no PMU");
	counted_expect_why(&c, "faults-per-second", METRIC_MISSING, "page-faults: no such counter");
	counted_add(&c, "page-faults", 10, 0);
	counted_expect_why(&c, "faults-per-second", METRIC_MISSING, "seconds: not known here");
	counted_release(&c);
}

/* As a kernel says it, judged as what reads a kernel or a file does. */
static void what_cannot_be_was_not_counted(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "instructions", 3000, 1);
	counted_add(&c, "cycles", 2000, 1);
	struct counter_reading *r = counted_reading(&c, "cycles");
	r->enabled_ns = r->running_ns - 1;
	counter_reading_judge(r);
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: impossible");
	*r = (struct counter_reading){ .enabled_ns = 1000 };
	counter_reading_judge(r);
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: not counted");
	struct counter_reading before = { 5000, 10, 10, COUNTER_COUNTED };
	struct counter_reading after = { 2000, 20, 20, COUNTER_COUNTED };
	*r = counter_reading_since(&before, &after);
	counted_expect_why(&c, "ipc", METRIC_MISSING, "cycles: went backwards");
	counted_release(&c);
}

static void shares_are_within_their_whole(void **state)
{
	struct counted c;
	double half_widths[] = { 0, 200 };

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "branches", 1000, 1);
	counted_add(&c, "branch-misses", 1100, 1);
	counted_expect_why(&c, "branch-miss-ratio", METRIC_IMPOSSIBLE,
			   "110.0 % cannot be: these events do not fit together on this processor");
	counted_event(&c, "branch-misses")->group = 2;
	counted_expect_why(&c, "branch-miss-ratio", METRIC_IMPOSSIBLE,
			   "110.0 % cannot be: its counters ran at different times");
	c.in.half_widths = half_widths; /* 110 +- 20 */
	counted_expect(&c, "branch-miss-ratio", 110);
	c.in.half_widths = NULL;
	counted_reading(&c, "branch-misses")->value = 1004; /* rounding */
	counted_expect(&c, "branch-miss-ratio", 100.4);
	counted_release(&c);
}

static void modes_are_not_mixed(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles:u", 2000, 1);
	counted_add(&c, "instructions:u", 3000, 1);
	counted_add(&c, "task-clock", 1000, 0);
	counted_expect(&c, "ipc", 1.5);
	counted_expect_why(
		&c, "ghz", METRIC_MIXED,
		"cycles counts :u only, task-clock counts everything: ask for both alike");
	counted_release(&c);
}

static void core_types_have_their_own(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, NULL);
	counted_add(&c, "cycles", 2000, 1);
	counted_add(&c, "instructions", 3000, 1);
	counted_add(&c, "cycles", 4000, 2);
	counted_add(&c, "instructions", 2000, 2);
	counted_add(&c, "task-clock", 2000, 0);
	for (size_t i = 0; i < 4; i++) {
		free(c.table.events.data[i].type);
		c.table.events.data[i].type = xstrdup(i < 2 ? "cpu_core" : "cpu_atom");
	}
	c.in.type = "cpu_core";
	counted_expect(&c, "ipc", 1.5);
	c.in.type = "cpu_atom";
	counted_expect(&c, "ipc", 0.5);
	c.in.type = NULL;
	counted_expect_why(&c, "ipc", METRIC_MISSING,
			   "instructions: counted on several core types: cpu_core and cpu_atom");
	counted_release(&c);
}

static void thresholds(void **state)
{
	struct metric m = { .threshold = 5, .good = METRIC_LOWER_IS_BETTER };
	struct metric_value v = { .value = 6, .half_width = NAN, .state = METRIC_KNOWN };

	(void)state;
	assert_true(metric_is_notable(&m, &v));
	v.half_width = 2;
	assert_false(metric_is_notable(&m, &v)); /* 4 to 8 */
	v.half_width = 0.5;
	assert_true(metric_is_notable(&m, &v));
	m.good = METRIC_HIGHER_IS_BETTER;
	assert_false(metric_is_notable(&m, &v));
	v.value = 4;
	assert_true(metric_is_notable(&m, &v));
	m.threshold = NAN;
	assert_false(metric_is_notable(&m, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_formulas),
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(what_to_count),
		cmocka_unit_test(groups_are_marked),
		cmocka_unit_test(counters_of_one_group_are_preferred),
		cmocka_unit_test(multiplexed_is_scaled),
		cmocka_unit_test(reasons),
		cmocka_unit_test(what_cannot_be_was_not_counted),
		cmocka_unit_test(shares_are_within_their_whole),
		cmocka_unit_test(modes_are_not_mixed),
		cmocka_unit_test(core_types_have_their_own),
		cmocka_unit_test(thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
