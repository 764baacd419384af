/* Text fitted into columns: never wider, never cut inside a character, the telling part kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/show.h"

static const struct show unicode = { .width = 80, .unicode = true }, ascii = { .width = 80 };

static void expect_function(const struct show *s, const char *name, size_t width,
			    const char *expected)
{
	CLEANUP_FREE char *shown = show_function(s, name, width);

	assert_string_equal(shown, expected);
}

static void functions_lose_what_tells_least(void **state)
{
	const char *map = "std::map<std::string, int>::operator[](std::string const&)";

	(void)state;
	expect_function(&unicode, map, 80, map);
	expect_function(&unicode, map, 50, "std::map<…>::operator[](std::string const&)");
	expect_function(&unicode, map, 30, "std::map<…>::operator[](…)");
	expect_function(&unicode, map, 24, "std::map::operator[]");
	expect_function(&unicode, map, 17, "std::…:operator[]");
	expect_function(&ascii, map, 50, "std::map<..>::operator[](std::string const&)");
	expect_function(&unicode, "a_long_plain_c_function_name", 13, "a_lo…ion_name");
	expect_function(&unicode, "f(int)", 4, "f(…)");
	expect_function(&unicode, "f(int)", 0, "");
	expect_function(&unicode, "", 5, "");
}

static void brackets_that_are_operators_stay(void **state)
{
	(void)state;
	expect_function(&unicode, "ns::operator<<(std::basic_ostream<char>&, ns::thing const&)", 40,
			"ns::operator<<(…)");
	expect_function(&unicode, "ns::pointer<int, deleter<int>>::operator->() const", 40,
			"ns::pointer<…>::operator->() const");
	expect_function(&unicode, "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", 48,
			"<alloc::vec::Vec as core::iter::Extend>::extend");
	expect_function(&unicode, "broken<name>>::with(too, many)", 22, "broken<name>>::with(…)");
}

/* Return types and the words for a namespace without a name go before anything of the name. */
static void what_is_no_name_goes_first(void **state)
{
	const char *sort =
		"void (anonymous namespace)::sorter<int>::run<8>(std::vector<int> const&) const";

	(void)state;
	expect_function(&unicode, sort, 60,
			"void (anonymous namespace)::sorter<…>::run<…>(…) const");
	expect_function(&unicode, sort, 45, "(anon)::sorter::run");
	expect_function(&unicode, sort, 19, "(anon)::sorter::run");
	expect_function(&unicode, sort, 14, "(ano…rter::run");
	/* Not of what is no C++ or Rust. */
	expect_function(&unicode, "JS:*fib /srv/app.js:1:13", 20, "JS:*fi…v/app.js:1:13");
	expect_function(&unicode, "py::f:/a b/c.py and more", 20, "py::f:…c.py and more");
}

static void lambdas_keep_their_number(void **state)
{
	const char *lambda =
		"Engine::process(std::vector<int> const&)::{lambda(int)#2}::operator()(int) const";

	(void)state;
	expect_function(&unicode, lambda, 40, "Engine::process::{lambda#2}::operator()");
	expect_function(&unicode, lambda, 38, "Engine::process::{lambda#2}");
	expect_function(&unicode, lambda, 20, "Engine…s::{lambda#2}");
	expect_function(&unicode, lambda, 14, "Engi…lambda#2}");
	expect_function(&unicode, "ns::thing::operator()(int) const", 16, "ns::t…operator()");
}

static void the_shortest_is_not_cut(void **state)
{
	static const char *const names[][2] = {
		{ "void ns::f<int>(long)", "ns::f" },
		{ "(anonymous namespace)::f", "(anon)::f" },
		{ "f", "f" },
		{ "a_long_plain_c_function_name", "a_long_plain_c_function_name" },
		{ "ns::list<int>::size", "ns::list<…>::size" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP_FREE char *shortest = show_function_shortest(&unicode, names[i][0]);
		assert_string_equal(shortest, names[i][1]);
		expect_function(&unicode, names[i][0], text_width(shortest, strlen(shortest)),
				shortest);
	}
}

static void names_that_would_look_alike_show_the_difference(void **state)
{
	const char *a = "very::long::common::prefix::of<int>::both()",
		   *b = "very::long::common::prefix::of<long>::both()";
	CLEANUP_FREE char *shown_a = show_distinct(&unicode, a, b, 24);
	CLEANUP_FREE char *shown_b = show_distinct(&unicode, b, a, 24);

	(void)state;
	assert_non_null(strstr(shown_a, "<int>"));
	assert_non_null(strstr(shown_b, "<lo"));
	assert_string_not_equal(shown_a, shown_b);
}

/* Any text at any width: valid, safe, and within the width. */
static void nothing_is_too_wide_or_broken(void **state)
{
	static const char *const texts[] = {
		"plain_ascii_name_of_some_length",
		"日本語の関数名::テスト<テンプレート>",
		"e\xcc\x81\xcc\x82\xcc\x83 marks e\xcc\x81",
		"\xff\xfe\x80 broken \xe6\x97",
		"\x1b[31m\x07\n\t",
		"🙂🙂🙂🙂🙂",
		"\xe2\x80\xae[bidi]",
		"a\xcc\x81",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		for (size_t width = 0; width < 45; width++) {
			CLEANUP_FREE char *u = show_function(&unicode, texts[i], width);
			CLEANUP_FREE char *a = show_function(&ascii, texts[i], width);
			CLEANUP_FREE char *again = text_printable(u);
			assert_true(text_width(u, strlen(u)) <= width);
			assert_true(text_width(a, strlen(a)) <= width);
			for (const char *c = a; *c; c++)
				assert_true(*c >= ' ' && *c < 0x7f);
			/* Printable again means: unchanged but for backslashes of escapes. */
			if (!strchr(u, '\\'))
				assert_string_equal(again, u);
		}
	}
}

static void paragraphs_break_between_words(void **state)
{
	struct bytes out = { NULL, 0, 0 };
	struct show s = { .out = &out, .width = 20 };

	(void)state;
	show_paragraph(&s, "these are words that go on for more than a line or two");
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data,
			    "these are words that\n  go on for more\n  than a line or two\n");
	bytes_release(&out);
}

static void weights_have_units(void **state)
{
	struct bytes out = { NULL, 0, 0 };

	(void)state;
	show_weight(&out, UNIT_NS, 1500000);
	show_weight(&out, UNIT_COUNT, 1500000);
	show_weight(&out, UNIT_BYTES, 1500000);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, "1.50 ms1 500 0001.50 MB");
	bytes_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_lose_what_tells_least),
		cmocka_unit_test(what_is_no_name_goes_first),
		cmocka_unit_test(the_shortest_is_not_cut),
		cmocka_unit_test(lambdas_keep_their_number),
		cmocka_unit_test(brackets_that_are_operators_stay),
		cmocka_unit_test(names_that_would_look_alike_show_the_difference),
		cmocka_unit_test(nothing_is_too_wide_or_broken),
		cmocka_unit_test(paragraphs_break_between_words),
		cmocka_unit_test(weights_have_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
