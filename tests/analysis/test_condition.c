/* Conditions on shares: how they are written, and that only sure ones hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/condition.h"
#include "base/memory.h"
#include "build_profile.h"

static void good_ones_are_read(void **state)
{
	static const struct {
		const char *text, *functions;
		double limit;
		bool is_total, is_below, with_equal;
	} cases[] = {
		{ "self(\"memcpy\") > 5%", "memcpy", 0.05, false, false, false },
		{ "total('f(int, char)')>=12.5%", "f(int, char)", 0.125, true, false, true },
		{ " self ( a,b* ) < 0.25 % ", "a,b* ", 0.0025, false, true, false },
		{ "total(\"it's\")<=100%", "it's", 1, true, true, true },
		{ "self(/(x|y)z/)>0%", NULL, 0, false, false, false },
		{ "self('/(x|y)z/')>0%", "/(x|y)z/", 0, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct condition c;
		struct error err = { 0 };
		int rc = condition_parse(&c, cases[i].text, &err);
		assert_int_equal(rc, cases[i].functions ? 0 : -1);
		if (rc < 0)
			continue;
		assert_string_equal(c.functions, cases[i].functions);
		assert_true(fabs(c.limit - cases[i].limit) < 1e-12);
		assert_int_equal(c.is_total, cases[i].is_total);
		assert_int_equal(c.is_below, cases[i].is_below);
		assert_int_equal(c.with_equal, cases[i].with_equal);
		condition_release(&c);
	}
}

static void bad_ones_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"self",
		"self()>5%",
		"self(x)",
		"self(x)>",
		"self(x)>5",
		"self(x)>%",
		"self(x)>.%",
		"self(x)=5%",
		"self(x)==5%",
		"self(x)>-5%",
		"self(x)>101%",
		"self(x)>5% or so",
		"self(\"x)>5%",
		"self(\"\")>5%",
		"other(x)>5%",
		"self(x>5%",
		"self(x)>1e9%",
		"self(x)>nan%",
	};
	struct condition c;
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(condition_parse(&c, bad[i], &err), -1);
		assert_int_equal(err.code, ERROR_USAGE);
		assert_non_null(strstr(err.text, "is no condition: one is like "));
		assert_null(strchr(err.text, '\n'));
	}
}

/* 1000 samples: 30 % in hot below main, now and then in rec below rec. */
static void make(struct build *b, struct filter_result *all, int samples)
{
	uint32_t seed = 1;

	build_init(b);
	for (int i = 0; i < samples; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t at = (seed >> 8) % 100;
		build_stack(b,
			    at < 30   ? "main;hot"
			    : at < 50 ? "main;rec;rec"
				      : "main;cold",
			    1000000);
	}
	build_finish(b, all);
}

static void expect_verdict(const struct build *b, const struct filter_result *all, const char *text,
			   enum condition_verdict verdict)
{
	struct condition c;
	struct condition_result r;
	struct error err = { 0 };
	struct calltree_options frames = { .no_inline = false };

	assert_int_equal(condition_parse(&c, text, &err), 0);
	assert_int_equal(condition_evaluate(&c, &b->profile, all, b->event, &frames, &r, &err), 0);
	if (r.verdict != verdict)
		fail_msg("%s: %d, %f +- %f", text, (int)r.verdict, r.share, r.error);
	assert_int_equal(r.found, strstr(text, "none") == NULL);
	condition_release(&c);
}

static void only_sure_ones_hold(void **state)
{
	struct build b;
	struct filter_result all;

	(void)state;
	make(&b, &all, 1000);
	expect_verdict(&b, &all, "self(hot) > 20%", CONDITION_HOLDS);
	expect_verdict(&b, &all, "self(hot) > 29%", CONDITION_UNKNOWN);
	expect_verdict(&b, &all, "self(hot) < 31%", CONDITION_UNKNOWN);
	expect_verdict(&b, &all, "self(hot) > 40%", CONDITION_NOT);
	expect_verdict(&b, &all, "self(hot) < 40%", CONDITION_HOLDS);
	expect_verdict(&b, &all, "self(hot) < 20%", CONDITION_NOT);
	/* Each sample once, however often a function is on its stack. */
	expect_verdict(&b, &all, "total(rec) > 35%", CONDITION_NOT);
	expect_verdict(&b, &all, "total(rec,hot) > 42%", CONDITION_HOLDS);
	expect_verdict(&b, &all, "self(main) > 1%", CONDITION_NOT);
	expect_verdict(&b, &all, "total(main) >= 100%", CONDITION_HOLDS);
	expect_verdict(&b, &all, "total(main) > 100%", CONDITION_NOT);
	/* Nothing of 1000 samples: at most 0.37 %. */
	expect_verdict(&b, &all, "self(none) > 1%", CONDITION_NOT);
	expect_verdict(&b, &all, "self(none) > 0.1%", CONDITION_UNKNOWN);
	filter_result_release(&all);
	build_release(&b);
}

static void few_samples_tell_nothing(void **state)
{
	struct build b;
	struct filter_result all;

	(void)state;
	make(&b, &all, 15);
	expect_verdict(&b, &all, "self(hot) > 1%", CONDITION_UNKNOWN);
	filter_result_release(&all);
	build_release(&b);
	/* Nor do stacks that another tool summed up, however many. */
	make(&b, &all, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		build_at(&b, i)->time_ns = 0;
	filter_result_release(&all);
	build_finish(&b, &all);
	expect_verdict(&b, &all, "self(hot) > 1%", CONDITION_UNKNOWN);
	expect_verdict(&b, &all, "self(none) > 1%", CONDITION_UNKNOWN);
	filter_result_release(&all);
	build_release(&b);
	make(&b, &all, 0);
	expect_verdict(&b, &all, "self(none) > 1%", CONDITION_UNKNOWN);
	filter_result_release(&all);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_ones_are_read),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(only_sure_ones_hold),
		cmocka_unit_test(few_samples_tell_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
