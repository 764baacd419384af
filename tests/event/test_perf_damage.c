/* perf.data written by hand: time order, events by id; and files that are cut, flipped, lying or
 * not for us. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "perf_file.h"
#include "tests.h"

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

static uint64_t count_samples(struct perf_data *p)
{
	uint64_t samples = 0;
	struct record r;
	int more;

	while ((more = perf_data_next(p, &r, NULL)) > 0)
		samples += r.kind == RECORD_SAMPLE;
	assert_int_equal(more, 0);
	return samples;
}

static const char *const seeds[] = { "callchain.data", "events.data", "fields.data",
				     "group.data",     "pipe.data",   "pipe-zstd.data",
				     "stack.data",     "zstd.data" };

static void check_cut(const struct bytes *b, size_t len, uint64_t whole, bool is_pipe)
{
	struct source src;
	struct error err = { 0 };
	struct perf_data *p = source_open(&src, b->data, len, &err);

	if (p) {
		uint64_t samples = count_samples(p);
		assert_true(samples <= whole);
		/* A pipe's stream has no end mark: cut between records it looks whole. */
		if (samples < whole && !is_pipe)
			assert_true(perf_data_info(p)->truncated);
	} else {
		assert_true(err.text[0]);
	}
	source_close(&src);
}

/* Cut anywhere: never more than the whole has, and said to be cut when records are missing. */
static void test_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		struct bytes b = { 0 };
		struct source src;
		read_seed(seeds[i], &b);
		uint64_t whole = count_samples(source_open(&src, b.data, b.len, NULL));
		assert_true(whole > 0);
		source_close(&src);
		for (size_t len = 0; len < b.len; len += 61)
			check_cut(&b, len, whole, strncmp(seeds[i], "pipe", 4) == 0);
		bytes_release(&b);
	}
}

/* One byte at a time turned over: whatever comes of it, it ends. The sanitizers watch. */
static void test_flipped_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		struct bytes b = { 0 };
		read_seed(seeds[i], &b);
		for (size_t at = i; at < b.len; at += 17) {
			struct source src;
			b.data[at] ^= 0xff;
			if (source_open(&src, b.data, b.len, NULL))
				count_samples(src.data);
			source_close(&src);
			b.data[at] ^= 0xff;
		}
		bytes_release(&b);
	}
}

int run_perf_damage_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_events),
		cmocka_unit_test(test_broken_framing_ends_the_data),
		cmocka_unit_test(test_unfinished_file),
		cmocka_unit_test(test_refused_headers),
		cmocka_unit_test(test_file_format_needs_a_file),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_flipped_anywhere),
	};
	return cmocka_run_group_tests_name("event perf_damage", tests, NULL, NULL);
}
