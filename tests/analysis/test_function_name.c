/* Functions' names: what users type for them, and their last parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/function_name.h"
#include "analysis/near.h"
#include "analysis/pattern.h"
#include "analysis/simple_name.h"

static void what_users_type(void **state)
{
	static const struct {
		const char *name, *wanted;
		enum function_fit fit;
	} cases[] = {
		{ "main", "main", FUNCTION_FULL },
		{ "f(int)", "f", FUNCTION_FULL },
		{ "f(int)", "f(int)", FUNCTION_FULL },
		{ "f(void (*)(int)) const", "f", FUNCTION_FULL },
		{ "f(int):12", "f", FUNCTION_FULL },
		{ "f:12", "f", FUNCTION_FULL },
		{ "f.constprop.0", "f", FUNCTION_FULL },
		{ "ns::f(int) [clone .isra.0]", "ns::f", FUNCTION_FULL },
		{ "ns::f(int) (.cold)", "ns::f(int)", FUNCTION_FULL },
		{ "a::operator()(int)", "a::operator()", FUNCTION_FULL },
		{ "a::operator<(b, c)", "a::operator<", FUNCTION_FULL },
		{ "ns::f<a<b> >(int)", "ns::f<a<b> >", FUNCTION_FULL },
		{ "ns::f<a<b> >(int)", "ns::f", FUNCTION_NO_TEMPLATE },
		{ "ns<int>::f(int)", "ns::f", FUNCTION_NO_TEMPLATE },
		{ "(anonymous namespace)::fibonacci(unsigned int)", "fibonacci",
		  FUNCTION_UNQUALIFIED },
		{ "(anonymous namespace)::fibonacci(unsigned int)", "fibonacci(unsigned int)",
		  FUNCTION_UNQUALIFIED },
		{ "a::b::f(int)", "b::f", FUNCTION_UNQUALIFIED },
		{ "void a::f<int>(int)", "a::f<int>", FUNCTION_UNQUALIFIED },
		{ "void a::f<int>(int)", "f", FUNCTION_UNQUALIFIED },
		{ "a::operator()(int)", "operator()", FUNCTION_UNQUALIFIED },
		{ "<alloc::Vec<T> as Tr>::push", "push", FUNCTION_UNQUALIFIED },
		{ "main.(*T).Run", "Run", FUNCTION_UNQUALIFIED },
		{ "f(int)::{lambda()#1}::operator()() const", "f", FUNCTION_OTHER },
		{ "ab::xf(int)", "f", FUNCTION_OTHER },
		{ "ab::xf(int)", "b::xf", FUNCTION_OTHER },
		{ "f", "", FUNCTION_OTHER },
		{ "", "f", FUNCTION_OTHER },
		{ ">><(", "f", FUNCTION_OTHER },
		{ ")", "f", FUNCTION_OTHER },
		{ "::", ":", FUNCTION_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (function_name_fit(cases[i].name, cases[i].wanted) != cases[i].fit)
			fail_msg("'%s' for '%s': %d", cases[i].wanted, cases[i].name,
				 function_name_fit(cases[i].name, cases[i].wanted));
	}
}

static void last_parts(void **state)
{
	static const char *const cases[][2] = {
		{ "void (anonymous namespace)::f<int>(int) const", "f" },
		{ "main", "main" },
		{ "a::b", "b" },
		{ "a<b::c>::d(e::f)", "d" },
		{ "<a as b>::c", "c" },
		{ "", "" },
		{ "::", "" },
		{ "a > b", "b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes out = { NULL, 0, 0 };
		function_name_append_last(&out, cases[i][0]);
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, cases[i][1]);
		bytes_release(&out);
	}
}

static void simple_names(void **state)
{
	static const char *const cases[][2] = {
		{ "void (anonymous namespace)::f<int>(int) const", "(anonymous namespace)::f" },
		{ "std::vector<int, std::allocator<int> >::push_back(int&&)",
		  "std::vector::push_back" },
		{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()" },
		{ "std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<<" },
		{ "bool operator< <int>(a<int> const&, a<int> const&)", "operator<" },
		{ "a::operator()(int) const &", "a::operator()" },
		{ "a::operator->() const", "a::operator->" },
		{ "a::operator unsigned long() const", "a::operator unsigned long" },
		{ "operator new(unsigned long)", "operator new" },
		{ "operator\"\" _km(long double)", "operator\"\" _km" },
		{ "f[abi:cxx11](int)", "f" },
		{ "decltype (x()) g<int>(int)", "g" },
		{ "unsigned long h<(anonymous namespace)::e>()", "h" },
		{ "T<(E)0>::bar()", "T::bar" },
		{ "T<(3>2)>::bar()", "T::bar" },
		{ "non-virtual thunk to a::f(int)", "non-virtual thunk to a::f" },
		{ "guard variable for a::f()::x", "guard variable for a::f::x" },
		{ "<alloc::vec::Vec<T> as core::Tr<U>>::push::<i32>",
		  "<alloc::vec::Vec as core::Tr>::push" },
		{ "core::ptr::drop_in_place::<[u8]>", "core::ptr::drop_in_place" },
		{ "alloc::f::{closure#0}", "alloc::f::{closure#0}" },
		{ "void (*f(int))(char)", "void (*f(int))(char)" },
		{ "main", "main" },
		{ "<", "<" },
		{ ">(", ">(" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes out = { NULL, 0, 0 };
		simple_name_append(&out, cases[i][0]);
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, cases[i][1]);
		bytes_release(&out);
	}
}

static void a_better_fit_elsewhere_wins(void **state)
{
	struct patterns ps;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(patterns_parse(&ps, "--symbol", "f,g", &err), 0);
	patterns_see_function(&ps, "a::f(int)");
	assert_true(patterns_match_function(&ps, "a::f(int)"));
	patterns_see_function(&ps, "f(int)");
	assert_true(patterns_match_function(&ps, "f(int)"));
	assert_false(patterns_match_function(&ps, "a::f(int)"));
	assert_string_equal(patterns_unused(&ps)->text, "g");
	assert_true(patterns_match_function(&ps, "a::g"));
	assert_null(patterns_unused(&ps));
	patterns_release(&ps);
}

static void expect_near(const char *wanted, const char *const *names, const char *expected)
{
	struct near near;
	struct bytes out = { NULL, 0, 0 };

	near_init(&near, wanted);
	for (; *names; names++)
		near_offer(&near, *names);
	near_append(&near, &out);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
}

static void near_names_are_whole(void **state)
{
	char huge[200];
	const char *const names[] = { huge, "(anonymous namespace)::fibonacci(unsigned int)",
				      "main", NULL };

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	memcpy(huge, "fibonacci", 9);
	huge[sizeof(huge) - 1] = '\0';
	expect_near("fibonaci", names,
		    "; did you mean (anonymous namespace)::fibonacci(unsigned int)?");
	expect_near("quite another", names,
		    "; there are (anonymous namespace)::fibonacci(unsigned int), main, ...");
	expect_near("quite another", (const char *const[]){ huge, NULL }, "");
}

static void the_heaviest_are_told_when_none_is_near(void **state)
{
	static const char *const names[] = { "a", "bb", "ccc", "dddd", "eeeee" };
	static const uint64_t weights[] = { 1, 7, 0, 7, 9 };
	struct near near;
	struct bytes out = { NULL, 0, 0 };

	(void)state;
	near_init(&near, "nothing like it");
	for (size_t i = 0; i < 5; i++)
		near_offer_weighted(&near, names[i], weights[i]);
	near_append(&near, &out);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, "; there are eeeee, bb, dddd, ...");
	bytes_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_users_type),
		cmocka_unit_test(last_parts),
		cmocka_unit_test(simple_names),
		cmocka_unit_test(a_better_fit_elsewhere_wins),
		cmocka_unit_test(near_names_are_whole),
		cmocka_unit_test(the_heaviest_are_told_when_none_is_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
