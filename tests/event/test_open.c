/*
 * Real events on this very process: opened, mapped, sampled, read. Where the kernel refuses, the
 * test is skipped and prints why. Plus ring arithmetic on a ring made of plain memory.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "event/open.h"
#include "event/ring.h"
#include "tests.h"

#define SCRATCH_BYTES 65536

struct live {
	int fd;
	struct record_layout layout;
	struct record_decoder *decoder;
	struct ring ring;
	uint64_t id;
};

static const struct event_spec task_clock = { .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_TASK_CLOCK,
					      .is_clock = true };

static void live_open(struct live *live, const struct event_sampling *how)
{
	struct event_spec spec = task_clock;
	struct error err = { 0 };
	char name[] = "task-clock";

	spec.name = name;
	memset(live, 0, sizeof(*live));
	if (event_open(&spec, how, 0, -1, &live->fd, &live->layout, &err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(event_id(live->fd, &live->id), 0);
	if (ring_map(&live->ring, live->fd, 64, &err) < 0) {
		close(live->fd);
		print_message("skipped: %s\n", err.text);
		skip();
	}
	live->decoder = record_decoder_new();
	record_decoder_add_event(live->decoder, &live->layout);
	record_decoder_add_id(live->decoder, live->id, 0);
}

static void live_close(struct live *live)
{
	record_decoder_free(live->decoder);
	ring_unmap(&live->ring);
	close(live->fd);
}

static void burn(uint64_t cpu_ns)
{
	uint64_t end = clock_thread_cpu_ns() + cpu_ns;

	while (clock_thread_cpu_ns() < end)
		;
}

static void check_sample(const struct live *live, const struct record *r, uint64_t from)
{
	const struct record_sample *s = &r->u.sample;

	assert_int_equal(r->pid, getpid());
	assert_int_equal(r->id, live->id);
	assert_in_range(r->time_ns, from, clock_monotonic_ns()); /* CLOCK_MONOTONIC, as ours */
	assert_int_not_equal(s->ip, 0);
	assert_int_equal(s->period, 1000000);
	assert_int_equal(s->stack_asked, 4096);
	assert_true(s->stack_len > 0 && s->stack_len <= 4096);
	assert_int_equal(s->user_regs.mask, live->layout.regs_user_mask);
}

static size_t drain(struct live *live, uint64_t from)
{
	uint8_t *scratch = xmalloc(SCRATCH_BYTES);
	const void *bytes;
	bool broken;
	size_t len, samples = 0;
	struct record r;

	ring_begin(&live->ring);
	while ((bytes = ring_next(&live->ring, scratch, &len, &broken))) {
		assert_int_equal(record_decode(live->decoder, bytes, len, &r), 0);
		assert_int_equal(record_time(live->decoder, bytes, len), r.time_ns);
		if (r.kind != RECORD_SAMPLE)
			continue;
		check_sample(live, &r, from);
		samples++;
	}
	assert_false(broken);
	ring_release(&live->ring);
	free_ptr(&scratch);
	return samples;
}

static void test_live_samples(void **state)
{
	struct event_sampling how = { .period = 1000000,
				      .stack_mode = STACK_COPY,
				      .stack_bytes = 4096,
				      .exclude_kernel = true,
				      .disabled = true,
				      .track = true,
				      .switches = true };
	uint64_t from = clock_monotonic_ns();
	struct event_count count;
	struct live live;

	(void)state;
	live_open(&live, &how);
	assert_int_equal(event_enable(live.fd), 0);
	size_t samples = 0;
	/* Often enough that the ring wraps round several times. */
	for (int i = 0; i < 20; i++) {
		burn(20000000);
		samples += drain(&live, from);
	}
	assert_int_equal(event_disable(live.fd), 0);
	samples += drain(&live, from);
	assert_int_equal(ring_pending(&live.ring), 0);
	assert_int_equal(event_read(live.fd, false, &count), 0);
	assert_true(count.value > 0);
	assert_true(samples > 0);
	/* One sample at most for every whole period counted; some fall into the kernel and are
	 * dropped. */
	assert_true(samples <= count.value / how.period + 1);
	live_close(&live);
}

static void test_live_period_change(void **state)
{
	struct event_sampling how = { .period = 1000000, .exclude_kernel = true };
	struct live live;

	(void)state;
	live_open(&live, &how);
	assert_int_equal(event_set_period(live.fd, 2000000), 0);
	live_close(&live);
}

static void test_refusals(void **state)
{
	struct event_sampling how = { .period = 1000000, .exclude_kernel = true };
	struct event_spec spec = task_clock;
	struct record_layout layout;
	struct error err = { 0 };
	char name[] = "task-clock";
	int fd;

	(void)state;
	spec.name = name;
	assert_int_equal(event_open(&spec, &how, 0x7ffffff0, -1, &fd, &layout, &err), -1);
	if (err.errnum != ENOSYS && err.errnum != EACCES && err.errnum != EPERM) {
		assert_int_equal(err.errnum, ESRCH);
		assert_non_null(strstr(err.text, "no such process"));
	}
	error_clear(&err);
	spec.type = 0xfffffff0;
	assert_int_equal(event_open(&spec, &how, 0, -1, &fd, &layout, &err), -1);
	assert_int_not_equal(err.errnum, 0);
}

static void test_explanations_name_a_remedy(void **state)
{
	struct event_limits limits = { .paranoid = 2 };
	struct event_spec cycles = { .type = PERF_TYPE_HARDWARE };
	char buf[512];

	(void)state;
	event_explain_refusal(EMFILE, &cycles, &limits, buf, sizeof(buf));
	assert_non_null(strstr(buf, "ulimit -n"));
	event_explain_refusal(ENOENT, &cycles, &limits, buf, sizeof(buf));
	assert_non_null(strstr(buf, "task-clock"));
	if (geteuid() != 0) {
		event_explain_refusal(EACCES, &cycles, &limits, buf, sizeof(buf));
		assert_non_null(strstr(buf, "perf_event_paranoid"));
	}
	for (int errnum = 1; errnum < 134; errnum++) {
		event_explain_refusal(errnum, &cycles, &limits, buf, sizeof(buf));
		assert_true(strlen(buf) > 10);
		assert_null(strchr(buf, '\n'));
	}
}

static void test_limits(void **state)
{
	struct event_limits limits;
	uint32_t cpus[1024];

	(void)state;
	event_read_limits(&limits);
	assert_true(limits.max_sample_rate > 0);
	assert_true(limits.mlock_kb > 0);
	int n = event_online_cpus(cpus, ARRAY_LEN(cpus));
	assert_true(n >= 1);
	for (int i = 1; i < n; i++)
		assert_true(cpus[i] > cpus[i - 1]);
	assert_int_equal(event_online_cpus(cpus, 1), 1);
}

static void test_map_refuses_odd_sizes(void **state)
{
	struct error err = { 0 };
	struct ring r;

	(void)state;
	assert_int_equal(ring_map(&r, -1, 3, &err), -1);
	assert_int_equal(err.errnum, EINVAL);
	error_clear(&err);
	assert_int_equal(ring_map(&r, -1, 0, &err), -1);
	error_clear(&err);
	assert_int_equal(ring_map(&r, -1, 1, &err), -1);
	assert_int_equal(err.errnum, EBADF);
}

/* A ring of 64 bytes in plain memory. */
struct toy {
	struct perf_event_mmap_page page;
	uint8_t data[64];
	struct ring ring;
};

static void toy_init(struct toy *t, uint64_t at)
{
	memset(t, 0, sizeof(*t));
	t->ring.base = &t->page;
	t->ring.data = t->data;
	t->ring.data_bytes = sizeof(t->data);
	t->page.data_head = t->page.data_tail = at;
}

static void toy_write(struct toy *t, uint16_t size, uint16_t claimed, uint8_t fill)
{
	struct perf_event_header h = { .type = 1, .size = claimed };

	for (uint16_t i = 0; i < size; i++) {
		uint8_t byte = fill;
		if (i < sizeof(h))
			memcpy(&byte, (const char *)&h + i, 1);
		t->data[t->page.data_head++ % sizeof(t->data)] = byte;
	}
}

static void test_ring_wraps(void **state)
{
	uint8_t scratch[64];
	struct toy t;
	bool broken;
	size_t len;

	(void)state;
	toy_init(&t, 40);
	toy_write(&t, 16, 16, 'a');
	toy_write(&t, 24, 24, 'b'); /* from 56 round to 16; its header reaches the edge */
	ring_begin(&t.ring);
	const uint8_t *p = ring_next(&t.ring, scratch, &len, &broken);
	assert_ptr_equal(p, t.data + 40);
	assert_int_equal(len, 16);
	p = ring_next(&t.ring, scratch, &len, &broken);
	assert_ptr_equal(p, scratch);
	assert_int_equal(len, 24);
	for (int i = 8; i < 24; i++)
		assert_int_equal(p[i], 'b');
	assert_int_equal(t.page.data_tail, 40);
	ring_release(&t.ring);
	assert_int_equal(t.page.data_tail, 80);
	assert_null(ring_next(&t.ring, scratch, &len, &broken));
	assert_false(broken);
}

static void test_ring_broken_length(void **state)
{
	static const uint16_t lies[] = { 0, 7, 17, 65535 };
	uint8_t scratch[64];
	struct toy t;
	bool broken;
	size_t len;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		toy_init(&t, 0);
		toy_write(&t, 16, lies[i], 'a');
		ring_begin(&t.ring);
		assert_null(ring_next(&t.ring, scratch, &len, &broken));
		assert_true(broken);
		ring_release(&t.ring);
		assert_int_equal(t.page.data_tail, 16);
	}
	toy_init(&t, 0);
	t.page.data_head = 1000; /* more than the ring can hold */
	ring_begin(&t.ring);
	assert_null(ring_next(&t.ring, scratch, &len, &broken));
	assert_true(broken);
}

int run_open_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_samples),
		cmocka_unit_test(test_live_period_change),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_explanations_name_a_remedy),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_map_refuses_odd_sizes),
		cmocka_unit_test(test_ring_wraps),
		cmocka_unit_test(test_ring_broken_length),
	};
	return cmocka_run_group_tests_name("event open", tests, NULL, NULL);
}
