/* Go's function table in all its formats, made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "elf/go_table.h"
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 0x401000ull

/* Depths of f: 0 for one byte, 24 for the next 15, 0 for 4; of g: 0 for 16 bytes. */
static const char f_depths[] = "\x02\x01\x30\x0f\x2f\x04";
static const char g_depths[] = "\x02\x10";

struct format {
	uint32_t magic;
	unsigned header_words; /* behind the first eight bytes */
	unsigned text_word;    /* 0: offsets are addresses */
	unsigned parts_word; /* names, two more, numbers, functions; 0: all count from the start */
	unsigned entry_size;
	unsigned flags_offset;
};

static const struct format formats[] = {
	{ 0xfffffffb, 1, 0, 0, 8, 0 },
	{ 0xfffffffa, 7, 0, 2, 8, 41 },
	{ 0xfffffff0, 8, 2, 3, 4, 37 },
	{ 0xfffffff1, 8, 2, 3, 4, 41 },
};

static void put_number(struct bytes *b, unsigned size, uint64_t value)
{
	if (size == 8)
		bytes_u64(b, value);
	else
		bytes_u32(b, (uint32_t)value);
}

static void patch(struct bytes *b, size_t at, unsigned size, uint64_t value)
{
	memcpy(b->data + at, &value, size);
}

static size_t put_record(struct bytes *b, const struct format *f, uint64_t entry, uint64_t name,
			 uint64_t depths, uint8_t flags)
{
	size_t at = b->len;
	put_number(b, f->entry_size, entry);
	bytes_u32(b, (uint32_t)name);
	bytes_u64(b, 0);
	bytes_u32(b, (uint32_t)depths);
	while (b->len - at < 44)
		bytes_u8(b, 0);
	if (f->flags_offset)
		b->data[at + f->flags_offset] = flags;
	return at;
}

static void make_table(struct bytes *b, const struct format *f)
{
	uint64_t base = f->text_word ? 0 : TEXT;
	bytes_u32(b, f->magic);
	bytes_append(b, "\0\0\1\x08", 4);
	for (unsigned i = 0; i < f->header_words; i++)
		bytes_u64(b, i == 0 ? 2 : i == f->text_word && f->text_word ? TEXT : 0);
	size_t functions = b->len;
	for (unsigned i = 0; i < 5; i++)
		put_number(b, f->entry_size, 0);
	size_t names = b->len;
	bytes_append(b, "main.f\0runtime.goexit", 22);
	size_t numbers = b->len;
	bytes_u8(b, 0);
	bytes_append(b, f_depths, sizeof(f_depths));
	size_t second = b->len;
	bytes_append(b, g_depths, sizeof(g_depths));
	size_t from =
		f->parts_word ? 0 : 1; /* without parts, offsets count from the table's start */
	size_t records = from ? 0 : functions;
	size_t r1 = put_record(b, f, base, from ? names : 0, from ? numbers + 1 : 1, 2);
	size_t r2 = put_record(b, f, base + 32, (from ? names : 0) + 7,
			       from ? second : second - numbers, 1);
	size_t row = 2 * f->entry_size;
	patch(b, functions, f->entry_size, base);
	patch(b, functions + f->entry_size, f->entry_size, r1 - records);
	patch(b, functions + row, f->entry_size, base + 32);
	patch(b, functions + row + f->entry_size, f->entry_size, r2 - records);
	patch(b, functions + 2 * row, f->entry_size, base + 48);
	if (f->parts_word) {
		patch(b, 8 + 8 * f->parts_word, 8, names);
		patch(b, 8 + 8 * (f->parts_word + 3), 8, numbers);
		patch(b, 8 + 8 * (f->parts_word + 4), 8, functions);
	}
	bytes_u64(b, 0);
}

static void expect_depth(const struct go_table *t, uint64_t vaddr, int32_t depth)
{
	struct go_function f;
	int32_t got = -1;
	assert_true(go_table_find(t, vaddr, &f));
	assert_int_equal(go_table_depth(t, &f, vaddr, &got), depth >= 0);
	if (depth >= 0)
		assert_int_equal(got, depth);
}

static void check_format(const struct format *format)
{
	struct bytes b = { 0 };
	struct go_table t;
	struct go_function f;
	make_table(&b, format);
	assert_true(go_table_open(&t, b.data, b.len, 0));
	assert_true(go_table_find(&t, TEXT + 5, &f));
	assert_int_equal(f.start, TEXT);
	assert_int_equal(f.end, TEXT + 32);
	assert_string_equal(f.name, "main.f");
	assert_int_equal(f.flags, format->flags_offset ? GO_WRITES_SP : 0);
	assert_true(go_table_find(&t, TEXT + 47, &f));
	assert_string_equal(f.name, "runtime.goexit");
	assert_int_equal(f.flags, format->flags_offset ? GO_TOP_FRAME : 0);
	assert_false(go_table_find(&t, TEXT + 48, &f));
	assert_false(go_table_find(&t, TEXT - 1, &f));
	expect_depth(&t, TEXT, 0);
	expect_depth(&t, TEXT + 1, 24);
	expect_depth(&t, TEXT + 15, 24);
	expect_depth(&t, TEXT + 16, 0);
	expect_depth(&t, TEXT + 20, -1); /* the table of depths has ended */
	expect_depth(&t, TEXT + 40, 0);
	for (size_t len = 0; len < b.len; len++) { /* cut anywhere: nothing is read beyond */
		uint8_t *copy = malloc(len ? len : 1);
		int32_t depth;
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		if (go_table_open(&t, copy, len, 0) && go_table_find(&t, TEXT + 5, &f))
			go_table_depth(&t, &f, TEXT + 5, &depth);
		free(copy);
	}
	bytes_release(&b);
}

static void all_formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		check_format(&formats[i]);
}

/* What the loader puts in is taken from the text section. */
static void text_from_elsewhere(void **state)
{
	struct bytes b = { 0 };
	struct go_table t;
	struct go_function f;
	(void)state;
	make_table(&b, &formats[3]);
	patch(&b, 8 + 16, 8, 0);
	assert_true(go_table_open(&t, b.data, b.len, 0x7000));
	assert_true(go_table_find(&t, 0x7020, &f));
	assert_string_equal(f.name, "runtime.goexit");
	bytes_release(&b);
}

static void unknown_formats(void **state)
{
	struct bytes b = { 0 };
	struct go_table t;
	(void)state;
	make_table(&b, &formats[3]);
	b.data[7] = 4; /* 32-bit */
	assert_false(go_table_open(&t, b.data, b.len, 0));
	b.data[7] = 8;
	b.data[0] = 0x55;
	assert_false(go_table_open(&t, b.data, b.len, 0));
	b.data[0] = 0xf1;
	memset(b.data + 8, 0xff, 8); /* more functions than bytes */
	assert_false(go_table_open(&t, b.data, b.len, 0));
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_formats),
		cmocka_unit_test(text_from_elsewhere),
		cmocka_unit_test(unknown_formats),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
