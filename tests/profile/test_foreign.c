/* Files of other versions: newer ones refused with both numbers, unknown parts passed over. */
#include <string.h>

#include "base/io.h"
#include "compare.h"
#include "groups.h"
#include "handmade.h"
#include "sample_profile.h"

static void test_newer_version(void **state)
{
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;

	(void)state;
	handmade_file_header(&file, 7);
	handmade_own_schema(&file, 1);
	profile_init(&p);
	assert_int_equal(profile_read_memory(&p, file.data, file.len, "new.data", &report, &err),
			 -1);
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "new.data"));
	assert_non_null(strstr(err.text, "version 7"));
	assert_non_null(strstr(err.text, "version 1"));
	profile_release(&p);
	bytes_release(&file);
}

/* Files of every released version stay readable: these are kept as they were written. */
static void test_files_of_earlier_versions(void **state)
{
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct profile p, q;

	(void)state;
	first_sample_profile(&p);
	assert_int_equal(
		io_read_file(PROF_TEST_DIR "/profile/data/version-1.data", &file, 1 << 20, NULL),
		0);
	read_profile(&file, &q, &report);
	assert_int_equal(report.version, 1);
	assert_same_profile(&p, &q);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
}

static void check_refused(const void *data, size_t len, enum error_code code, const char *why)
{
	struct profile_read_report report;
	struct error err = { 0 };
	struct profile p;

	profile_init(&p);
	assert_int_equal(profile_read_memory(&p, data, len, "some.file", &report, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, "some.file"));
	assert_non_null(strstr(err.text, why));
	profile_release(&p);
}

static void test_other_files_are_refused(void **state)
{
	struct bytes file = { 0 };

	(void)state;
	check_refused("", 0, ERROR_TRUNCATED, "empty");
	check_refused("PERFILE2 and more of it", 23, ERROR_FORMAT, "not a prof.data");
	check_refused("\x7f", 1, ERROR_FORMAT, "not a prof.data");
	check_refused(FILE_MAGIC, 5, ERROR_TRUNCATED, "cut after 5 bytes");
	handmade_file_header(&file, FORMAT_VERSION);
	check_refused(file.data, file.len, ERROR_TRUNCATED, "cut before");
	bytes_printf(&file, "%0300d", 0);
	check_refused(file.data, file.len, ERROR_FORMAT, "damaged");
	assert_true(profile_has_magic(file.data, file.len));
	assert_false(profile_has_magic(file.data, 7));
	assert_false(profile_has_magic("PERFILE2", 8));
	bytes_release(&file);
}

/* Chunks of a type nobody knows, between our own and around them. */
static void test_unknown_chunks(void **state)
{
	struct profile_read_report report;
	struct bytes file = { 0 }, mixed = { 0 }, body = { 0 };
	struct profile p, q;

	(void)state;
	sample_profile(&p);
	write_profile(&p, &file);
	handmade_file_header(&mixed, FORMAT_VERSION);
	bytes_printf(&body, "something new");
	handmade_chunk(&mixed, 77, 1, &body);
	/* Behind our schema chunk and of another epoch: that does not end ours. */
	size_t schema_len = CHUNK_HEADER_LEN + file.data[FILE_HEADER_LEN + 12] +
			    ((size_t)file.data[FILE_HEADER_LEN + 13] << 8);
	bytes_append(&mixed, file.data + FILE_HEADER_LEN, schema_len);
	bytes_printf(&body, "another");
	handmade_chunk(&mixed, 0, 9, &body);
	bytes_append(&mixed, file.data + FILE_HEADER_LEN + schema_len,
		     file.len - FILE_HEADER_LEN - schema_len);
	bytes_printf(&body, "a third");
	handmade_chunk(&mixed, UINT16_MAX, 1, &body);
	read_profile(&mixed, &q, &report);
	assert_int_equal(report.unknown_chunks, 3);
	assert_int_equal(report.epochs, 1);
	assert_int_equal(report.damaged_chunks, 0);
	assert_same_profile(&p, &q);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&file);
	bytes_release(&mixed);
	bytes_release(&body);
}

/* A later version: other numbers, a new table, new columns of known and unknown types, one of ours
 * gone. */
static void later_schema(struct bytes *file)
{
	struct bytes body = { 0 };

	bytes_varint(&body, 3);
	handmade_table(&body, 9, "strings", 1);
	handmade_column(&body, "text", COLUMN_BYTES);
	handmade_table(&body, 4, "spans", 2);
	handmade_column(&body, "trace", 42);
	handmade_column(&body, "label", COLUMN_STRING);
	handmade_table(&body, 7, "events", 5);
	handmade_column(&body, "colour", COLUMN_BYTES);
	handmade_column(&body, "period", COLUMN_UNSIGNED);
	handmade_column(&body, "weather", 42);
	handmade_column(&body, "name", COLUMN_STRING);
	handmade_column(&body, "frequency", COLUMN_BYTES); /* ours is a number */
	handmade_chunk(file, CHUNK_SCHEMA, 5, &body);
	bytes_release(&body);
}

static void later_rows(struct bytes *file)
{
	struct bytes body = { 0 };

	handmade_rows(&body, 9, 1, 2);
	handmade_texts(&body, 0, (const char *const[]){ "cycles", "faults" }, 2);
	handmade_chunk(file, CHUNK_ROWS, 5, &body);

	handmade_rows(&body, 4, 0, 2);
	handmade_values(&body, 0, (const uint64_t[]){ 5, 6 }, 2);
	handmade_chunk(file, CHUNK_ROWS, 5, &body);

	handmade_rows(&body, 7, 0, 2);
	handmade_texts(&body, 0, (const char *const[]){ "red", "blue" }, 2);
	handmade_values(&body, 1, (const uint64_t[]){ 100, 200 }, 2);
	bytes_varint(&body, 2);
	bytes_u8(&body, 99); /* an encoding nobody knows */
	handmade_name(&body, "xyz");
	handmade_values(&body, 3, (const uint64_t[]){ 2, 1 }, 2);
	handmade_texts(&body, 4, (const char *const[]){ "often", "" }, 2);
	handmade_chunk(file, CHUNK_ROWS, 5, &body);
	bytes_release(&body);
}

static void test_unknown_tables_and_columns(void **state)
{
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct profile p;

	(void)state;
	handmade_file_header(&file, FORMAT_VERSION);
	later_schema(&file);
	later_rows(&file);
	read_profile(&file, &p, &report);
	assert_int_equal(report.damaged_chunks + report.missing_rows, 0);
	assert_int_equal(p.events.len, 2);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "faults");
	assert_string_equal(profile_str(&p, p.events.data[1].name), "cycles");
	assert_int_equal(p.events.data[1].period, 200);
	assert_int_equal(p.events.data[1].frequency, 0);
	profile_release(&p);
	bytes_release(&file);
}

/* Enumerators of a later version read as unknown. */
static void test_unknown_enumerators(void **state)
{
	struct profile_sample sample = { .node = 1, .end = 200 };
	struct profile_module module = { .kind = 100, .identity = 100, .symbols = 100 };
	struct profile_event event = { .unit = 100 };
	struct profile_task task = { .space = PROFILE_NONE };
	struct profile_read_report report;
	struct bytes file = { 0 };
	struct profile p;

	(void)state;
	int fd = sink_open();
	struct profile_writer *w = sink_writer(fd);
	profile_writer_add_module(w, &module);
	profile_writer_add_event(w, &event);
	profile_writer_add_task(w, &task);
	profile_writer_add_node(w, PROFILE_NONE, 0, 1, FRAME_CFI);
	profile_writer_add_node(w, 0, 0, 1, 100);
	profile_writer_add_sample(w, &sample);
	profile_writer_finish(w, NULL);
	profile_writer_free(w);
	sink_read(fd, &file);
	read_profile(&file, &p, &report);
	assert_int_equal(p.samples.data[0].end, END_UNKNOWN);
	assert_int_equal(p.modules.data[0].kind, MODULE_UNKNOWN);
	assert_int_equal(p.modules.data[0].identity, IDENTITY_NONE);
	assert_int_equal(p.modules.data[0].symbols, SYMBOLS_NONE);
	assert_int_equal(p.events.data[0].unit, UNIT_COUNT);
	assert_int_equal(p.nodes.data[1].how, FRAME_UNKNOWN);
	profile_release(&p);
	bytes_release(&file);
}

int test_foreign_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newer_version),
		cmocka_unit_test(test_files_of_earlier_versions),
		cmocka_unit_test(test_other_files_are_refused),
		cmocka_unit_test(test_unknown_chunks),
		cmocka_unit_test(test_unknown_tables_and_columns),
		cmocka_unit_test(test_unknown_enumerators),
	};

	return cmocka_run_group_tests_name("other versions", tests, NULL, NULL);
}
