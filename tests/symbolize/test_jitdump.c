/* Records of jitdumps in both byte orders, and records that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "symbolize/jitdump.h"

static void u32(struct bytes *b, bool swapped, uint32_t v)
{
	bytes_u32(b, swapped ? __builtin_bswap32(v) : v);
}

static void u64(struct bytes *b, bool swapped, uint64_t v)
{
	bytes_u64(b, swapped ? __builtin_bswap64(v) : v);
}

static void put_header(struct bytes *b, bool swapped, uint64_t flags)
{
	u32(b, swapped, 0x4a695444);
	u32(b, swapped, 1);
	u32(b, swapped, 40);
	u32(b, swapped, 62);
	u32(b, swapped, 0);
	u32(b, swapped, 1234);
	u64(b, swapped, 5);
	u64(b, swapped, flags);
}

static void put_prefix(struct bytes *b, bool swapped, uint32_t kind, uint32_t size)
{
	u32(b, swapped, kind);
	u32(b, swapped, size);
	u64(b, swapped, 777);
}

static void put_load(struct bytes *b, bool swapped, const char *name, uint64_t size)
{
	size_t len = strlen(name) + 1;

	put_prefix(b, swapped, JITDUMP_LOAD, (uint32_t)(16 + 40 + len + 4));
	u32(b, swapped, 1);
	u32(b, swapped, 1);
	u64(b, swapped, 0x7000);
	u64(b, swapped, 0x7000);
	u64(b, swapped, size);
	u64(b, swapped, 9);
	bytes_append(b, name, len);
	bytes_append(b, "\x90\x90\x90\xc3", 4);
}

static void put_line(struct bytes *b, bool swapped, uint64_t address, uint32_t line,
		     const char *file)
{
	u64(b, swapped, address);
	u32(b, swapped, line);
	u32(b, swapped, 0);
	bytes_append(b, file, strlen(file) + 1);
}

static void check_order(bool swapped)
{
	struct bytes b = { 0 };
	struct jitdump_header h;
	struct jitdump_prefix p;
	struct jitdump_load load;
	struct jitdump_lines lines = { 0 };

	put_header(&b, swapped, 0);
	assert_true(jitdump_read_header(b.data, b.len, &h));
	assert_int_equal(h.size, 40);
	assert_int_equal(h.pid, 1234);
	assert_false(h.has_other_clock);
	bytes_clear(&b);
	put_load(&b, swapped, "f(x)", 4);
	assert_true(jitdump_read_prefix(&h, b.data, b.len, &p));
	assert_int_equal(p.kind, JITDUMP_LOAD);
	assert_int_equal(p.size, b.len);
	assert_int_equal(p.time_ns, 777);
	assert_true(jitdump_read_load(&h, b.data, b.len, &load));
	assert_string_equal(load.name, "f(x)");
	assert_int_equal(load.address, 0x7000);
	assert_int_equal(load.size, 4);
	assert_int_equal(load.code_offset, b.len - 4);
	bytes_clear(&b);
	put_prefix(&b, swapped, JITDUMP_DEBUG_INFO, 16 + 16 + 16 + 4 + 16 + 2);
	u64(&b, swapped, 0x7000);
	u64(&b, swapped, 2);
	put_line(&b, swapped, 0x7000, 10, "a.c");
	put_line(&b, swapped, 0x7002, 11, "\xff");
	assert_true(jitdump_read_lines(&h, b.data, b.len, &lines));
	assert_int_equal(lines.list.len, 2);
	assert_int_equal(lines.list.data[1].offset, 2);
	assert_int_equal(lines.list.data[1].line, 11);
	assert_string_equal(lines.list.data[1].file, "a.c");
	vec_release(&lines.list);
	bytes_release(&b);
}

static void test_both_byte_orders(void **state)
{
	(void)state;
	check_order(false);
	check_order(true);
}

static void test_headers(void **state)
{
	struct bytes b = { 0 };
	struct jitdump_header h;

	(void)state;
	put_header(&b, false, 1);
	assert_true(jitdump_read_header(b.data, b.len, &h));
	assert_true(h.has_other_clock);
	assert_false(jitdump_read_header(b.data, b.len - 1, &h));
	b.data[8] = 39; /* records would begin inside */
	assert_false(jitdump_read_header(b.data, b.len, &h));
	b.data[8] = 40;
	b.data[4] = 2; /* version */
	assert_false(jitdump_read_header(b.data, b.len, &h));
	b.data[4] = 1;
	b.data[0] = 'x';
	assert_false(jitdump_read_header(b.data, b.len, &h));
	bytes_release(&b);
}

static void test_records_that_lie(void **state)
{
	struct bytes b = { 0 };
	struct jitdump_header h = { .size = 40 };
	struct jitdump_prefix p;
	struct jitdump_load load;
	struct jitdump_lines lines = { 0 };

	(void)state;
	put_load(&b, false, "f", 5); /* more code than the record has */
	assert_false(jitdump_read_load(&h, b.data, b.len, &load));
	assert_false(jitdump_read_load(&h, b.data, 57, &load)); /* name without end */
	bytes_clear(&b);
	put_prefix(&b, false, JITDUMP_LOAD, 15);
	assert_false(jitdump_read_prefix(&h, b.data, b.len, &p));
	bytes_clear(&b);
	put_prefix(&b, false, JITDUMP_DEBUG_INFO, 16 + 16 + 16 + 4);
	u64(&b, false, 0x7000);
	u64(&b, false, UINT64_MAX / 17);
	put_line(&b, false, 0x7000, 10, "a.c");
	assert_false(jitdump_read_lines(&h, b.data, b.len, &lines));
	assert_int_equal(lines.list.len, 0);
	vec_release(&lines.list);
	bytes_release(&b);
}

/* What is before the code, or has no proper file, is no line. Entries that end before the record
 * does are none at all. */
static void test_lines(void **state)
{
	struct bytes b = { 0 };
	struct jitdump_header h = { .size = 40 };
	struct jitdump_lines lines = { 0 };

	(void)state;
	put_prefix(&b, false, JITDUMP_DEBUG_INFO, 16 + 16 + 4 * 16 + 2 + 4 + 4 + 4);
	u64(&b, false, 0x7000);
	u64(&b, false, 4);
	put_line(&b, false, 0x7000, 9, "\xff"); /* as the one before: none */
	put_line(&b, false, 0x6fff, 10, "a.c");
	put_line(&b, false, 0x7001, 11,
		 "a\x1b"
		 "c");
	put_line(&b, false, 0x7002, 12, "b.c");
	assert_true(jitdump_read_lines(&h, b.data, b.len, &lines));
	assert_int_equal(lines.list.len, 1);
	assert_int_equal(lines.list.data[0].line, 12);
	b.data[24] = 3;
	assert_false(jitdump_read_lines(&h, b.data, b.len, &lines));
	vec_release(&lines.list);
	bytes_release(&b);
}

static void test_other_records(void **state)
{
	struct bytes b = { 0 };
	struct jitdump_header h = { .size = 40 };
	struct jitdump_move move;
	struct jitdump_unwinding u;

	(void)state;
	put_prefix(&b, false, JITDUMP_MOVE, 16 + 48);
	bytes_u64(&b, 0);
	bytes_u64(&b, 0);
	bytes_u64(&b, 0x7000);
	bytes_u64(&b, 0x8000);
	bytes_u64(&b, 0x40);
	bytes_u64(&b, 9);
	assert_true(jitdump_read_move(&h, b.data, b.len, &move));
	assert_int_equal(move.from, 0x7000);
	assert_int_equal(move.to, 0x8000);
	assert_int_equal(move.size, 0x40);
	assert_false(jitdump_read_unwinding(&h, b.data, b.len, &u));
	bytes_clear(&b);
	put_prefix(&b, false, JITDUMP_UNWINDING_INFO, 16 + 24 + 8);
	bytes_u64(&b, 8);
	bytes_u64(&b, 3);
	bytes_u64(&b, 8);
	bytes_u64(&b, 0x1122334455667788);
	assert_true(jitdump_read_unwinding(&h, b.data, b.len, &u));
	assert_int_equal(u.len, 5);
	assert_int_equal(u.eh_frame[0], 0x88);
	b.data[24] = 9; /* a search table larger than all */
	assert_false(jitdump_read_unwinding(&h, b.data, b.len, &u));
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_byte_orders), cmocka_unit_test(test_headers),
		cmocka_unit_test(test_records_that_lie), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_other_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
