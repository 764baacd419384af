/* Cut and damaged files: what was flushed and is whole is read, and what is not is said. */
#include <string.h>

#include "compare.h"
#include "groups.h"
#include "profile/chunk.h"
#include "synthetic.h"

static const struct synthetic small = { .samples = 4000,
					.samples_per_flush = 200,
					.leaves = 300,
					.leaf_span = 50000,
					.nodes = 300,
					.flushes_per_epoch = 5,
					.names = 1,
					.finish = 1,
					.seed = 11 };

static void record(const struct synthetic *s, struct bytes *file)
{
	struct profile_writer_stats stats;

	synthetic_record(s, file, &stats);
}

/* Read what may be damaged: fails with a message, or gives a consistent profile. */
static int read_any(const void *data, size_t len, struct profile *p,
		    struct profile_read_report *report)
{
	struct error err = { 0 };
	int result = profile_read_memory(p, data, len, "test.data", report, &err);

	if (result < 0) {
		assert_int_not_equal(err.code, ERROR_NONE);
		assert_non_null(strstr(err.text, "test.data"));
	} else {
		assert_true(profile_is_consistent(p));
		assert_int_equal(p->node_location.len, p->nodes.len);
	}
	return result;
}

static void test_cut_at_every_fiftieth(void **state)
{
	struct bytes file = { 0 };
	size_t before = 0;

	(void)state;
	record(&small, &file);
	for (size_t i = 1; i < 50; i++) {
		struct profile p;
		struct profile_read_report report;
		size_t len = file.len * i / 50;
		profile_init(&p);
		assert_int_equal(read_any(file.data, len, &p, &report), 0);
		assert_false(report.complete);
		assert_int_equal(p.health.complete, 0);
		assert_int_equal(report.damaged_chunks + report.missing_rows, 0);
		/* No flush that is whole is missing: a chunk here is below a tenth of the file. */
		assert_true(p.samples.len >= before);
		assert_true(p.samples.len + 400 >= small.samples * i / 50);
		assert_int_equal(p.samples.len % small.samples_per_flush, 0);
		before = p.samples.len;
		profile_release(&p);
	}
	bytes_release(&file);
}

static void test_every_short_prefix(void **state)
{
	struct bytes file = { 0 };

	(void)state;
	record(&small, &file);
	for (size_t len = 0; len < 1500; len++) {
		struct profile p;
		struct profile_read_report report;
		profile_init(&p);
		int result = read_any(file.data, len, &p, &report);
		/* Up to the schema there is nothing; from there on it opens. */
		assert_int_equal(result, report.chunks ? 0 : -1);
		assert_int_equal(p.samples.len, 0);
		profile_release(&p);
	}
	bytes_release(&file);
}

static void check_flip(struct bytes *file, size_t at, uint8_t mask, const struct profile *whole)
{
	struct profile p;
	struct profile_read_report report;

	file->data[at] ^= mask;
	profile_init(&p);
	int result = read_any(file->data, file->len, &p, &report);
	file->data[at] ^= mask;
	if (result == 0) {
		assert_true(report.damaged_chunks >= 1);
		assert_true(p.samples.len <= whole->samples.len);
		/* 4 epochs of 1000 samples: at most one is lost. */
		assert_true(p.samples.len >= whole->samples.len - 1000);
	} else {
		assert_true(at < FILE_MAGIC_LEN);
	}
	profile_release(&p);
}

static void test_single_byte_flips(void **state)
{
	struct bytes file = { 0 };
	struct profile whole;
	struct profile_read_report report;

	(void)state;
	record(&small, &file);
	read_profile(&file, &whole, &report);
	for (size_t at = 0; at < file.len; at += at < 200 ? 1 : 61)
		check_flip(&file, at, (uint8_t)(1 << at % 8), &whole);
	profile_release(&whole);
	bytes_release(&file);
}

/* Offsets of the chunks of a type, in order. */
static size_t find_chunks(const struct bytes *file, uint16_t type, size_t *offsets, size_t max)
{
	size_t pos = FILE_HEADER_LEN, n = 0;

	while (pos + CHUNK_HEADER_LEN <= file->len && n < max) {
		struct bytes_reader r;
		reader_init(&r, file->data + pos, CHUNK_HEADER_LEN);
		assert_int_equal(reader_u32(&r), CHUNK_MARK);
		if (reader_u16(&r) == type)
			offsets[n++] = pos;
		reader_take(&r, 6);
		pos += CHUNK_HEADER_LEN + reader_u32(&r);
	}
	return n;
}

static void test_a_damaged_epoch_leaves_the_others_whole(void **state)
{
	struct bytes file = { 0 }, second = { 0 };
	struct profile p, q;
	struct profile_read_report report;
	size_t epochs[8];

	(void)state;
	struct synthetic two = small;
	two.flushes_per_epoch = 10;
	record(&two, &file);
	assert_int_equal(find_chunks(&file, CHUNK_SCHEMA, epochs, 8), 4); /* the first twice */
	/* The second epoch alone, after a header, is a valid file. */
	bytes_append(&second, file.data, FILE_HEADER_LEN);
	bytes_append(&second, file.data + epochs[2], file.len - epochs[2]);
	read_profile(&second, &p, &report);
	assert_int_equal(p.samples.len, 2000);
	assert_int_equal(report.missing_rows + report.damaged_chunks, 0);
	/* The first overwritten with noise that holds marks and pieces of headers. */
	for (size_t i = epochs[0]; i < epochs[2]; i++)
		file.data[i] = file.data[epochs[2] + (i * 7) % 1000];
	read_profile(&file, &q, &report);
	assert_true(report.damaged_chunks > 0);
	assert_true(report.skipped_bytes >= epochs[2] - epochs[0] - CHUNK_HEADER_LEN);
	assert_same_profile(&p, &q);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
	bytes_release(&second);
}

static void test_the_first_schema_may_be_lost(void **state)
{
	struct bytes file = { 0 };
	struct profile p;
	struct profile_read_report report;
	struct synthetic one = small;

	(void)state;
	one.flushes_per_epoch = 0;
	record(&one, &file);
	file.data[FILE_HEADER_LEN + CHUNK_HEADER_LEN + 50] ^= 1;
	read_profile(&file, &p, &report);
	assert_int_equal(report.damaged_chunks, 1);
	assert_int_equal(report.epochs, 1);
	assert_int_equal(report.missing_rows, 0);
	assert_int_equal(p.samples.len, one.samples);
	profile_release(&p);
	bytes_release(&file);
}

static void remove_bytes(struct bytes *file, size_t at, size_t n)
{
	memmove(file->data + at, file->data + at + n, file->len - at - n);
	file->len -= n;
}

static void test_bytes_lost_in_the_middle(void **state)
{
	struct bytes file = { 0 };
	struct profile p;
	struct profile_read_report report;

	(void)state;
	record(&small, &file);
	remove_bytes(&file, file.len / 2, 37);
	profile_init(&p);
	assert_int_equal(read_any(file.data, file.len, &p, &report), 0);
	assert_true(report.damaged_chunks > 0);
	assert_true(report.complete);
	assert_true(p.samples.len >= 3000);
	profile_release(&p);
	bytes_release(&file);
}

/* The trie's first chunk lost: samples stay, their stacks end in [unknown] and are not called
 * whole. */
static void test_missing_nodes_read_as_unknown(void **state)
{
	struct bytes file = { 0 };
	struct profile p;
	struct profile_read_report report;
	struct synthetic one = small;
	size_t rows[32];

	(void)state;
	one.flushes_per_epoch = 0;
	one.names = 0;
	record(&one, &file);
	/* strings, events, modules, spaces, tasks, mappings, nodes */
	assert_true(find_chunks(&file, CHUNK_ROWS, rows, 32) > 20);
	file.data[rows[6] + CHUNK_HEADER_LEN + 9] ^= 4;
	profile_init(&p);
	assert_int_equal(read_any(file.data, file.len, &p, &report), 0);
	assert_int_equal(report.damaged_chunks, 1);
	assert_true(report.missing_rows > 100);
	assert_int_equal(p.samples.len, one.samples);
	size_t broken = 0;
	for (size_t i = 0; i < p.samples.len; i++) {
		uint32_t root = p.samples.data[i].node;
		while (p.nodes.data[root].parent != PROFILE_NONE)
			root = p.nodes.data[root].parent;
		const struct profile_module *m = &p.modules.data[p.nodes.data[root].module];
		broken += m->kind == MODULE_UNKNOWN;
		if (m->kind == MODULE_UNKNOWN)
			assert_int_equal(p.samples.data[i].end, END_UNKNOWN);
	}
	assert_true(broken > 100);
	profile_release(&p);
	bytes_release(&file);
}

static void test_lost_samples_are_counted(void **state)
{
	struct bytes file = { 0 };
	struct profile p;
	struct profile_read_report report;
	struct synthetic one = small;
	size_t rows[64];

	(void)state;
	one.flushes_per_epoch = 0;
	one.names = 0;
	one.counted = 1;
	record(&one, &file);
	size_t n = find_chunks(&file, CHUNK_ROWS, rows, 64);
	size_t largest = 0, at = 0;
	for (size_t i = 1; i + 6 < n; i++) {
		if (rows[i + 1] - rows[i] > largest) {
			largest = rows[i + 1] - rows[i];
			at = rows[i];
		}
	}
	file.data[at + largest / 2] ^= 0x80; /* a flush's samples: the largest chunk */
	profile_init(&p);
	assert_int_equal(read_any(file.data, file.len, &p, &report), 0);
	assert_int_equal(report.lost_samples, 200);
	assert_int_equal(p.samples.len, one.samples - 200);
	assert_int_equal(p.counts.len, p.samples.len); /* those of lost samples are of no use */
	for (size_t i = 0; i < p.counts.len; i++)
		assert_int_equal(p.counts.data[i].value,
				 p.samples.data[p.counts.data[i].sample].time_ns);
	profile_release(&p);
	bytes_release(&file);
}

/* All tables of the epoch lost but its samples: every reference reads as unknown. */
static void test_samples_alone(void **state)
{
	struct bytes file = { 0 };
	struct profile p;
	struct profile_read_report report;
	struct synthetic one = small;
	size_t rows[32];

	(void)state;
	one.samples = one.samples_per_flush = 50;
	one.flushes_per_epoch = 0;
	one.names = 0;
	record(&one, &file);
	size_t n = find_chunks(&file, CHUNK_ROWS, rows, 32);
	assert_int_equal(n, 10); /* …, nodes, samples, clocks, health */
	for (size_t i = 0; i < 7; i++)
		file.data[rows[i] + CHUNK_HEADER_LEN] ^= 1;
	profile_init(&p);
	assert_int_equal(read_any(file.data, file.len, &p, &report), 0);
	assert_int_equal(p.samples.len, 50);
	assert_int_equal(p.tasks.len, 1);
	assert_int_equal(p.events.len, 1);
	assert_int_equal(p.modules.len, 1);
	assert_int_equal(p.nodes.len, 1);
	assert_string_equal(profile_str(&p, p.tasks.data[0].comm), "[unknown]");
	assert_int_equal(report.missing_rows, 4 * 50);
	profile_release(&p);
	bytes_release(&file);
}

int test_damage_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_every_fiftieth),
		cmocka_unit_test(test_every_short_prefix),
		cmocka_unit_test(test_single_byte_flips),
		cmocka_unit_test(test_a_damaged_epoch_leaves_the_others_whole),
		cmocka_unit_test(test_the_first_schema_may_be_lost),
		cmocka_unit_test(test_bytes_lost_in_the_middle),
		cmocka_unit_test(test_missing_nodes_read_as_unknown),
		cmocka_unit_test(test_lost_samples_are_counted),
		cmocka_unit_test(test_samples_alone),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
