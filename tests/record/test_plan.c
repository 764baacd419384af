/* What a recording will open, from what the user asked for. */
#include "record/broker.h"
#include "record/control.h"
#include "record/plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *const command[] = { (char *)(uintptr_t) "true", NULL };

static struct record_options options(void)
{
	return (struct record_options){ .command = command, .quiet = true };
}

static void clocks_are_sampled_by_period(void **state)
{
	(void)state;
	const char *events[] = { "task-clock", "page-faults", NULL };
	struct record_options o = options();
	struct plan p;
	o.events = events;
	o.frequency = 1000;
	assert_int_equal(plan_make(&p, &o, NULL), 0);
	assert_int_equal(plan_period(&p, 0), 1000000);
	assert_int_equal(plan_period(&p, 1), 0);
	struct event_sampling clock = plan_sampling(&p, 0, 0, 1),
			      faults = plan_sampling(&p, 1, 0, 1);
	assert_true(clock.period > 1000000 && clock.period < 1003000); /* CPUs differ a little */
	assert_int_equal(faults.period, 0);
	assert_int_equal(faults.frequency, 1000);
	assert_true(clock.enable_on_exec && clock.inherit && !clock.exact_at_exit);
	struct event_sampling count = plan_sampling(&p, 0, SIZE_COUNT, 1);
	assert_true(count.counts_only && count.enable_on_exec && count.inherit &&
		    count.exact_at_exit);
	struct event_sampling wide = plan_sampling(&p, 0, SIZE_WIDE, 1);
	assert_true(wide.exclude_idle && !wide.inherit && !wide.enable_on_exec && !wide.disabled);
	plan_release(&p);
}

/* However the kernel reads groups: the ways of older ones are chosen by a variable. */
static void plan_group(struct plan *p, struct record_options *o, const char *group, const char *way)
{
	const char **events = xcalloc(2, sizeof(*events));
	events[0] = group;
	o->events = events;
	setenv("PROF_COUNTERS", way, 1);
	struct error err = { 0 };
	if (plan_make(p, o, &err) < 0)
		fail_msg("%s", err.text);
	unsetenv("PROF_COUNTERS");
	o->events = NULL;
	free(events);
}

static void a_group_is_read_with_its_leaders_samples(void **state)
{
	(void)state;
	struct record_options o = options();
	struct plan p;
	plan_group(&p, &o, "page-faults,{task-clock,minor-faults,major-faults}", "inherited");
	assert_int_equal(p.events.items.len, 4);
	assert_true(!plan_leads(&p, 0) && plan_leads(&p, 1) && !plan_leads(&p, 2));
	assert_int_equal(plan_leader(&p, 3), 1);
	assert_int_equal(p.counters, COUNTERS_INHERITED);
	struct event_sampling alone = plan_sampling(&p, 0, SIZE_FIRST, 0),
			      leader = plan_sampling(&p, 1, SIZE_FIRST, 0),
			      count = plan_sampling(&p, 1, SIZE_COUNT, 0);
	assert_true(!alone.reads_group && leader.reads_group && !count.reads_group);
	assert_true(leader.inherit && leader.enable_on_exec);
	struct event_sampling member = plan_member(&p, 2, SIZE_FIRST, 9);
	assert_true(member.is_member && member.leader_fd == 9 && member.inherit);
	assert_true(!member.disabled && !member.enable_on_exec); /* its leader's is enough */
	plan_release(&p);
}

static void older_kernels_read_groups_otherwise(void **state)
{
	(void)state;
	static const pid_t pids[] = { 1 };
	struct record_options launched = options(), attached = { .pids = pids, .pid_count = 1 };
	struct plan p;
	plan_group(&p, &launched, "{task-clock,page-faults}", "threads");
	assert_int_equal(p.events.items.len, 1);
	assert_int_equal(p.counters, COUNTERS_NONE);
	assert_non_null(strstr(p.notes.data[p.notes.len - 1], "recorded without page-faults"));
	plan_release(&p);
	plan_group(&p, &attached, "{task-clock,page-faults}", "threads");
	assert_int_equal(p.counters, COUNTERS_PER_THREAD);
	assert_true(!plan_sampling(&p, 0, SIZE_FIRST, 0).inherit);
	assert_true(!plan_member(&p, 1, SIZE_FIRST, 9).inherit);
	plan_release(&p);
	plan_group(&p, &launched, "{task-clock,page-faults}", "cpus");
	if (p.limits.may_system_wide) {
		assert_int_equal(p.counters, COUNTERS_PER_CPU);
		assert_true(p.system_wide && p.filtered);
		assert_true(!plan_sampling(&p, 0, SIZE_FIRST, 0).inherit);
	} else {
		assert_int_equal(p.events.items.len, 1);
	}
	plan_release(&p);
}

/* What the machine cannot count is left out with a line, never recorded as 0. */
static void uncounted_members_are_left_out(void **state)
{
	(void)state;
	struct record_options o = options();
	struct plan p;
	plan_group(&p, &o, "{task-clock,instructions,page-faults,cache-misses}", "inherited");
	if (!p.limits.has_hardware) {
		assert_int_equal(p.events.items.len, 2);
		assert_non_null(strstr(p.notes.data[p.notes.len - 1],
				       "recorded without instructions, cache-misses"));
	} else {
		assert_int_equal(p.events.items.len, 4);
	}
	plan_release(&p);
}

static void a_group_may_be_too_large(void **state)
{
	(void)state;
	struct record_options o = options();
	struct plan p;
	struct error err = { 0 };
	const char *events[] = { "{task-clock,page-faults,page-faults,page-faults,page-faults,"
				 "page-faults,page-faults,page-faults,page-faults,page-faults,"
				 "page-faults,page-faults,page-faults,page-faults,page-faults,"
				 "page-faults,page-faults}",
				 NULL };
	o.events = events;
	assert_int_equal(plan_make(&p, &o, &err), -1);
	assert_non_null(strstr(err.text, "more than 16 events"));
	plan_release(&p);
}

static void rate_above_the_limit_is_lowered_and_said(void **state)
{
	(void)state;
	struct record_options o = options();
	struct plan p;
	o.frequency = 1000000000;
	assert_int_equal(plan_make(&p, &o, NULL), 0);
	assert_int_equal(p.requested_hz, p.limits.max_sample_rate);
	assert_int_equal(p.notes.len, 1);
	assert_non_null(strstr(p.notes.data[0], "perf_event_max_sample_rate"));
	plan_release(&p);
}

/* As when the kernel lowers its limit after the plan was made: what was permitted is refused. */
static void rate_follows_the_limit(void **state)
{
	(void)state;
	const char *events[] = { "page-faults", NULL };
	struct record_options o = options();
	struct plan p;
	o.events = events;
	o.stacks = RECORD_STACKS_NONE;
	assert_int_equal(plan_make(&p, &o, NULL), 0);
	uint64_t limit = p.limits.max_sample_rate;
	p.requested_hz = limit + 1;
	struct broker b = { .plan = &p };
	struct error err = { 0 };
	assert_int_equal(broker_open_task(&b, getpid(), &err), 0);
	assert_int_equal(err.code, ERROR_NONE);
	assert_int_equal(p.requested_hz, limit);
	assert_int_equal(p.notes.len, 1);
	assert_false(plan_lower_rate(&p, 0));
	assert_false(plan_lower_rate(&p, limit));
	broker_drop_events(&b);
	plan_release(&p);
}

static void stacks_fit_the_ring(void **state)
{
	(void)state;
	struct record_options o = options();
	struct plan p;
	assert_int_equal(plan_make(&p, &o, NULL), 0);
	plan_fit_stacks(&p, 8u << 20);
	assert_int_equal(p.stack_bytes[0], 32768);
	assert_int_equal(p.stack_bytes[1], 65528);
	plan_fit_stacks(&p, 512u << 10);
	assert_int_equal(p.stack_bytes[0], 16384);
	plan_release(&p);
	o.stack_bytes = 20001;
	assert_int_equal(plan_make(&p, &o, NULL), 0);
	plan_fit_stacks(&p, 512u << 10);
	assert_int_equal(p.stack_bytes[0], 20008);
	assert_int_equal(p.stack_bytes[1], 0);
	plan_release(&p);
}

static void bad_words_are_refused(void **state)
{
	(void)state;
	static const char *const lists[] = { "x", "0-", "0,,x", "99999", "0 ", "-1" };
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct record_options o = options();
		struct error err = { 0 };
		struct plan p;
		o.cpus = lists[i];
		assert_int_equal(plan_make(&p, &o, &err), -1);
		assert_int_equal(err.code, ERROR_USAGE);
		assert_non_null(strstr(err.text, lists[i]));
		plan_release(&p);
	}
	struct record_options o = options();
	struct error err = { 0 };
	struct plan p;
	o.ring_pages = 3;
	assert_int_equal(plan_make(&p, &o, &err), -1);
	assert_non_null(strstr(err.text, "power of two"));
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_sampled_by_period),
		cmocka_unit_test(a_group_is_read_with_its_leaders_samples),
		cmocka_unit_test(older_kernels_read_groups_otherwise),
		cmocka_unit_test(uncounted_members_are_left_out),
		cmocka_unit_test(a_group_may_be_too_large),
		cmocka_unit_test(rate_above_the_limit_is_lowered_and_said),
		cmocka_unit_test(rate_follows_the_limit),
		cmocka_unit_test(stacks_fit_the_ring),
		cmocka_unit_test(bad_words_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
