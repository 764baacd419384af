/*
 * Top-down on every processor that we have rows for: from counters with known truth the formulas
 * yield the truth, the parts sum up, and what is missing or cannot be is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "slots.h"

#define TRUTHS 200

static void evaluate_all(const struct counted *c, struct metric_value *values)
{
	struct metric_inputs in = metric_inputs_of_table(&c->in);

	for (size_t i = 0; i < c->rows.items.len; i++)
		metric_evaluate(c->rows.items.data[i], &in, &values[i]);
	metric_check_sums(&c->rows, values);
}

static bool is_topdown(const struct metric *m)
{
	return m->set && strncmp(m->set, "topdown", 7) == 0;
}

/* Returns how many rows were compared. */
static size_t compare(const struct counted *c, const struct slots_truth *t, const char *key,
		      double *level_1)
{
	struct metric_value values[100];
	size_t compared = 0;

	assert_true(c->rows.items.len < ARRAY_LEN(values));
	evaluate_all(c, values);
	*level_1 = 0;
	for (size_t i = 0; i < c->rows.items.len; i++) {
		const struct metric *m = c->rows.items.data[i];
		if (!is_topdown(m))
			continue;
		double expected = slots_expected(t, m->name);
		if (values[i].state != METRIC_KNOWN || !(fabs(values[i].value - expected) < 1e-4))
			fail_msg("%s of %s: %f (%s), expected %f", m->name, key, values[i].value,
				 values[i].why, expected);
		*level_1 += m->part_of && strcmp(m->part_of, "slots") == 0 ? values[i].value : 0;
		compared++;
	}
	return compared;
}

static void truth_comes_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < slots_cpus_len; i++) {
		const struct slots_cpu *cpu = &slots_cpus[i];
		size_t expected = (cpu->has_smt_part ? 5u : 4u) + (cpu->has_level_2 ? 8u : 0u);
		for (uint32_t seed = 1; seed <= TRUTHS; seed++) {
			struct counted c;
			struct slots_truth t = slots_truth_of(seed, cpu);
			double sum;
			counted_init(&c, cpu->key);
			cpu->count(&c, &t);
			assert_int_equal(compare(&c, &t, cpu->key, &sum), expected);
			assert_true(fabs(sum - 100) < 0.5);
			counted_release(&c);
		}
	}
}

/* What -e is given for a row holds each name of its formula, and groups are led by slots where the
 * PMU wants that. */
static void events_cover_formulas(void **state)
{
	(void)state;
	for (size_t i = 0; i < slots_cpus_len; i++) {
		struct counted c;
		counted_init(&c, slots_cpus[i].key);
		for (size_t r = 0; r < c.rows.items.len; r++) {
			const struct metric *m = c.rows.items.data[r];
			struct metric_names names = { 0 };
			char *events = metric_events(m);
			metric_names(m, &names);
			for (size_t n = 0; n < names.items.len; n++)
				if (!strstr(events, names.items.data[n]))
					fail_msg("%s of %s: %s is not in %s", m->name,
						 slots_cpus[i].key, names.items.data[n], events);
			if (strstr(events, "topdown-"))
				assert_int_equal(strncmp(events, "{cpu/slots/,", 12), 0);
			assert_int_equal(strlen(events) == 0, names.items.len == 0);
			metric_names_release(&names);
			free(events);
		}
		counted_release(&c);
	}
}

static void every_row_is_whole(void **state)
{
	static const char *const more[] = { "amd:zen1", "amd:zen2+smt", "amd:zen3",
					    "arm:neoverse-n1" };

	(void)state;
	for (size_t i = 0; i < slots_cpus_len + ARRAY_LEN(more); i++) {
		const char *key = i < slots_cpus_len ? slots_cpus[i].key : more[i - slots_cpus_len];
		struct counted c;
		size_t found = 0;
		counted_init(&c, key);
		for (size_t r = 0; r < c.rows.items.len; r++) {
			const struct metric *m = c.rows.items.data[r];
			struct expression e;
			struct error err = { 0 };
			if (metric_compile(m, &e, &err) < 0)
				fail_msg("%s: %s", key, err.text);
			if (m->cpus && (!m->condition || !*m->condition || !m->source ||
					!*m->source || !m->explanation || !m->title || !m->unit))
				fail_msg("%s of %s lacks words", m->name, key);
			found += is_topdown(m);
		}
		assert_true(found >= 3);
		counted_release(&c);
	}
}

/* One event of each row at a time is not there, or was not counted. */
static void missing_ones_are_named(void **state)
{
	static const struct {
		enum counter_state state;
		const char *text;
	} cases[] = { { COUNTER_NOT_COUNTED, "not counted" },
		      { COUNTER_NOT_SUPPORTED, "not supported" },
		      { COUNTER_REFUSED, "not permitted" },
		      { COUNTER_WRAPPED, "went backwards" },
		      { COUNTER_IMPOSSIBLE, "impossible" } };

	(void)state;
	for (size_t i = 0; i < slots_cpus_len; i++) {
		const struct slots_cpu *cpu = &slots_cpus[i];
		struct slots_truth t = slots_truth_of(7, cpu);
		struct counted c;
		counted_init(&c, cpu->key);
		cpu->count(&c, &t);
		for (size_t r = 0; r < c.rows.items.len; r++) {
			const struct metric *m = c.rows.items.data[r];
			struct metric_names names = { 0 };
			if (is_topdown(m))
				metric_names(m, &names);
			for (size_t n = 0; n < names.items.len; n++) {
				struct counter_reading *one =
					counted_reading(&c, names.items.data[n]);
				const char *text = cases[n % ARRAY_LEN(cases)].text;
				one->state = cases[n % ARRAY_LEN(cases)].state;
				struct metric_value v = counted_value(&c, m->name);
				assert_int_equal(v.state, METRIC_MISSING);
				assert_true(isnan(v.value));
				assert_non_null(strstr(v.why, names.items.data[n]));
				assert_non_null(strstr(v.why, text));
				one->state = COUNTER_COUNTED;
			}
			metric_names_release(&names);
		}
		counted_release(&c);
	}
}

/* Nothing ran: no share of nothing. */
static void zero_is_no_share(void **state)
{
	(void)state;
	for (size_t i = 0; i < slots_cpus_len; i++) {
		const struct slots_cpu *cpu = &slots_cpus[i];
		struct slots_truth t = slots_truth_of(3, cpu);
		struct counted c;
		counted_init(&c, cpu->key);
		cpu->count(&c, &t);
		for (size_t e = 0; e < c.table.events.len; e++)
			counter_table_at(&c.table, 0, e)->value = 0;
		for (size_t r = 0; r < c.rows.items.len; r++)
			if (is_topdown(c.rows.items.data[r]))
				counted_expect_why(&c, c.rows.items.data[r]->name,
						   METRIC_DIVIDED_BY_ZERO,
						   "divided by zero: nothing was counted of it");
		counted_release(&c);
	}
}

/* Counters that ran for a part of the time are scaled; at other times than others, that is said. */
static void multiplexed_parts(void **state)
{
	const struct slots_cpu *cpu = &slots_cpus[12];
	struct slots_truth t = slots_truth_of(11, cpu);
	struct counted c;

	(void)state;
	assert_string_equal(cpu->key, "amd:zen4");
	counted_init(&c, cpu->key);
	cpu->count(&c, &t);
	struct counter_reading *stalled = counted_reading(&c, "cpu/event=0x1a0,umask=0x1e/");
	stalled->value /= 4;
	stalled->running_ns /= 4;
	counted_event(&c, "cpu/event=0x1a0,umask=0x1e/")->group = 2;
	struct metric_value v = counted_value(&c, "backend-bound");
	assert_int_equal(v.state, METRIC_KNOWN);
	assert_true(fabs(v.value - 100 * t.backend) < 1e-4);
	assert_true(v.scaled && v.across_groups && v.running == 0.25 && isnan(v.half_width));
	v = counted_value(&c, "frontend-bound");
	assert_false(v.scaled || v.across_groups);
	counted_release(&c);
}

static const struct metric_value *value_in(const struct counted *c,
					   const struct metric_value *values, const char *name)
{
	for (size_t i = 0; i < c->rows.items.len; i++)
		if (strcmp(c->rows.items.data[i]->name, name) == 0)
			return &values[i];
	fail_msg("no metric %s", name);
	return NULL;
}

static void sums_that_cannot_be(void **state)
{
	const struct slots_cpu *cpu = &slots_cpus[12];
	struct slots_truth t = {
		.frontend = 0.25, .bad = 0.25, .backend = 0.25, .retiring = 0.25, .memory = 0.5
	};
	struct metric_value values[100];
	struct counted c;

	(void)state;
	counted_init(&c, cpu->key);
	cpu->count(&c, &t);
	struct counter_reading *stalled = counted_reading(&c, "cpu/event=0x1a0,umask=0x1e/");
	stalled->value = stalled->value / 100 * 106; /* 1.5 % of all: noise */
	evaluate_all(&c, values);
	assert_int_equal(value_in(&c, values, "backend-bound")->state, METRIC_KNOWN);
	stalled->value = stalled->value / 100 * 120;
	evaluate_all(&c, values);
	const struct metric_value *v = value_in(&c, values, "backend-bound");
	assert_int_equal(v->state, METRIC_IMPOSSIBLE);
	assert_string_equal(v->why, "the parts of slots sum up to 106.8 % instead of 100.0 %");
	assert_int_equal(value_in(&c, values, "retiring")->state, METRIC_IMPOSSIBLE);
	/* Level 2 has nothing to be compared with then, and is left. */
	assert_int_equal(value_in(&c, values, "memory-bound")->state, METRIC_KNOWN);
	assert_int_equal(value_in(&c, values, "ipc")->state, METRIC_MISSING);
	counted_release(&c);
}

static void hints_of_older_zens(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, "amd:zen3+smt");
	counted_add(&c, "cycles", 1000000, 1);
	counted_add(&c, "branch-misses", 10000, 1);
	counted_add(&c, "cpu/event=0xc1,umask=0x00/", 1500000, 1);
	counted_add(&c, "cpu/event=0xa9,umask=0x00/", 200000, 1);
	counted_add(&c, "cpu/event=0xae,umask=0x02/", 100000, 1);
	counted_add(&c, "cpu/event=0xae,umask=0x04/", 50000, 1);
	counted_add(&c, "cpu/event=0xaf,umask=0x20/", 300000, 1);
	counted_expect(&c, "retiring", 25);
	counted_expect(&c, "frontend-bound", 20);
	counted_expect(&c, "bad-speculation", 13);
	counted_expect(&c, "load-queue-stalls", 10);
	counted_expect(&c, "store-queue-stalls", 5);
	counted_expect(&c, "retire-queue-stalls", 30);
	for (size_t i = 0; i < c.rows.items.len; i++)
		if (is_topdown(c.rows.items.data[i]))
			assert_true(c.rows.items.data[i]->is_heuristic &&
				    !c.rows.items.data[i]->part_of);
	counted_release(&c);

	counted_init(&c, "amd:zen1");
	counted_add(&c, "cycles", 1000000, 1);
	counted_add(&c, "branch-misses", 10000, 1);
	counted_add(&c, "stalled-cycles-frontend", 200000, 1);
	counted_add(&c, "cpu/event=0xaf,umask=0x40/", 300000, 1);
	counted_expect(&c, "frontend-bound", 20);
	counted_expect(&c, "bad-speculation", 16);
	counted_expect(&c, "retire-queue-stalls", 30);
	counted_release(&c);
}

static void stalled_cycles_of_n1(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, "arm:neoverse-n1");
	counted_add(&c, "cycles", 1000, 1);
	counted_add(&c, "instructions", 900, 1);
	counted_add(&c, "r23", 120, 1);
	counted_add(&c, "r24", 430, 1);
	counted_add(&c, "r1b", 1000, 1);
	counted_expect(&c, "frontend-bound", 12);
	counted_expect(&c, "backend-bound", 43);
	counted_expect(&c, "bad-speculation", 10);
	counted_release(&c);
}

/* The memory controllers' counters, each of its own, are added up. */
static void bandwidth_of_all_controllers(void **state)
{
	struct counted c;

	(void)state;
	counted_init(&c, "intel:icx+smt");
	c.in.constants.seconds = 2;
	counted_add(&c, "uncore_imc_0/event=0x04,umask=0x0f/", 100000000, 1);
	counted_add(&c, "uncore_imc_1/event=0x04,umask=0x0f/", 50000000, 2);
	counted_add(&c, "uncore_imc_free_running_0/event=0x04,umask=0x0f/", 77, 3);
	counted_add(&c, "uncore_imc_0/event=0x04,umask=0x30/", 20000000, 4);
	counted_add(&c, "uncore_imc_1/event=0x04,umask=0x30/", 30000000, 5);
	counted_expect(&c, "memory-reads", 4.8);
	counted_expect(&c, "memory-writes", 1.6);
	counted_expect(&c, "memory-bandwidth", 6.4);
	assert_false(counted_value(&c, "memory-bandwidth").across_groups);
	counted_reading(&c, "uncore_imc_1/event=0x04,umask=0x0f/")->state = COUNTER_NOT_COUNTED;
	counted_expect_why(&c, "memory-reads", METRIC_MISSING,
			   "uncore_imc/event=0x04,umask=0x0f/: not counted");
	counted_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truth_comes_out),
		cmocka_unit_test(events_cover_formulas),
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(missing_ones_are_named),
		cmocka_unit_test(zero_is_no_share),
		cmocka_unit_test(multiplexed_parts),
		cmocka_unit_test(sums_that_cannot_be),
		cmocka_unit_test(hints_of_older_zens),
		cmocka_unit_test(stalled_cycles_of_n1),
		cmocka_unit_test(bandwidth_of_all_controllers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
