/* What a recording will open, from what the user asked for. */
#include "record/broker.h"
#include "record/control.h"
#include "record/plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
		cmocka_unit_test(rate_above_the_limit_is_lowered_and_said),
		cmocka_unit_test(rate_follows_the_limit),
		cmocka_unit_test(stacks_fit_the_ring),
		cmocka_unit_test(bad_words_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
