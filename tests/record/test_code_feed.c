/* Files of generated code that grow, shrink, are replaced and lie, and the times of what they say.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "record/code_feed.h"

#define SECOND	    UINT64_C(1000000000)
#define REAL_OFFSET (1000 * SECOND) /* wall clock minus the recording's, in these tests */

static int new_file(void)
{
	int fd = memfd_create("feed", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Append, as if at this time. */
static void put(int fd, const void *data, size_t len, uint64_t time_ns)
{
	uint64_t at = time_ns + REAL_OFFSET;
	struct timespec t = { (time_t)(at / SECOND), (long)(at % SECOND) };
	struct timespec times[2] = { t, t };

	assert_int_equal(lseek(fd, 0, SEEK_END) >= 0, 1);
	assert_int_equal(io_write_full(fd, data, len), 0);
	assert_int_equal(futimens(fd, times), 0);
}

static void put_text(int fd, const char *text, uint64_t time_ns)
{
	put(fd, text, strlen(text), time_ns);
}

static bool look(struct code_feed *f, uint64_t now_ns, bool is_last)
{
	struct code_look l = { now_ns, now_ns + REAL_OFFSET, 64u << 20, 16u << 20, is_last };

	return code_feed_look(f, &l);
}

/* The next event is done with. */
static void drop(struct code_feed *f, struct code_entry *entry)
{
	code_feed_pop(f);
	code_entry_free(entry);
}

static void expect(struct code_feed *f, const char *name, uint64_t time_ns)
{
	const struct code_event *e = code_feed_peek(f, UINT64_MAX);

	assert_non_null(e);
	assert_string_equal(e->entry->name, name);
	assert_int_equal(e->time_ns, time_ns);
	drop(f, e->entry);
}

static void expect_no_more(struct code_feed *f)
{
	assert_null(code_feed_peek(f, UINT64_MAX));
	assert_int_equal(f->events_bytes, 0);
}

static void test_times_of_lines(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	code_feed_init(&f, CODE_FEED_MAP, 0);
	code_feed_open(&f, fd);
	put_text(fd, "1000 10 before\n", SECOND);
	look(&f, 2 * SECOND, false);
	expect(&f, "before", 0);
	put_text(fd, "1000 10 a\n2000 10 b\n", 5 * SECOND);
	look(&f, 6 * SECOND, false);
	assert_null(code_feed_peek(&f, 3 * SECOND)); /* not yet */
	expect(&f, "a", 2 * SECOND + 3 * SECOND / 2);
	expect(&f, "b", 5 * SECOND);
	put_text(fd, "3000 10 no line", 7 * SECOND);
	look(&f, 8 * SECOND, false);
	expect_no_more(&f);
	put_text(fd, " yet\n", 9 * SECOND);
	look(&f, 10 * SECOND, false);
	expect(&f, "no line yet", 9 * SECOND);
	/* A clock that was set back, or a coarse one: never before the look that did not see it. */
	put_text(fd, "4000 10 c\n", 1 * SECOND);
	look(&f, 11 * SECOND, false);
	expect(&f, "c", 10 * SECOND);
	put_text(fd, "5000 10 last", 12 * SECOND);
	look(&f, 13 * SECOND, true);
	expect(&f, "last", 12 * SECOND);
	expect_no_more(&f);
	code_feed_release(&f);
}

/* What a process wrote before the first look, since it was seen to begin. */
static void test_since_the_beginning(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	code_feed_init(&f, CODE_FEED_MAP, 2 * SECOND);
	put_text(fd, "1000 10 a\n1000 10 b\n", 4 * SECOND);
	code_feed_open(&f, fd);
	look(&f, 9 * SECOND, false);
	expect(&f, "a", 3 * SECOND);
	expect(&f, "b", 4 * SECOND);
	code_feed_release(&f);
}

static void test_shrinks_and_is_replaced(void **state)
{
	struct code_feed f;
	int fd = new_file(), other = new_file();

	(void)state;
	code_feed_init(&f, CODE_FEED_MAP, 0);
	code_feed_open(&f, fd);
	put_text(fd, "1000 10 a\n2000 10 cut of", SECOND);
	look(&f, 2 * SECOND, false);
	expect(&f, "a", 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	put_text(fd, "3000 10 c\n", 3 * SECOND);
	look(&f, 4 * SECOND, false);
	expect(&f, "c", 3 * SECOND);
	put_text(other, "4000 10 d\n", 5 * SECOND);
	code_feed_open(&f, other);
	look(&f, 6 * SECOND, false);
	expect(&f, "d", 5 * SECOND);
	assert_int_equal(ftruncate(other, 0), 0);
	assert_false(look(&f, 7 * SECOND, true));
	expect_no_more(&f);
	code_feed_release(&f);
}

/* Of very much text the end is read; a line that begins before it is not taken for one. */
static void test_too_much_text(void **state)
{
	struct code_feed f;
	int fd = new_file();
	size_t count = (65u << 20) / 64;
	char *text = malloc(count * 64 + 1);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * 64,
		       "1000 10 dddddddddddddddddddddddddddddddddddddddd 2000 10 wrong!\n", 64);
	put(fd, text, count * 64, SECOND);
	put_text(fd, "3000 10 last\n", SECOND);
	free(text);
	code_feed_init(&f, CODE_FEED_MAP, 0);
	code_feed_open(&f, fd);
	bool more = look(&f, 2 * SECOND, false);
	assert_true(f.left_out);
	assert_true(more); /* the queue is full */
	assert_true(f.events_bytes < (18u << 20));
	const char *last = NULL;
	do {
		const struct code_event *e;
		while ((e = code_feed_peek(&f, UINT64_MAX))) {
			assert_int_not_equal(e->entry->start, 0x2000);
			last = e->entry->start == 0x3000 ? "last" : NULL;
			drop(&f, e->entry);
		}
		more = f.position < f.size;
		look(&f, 2 * SECOND, false);
	} while (more);
	assert_non_null(last);
	code_feed_release(&f);
}

static void put_header(int fd, uint64_t flags)
{
	struct bytes b = { 0 };

	bytes_u32(&b, 0x4a695444);
	bytes_u32(&b, 1);
	bytes_u32(&b, 40);
	bytes_u32(&b, 62);
	bytes_u32(&b, 0);
	bytes_u32(&b, 1);
	bytes_u64(&b, 0);
	bytes_u64(&b, flags);
	put(fd, b.data, b.len, SECOND);
	bytes_release(&b);
}

/* claimed: the record's size, 0 the true one. */
static void put_load(int fd, const char *name, uint64_t record_ns, uint64_t file_ns,
		     uint32_t claimed)
{
	struct bytes b = { 0 };
	size_t len = strlen(name) + 1;

	bytes_u32(&b, JITDUMP_LOAD);
	bytes_u32(&b, claimed ? claimed : (uint32_t)(56 + len + 8));
	bytes_u64(&b, record_ns);
	bytes_u64(&b, 0);
	bytes_u64(&b, 0x7000);
	bytes_u64(&b, 0x7000);
	bytes_u64(&b, 8);
	bytes_u64(&b, 1);
	bytes_append(&b, name, len);
	bytes_append(&b, "codecode", 8);
	put(fd, b.data, b.len, file_ns);
	bytes_release(&b);
}

static void test_times_of_records(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	put_header(fd, 0);
	put_load(fd, "a", 3 * SECOND, 4 * SECOND, 0);
	put_load(fd, "earlier", 2 * SECOND, 4 * SECOND, 0);
	put_load(fd, "in the future", 99 * SECOND, 4 * SECOND, 0);
	code_feed_init(&f, CODE_FEED_DUMP, SECOND);
	code_feed_open(&f, fd);
	look(&f, 5 * SECOND, false);
	assert_int_equal(code_feed_peek(&f, UINT64_MAX)->entry->code_offset, 40 + 56 + 2);
	expect(&f, "a", 3 * SECOND);
	expect(&f, "earlier", 3 * SECOND); /* in the order they were written */
	expect(&f, "in the future", 5 * SECOND);
	expect_no_more(&f);
	code_feed_release(&f);
}

static void put_unwinding(int fd, size_t cfi, size_t table)
{
	struct bytes b = { 0 };

	bytes_u32(&b, JITDUMP_UNWINDING_INFO);
	bytes_u32(&b, (uint32_t)(16 + 24 + cfi + table));
	bytes_u64(&b, SECOND);
	bytes_u64(&b, cfi + table);
	bytes_u64(&b, table);
	bytes_u64(&b, 0);
	for (size_t i = 0; i < cfi + table; i++)
		bytes_u8(&b, i < cfi ? (uint8_t)(i + 1) : 0xff);
	put(fd, b.data, b.len, SECOND);
	bytes_release(&b);
}

static void expect_cfi(struct code_feed *f, size_t len)
{
	const struct code_event *e = code_feed_peek(f, UINT64_MAX);

	assert_non_null(e);
	assert_int_equal(e->entry->cfi_len, len);
	assert_int_equal(e->entry->cfi != NULL, len != 0);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(e->entry->cfi[i], (uint8_t)(i + 1));
	drop(f, e->entry);
}

/* It is of the code that follows and of no other, and not without end. */
static void test_unwinding_information(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	put_header(fd, 0);
	put_load(fd, "before", SECOND, SECOND, 0);
	put_unwinding(fd, 24, 12);
	put_load(fd, "described", SECOND, SECOND, 0);
	put_load(fd, "after", SECOND, SECOND, 0);
	put_unwinding(fd, CODE_CFI_MAX, 0);
	put_load(fd, "long", SECOND, SECOND, 0);
	put_unwinding(fd, 24, 12);
	put_unwinding(fd, CODE_CFI_MAX + 1, 0);
	put_load(fd, "too long", SECOND, SECOND, 0);
	code_feed_init(&f, CODE_FEED_DUMP, SECOND);
	code_feed_open(&f, fd);
	look(&f, 5 * SECOND, false);
	expect_cfi(&f, 0);
	expect_cfi(&f, 24);
	expect_cfi(&f, 0);
	expect_cfi(&f, CODE_CFI_MAX);
	expect_cfi(&f, 0);
	code_feed_release(&f);
}

/* A processor's counter says nothing: then the file's changes do. */
static void test_other_clock(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	put_header(fd, 1);
	code_feed_init(&f, CODE_FEED_DUMP, SECOND);
	code_feed_open(&f, fd);
	look(&f, 2 * SECOND, false);
	put_load(fd, "a", 123, 4 * SECOND, 0);
	look(&f, 5 * SECOND, false);
	expect(&f, "a", 4 * SECOND);
	code_feed_release(&f);
}

static void test_unfinished_and_forged_records(void **state)
{
	struct code_feed f;
	int fd = new_file();

	(void)state;
	code_feed_init(&f, CODE_FEED_DUMP, SECOND);
	code_feed_open(&f, fd);
	look(&f, SECOND, false); /* nothing yet, not even a header */
	put_header(fd, 0);
	put_load(fd, "a", SECOND, SECOND, 0);
	put(fd, "\0\0\0\0", 4, SECOND);
	assert_false(look(&f, 2 * SECOND, false));
	expect(&f, "a", SECOND);
	assert_false(f.is_damaged);
	/* The rest of a prefix whose size cannot be: nothing after it can be found. */
	put(fd, "\x0f\0\0\0\0\0\0\0\0\0\0\0", 12, SECOND);
	put_load(fd, "b", SECOND, SECOND, 0);
	assert_false(look(&f, 2 * SECOND, false));
	assert_true(f.is_damaged);
	expect_no_more(&f);
	/* Written anew from the start it is read again. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	put_header(fd, 0);
	put_load(fd, "huge", SECOND, SECOND, 0xfffffff0);
	assert_false(look(&f, 3 * SECOND, true));
	expect_no_more(&f);
	code_feed_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_of_lines),
		cmocka_unit_test(test_since_the_beginning),
		cmocka_unit_test(test_shrinks_and_is_replaced),
		cmocka_unit_test(test_too_much_text),
		cmocka_unit_test(test_unwinding_information),
		cmocka_unit_test(test_times_of_records),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_unfinished_and_forged_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
