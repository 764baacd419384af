/*
 * perf.data as perf 6.1 writes it: small recordings with the counts that `perf report --stats` and
 * the sums that `perf script` give for them. The recordings are the seeds of the fuzz target.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "perf_file.h"
#include "tests.h"

enum { KINDS = RECORD_KSYMBOL + 1, EVENTS = 3 };

struct tally {
	uint64_t kinds[KINDS], samples[EVENTS];
	uint64_t ip_sum, period_sum, stack_bytes, chain_entries;
	uint64_t last_ns, steps_back;
};

static void count(struct tally *t, const struct record *r)
{
	t->kinds[r->kind]++;
	if (r->time_ns) {
		t->steps_back += r->time_ns < t->last_ns;
		t->last_ns = r->time_ns;
	}
	if (r->kind != RECORD_SAMPLE)
		return;
	assert_true(r->event < EVENTS);
	t->samples[r->event]++;
	t->ip_sum += r->u.sample.ip;
	t->period_sum += r->u.sample.period;
	t->stack_bytes += r->u.sample.stack_len;
	t->chain_entries += r->u.sample.chain_count;
}

static int tally_all(struct perf_data *p, struct tally *t)
{
	struct error err = { 0 };
	struct record r;
	int more;

	memset(t, 0, sizeof(*t));
	while ((more = perf_data_next(p, &r, &err)) > 0)
		count(t, &r);
	return more;
}

static const struct seed {
	const char *name;
	uint32_t events;
	uint64_t samples[EVENTS], mmaps, comms, forks, exits;
	uint64_t other[2]; /* kind, count */
	/* Over all lines of `perf script -F ip,period`, modulo 2^64 (of a group, the leader's). */
	uint64_t ip_sum, period_sum;
	const char *clock;
	uint32_t build_ids;
} seeds[] = {
	{ .name = "callchain.data",
	  .events = 1,
	  .samples = { 3 },
	  .mmaps = 5,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .ip_sum = 0x10129f07eb470,
	  .period_sum = 60000000,
	  .clock = "unknown",
	  .build_ids = 2 },
	{ .name = "events.data",
	  .events = 3,
	  .samples = { 3, 12, 19 },
	  .mmaps = 5,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .ip_sum = 0x5f8d0128c4030,
	  .period_sum = 30000523,
	  .clock = "unknown",
	  .build_ids = 4 },
	{ .name = "fields.data",
	  .events = 1,
	  .samples = { 6 },
	  .mmaps = 24,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .other = { RECORD_READ, 6 },
	  .ip_sum = 0x201568e8648e8,
	  .period_sum = 39999996,
	  .clock = "unknown",
	  .build_ids = 2 },
	{ .name = "group.data",
	  .events = 2,
	  .samples = { 16 },
	  .mmaps = 47,
	  .comms = 8,
	  .forks = 7,
	  .exits = 1,
	  .other = { RECORD_NAMESPACES, 8 },
	  .ip_sum = 0x6f67a51b8d471,
	  .period_sum = 106666656,
	  .clock = "unknown",
	  .build_ids = 0 },
	{ .name = "pipe.data",
	  .events = 2,
	  .samples = { 0, 5 },
	  .mmaps = 5,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .ip_sum = 0xfed92392c884,
	  .period_sum = 3492,
	  .clock = "unknown",
	  .build_ids = 0 },
	{ .name = "pipe-zstd.data",
	  .events = 1,
	  .samples = { 10 },
	  .mmaps = 5,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .other = { RECORD_SWITCH, 35 },
	  .ip_sum = 0x358aafdc72ed8,
	  .period_sum = 50000000,
	  .clock = "monotonic",
	  .build_ids = 0 },
	{ .name = "stack.data",
	  .events = 1,
	  .samples = { 9 },
	  .mmaps = 24,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .ip_sum = 0x3027bf6280d58,
	  .period_sum = 90909090,
	  .clock = "unknown",
	  .build_ids = 2 },
	{ .name = "zstd.data",
	  .events = 1,
	  .samples = { 6 },
	  .mmaps = 24,
	  .comms = 2,
	  .forks = 3,
	  .exits = 4,
	  .ip_sum = 0x201f3b93228e8,
	  .period_sum = 60606060,
	  .clock = "unknown",
	  .build_ids = 0 },
};

static void check_seed(const struct seed *s, struct perf_data *p)
{
	const struct perf_data_info *info = perf_data_info(p);
	struct tally t;

	assert_int_equal(perf_data_event_count(p), s->events);
	assert_string_equal(perf_data_event(p, 0)->name, "cpu-clock");
	assert_true(perf_data_event(p, 0)->is_clock);
	assert_int_equal(tally_all(p, &t), 0);
	for (size_t i = 0; i < EVENTS; i++)
		assert_int_equal(t.samples[i], s->samples[i]);
	assert_int_equal(t.kinds[RECORD_MMAP], s->mmaps);
	assert_int_equal(t.kinds[RECORD_COMM], s->comms);
	assert_int_equal(t.kinds[RECORD_FORK], s->forks);
	assert_int_equal(t.kinds[RECORD_EXIT], s->exits);
	if (s->other[0])
		assert_int_equal(t.kinds[s->other[0]], s->other[1]);
	assert_int_equal(t.ip_sum, s->ip_sum);
	assert_int_equal(t.period_sum, s->period_sum);
	assert_int_equal(t.steps_back, 0);
	assert_int_equal(perf_data_bad_records(p), 0);
	assert_int_equal(perf_data_build_id_count(p), s->build_ids);
	assert_false(info->truncated);
	assert_string_equal(info->clock, s->clock);
	assert_string_equal(info->architecture, "x86_64");
	assert_string_equal(info->hostname, "vm");
	assert_int_equal(info->cpu_count, 2);
	/* Not perf's own words. */
	const char *command = strstr(s->name, "group") ? "python3 -c " : "/tmp/pd/w";
	assert_memory_equal(info->command, command, strlen(command));
}

static void test_recordings(void **state)
{
	struct source src;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		struct bytes b = { 0 };
		struct error err = { 0 };
		read_seed(seeds[i].name, &b);
		assert_true(perf_data_has_magic(b.data, b.len));
		struct perf_data *p = source_open(&src, b.data, b.len, &err);
		if (!p)
			fail_msg("%s", err.text);
		check_seed(&seeds[i], p);
		source_close(&src);
		bytes_release(&b);
	}
}

static void test_details(void **state)
{
	struct source src;
	struct bytes b = { 0 };
	struct tally t;

	(void)state;
	read_seed("stack.data", &b);
	struct perf_data *p = source_open(&src, b.data, b.len, NULL);
	assert_non_null(p);
	const struct perf_data_event *e = perf_data_event(p, 0);
	assert_int_equal(e->stack_bytes, 1024);
	assert_int_equal(e->period_or_freq, 99);
	assert_true(e->is_freq);
	assert_true(e->has_kernel_chain);
	assert_false(e->has_user_chain);
	assert_int_equal(tally_all(p, &t), 0);
	assert_int_equal(t.stack_bytes, 9 * 1024);
	const struct perf_data_build_id *id = perf_data_build_id(p, 0);
	assert_string_equal(id->path, "/tmp/pd/w");
	assert_false(id->is_kernel);
	assert_int_equal(id->pid, -1);
	assert_int_equal(id->len, 20);
	source_close(&src);
	bytes_release(&b);
}

/* Through a real pipe: nothing may be read twice. */
static void test_through_a_pipe(void **state)
{
	struct bytes b = { 0 };
	struct error err = { 0 };
	struct perf_data *p;
	int fds[2];

	(void)state;
	read_seed("pipe.data", &b);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(io_write_full(fds[1], b.data, b.len), 0); /* fits a pipe's buffer */
	close(fds[1]);
	if (perf_data_open(&p, fds[0], "pipe", &err) < 0)
		fail_msg("%s", err.text);
	check_seed(&seeds[4], p);
	perf_data_free(p);
	close(fds[0]);
	bytes_release(&b);
}

int run_perf_data_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_through_a_pipe),
	};
	return cmocka_run_group_tests_name("event perf_data", tests, NULL, NULL);
}
