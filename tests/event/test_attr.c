/* What is asked of the kernel, and in which order it is taken back. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "event/attr.h"
#include "tests.h"

static char clock_name[] = "task-clock";
static const struct event_spec task_clock = { .name = clock_name,
					      .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_TASK_CLOCK };

static const struct event_sampling everything = {
	.frequency = 997,
	.stack_mode = STACK_COPY,
	.stack_bytes = 8192,
	.kernel_chain = true,
	.inherit = true,
	.enable_on_exec = true,
	.exact_at_exit = true,
	.track = true,
	.switches = true,
	.wakeup_bytes = 4096,
};

static void test_everything(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	assert_int_equal(attr_fill(&attr, &task_clock, &everything), 0);
	assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						   PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
						   PERF_SAMPLE_STACK_USER);
	assert_true(attr.exclude_callchain_user && !attr.exclude_callchain_kernel);
	assert_true(attr.freq);
	assert_int_equal(attr.sample_freq, 997);
	assert_int_equal(attr.sample_stack_user, 8192);
	assert_true(attr.use_clockid);
	assert_int_equal(attr.clockid, CLOCK_MONOTONIC);
	assert_true(attr.mmap && attr.mmap2 && attr.build_id && attr.comm && attr.comm_exec);
	assert_true(attr.task && attr.ksymbol && attr.context_switch && attr.sample_id_all);
	assert_true(attr.inherit && attr.inherit_stat && attr.disabled && attr.enable_on_exec);
	assert_true(attr.watermark);
	assert_int_equal(attr.wakeup_watermark, 4096);
}

static void test_stack_modes(void **state)
{
	struct event_sampling how = { .period = 1000, .stack_mode = STACK_FP };
	struct perf_event_attr attr;

	(void)state;
	assert_int_equal(attr_fill(&attr, &task_clock, &how), 0);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.exclude_callchain_kernel && !attr.exclude_callchain_user);
	assert_false(attr.freq);
	assert_int_equal(attr.sample_period, 1000);

	how.kernel_chain = true;
	attr_fill(&attr, &task_clock, &how);
	assert_false(attr.exclude_callchain_kernel || attr.exclude_callchain_user);

	how.stack_mode = STACK_COPY; /* a kernel that is not sampled has no chain */
	how.exclude_kernel = true;
	attr_fill(&attr, &task_clock, &how);
	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);

	how.stack_mode = STACK_NONE;
	attr_fill(&attr, &task_clock, &how);
	assert_false(attr.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER));
}

static void test_dummy_only_tracks(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	assert_int_equal(attr_fill(&attr, &event_dummy, &everything), 0);
	assert_false(attr.sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN));
	assert_int_equal(attr.sample_period, 0);
	assert_true(attr.mmap2 && attr.context_switch);
}

/* A kernel that dislikes everything: each wish goes once, and then it is over. */
static void test_old_kernel(void **state)
{
	struct event_spec precise = task_clock;
	struct perf_event_attr attr;

	(void)state;
	precise.precise = 2;
	attr_fill(&attr, &precise, &everything);
	assert_true(attr_ask_less(&attr, EINVAL));
	assert_false(attr.read_format & PERF_FORMAT_LOST);
	assert_true(attr.build_id);
	assert_true(attr_ask_less(&attr, EINVAL));
	assert_false(attr.build_id);
	int steps = 2;
	while (attr_ask_less(&attr, EINVAL))
		assert_true(++steps < 10);
	assert_false(attr.ksymbol || attr.namespaces || attr.exclude_guest || attr.precise_ip);
	/* What a recording cannot do without stays. */
	assert_true(attr.mmap2 && attr.use_clockid && attr.inherit);
	assert_true(attr.sample_type & PERF_SAMPLE_STACK_USER);
}

static void test_codes_of_one_of_several_pmus(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = 9ull << 32 | PERF_COUNT_HW_INSTRUCTIONS };

	(void)state;
	assert_true(attr_use_pmuv3_code(&attr));
	assert_int_equal(attr.type, 9);
	assert_int_equal(attr.config, 0x08);
	assert_false(attr_use_pmuv3_code(&attr));
	attr = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE }; /* the only PMU's */
	assert_false(attr_use_pmuv3_code(&attr));
	attr.config = 9ull << 32 | PERF_COUNT_HW_REF_CPU_CYCLES; /* no such code */
	assert_false(attr_use_pmuv3_code(&attr));
	attr.config = 9ull << 32 | 0xffffffff;
	assert_false(attr_use_pmuv3_code(&attr));
}

static void test_other_refusals(void **state)
{
	struct event_spec precise = task_clock;
	struct perf_event_attr attr;

	(void)state;
	precise.precise = 1;
	attr_fill(&attr, &precise, &everything);
	assert_true(attr_ask_less(&attr, EACCES));
	assert_false(attr.namespaces);
	assert_false(attr_ask_less(&attr, EACCES));
	assert_true(attr_ask_less(&attr, EOPNOTSUPP));
	assert_int_equal(attr.precise_ip, 0);
	assert_false(attr_ask_less(&attr, EMFILE));
	assert_false(attr_ask_less(&attr, ESRCH));
}

static void test_smaller_attr(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	attr_fill(&attr, &task_clock, &everything);
	attr.sig_data = 1;
	attr.size = PERF_ATTR_SIZE_VER5; /* as the kernel writes it back with E2BIG */
	assert_true(attr_ask_less(&attr, E2BIG));
	assert_int_equal(attr.sig_data, 0);
	assert_int_equal(attr.sample_stack_user, 8192);
	attr.size = sizeof(attr);
	assert_false(attr_ask_less(&attr, E2BIG));
	attr.size = 8;
	assert_false(attr_ask_less(&attr, E2BIG));
}

static void test_layout(void **state)
{
	struct record_layout layout;
	struct perf_event_attr attr;

	(void)state;
	attr_fill(&attr, &task_clock, &everything);
	attr_ask_less(&attr, EINVAL);
	attr_layout(&attr, &layout);
	assert_int_equal(layout.sample_type, attr.sample_type);
	assert_int_equal(layout.read_format, attr.read_format);
	assert_int_equal(layout.regs_user_mask, attr.sample_regs_user);
	assert_true(layout.sample_id_all);
}

int run_attr_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_stack_modes),
		cmocka_unit_test(test_dummy_only_tracks),
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_other_refusals),
		cmocka_unit_test(test_codes_of_one_of_several_pmus),
		cmocka_unit_test(test_smaller_attr),
		cmocka_unit_test(test_layout),
	};
	return cmocka_run_group_tests_name("event attr", tests, NULL, NULL);
}
