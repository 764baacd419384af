/* Verdicts: labelled evidence gets its label, and a mix gets silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/verdict.h"
#include "counted.h"

/* Two seconds of a command on two CPUs, of which nothing stands out: a mix. */
static struct verdict_evidence mix(void)
{
	struct verdict_evidence e;

	verdict_evidence_init(&e);
	e.wall = 2;
	e.cpu = 1;
	e.kernel_share = 0.2;
	e.kernel_error = 0.05;
	e.cpus = 2;
	e.voluntary = 200;
	e.involuntary = 30;
	e.minor_faults = 1000;
	e.major_faults = 0;
	e.around.throttled = e.around.throttled_periods = e.around.periods = 0;
	e.around.pressure_cpu = e.around.pressure_io = e.around.pressure_memory = 0.1;
	e.around.busy = 1.5;
	e.around.steal = 0.01;
	e.around.ran = 0.9;
	e.around.waited = 0.05;
	e.around.load = 1.5;
	e.around.fault_cost = 1e-6;
	e.again = "-- ./app";
	return e;
}

static void expect(const struct verdict_evidence *e, const char *ids, const char *text,
		   const char *command)
{
	struct verdicts v;
	char got[128] = "";

	verdict_reach(&v, e);
	for (size_t i = 0; i < v.len; i++) {
		strcat(got, i ? "," : "");
		strcat(got, v.items[i].id);
		assert_non_null(v.items[i].name);
		if (strstr(v.items[i].text, "nan"))
			fail_msg("%s", v.items[i].text);
	}
	assert_string_equal(got, ids);
	if (text)
		assert_string_equal(v.items[0].text, text);
	if (command)
		assert_string_equal(v.items[0].command, command);
	verdicts_release(&v);
}

static void a_mix_is_silent(void **state)
{
	struct verdict_evidence e = mix();

	(void)state;
	expect(&e, "", NULL, NULL);
	verdict_evidence_init(&e);
	expect(&e, "", NULL, NULL); /* nothing is known */
	e.wall = 10;
	expect(&e, "", NULL, NULL);
}

static void what_others_did(void **state)
{
	struct verdict_evidence e = mix();

	(void)state;
	e.around.throttled = 1.2;
	e.around.throttled_periods = 16;
	e.around.periods = 20;
	strcpy(e.around.cgroup, "/sys/fs/cgroup/my app");
	e.cpu = 0.4;
	expect(&e, "throttled",
	       "its cgroup's quota stopped it for 1.20 s of 2.00 s, in 16 of 20 periods",
	       "grep . '/sys/fs/cgroup/my app/cpu.'*");

	e = mix();
	e.around.steal = 0.5;
	expect(&e, "steal",
	       "other guests of the host ran for 25 % of the time that CPUs had work here: measure "
	       "when it is quiet",
	       "prof stat -r 5 -- ./app");

	e = mix();
	e.around.waited = 0.6;
	expect(&e, "run-queue",
	       "its first thread ran for 0.90 s, and was ready but had no CPU for 0.60 s (it used "
	       "0.50 of 2 CPUs)",
	       "prof record -a --duration 5");
	/* Its threads, which are not known one by one. */
	e = mix();
	e.cpu = 3.9;
	e.involuntary = 2000;
	e.around.pressure_cpu = 1.98;
	expect(&e, "run-queue",
	       "it was put aside 2000 times, and for 99 % of the time a thread was ready but had no "
	       "CPU (it used 1.95 of 2 CPUs)",
	       NULL);
	/* Others were pressed, not it. */
	e.involuntary = 10;
	expect(&e, "cpu", NULL, NULL);
}

static void what_it_did_itself(void **state)
{
	struct verdict_evidence e = mix();

	(void)state;
	e.cpu = 1.98;
	e.kernel_share = 0.01;
	e.voluntary = 1;
	expect(&e, "single-threaded,cpu", "0.99 of 2 CPUs were busy: one core is the limit",
	       "prof record -- ./app");
	e.cpus = 1;
	expect(&e, "cpu", "0.99 CPUs were busy all the time, 99 % of it in user mode",
	       "prof record -- ./app");
	e.cpus = 2;
	e.cpu = 3.96;
	expect(&e, "cpu", "1.98 CPUs were busy all the time, 99 % of it in user mode", NULL);

	e = mix();
	e.cpu = 0.02;
	e.around.ran = e.around.waited = 0.001;
	expect(&e, "waiting", "it ran for 0.02 s of 2.00 s, and stopped by itself 200 times",
	       "prof record -e context-switches -- ./app");
	e.hides_kernel = true;
	expect(&e, "waiting", NULL, "sudo prof record -e context-switches -- ./app");
	e.around.pressure_io = 1.5;
	e.major_faults = 12;
	expect(&e, "disk",
	       "it ran for 0.02 s of 2.00 s; for 75 % of it a task here waited for I/O, and 12 of its "
	       "page faults read",
	       NULL);
	/* Not by itself: it had no CPU. */
	e = mix();
	e.cpu = 0.4;
	e.around.ran = 0.4;
	e.around.waited = 1.5;
	expect(&e, "run-queue", NULL, NULL);
	e.around.ran = e.around.waited = NAN;
	e.around.load = 5;
	expect(&e, "", NULL, NULL);
	/* On a machine that had nothing else to do it was by itself. */
	e.around.load = 1.2;
	expect(&e, "waiting", NULL, NULL);
	e.around.load = NAN;
	e.around.busy = 0.5;
	expect(&e, "waiting", NULL, NULL);
	e.around.busy = 3.9;
	expect(&e, "", NULL, NULL);

	e = mix();
	e.kernel_share = 0.9;
	expect(&e, "kernel",
	       "90 % (+-5) of its CPU time was in the kernel: fewer or larger system calls help",
	       "prof record -- ./app");
	e.kernel_share = 0.54; /* not for sure */
	expect(&e, "", NULL, NULL);
	e.kernel_share = 0.9;
	e.minor_faults = 400000;
	expect(&e, "page-faults",
	       "400000 page faults, about 40 % of its CPU time at 1.0 us each, as measured here: reuse "
	       "memory instead of returning it",
	       "prof record -e page-faults -- ./app");
}

/* Counters as a machine with a PMU would have them. */
static void what_the_processor_did(void **state)
{
	struct verdict_evidence e = mix();

	(void)state;
	e.cpu = 1.98;
	e.ipc = 0.4;
	e.memory = 60;
	e.backend = 75;
	e.frontend = 5;
	e.bad_speculation = 2;
	expect(&e, "memory,single-threaded",
	       "60 % of the slots waited for data, 0.40 instructions a cycle: smaller data, or in the "
	       "order of use",
	       "prof record -e cache-misses -- ./app");
	e.memory = NAN;
	e.cache_mpki = 22;
	expect(&e, "memory,single-threaded",
	       "22.0 cache misses per 1000 instructions, 0.40 instructions a cycle: smaller data, or "
	       "in the order of use",
	       NULL);
	e.cache_mpki = 1;
	e.frontend = 45;
	expect(&e, "front-end,single-threaded", NULL,
	       "prof record -e L1-icache-load-misses -- ./app");
	e.frontend = 10;
	e.bad_speculation = 35;
	e.branch_mpki = 20;
	expect(&e, "branches,single-threaded",
	       "35 % of the slots did work that was thrown away, 20.0 mispredicted branches per 1000 "
	       "instructions, 0.40 instructions a cycle: sort the data, or compute without branching",
	       "prof record -e branch-misses -- ./app");
	e.bad_speculation = NAN;
	expect(&e, "branches,single-threaded", NULL, NULL);
	e.branch_mpki = 2;
	expect(&e, "single-threaded,cpu", NULL, NULL);
}

/* From counted runs and evaluated metrics to a verdict. */
static void evidence_of_runs(void **state)
{
	struct counter_run runs[2] = { 0 };
	struct verdict_evidence e;
	struct counted c;

	(void)state;
	for (int i = 0; i < 2; i++) {
		runs[i].wall_ns = 1000000000;
		runs[i].usage = (struct counter_usage){ .known = true,
							.user_ns = 900000000,
							.system_ns = 90000000,
							.voluntary_switches = 3,
							.involuntary_switches = 4,
							.minor_faults = 100 };
		counter_surroundings_init(&runs[i].around);
		runs[i].around.ran = 0.9;
		runs[i].around.waited = 0.01;
	}
	verdict_evidence_of_runs(&e, runs, 2, 4);
	assert_true(e.wall == 2 && fabs(e.cpu - 1.98) < 1e-9 && e.cpus == 4);
	assert_true(fabs(e.kernel_share - 0.0909) < 1e-3 && e.kernel_error > 0.03);
	assert_true(e.voluntary == 6 && e.involuntary == 8 && e.minor_faults == 200);
	assert_true(fabs(e.around.waited - 0.02) < 1e-9 && isnan(e.around.throttled));
	expect(&e, "single-threaded,cpu", NULL, NULL);

	counted_init(&c, "amd:zen4");
	counted_add(&c, "cycles", 1000000, 1);
	counted_add(&c, "instructions", 500000, 1);
	counted_add(&c, "cpu/event=0x1a0,umask=0x01/", 2400000, 1);
	for (size_t i = 0; i < c.rows.items.len; i++) {
		struct metric_value v = counted_value(&c, c.rows.items.data[i]->name);
		verdict_evidence_take_metric(&e, c.rows.items.data[i], &v);
	}
	assert_true(e.ipc == 0.5 && e.frontend == 40 && isnan(e.memory));
	expect(&e, "front-end,single-threaded",
	       "40 % of the slots were empty since no instructions came, 0.50 instructions a cycle: "
	       "less code that is used at once, or ordered by use",
	       NULL);
	counted_release(&c);
	verdict_evidence_of_runs(&e, NULL, 0, 4);
	expect(&e, "", NULL, NULL);
}

static void hints_are_no_evidence(void **state)
{
	struct metric m = { .name = "frontend-bound", .is_heuristic = true };
	struct metric_value v = { .value = 90, .state = METRIC_KNOWN };
	struct verdict_evidence e = mix();

	(void)state;
	verdict_evidence_take_metric(&e, &m, &v);
	assert_true(isnan(e.frontend));
	m.is_heuristic = false;
	v.state = METRIC_IMPOSSIBLE;
	verdict_evidence_take_metric(&e, &m, &v);
	assert_true(isnan(e.frontend));
}

static void rules_have_reasons(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct verdict_rule_text *r; (r = verdict_rule_at(count)); count++) {
		assert_true(*r->id && *r->name && *r->reason && r->limit > 0);
		assert_int_equal(strncmp(r->finding, "verdict-", 8), 0);
		assert_string_equal(r->finding + 8, r->id);
	}
	assert_int_equal(count, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mix_is_silent),    cmocka_unit_test(what_others_did),
		cmocka_unit_test(what_it_did_itself), cmocka_unit_test(what_the_processor_did),
		cmocka_unit_test(evidence_of_runs),   cmocka_unit_test(hints_are_no_evidence),
		cmocka_unit_test(rules_have_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
