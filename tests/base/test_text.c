/* Escaping, widths, readable numbers and the parsing of users' numbers. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "groups.h"

static void check_printable(const char *in, const char *expected)
{
	char *out = text_printable(in);

	assert_string_equal(out, expected);
	free(out);
}

static void test_printable(void **state)
{
	(void)state;
	check_printable("plain text", "plain text");
	check_printable("tab\tnl\n", "tab\\x09nl\\x0a");
	check_printable("\033[2J\177", "\\x1b[2J\\x7f");
	check_printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
			"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	check_printable("\xc2\x9b", "\\xc2\\x9b");	    /* C1: CSI */
	check_printable("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	check_printable("\xe2\x80\xa8", "\\xe2\\x80\\xa8"); /* line separator */
	check_printable("\xef\xbf\xbe", "\\xef\\xbf\\xbe"); /* noncharacter */
	check_printable("\xef\xbf\xbd", "\xef\xbf\xbd");    /* the replacement character */
	check_printable("\xc0\xaf\xff", "\\xc0\\xaf\\xff"); /* overlong, never valid */
	check_printable("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	check_printable("\xe2\x82", "\\xe2\\x82");	    /* cut */
	check_printable("a\\b", "a\\b");
	check_printable("\\x1b", "\\x5cx1b"); /* not to be taken for our own escape */
}

static void check_word(const char *in, const char *expected)
{
	struct bytes out = { 0 };

	text_append_word(&out, in);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
}

static void test_words(void **state)
{
	(void)state;
	check_word("prof.data", "prof.data");
	check_word("", "''");
	check_word("two words", "'two words'");
	check_word("it's", "'it'\\''s'");
	check_word("back\\x41", "'back\\x41'");
	check_word("\xc3\xa4 b", "'\xc3\xa4 b'");
	check_word("a\nb\tc", "$'a\\nb\\tc'");
	check_word("\a1'\\\xff", "$'\\0071\\'\\\\\\377'");
	check_word("\xc3\xa4\n", "$'\xc3\xa4\\n'");
}

static void test_utf8(void **state)
{
	uint32_t cp = 0;

	(void)state;
	assert_int_equal(text_utf8_decode("A", 1, &cp), 1);
	assert_int_equal(cp, 'A');
	assert_int_equal(text_utf8_decode("\xf4\x8f\xbf\xbf", 4, &cp), 4);
	assert_int_equal(cp, 0x10ffff);
	assert_int_equal(text_utf8_decode("\xf4\x90\x80\x80", 4, &cp), 0);
	assert_int_equal(text_utf8_decode("\xe0\x9f\xbf", 3, &cp), 0);
	assert_int_equal(text_utf8_decode("\xe2\x82\xac", 2, &cp), 0);
	assert_int_equal(text_utf8_decode("", 0, &cp), 0);
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(text_width("abc", 3), 3);
	assert_int_equal(text_width("\xc3\xa9", 2), 1);
	assert_int_equal(text_width("e\xcc\x81", 3), 1); /* combining accent */
	assert_int_equal(text_width("\xe6\xbc\xa2\xe5\xad\x97", 6), 4);
	assert_int_equal(text_width("\xf0\x9f\x98\x80", 4), 2);
	assert_int_equal(text_width("\xef\xbd\xb1", 3), 1); /* halfwidth */
	assert_int_equal(text_width("\xff\xfe", 2),
			 2); /* one column each, shown as a replacement */
}

static void test_readable_numbers(void **state)
{
	char b[32];

	(void)state;
	assert_string_equal(text_duration(b, sizeof(b), 0), "0 ns");
	assert_string_equal(text_duration(b, sizeof(b), 999), "999 ns");
	assert_string_equal(text_duration(b, sizeof(b), 1234), "1.23 us");
	assert_string_equal(text_duration(b, sizeof(b), 45600000), "45.6 ms");
	assert_string_equal(text_duration(b, sizeof(b), 1230000000), "1.23 s");
	assert_string_equal(text_duration(b, sizeof(b), 3723000000000), "3723 s");
	assert_string_equal(text_bytes(b, sizeof(b), 999), "999 B");
	assert_string_equal(text_bytes(b, sizeof(b), 12345678), "12.3 MB");
	assert_string_equal(text_bytes(b, sizeof(b), 9999), "10.0 kB");
	assert_string_equal(text_count(b, sizeof(b), 0), "0");
	assert_string_equal(text_count(b, sizeof(b), 12345), "12 345");
	assert_string_equal(text_count(b, sizeof(b), UINT64_MAX), "18 446 744 073 709 551 615");
}

static void test_parse_integers(void **state)
{
	uint64_t v = 5;

	(void)state;
	assert_true(text_parse_u64("0", &v) && v == 0);
	assert_true(text_parse_u64("0x1F", &v) && v == 31);
	assert_true(text_parse_u64("18446744073709551615", &v) && v == UINT64_MAX);
	v = 5;
	assert_false(text_parse_u64("18446744073709551616", &v));
	assert_false(text_parse_u64("", &v));
	assert_false(text_parse_u64("0x", &v));
	assert_false(text_parse_u64("-1", &v));
	assert_false(text_parse_u64(" 1", &v));
	assert_false(text_parse_u64("1 ", &v));
	assert_false(text_parse_u64("1a", &v));
	assert_true(v == 5);
}

static void test_parse_sizes(void **state)
{
	uint64_t v = 5;

	(void)state;
	assert_true(text_parse_size("64", &v) && v == 64);
	assert_true(text_parse_size("64k", &v) && v == 65536);
	assert_true(text_parse_size("4M", &v) && v == 4 << 20);
	assert_true(text_parse_size("1G", &v) && v == 1 << 30);
	v = 5;
	assert_false(text_parse_size("1kB", &v));
	assert_false(text_parse_size("k", &v));
	assert_false(text_parse_size("99999999999T", &v));
	assert_true(v == 5);
}

static void test_parse_seconds(void **state)
{
	uint64_t v = 5;

	(void)state;
	assert_true(text_parse_seconds("1.5", &v) && v == 1500000000);
	assert_true(text_parse_seconds("1.5s", &v) && v == 1500000000);
	assert_true(text_parse_seconds("200ms", &v) && v == 200000000);
	assert_true(text_parse_seconds("10us", &v) && v == 10000);
	assert_true(text_parse_seconds("5ns", &v) && v == 5);
	assert_true(text_parse_seconds("2m", &v) && v == 120000000000);
	assert_true(text_parse_seconds("0.000000001", &v) && v == 1);
	assert_true(text_parse_seconds("0.1234567899", &v) && v == 123456789);
	assert_true(text_parse_seconds(".5", &v) && v == 500000000);
	v = 5;
	assert_false(text_parse_seconds(".", &v));
	assert_false(text_parse_seconds(".s", &v));
	assert_false(text_parse_seconds("", &v));
	assert_false(text_parse_seconds("1h", &v));
	assert_false(text_parse_seconds("-1", &v));
	assert_false(text_parse_seconds("99999999999999", &v));
	assert_true(v == 5);
}

static void test_distance(void **state)
{
	char longer[300];

	(void)state;
	assert_int_equal(text_distance("cycles", "cycles", 2), 0);
	assert_int_equal(text_distance("cylces", "cycles", 2), 1); /* swapped letters */
	assert_int_equal(text_distance("cycle", "cycles", 2), 1);
	assert_int_equal(text_distance("kitten", "sitting", 5), 3);
	assert_int_equal(text_distance("kitten", "sitting", 2), 3); /* limit + 1 */
	assert_int_equal(text_distance("", "abc", 5), 3);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(text_distance(longer, longer, 2), 0);
	assert_int_equal(text_distance(longer, longer + 1, 2), 3);
}

/* At every place of a word of eight bytes. */
static void test_plain_length(void **state)
{
	static const char others[] = "\x1f\x7f\x80\xff\n\\";
	char text[24];

	(void)state;
	for (int c = ' '; c <= '~'; c++) {
		memset(text, c, sizeof(text));
		assert_int_equal(text_plain_length(text, sizeof(text)),
				 c == '\\' ? 0 : sizeof(text));
	}
	for (size_t at = 0; at < sizeof(text); at++)
		for (size_t i = 0; i < sizeof(others); i++) {
			memset(text, '~', sizeof(text));
			text[at] = others[i];
			assert_int_equal(text_plain_length(text, sizeof(text)), at);
			assert_int_equal(text_plain_length(text, at), at);
		}
}

int test_text_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_length),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_readable_numbers),
		cmocka_unit_test(test_parse_integers),
		cmocka_unit_test(test_parse_sizes),
		cmocka_unit_test(test_parse_seconds),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
