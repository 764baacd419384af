/* What is written reads back the same: whole profiles, recordings in flushes, through pipes; and
 * its size. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "compare.h"
#include "groups.h"
#include "sample_profile.h"
#include "synthetic.h"

static void test_whole_profile(void **state)
{
	struct profile p, q, r;
	struct bytes file = { 0 }, again = { 0 };
	struct profile_read_report report;

	(void)state;
	sample_profile(&p);
	write_profile(&p, &file);
	read_profile(&file, &q, &report);
	assert_same_profile(&p, &q);
	assert_int_equal(report.version, 1);
	assert_int_equal(report.epochs, 1);
	assert_true(report.complete);
	assert_false(report.truncated);
	assert_int_equal(report.missing_rows + report.damaged_chunks + report.skipped_bytes, 0);

	/* And once more, byte by byte the same. */
	write_profile(&q, &again);
	assert_int_equal(again.len, file.len);
	assert_memory_equal(again.data, file.data, file.len);
	read_profile(&again, &r, &report);
	assert_same_profile(&p, &r);
	profile_release(&p);
	profile_release(&q);
	profile_release(&r);
	bytes_release(&file);
	bytes_release(&again);
}

static void test_empty_profile(void **state)
{
	struct profile p, q;
	struct bytes file = { 0 };
	struct profile_read_report report;

	(void)state;
	profile_init(&p);
	write_profile(&p, &file);
	read_profile(&file, &q, &report);
	assert_same_profile(&p, &q);
	/* Its source was not complete, and writing it out does not change that. */
	assert_true(report.complete);
	assert_int_equal(q.health.complete, 0);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
}

static void test_recording_in_flushes(void **state)
{
	struct synthetic s = { .samples = 5250,
			       .samples_per_flush = 500,
			       .leaves = 200,
			       .leaf_span = 50000,
			       .nodes = 300,
			       .names = 1,
			       .finish = 1,
			       .seed = 1 };
	struct profile_writer_stats stats;
	struct profile_read_report report;
	struct bytes file = { 0 }, again = { 0 };
	struct profile p, q;

	(void)state;
	synthetic_record(&s, &file, &stats);
	read_profile(&file, &p, &report);
	assert_int_equal(p.samples.len, 5250);
	assert_int_equal(p.nodes.len, stats.nodes);
	assert_int_equal(p.clocks.len, 10);
	assert_int_equal(p.health.due, 5000);
	assert_int_equal(p.health.complete, 1);
	for (size_t i = 0; i < p.nodes.len; i++) {
		uint32_t l = p.node_location.data[i];
		assert_int_not_equal(l, PROFILE_NONE);
		assert_int_equal(p.locations.data[l].frame_count,
				 2 - (p.locations.data[l].address & 1));
	}
	write_profile(&p, &again);
	read_profile(&again, &q, &report);
	assert_same_profile(&p, &q);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
	bytes_release(&again);
}

static void test_stats_add_up(void **state)
{
	struct synthetic s = { .samples = 2000,
			       .samples_per_flush = 500,
			       .leaves = 200,
			       .leaf_span = 50000,
			       .nodes = 300,
			       .flushes_per_epoch = 2,
			       .names = 1,
			       .finish = 1,
			       .seed = 1 };
	struct profile_writer_stats t;
	struct bytes file = { 0 };

	(void)state;
	synthetic_record(&s, &file, &t);
	assert_int_equal(t.total_bytes, file.len);
	assert_int_equal(t.sample_bytes + t.node_bytes + t.symbol_bytes + t.code_bytes +
				 t.source_bytes + t.other_bytes,
			 file.len);
	assert_int_equal(t.samples, 2000);
	assert_true(t.symbol_bytes > 0);
	bytes_release(&file);
}

/* 10 bytes per sample and 4 per new node, everything but symbols and excerpts counted. */
static void check_budget(const struct synthetic *s)
{
	struct profile_writer_stats t;
	struct bytes file = { 0 };

	synthetic_record(s, &file, &t);
	uint64_t spent = t.sample_bytes + t.node_bytes + t.other_bytes;
	print_message("%.2f bytes per sample, %.2f per new node, %.2f of the rest per sample\n",
		      (double)t.sample_bytes / (double)t.samples,
		      (double)t.node_bytes / (double)t.nodes,
		      (double)t.other_bytes / (double)t.samples);
	assert_true(spent <= 10 * t.samples + 4 * t.nodes);
	bytes_release(&file);
}

static void test_size_budget(void **state)
{
	struct synthetic hot = { .samples = 100000,
				 .samples_per_flush = 500,
				 .leaves = 2000,
				 .leaf_span = 400000,
				 .nodes = 3000,
				 .finish = 1,
				 .seed = 1 };
	struct synthetic wide = { .samples = 100000,
				  .samples_per_flush = 500,
				  .leaves = 60000,
				  .leaf_span = 30 << 20,
				  .nodes = 200000,
				  .flushes_per_epoch = 40,
				  .finish = 1,
				  .seed = 1 };

	(void)state;
	check_budget(&hot);
	check_budget(&wide);
}

struct pipe_job {
	int fd;
	const struct bytes *file;
};

static void *feed_pipe(void *arg)
{
	const struct pipe_job *job = arg;

	io_write_full(job->fd, job->file->data, job->file->len);
	close(job->fd);
	return NULL;
}

static void test_reading_from_a_pipe(void **state)
{
	struct synthetic s = { .samples = 3000,
			       .samples_per_flush = 100,
			       .leaves = 2000,
			       .leaf_span = 400000,
			       .nodes = 3000,
			       .finish = 1,
			       .seed = 3 };
	struct profile_writer_stats stats;
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct profile p, q;
	struct error err = { 0 };
	pthread_t thread;
	int ends[2];

	(void)state;
	synthetic_record(&s, &file, &stats);
	/* Garbage between chunks and longer than one read, so that the buffer moves on. */
	bytes_reserve(&file, 400000);
	memset(file.data + file.len, 0xf0, 400000);
	file.len += 400000;
	assert_int_equal(pipe(ends), 0);
	struct pipe_job job = { ends[1], &file };
	assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &job), 0);
	profile_init(&p);
	assert_int_equal(profile_read_fd(&p, ends[0], "pipe", &report, &err), 0);
	pthread_join(thread, NULL);
	close(ends[0]);
	assert_int_equal(report.file_bytes, file.len);
	assert_int_equal(report.skipped_bytes, 400000);
	assert_int_equal(report.damaged_chunks, 1);
	read_profile(&file, &q, &report);
	assert_same_profile(&p, &q);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
}

static void test_reading_what_is_no_file(void **state)
{
	struct profile_read_report report;
	struct error err = { 0 };
	struct profile p;

	(void)state;
	profile_init(&p);
	assert_int_equal(profile_read_fd(&p, -1, "nothing", &report, &err), -1);
	assert_int_equal(err.errnum, EBADF);
	assert_non_null(strstr(err.text, "nothing"));
	profile_release(&p);
}

/* A full disk: what was written stays readable, the writer goes on and says the same error each
 * time. */
static void test_a_failing_sink(void **state)
{
	struct profile_sample sample = { .time_ns = 1, .node = PROFILE_NONE };
	int fd = sink_open();
	struct profile_writer *w = sink_writer(fd);
	struct bytes file = { 0 };
	struct profile_read_report report;
	struct profile p;

	(void)state;
	profile_writer_add_sample(w, &sample);
	assert_int_equal(profile_writer_flush(w, NULL), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	for (int i = 0; i < 3; i++) {
		struct error err = { 0 };
		profile_writer_add_sample(w, &sample);
		assert_int_equal(profile_writer_flush(w, &err), -1);
		assert_int_equal(err.errnum, EPERM);
		assert_non_null(strstr(err.text, "cannot write"));
	}
	struct error err = { 0 };
	assert_int_equal(profile_writer_begin_epoch(w, &err), -1);
	assert_int_equal(profile_writer_finish(w, &err), -1);
	profile_writer_free(w);
	sink_read(fd, &file);
	read_profile(&file, &p, &report);
	assert_int_equal(p.samples.len, 1);
	assert_false(report.complete);
	profile_release(&p);
	bytes_release(&file);
}

static void test_a_sink_that_fails_at_once(void **state)
{
	struct profile_writer_options options = { .fd = -1 };
	struct profile_writer *w;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(profile_writer_new(&w, &options, &err), -1);
	assert_null(w);
	assert_int_equal(err.errnum, EBADF);
}

int test_round_trip_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_profile),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_recording_in_flushes),
		cmocka_unit_test(test_stats_add_up),
		cmocka_unit_test(test_size_budget),
		cmocka_unit_test(test_reading_from_a_pipe),
		cmocka_unit_test(test_reading_what_is_no_file),
		cmocka_unit_test(test_a_failing_sink),
		cmocka_unit_test(test_a_sink_that_fails_at_once),
	};

	return cmocka_run_group_tests_name("round trips", tests, NULL, NULL);
}
