/* Small files made to become large, and rows made to mislead: bounded memory, counted damage. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compress.h"
#include "compare.h"
#include "groups.h"
#include "handmade.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define LIMIT_KB 200000

/* Read in a child: its peak memory is that of the reading. Returns whether a bound was reached. */
static int read_in_child(const struct bytes *file)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct profile_read_report report;
		struct profile p;
		profile_init(&p);
		int result = profile_read_memory(&p, file->data, file->len, "x", &report, NULL);
		_exit(result < 0 || !profile_is_consistent(&p) ? 99 : report.limited);
	}
	assert_true(pid > 0);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 99);
	if (!SANITIZED)
		assert_in_range(usage.ru_maxrss, 0, LIMIT_KB);
	return WEXITSTATUS(status);
}

static void start_file(struct bytes *file)
{
	handmade_file_header(file, FORMAT_VERSION);
	handmade_own_schema(file, 1);
}

/* Samples that are all alike take next to nothing in the file. */
static void test_bomb_of_rows(void **state)
{
	struct bytes file = { 0 }, body = { 0 };

	(void)state;
	start_file(&file);
	for (uint32_t i = 0; i < 2000; i++) {
		handmade_rows(&body, TABLE_SAMPLES, i * CHUNK_ROWS_MAX, CHUNK_ROWS_MAX);
		handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	}
	assert_true(file.len < 100000);
	assert_int_equal(read_in_child(&file), 1);
	bytes_release(&file);
	bytes_release(&body);
}

static void test_bomb_of_nodes(void **state)
{
	static uint64_t values[CHUNK_ROWS_MAX];
	struct bytes file = { 0 }, body = { 0 };

	(void)state;
	start_file(&file);
	for (uint32_t i = 0; i < 300; i++) {
		for (uint32_t k = 0; k < CHUNK_ROWS_MAX; k++)
			values[k] = (uint64_t)i << 32 | k;
		handmade_rows(&body, TABLE_NODES, i * CHUNK_ROWS_MAX, CHUNK_ROWS_MAX);
		handmade_values(&body, 2, values, CHUNK_ROWS_MAX);
		handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	}
	assert_int_equal(read_in_child(&file), 1);
	bytes_release(&file);
	bytes_release(&body);
}

/* A chunk that inflates to the most a chunk may hold: one string, its last byte as given. */
static void append_long_string(struct bytes *file, uint32_t id, uint8_t last)
{
	uint64_t length = CHUNK_BODY_MAX - 64;
	struct bytes body = { 0 };

	handmade_rows(&body, TABLE_STRINGS, id, 1);
	bytes_varint(&body, 0);
	bytes_u8(&body, ENCODING_BYTES);
	bytes_varint(&body, length + 5);
	pack_integers(&body, &length, 1);
	bytes_reserve(&body, length);
	memset(body.data + body.len, 'x', length);
	body.len += length;
	body.data[body.len - 1] = last;
	chunk_encode(file, CHUNK_ROWS, 1, &body, 6);
	bytes_release(&body);
}

static void test_bomb_of_bytes(void **state)
{
	struct bytes file = { 0 };

	(void)state;
	start_file(&file);
	for (uint32_t i = 0; i < 20; i++)
		append_long_string(&file, i + 1, (uint8_t)i);
	assert_true(file.len < 1000000);
	assert_int_equal(read_in_child(&file), 1);
	bytes_release(&file);
}

/* Nothing but inflating: chunks of a table nobody knows. */
static void test_bomb_of_time(void **state)
{
	struct bytes file = { 0 }, body = { 0 };

	(void)state;
	start_file(&file);
	bytes_reserve(&body, CHUNK_BODY_MAX);
	memset(body.data, 0, CHUNK_BODY_MAX);
	body.len = CHUNK_BODY_MAX;
	size_t before = file.len;
	chunk_encode(&file, CHUNK_ROWS, 1, &body, 6);
	size_t chunk_len = file.len - before;
	for (int i = 0; i < 60; i++) {
		bytes_reserve(&file, chunk_len);
		bytes_append(&file, file.data + before, chunk_len);
	}
	bytes_release(&body);
	/* 1.9 MB allow 350 MB, which is 11 of the 61. */
	assert_int_equal(read_in_child(&file), 1);
	bytes_release(&file);
}

static void check_damaged(struct bytes *file, struct bytes *body)
{
	struct profile_read_report report;
	struct profile p;
	size_t len = file->len;

	handmade_chunk(file, CHUNK_ROWS, 1, body);
	read_profile(file, &p, &report);
	assert_int_equal(report.damaged_chunks, 1);
	assert_int_equal(p.samples.len + p.nodes.len + p.events.len, 0);
	profile_release(&p);
	file->len = len;
}

static void test_misleading_rows_are_damage(void **state)
{
	static const uint64_t two[] = { 1, 2 };
	struct bytes file = { 0 }, body = { 0 };

	(void)state;
	start_file(&file);
	handmade_rows(&body, TABLE_SAMPLES, 0, CHUNK_ROWS_MAX + 1);
	check_damaged(&file, &body);
	handmade_rows(&body, 63, 0, 2); /* no such table */
	check_damaged(&file, &body);
	handmade_rows(&body, 64, 0, 2);
	check_damaged(&file, &body);
	handmade_rows(&body, TABLE_EVENTS, 0, 2);
	handmade_values(&body, 1, two, 2);
	handmade_values(&body, 1, two, 2); /* twice */
	check_damaged(&file, &body);
	handmade_rows(&body, TABLE_EVENTS, 0, 2);
	handmade_values(&body, 40, two, 2); /* no such column */
	check_damaged(&file, &body);
	handmade_rows(&body, TABLE_EVENTS, 0, 3);
	handmade_values(&body, 1, two, 2); /* a value too few */
	check_damaged(&file, &body);
	handmade_rows(&body, TABLE_NODES, UINT32_MAX, 2); /* ids beyond 32 bits */
	check_damaged(&file, &body);
	bytes_printf(&body, "noise");
	check_damaged(&file, &body);
	bytes_release(&file);
	bytes_release(&body);
}

/* A parent must come before its children: a later one, or the node itself, reads as unknown. */
static void test_a_trie_cannot_loop(void **state)
{
	static const uint64_t parents[] = { 2, 1, 0 }; /* + 1: of node 0 node 1, of node 1 node 0 */
	static const uint64_t addresses[] = { 10, 20, 30 };
	struct profile_read_report report;
	struct bytes file = { 0 }, body = { 0 };
	struct profile p;

	(void)state;
	start_file(&file);
	handmade_rows(&body, TABLE_NODES, 0, 3);
	handmade_values(&body, 0, parents, 3);
	handmade_values(&body, 2, addresses, 3);
	handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	read_profile(&file, &p, &report);
	assert_int_equal(report.missing_rows, 1);
	assert_int_equal(p.nodes.len, 4); /* with the unknown root */
	profile_release(&p);
	bytes_release(&file);
	bytes_release(&body);
}

/* Walking every sample's stack must not take time with the square of the file's size. */
static void test_depth_is_bounded(void **state)
{
	enum { CHAIN = 2 * PROFILE_DEPTH_MAX - 1 };

	static uint64_t parents[CHAIN];
	static const uint64_t node[] = { CHAIN, 100 };
	static const uint64_t whole[] = { END_ROOT, END_ROOT };
	struct profile_read_report report;
	struct bytes file = { 0 }, body = { 0 };
	struct profile p;
	size_t depth = 0;

	(void)state;
	for (uint64_t i = 0; i < CHAIN; i++)
		parents[i] = i;
	start_file(&file);
	handmade_rows(&body, TABLE_NODES, 0, CHAIN);
	handmade_values(&body, 0, parents, CHAIN);
	handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	handmade_rows(&body, TABLE_SAMPLES, 0, 2);
	handmade_values(&body, 4, node, 2);
	handmade_values(&body, 8, whole, 2);
	handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	read_profile(&file, &p, &report);
	for (uint32_t n = p.samples.data[0].node; n != PROFILE_NONE; n = p.nodes.data[n].parent)
		depth++;
	assert_int_equal(depth, PROFILE_DEPTH_MAX); /* the second half, below the unknown root */
	assert_int_equal(p.samples.data[0].end, END_UNKNOWN);
	assert_int_equal(p.samples.data[1].end, END_ROOT);
	profile_release(&p);
	bytes_release(&file);
	bytes_release(&body);
}

static void test_ids_far_away(void **state)
{
	static const uint64_t one[] = { 5 };
	struct bytes file = { 0 }, body = { 0 };

	(void)state;
	start_file(&file);
	handmade_rows(&body, TABLE_FRAMES, UINT32_MAX - 1, 1);
	handmade_values(&body, 2, one, 1);
	handmade_chunk(&file, CHUNK_ROWS, 1, &body);
	assert_int_equal(read_in_child(&file), 1);
	bytes_release(&file);
	bytes_release(&body);
}

static void check_body(const struct bytes *body, uint16_t flags, uint32_t inflated_len)
{
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct profile p;

	start_file(&file);
	handmade_raw_chunk(&file, CHUNK_ROWS, flags, 1, body, inflated_len);
	read_profile(&file, &p, &report);
	assert_int_equal(report.damaged_chunks, 1);
	profile_release(&p);
	bytes_release(&file);
}

static void test_lengths_must_agree(void **state)
{
	struct bytes body = { 0 }, packed = { 0 };

	(void)state;
	handmade_rows(&body, TABLE_EVENTS, 0, 0);
	zlib_deflate(&packed, body.data, body.len, 6);
	check_body(&body, 0, 5);
	check_body(&body, CHUNK_ZLIB, 4);
	check_body(&packed, CHUNK_ZLIB, 5);
	check_body(&packed, CHUNK_ZLIB, 3);
	check_body(&packed, CHUNK_ZLIB, UINT32_MAX);
	bytes_release(&body);
	bytes_release(&packed);
}

int test_limits_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bomb_of_rows),
		cmocka_unit_test(test_bomb_of_nodes),
		cmocka_unit_test(test_bomb_of_bytes),
		cmocka_unit_test(test_bomb_of_time),
		cmocka_unit_test(test_misleading_rows_are_damage),
		cmocka_unit_test(test_a_trie_cannot_loop),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_ids_far_away),
		cmocka_unit_test(test_lengths_must_agree),
	};

	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
