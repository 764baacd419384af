/*
 * perf.data files: recordings of perf 6.1 with the counts that `perf report --stats` gives for
 * them, files written by hand, and the same cut, flipped and lying. The recordings are the seeds of
 * the fuzz target.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/memory.h"
#include "event/perf_data.h"
#include "record_build.h"
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

/* A reader on bytes in memory. */
struct source {
	struct perf_data *data;
	int fd;
};

static struct perf_data *source_open(struct source *s, const void *bytes, size_t len,
				     struct error *err)
{
	s->fd = memfd_create("perf.data", MFD_CLOEXEC);
	assert_true(s->fd >= 0);
	assert_int_equal(io_write_full(s->fd, bytes, len), 0);
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	int status = perf_data_open(&s->data, s->fd, "test.data", err);
	assert_int_equal(status == 0, s->data != NULL);
	return s->data;
}

static void source_close(struct source *s)
{
	perf_data_free(s->data);
	close(s->fd);
}

static void read_seed(const char *name, struct bytes *out)
{
	struct error err = { 0 };
	char *path = xasprintf("%s/corpus/perf_data/%s", PROF_TEST_DIR, name);

	if (io_read_file(path, out, (size_t)1 << 20, &err) < 0)
		fail_msg("%s", err.text);
	free(path);
}

static const struct seed {
	const char *name;
	uint32_t events;
	uint64_t samples[EVENTS];
	uint64_t mmaps, comms, forks, exits, others[2]; /* others: kind, count */
	uint64_t ip_sum, period_sum;			/* awk over `perf script -F ip,period` */
	const char *first_event, *clock;
	uint32_t build_ids;
} seeds[] = {
	{ "callchain.data",
	  1,
	  { 3 },
	  5,
	  2,
	  3,
	  4,
	  { 0 },
	  0x10129f07eb470,
	  60000000,
	  "cpu-clock",
	  "unknown",
	  2 },
	{ "events.data",
	  3,
	  { 3, 12, 19 },
	  5,
	  2,
	  3,
	  4,
	  { 0 },
	  0x5f8d0128c4030,
	  30000523,
	  "cpu-clock",
	  "unknown",
	  4 },
	{ "fields.data",
	  1,
	  { 6 },
	  24,
	  2,
	  3,
	  4,
	  { RECORD_READ, 6 },
	  0x201568e8648e8,
	  39999996,
	  "cpu-clock",
	  "unknown",
	  2 },
	{ "group.data",
	  2,
	  { 16 },
	  47,
	  8,
	  7,
	  1,
	  { RECORD_NAMESPACES, 8 },
	  0x6f67a51b8d471,
	  106666656,
	  "cpu-clock",
	  "unknown",
	  0 },
	{ "pipe.data",
	  2,
	  { 0, 5 },
	  5,
	  2,
	  3,
	  4,
	  { 0 },
	  0xfed92392c884,
	  3492,
	  "cpu-clock",
	  "unknown",
	  0 },
	{ "pipe-zstd.data",
	  1,
	  { 10 },
	  5,
	  2,
	  3,
	  4,
	  { RECORD_SWITCH, 35 },
	  0x358aafdc72ed8,
	  50000000,
	  "cpu-clock",
	  "monotonic",
	  0 },
	{ "stack.data",
	  1,
	  { 9 },
	  24,
	  2,
	  3,
	  4,
	  { 0 },
	  0x3027bf6280d58,
	  90909090,
	  "cpu-clock",
	  "unknown",
	  2 },
	{ "zstd.data",
	  1,
	  { 6 },
	  24,
	  2,
	  3,
	  4,
	  { 0 },
	  0x201f3b93228e8,
	  60606060,
	  "cpu-clock",
	  "unknown",
	  0 },
};

static void check_seed(const struct seed *s, struct perf_data *p)
{
	const struct perf_data_info *info = perf_data_info(p);
	struct tally t;

	assert_int_equal(perf_data_event_count(p), s->events);
	assert_string_equal(perf_data_event(p, 0)->name, s->first_event);
	assert_true(perf_data_event(p, 0)->is_clock);
	assert_int_equal(tally_all(p, &t), 0);
	for (size_t i = 0; i < EVENTS; i++)
		assert_int_equal(t.samples[i], s->samples[i]);
	assert_int_equal(t.kinds[RECORD_MMAP], s->mmaps);
	assert_int_equal(t.kinds[RECORD_COMM], s->comms);
	assert_int_equal(t.kinds[RECORD_FORK], s->forks);
	assert_int_equal(t.kinds[RECORD_EXIT], s->exits);
	if (s->others[0])
		assert_int_equal(t.kinds[s->others[0]], s->others[1]);
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
	assert_non_null(strstr(info->command, "perf record"));
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

/* A file written by hand, with two events told apart by id, in two rounds out of time order. */
struct writer {
	struct bytes file, record;
	size_t data_at;
};

static void put_u64_at(struct bytes *b, size_t at, uint64_t v)
{
	memcpy(b->data + at, &v, sizeof(v));
}

static void write_attr(struct bytes *b, uint64_t config, uint64_t ids_at)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.config = config,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TIME,
					.sample_id_all = 1 };

	bytes_append(b, &attr, sizeof(attr));
	bytes_u64(b, ids_at);
	bytes_u64(b, 8);
}

static void writer_begin(struct writer *w)
{
	struct bytes *b = &w->file;

	memset(w, 0, sizeof(*w));
	bytes_append(b, "PERFILE2", 8);
	bytes_u64(b, 104);
	bytes_u64(b, sizeof(struct perf_event_attr) + 16);
	bytes_u64(b, 104 + 16); /* attributes follow the ids */
	bytes_u64(b, 2 * (sizeof(struct perf_event_attr) + 16));
	for (int i = 0; i < 8; i++)
		bytes_u64(b, 0); /* data, event types, features: filled in later */
	bytes_u64(b, 100);
	bytes_u64(b, 200);
	write_attr(b, 5, 104);
	write_attr(b, 6, 112);
	w->data_at = b->len;
}

static void write_sample(struct writer *w, uint64_t id, uint64_t time_ns)
{
	build_begin(&w->record, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&w->record, id);
	bytes_u64(&w->record, time_ns + 1000);
	bytes_u64(&w->record, time_ns);
	build_end(&w->record);
	bytes_append(&w->file, w->record.data, w->record.len);
}

static void write_round_end(struct writer *w)
{
	build_begin(&w->record, 68, 0);
	build_end(&w->record);
	bytes_append(&w->file, w->record.data, w->record.len);
}

static void writer_end(struct writer *w)
{
	put_u64_at(&w->file, 40, w->data_at);
	put_u64_at(&w->file, 48, w->file.len - w->data_at);
}

static void writer_release(struct writer *w)
{
	bytes_release(&w->file);
	bytes_release(&w->record);
}

static void expect_sample(struct perf_data *p, uint32_t event, uint64_t time_ns)
{
	struct record r;

	assert_int_equal(perf_data_next(p, &r, NULL), 1);
	assert_int_equal(r.kind, RECORD_SAMPLE);
	assert_int_equal(r.event, event);
	assert_int_equal(r.time_ns, time_ns);
	assert_int_equal(r.u.sample.ip, time_ns + 1000);
}

static void test_order_and_events(void **state)
{
	struct source src;
	struct error err = { 0 };
	struct writer w;
	struct record r;

	(void)state;
	writer_begin(&w);
	write_sample(&w, 100, 30);
	write_sample(&w, 200, 10);
	write_round_end(&w);
	write_sample(&w, 200, 20); /* a round late, as another CPU's ring may be */
	write_sample(&w, 999, 25); /* nobody's */
	write_round_end(&w);
	write_sample(&w, 100, 40);
	writer_end(&w);
	struct perf_data *p = source_open(&src, w.file.data, w.file.len, &err);
	if (!p)
		fail_msg("%s", err.text);
	assert_string_equal(perf_data_event(p, 1)->name, "type 2 config 0x6");
	expect_sample(p, 1, 10);
	expect_sample(p, 1, 20);
	expect_sample(p, 0, 30);
	expect_sample(p, 0, 40);
	assert_int_equal(perf_data_next(p, &r, NULL), 0);
	assert_int_equal(perf_data_next(p, &r, NULL), 0);
	assert_int_equal(perf_data_bad_records(p), 1);
	assert_false(perf_data_info(p)->truncated);
	source_close(&src);
	writer_release(&w);
}

static void test_broken_framing_ends_the_data(void **state)
{
	struct source src;
	struct writer w;
	struct record r;

	(void)state;
	writer_begin(&w);
	write_sample(&w, 100, 10);
	bytes_u64(&w.file, 9); /* type 9, size 0 */
	write_sample(&w, 100, 20);
	writer_end(&w);
	struct perf_data *p = source_open(&src, w.file.data, w.file.len, NULL);
	assert_non_null(p);
	expect_sample(p, 0, 10);
	assert_int_equal(perf_data_next(p, &r, NULL), 0);
	assert_true(perf_data_info(p)->truncated);
	source_close(&src);
	writer_release(&w);
}

static void test_unfinished_file(void **state)
{
	struct source src;
	struct writer w;
	struct record r;

	(void)state;
	writer_begin(&w);
	write_sample(&w, 100, 10);
	writer_end(&w);
	put_u64_at(&w.file, 48, 0); /* perf fills in the size at its end */
	struct perf_data *p = source_open(&src, w.file.data, w.file.len, NULL);
	assert_non_null(p);
	expect_sample(p, 0, 10);
	assert_int_equal(perf_data_next(p, &r, NULL), 0);
	assert_true(perf_data_info(p)->truncated);
	source_close(&src);
	writer_release(&w);
}

static void expect_refusal(const struct bytes *b, const char *in_error)
{
	struct source src;
	struct error err = { 0 };

	assert_null(source_open(&src, b->data, b->len, &err));
	source_close(&src);
	if (!strstr(err.text, in_error) || !strstr(err.text, "test.data"))
		fail_msg("%s", err.text);
}

static void test_refused_headers(void **state)
{
	struct bytes none = { 0 }, b = { 0 };
	struct writer w;

	(void)state;
	bytes_reserve(&none, 1);
	expect_refusal(&none, "not a perf.data file");
	writer_begin(&w);
	writer_end(&w);
	bytes_append(&b, w.file.data, w.file.len);
	memcpy(b.data, "2ELIFREP", 8);
	expect_refusal(&b, "other byte order");
	memcpy(b.data, "PERFFILE", 8);
	expect_refusal(&b, "older than");
	memcpy(b.data,
	       "\x7f"
	       "ELF\2\1\1\0",
	       8);
	expect_refusal(&b, "not a perf.data file");
	memcpy(b.data, "PERFILE2", 8);
	put_u64_at(&b, 16, 0); /* attribute entries of no size */
	expect_refusal(&b, "list of events");
	put_u64_at(&b, 16, sizeof(struct perf_event_attr) + 16);
	put_u64_at(&b, 24, UINT64_MAX - 8);
	expect_refusal(&b, "beyond the end");
	b.len = 60;
	expect_refusal(&b, "header ends early");
	bytes_release(&none);
	bytes_release(&b);
	writer_release(&w);
}

static void test_file_format_needs_a_file(void **state)
{
	struct bytes b = { 0 };
	struct error err = { 0 };
	struct perf_data *p;
	int fds[2];

	(void)state;
	read_seed("callchain.data", &b);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(io_write_full(fds[1], b.data, b.len), 0);
	close(fds[1]);
	assert_int_equal(perf_data_open(&p, fds[0], "pipe", &err), -1);
	assert_non_null(strstr(err.text, "through a pipe"));
	close(fds[0]);
	bytes_release(&b);
}

static void test_directory(void **state)
{
	struct error err = { 0 };
	struct perf_data *p;
	int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(perf_data_open(&p, fd, "dir", &err), -1);
	assert_non_null(strstr(err.text, "directory"));
	close(fd);
}

static uint64_t all_samples(const struct tally *t)
{
	return t->samples[0] + t->samples[1] + t->samples[2];
}

/* Cut anywhere: never more than the whole has, and said to be cut when records are missing. */
static void test_cut_anywhere(void **state)
{
	struct source src;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		const struct seed *s = &seeds[i];
		uint64_t whole = s->samples[0] + s->samples[1] + s->samples[2];
		struct bytes b = { 0 };
		struct tally t;
		read_seed(s->name, &b);
		for (size_t len = 0; len < b.len; len += 61) {
			struct error err = { 0 };
			struct perf_data *p = source_open(&src, b.data, len, &err);
			if (!p) {
				assert_true(err.text[0]);
				source_close(&src);
				continue;
			}
			assert_int_equal(tally_all(p, &t), 0);
			assert_true(all_samples(&t) <= whole);
			/* A pipe's stream has no end mark: cut between records it looks whole. */
			if (all_samples(&t) < whole && strncmp(s->name, "pipe", 4) != 0)
				assert_true(perf_data_info(p)->truncated);
			source_close(&src);
		}
		bytes_release(&b);
	}
}

/* One byte at a time turned over: whatever comes of it, it ends. The sanitizers watch. */
static void test_flipped_anywhere(void **state)
{
	struct source src;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		struct bytes b = { 0 };
		struct tally t;
		read_seed(seeds[i].name, &b);
		for (size_t at = i; at < b.len; at += 17) {
			b.data[at] ^= 0xff;
			struct perf_data *p = source_open(&src, b.data, b.len, NULL);
			if (p) {
				int more;
				struct record r;
				memset(&t, 0, sizeof(t));
				while ((more = perf_data_next(p, &r, NULL)) > 0)
					t.kinds[r.kind]++;
				assert_int_equal(more, 0);
			}
			source_close(&src);
			b.data[at] ^= 0xff;
		}
		bytes_release(&b);
	}
}

int run_perf_data_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_through_a_pipe),
		cmocka_unit_test(test_order_and_events),
		cmocka_unit_test(test_broken_framing_ends_the_data),
		cmocka_unit_test(test_unfinished_file),
		cmocka_unit_test(test_refused_headers),
		cmocka_unit_test(test_file_format_needs_a_file),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_flipped_anywhere),
	};
	return cmocka_run_group_tests_name("event perf_data", tests, NULL, NULL);
}
