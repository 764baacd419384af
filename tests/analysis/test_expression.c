/* Formulas: what they are read as, what they yield, how sure that is, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/expression.h"
#include "base/memory.h"

/* a = 6, b = 3, c = 2, others are missing; half widths are a tenth, of "exact-1" none. */
static struct expression_input input(const char *name)
{
	static const struct {
		const char *name;
		double value;
	} values[] = { { "a", 6 },	    { "b", 3 },	       { "c", 2 },
		       { "zero", 0 },	    { "a-b", 40 },     { "exact-1", 7 },
		       { "cpu/x=1,y/", 5 }, { "cycles:u", 9 }, { "big", 1e300 } };

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (strcmp(values[i].name, name) == 0)
			return (struct expression_input){ values[i].value,
							  strcmp(name, "exact-1") == 0
								  ? 0
								  : values[i].value / 10 };
	return (struct expression_input){ NAN, NAN };
}

static struct expression_value value_of(const char *text)
{
	struct expression e;
	struct expression_input inputs[EXPRESSION_NAMES_MAX];
	struct expression_value v;
	struct error err = { 0 };

	if (expression_parse(&e, text, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < e.names_len; i++)
		inputs[i] = input(expression_name(&e, i));
	expression_evaluate(&e, inputs, &v);
	return v;
}

static void values(void **state)
{
	static const struct {
		const char *text;
		double expected;
	} cases[] = {
		{ "1", 1 },
		{ " 1.5 ", 1.5 },
		{ "1e3", 1000 },
		{ "2.5e-3", 0.0025 },
		{ ".5", 0.5 },
		{ "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "7 - 2 - 1", 4 },
		{ "8 / 4 / 2", 1 },
		{ "-3 + 5", 2 },
		{ "2 * -3", -6 },
		{ "a / b", 2 },
		{ "a - b", 3 },
		{ "a -b", 3 },
		{ "a- b", 3 },
		{ "(a)-b", 3 },
		{ "10-b", 7 },
		{ "a-b", 40 }, /* one name */
		{ "a-b - exact-1", 33 },
		{ "'a-b'", 40 },
		{ "\"cpu/x=1,y/\" * 2", 10 },
		{ "'cycles:u'/b", 3 },
		{ "min(a, b)", 3 },
		{ "max(a,b)", 6 },
		{ "max(min(a, 4), -1)", 4 },
		{ "if(a > b, 1, 2)", 1 },
		{ "if(a < b, nothing, c)", 2 }, /* what is not chosen may be missing */
		{ "if(b == 3, 1, 1 / zero)", 1 },
		{ "a >= 6", 1 },
		{ "a <= 5", 0 },
		{ "a != b", 1 },
		{ "2 < 1", 0 },
		{ "((((((((((1))))))))))", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct expression_value v = value_of(cases[i].text);
		if (v.state != EXPRESSION_KNOWN || fabs(v.value - cases[i].expected) > 1e-12)
			fail_msg("%s: %f", cases[i].text, v.value);
	}
}

static void uncertainty(void **state)
{
	static const struct {
		const char *text;
		double expected;
	} cases[] = {
		{ "a + b", 0.6708203932499369 }, /* sqrt(0.6^2 + 0.3^2) */
		{ "a - b", 0.6708203932499369 },
		{ "a * b", 2.5455844122715711 }, /* 18 sqrt(0.1^2 + 0.1^2) */
		{ "a / b", 0.28284271247461901 },
		{ "a * a", 7.2 }, /* one input: 2 a da */
		{ "a / a", 0 },
		{ "a / (a + b)", 0.031426968052735 }, /* |b da - a db| / 81 by quadrature */
		{ "100 * a", 60 },
		{ "max(a, b)", 0.6 },
		{ "if(a > 1, c, b)", 0.2 },
		{ "-a", 0.6 },
		{ "exact-1 * 3", 0 },
		{ "a > 1", 0 },
		{ "3", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct expression_value v = value_of(cases[i].text);
		if (!(fabs(v.half_width - cases[i].expected) < 1e-9))
			fail_msg("%s: +- %.15f", cases[i].text, v.half_width);
	}
}

static void unknown_uncertainty_stays_unknown(void **state)
{
	struct expression e;
	struct expression_input inputs[] = { { 4, NAN }, { 2, 0 } };
	struct expression_value v;

	(void)state;
	assert_int_equal(expression_parse(&e, "x / y", NULL), 0);
	expression_evaluate(&e, inputs, &v);
	assert_true(v.value == 2 && isnan(v.half_width));
	assert_int_equal(expression_parse(&e, "max(x, y * 3)", NULL), 0);
	expression_evaluate(&e, inputs, &v);
	assert_true(v.value == 6 && v.half_width == 0); /* x does not matter */
	assert_int_equal(v.used, 3);
}

static void what_cannot_be(void **state)
{
	(void)state;
	assert_int_equal(value_of("a / zero").state, EXPRESSION_DIVIDED_BY_ZERO);
	assert_int_equal(value_of("zero / zero").state, EXPRESSION_DIVIDED_BY_ZERO);
	assert_int_equal(value_of("a / (b - b)").state, EXPRESSION_DIVIDED_BY_ZERO);
	assert_int_equal(value_of("big * big").state, EXPRESSION_NOT_FINITE);
	assert_int_equal(value_of("big * big * zero").state, EXPRESSION_NOT_FINITE);
	struct expression_value v = value_of("a + nothing");
	assert_int_equal(v.state, EXPRESSION_MISSING);
	assert_int_equal(v.name, 1);
	assert_true(isnan(v.value) && isnan(v.half_width));
	assert_int_equal(value_of("0 * nothing").state, EXPRESSION_MISSING);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "something is missing at character 1 " },
		{ "1 +", "something is missing at character 4 " },
		{ "1 2", "more than a formula at character 3 " },
		{ "(1", "a ')' is missing at character 3 " },
		{ "1)", "more than a formula at character 2 " },
		{ "a b", "more than a formula at character 3 " },
		{ "2a", "a number with letters behind it at character 2 " },
		{ "1.2.3", "a number with letters behind it at character 4 " },
		{ "1e999", "a number that is too large or too small at character 6 " },
		{ "'a", "a quote that is not closed at character 1 " },
		{ "''", "an empty name at character 1 " },
		{ "sin(1)", "no such function (there are min, max and if) at character 1 " },
		{ "min(1)", "a ',' is missing at character 6 " },
		{ "min(1, 2, 3)", "a ')' is missing at character 9 " },
		{ "if(1, 2)", "a ',' is missing at character 8 " },
		{ "a:u / b", "more than a formula at character 2 " },
		{ "1 < 2 < 3", "more than a formula at character 7 " },
		{ "* 2", "a number, a name or '(' is expected at character 1 " },
		{ "--2", "a number, a name or '(' is expected at character 2 " },
		{ "2 ** 3", "a number, a name or '(' is expected at character 4 " },
		{ "system(\"x\")", "no such function (there are min, max and if) at character 1 " },
	};
	struct expression e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err = { 0 };
		assert_int_equal(expression_parse(&e, cases[i].text, &err), -1);
		assert_int_equal(err.code, ERROR_USAGE);
		if (strncmp(err.text, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

/* `count` times the text, ended by the other. */
static char *repeat(const char *text, size_t count, const char *end)
{
	size_t len = strlen(text);
	char *all = xmalloc(len * count + strlen(end) + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(all + i * len, text, len);
	memcpy(all + len * count, end, strlen(end) + 1);
	return all;
}

static void expect_refused(char *text, const char *why)
{
	struct expression e;
	struct error err = { 0 };

	assert_int_equal(expression_parse(&e, text, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	free(text);
}

static void limits(void **state)
{
	char many[400] = "n0";

	(void)state;
	expect_refused(repeat("(", 1000, "1"), "too many parentheses in each other");
	expect_refused(repeat("1+", 500, "1"), "too many terms");
	expect_refused(repeat("1", 3000, ""), "a formula is longer than 2048 characters");
	expect_refused(repeat("a", 300, ""), "a name longer than 256 characters");
	for (int i = 1; i < 25; i++) {
		size_t len = strlen(many);
		snprintf(many + len, sizeof(many) - len, " + n%d", i);
	}
	expect_refused(xstrdup(many), "more than 24 different names");
	/* As long as it may be: deep, wide, and still evaluated. */
	char *wide = repeat("1+", 95, "1");
	assert_true(value_of(wide).value == 96);
	free(wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(uncertainty),
		cmocka_unit_test(unknown_uncertainty_stays_unknown),
		cmocka_unit_test(what_cannot_be),
		cmocka_unit_test(refused),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
