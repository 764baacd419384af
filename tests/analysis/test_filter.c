/* Filters: which samples pass each word, and what is said when a word fits nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/filter.h"
#include "analysis/filter_words.h"
#include "base/bytes.h"
#include "build_profile.h"

/* Samples 0..5: main;a;leaf, main;b, main;a;a2 of thread 101, f(int, char) in the library, an
 * unnamed library address, a page fault in main;b. One per millisecond from 1 s; the run is 1 s to
 * 2 s. */
static void fill(struct build *b)
{
	build_init(b);
	uint32_t worker = build_task(b, 100, 101, "worker,1");
	build_stack(b, "main;a;leaf", 1);
	build_stack(b, "main;b", 1);
	build_at(b, build_stack(b, "main;a;a2", 1))->task = worker;
	build_sample(b, PROFILE_NONE, b->library, build_code(b, b->library, "ns::f(int, char)"), 1);
	build_sample(b, PROFILE_NONE, b->library, 0x777, 1);
	uint32_t faults = build_event(b, "page-faults:u", UNIT_COUNT);
	build_at(b, build_stack(b, "main;b", 1))->event = (uint16_t)faults;
	profile_index(&b->profile);
}

static void expect(const struct filter_spec *spec, const char *samples)
{
	struct build b;
	struct filter *f = NULL;
	struct filter_result r;
	struct error err = { 0 };
	struct bytes out = { 0 };

	fill(&b);
	if (filter_new(&f, &b.profile, spec, &err) < 0)
		fail_msg("%s", err.text);
	filter_apply(f, &r);
	for (size_t i = 0; i < r.samples.len; i++)
		bytes_printf(&out, "%u", r.samples.data[i]);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, samples);
	bytes_release(&out);
	filter_result_release(&r);
	filter_free(f);
	build_release(&b);
}

static void expect_error(const struct filter_spec *spec, const char *text)
{
	struct build b;
	struct filter *f = NULL;
	struct error err = { 0 };

	fill(&b);
	assert_int_equal(filter_new(&f, &b.profile, spec, &err), -1);
	assert_null(f);
	assert_string_equal(err.text, text);
	build_release(&b);
}

/* Which option leaves nothing; NULL: some samples pass. */
static void expect_emptied(const struct filter_spec *spec, const char *options)
{
	struct build b;
	struct filter *f = NULL;
	struct filter_result r;
	struct error err = { 0 };

	fill(&b);
	if (filter_new(&f, &b.profile, spec, &err) < 0)
		fail_msg("%s", err.text);
	filter_apply(f, &r);
	assert_int_equal(r.samples.len == 0, options != NULL);
	if (options)
		assert_string_equal(r.emptied_by, options);
	else
		assert_null(r.emptied_by);
	filter_result_release(&r);
	filter_free(f);
	build_release(&b);
}

#define SPEC(...) (&(struct filter_spec){ __VA_ARGS__ })

static void everything(void **state)
{
	(void)state;
	expect(SPEC(.time = NULL), "012345");
}

static void by_time(void **state)
{
	(void)state;
	expect(SPEC(.time = "0.001-0.003"), "12");
	expect(SPEC(.time = "1ms,3ms"), "12");
	expect(SPEC(.time = "0.003-"), "345");
	expect(SPEC(.time = "-2ms"), "01");
	expect(SPEC(.time = "0.1%-0.3%"), "12");
	expect(SPEC(.time = "0.5%-100%"), "5");
	expect(SPEC(.time = "5s-6s"), "");
	const char *bad[] = { "", "2", "-", "x-y", "1--2", "10%%-20%", "1ms%-2ms%", "1-2-3" };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP_FREE char *text = xasprintf(
			"--time '%s': not a range; for example 1.5-3 (seconds from the start), "
			"200ms,1s, 10%%-20%% or 2-",
			bad[i]);
		expect_error(SPEC(.time = bad[i]), text);
	}
	expect_error(SPEC(.time = "3-2"), "--time '3-2': the range ends before it begins");
}

static void by_task(void **state)
{
	(void)state;
	expect(SPEC(.tid = "101"), "2");
	expect(SPEC(.pid = "100"), "012345");
	expect(SPEC(.tid = "100,101"), "012345");
	expect(SPEC(.comm = "work*"), "2");
	expect(SPEC(.comm = "/^app$/"), "01345");
	expect_error(SPEC(.tid = "7"),
		     "--tid '7' matches nothing in this profile; there are 100 (app), "
		     "101 (worker,1)");
	expect_error(SPEC(.comm = "aap"),
		     "--comm 'aap' matches nothing in this profile; did you mean app?");
	expect_error(SPEC(.comm = "app,zzzzzz"), "--comm 'zzzzzz' matches nothing in this profile; "
						 "there are app, worker,1");
	expect_error(SPEC(.comm = "app,,x"), "--comm: an empty name in the list");
	expect_error(SPEC(.comm = "/(/"),
		     "--comm: '(' is not a regular expression: Unmatched ( or \\(");
}

static void by_module(void **state)
{
	(void)state;
	expect(SPEC(.module = "libz.so.1"), "34");
	expect(SPEC(.module = "/usr/bin/app"), "0125");
	expect(SPEC(.module = "/usr/bin/app,/usr/lib/libz.so.1"), "012345");
	expect(SPEC(.module = "/LIBZ|z.so/"), "34");
	expect_error(SPEC(.module = "libz.so"),
		     "--module 'libz.so' matches nothing in this profile; did you mean libz.so.1?");
}

static void by_symbol(void **state)
{
	(void)state;
	expect(SPEC(.symbol = "leaf"), "0");
	expect(SPEC(.symbol = "b"), "15");
	expect(SPEC(.symbol = "ns::f"), "3");
	expect(SPEC(.symbol = "f"), "3");
	expect(SPEC(.symbol = "f(int, char)"), "3");
	expect(SPEC(.symbol = "ns::f(int, char),leaf"), "03");
	expect(SPEC(.symbol = "a*"), "2");
	expect(SPEC(.symbol = "[unknown *]"), "4");
	expect(SPEC(.symbol = "/^(leaf|a2)$/"), "02");
	expect(SPEC(.symbol = "[unknown libz.so.1+0x777]"), "4");
	expect_emptied(SPEC(.symbol = "leaf", .time = "0-1000000"), NULL);
	expect_emptied(SPEC(.symbol = "leaf", .pid = "100", .tid = "101"), "--pid 100 --tid 101");
	expect_emptied(SPEC(.symbol = "leaf", .focus = "a2"), "--focus a2");
	expect_emptied(SPEC(.ignore = "."), "--ignore .");
	expect_emptied(SPEC(.event = "page-faults", .symbol = "leaf"), "--symbol leaf");
	expect_emptied(SPEC(.symbol = "leaf", .module = "libz.so.1"), "--module libz.so.1");
	expect_emptied(SPEC(.time = "1000-"), "--time 1000-");
	expect_error(SPEC(.symbol = "laef"),
		     "--symbol 'laef' matches nothing in this profile; did you mean leaf?");
}

static void by_frames_anywhere(void **state)
{
	(void)state;
	expect(SPEC(.focus = "^a$"), "02");
	expect(SPEC(.focus = "main"), "0125");
	expect(SPEC(.ignore = "^a$"), "1345");
	expect(SPEC(.focus = "/main/", .ignore = "leaf"), "125");
	expect(SPEC(.ignore = "unknown"), "01235");
	expect(SPEC(.ignore = "not there"), "012345");
	expect_error(SPEC(.focus = "mian"),
		     "--focus 'mian' matches nothing in this profile; did you mean main?");
}

static void expect_note(const struct filter_spec *spec, const char *text)
{
	struct build b;
	struct filter *f = NULL;
	struct error err = { 0 };

	fill(&b);
	assert_int_equal(filter_new(&f, &b.profile, spec, &err), 0);
	if (text)
		assert_string_equal(filter_note(f), text);
	else
		assert_null(filter_note(f));
	filter_free(f);
	build_release(&b);
}

/* No fault: what is not there is left out. But it may be a typing error. */
static void what_ignores_nothing_is_noted(void **state)
{
	static const char *const typo[] = { "mian", NULL };

	(void)state;
	expect_note(SPEC(.ignore = "main"), NULL);
	expect_note(SPEC(.ignore = "unknown"), NULL);
	expect_note(SPEC(.ignore = "main", .ignores = typo),
		    "--ignore 'mian' matches nothing in this profile; did you mean main?");
	expect_note(SPEC(.ignore = "module:libz.so.2"),
		    "--ignore 'module:libz.so.2' matches nothing "
		    "in this profile; did you mean libz.so.1?");
	expect_note(SPEC(.ignore = "bogus:x"),
		    "--ignore 'bogus:x' matches nothing in this profile ('bogus:' is no prefix, "
		    "'module:' and 'file:' are); there are b, leaf, a2, ...");
	expect_error(SPEC(.focus = "bogus:x"),
		     "--focus 'bogus:x' matches nothing in this profile ('bogus:' is no prefix, "
		     "'module:' and 'file:' are); there are b, leaf, a2, ...");
}

/* All that must be there, none that must not. */
static void by_several_frames(void **state)
{
	static const char *const a[] = { "^a$", NULL }, *const ab[] = { "^a$", "^b$", NULL },
				 *const none[] = { NULL }, *const typo[] = { "mian", NULL };
	const char *many[FILTER_REGEXES_MAX + 1] = { 0 };

	(void)state;
	for (size_t i = 0; i < FILTER_REGEXES_MAX; i++)
		many[i] = "main";
	expect(SPEC(.focuses = a), "02");
	expect(SPEC(.focus = "main", .focuses = a), "02");
	expect(SPEC(.focus = "leaf", .focuses = a), "0");
	expect(SPEC(.focus = "main", .focuses = none), "0125");
	expect(SPEC(.ignores = ab), "34");
	expect(SPEC(.focus = "main", .ignore = "leaf", .ignores = ab), "");
	expect(SPEC(.focuses = many), "0125");
	expect_emptied(SPEC(.focuses = ab), "--focus ^a$ --focus ^b$");
	expect_error(SPEC(.focus = "main", .focuses = typo),
		     "--focus 'mian' matches nothing in this profile; did you mean main?");
	expect_error(SPEC(.focus = "main", .focuses = many), "--focus: at most 30 times");
}

/* Of a module or a file, code with and without names. */
static void by_module_or_file_of_a_frame(void **state)
{
	(void)state;
	expect(SPEC(.focus = "module:^libz"), "34");
	expect(SPEC(.focus = "module:/lib/libz"), "34");
	expect(SPEC(.ignore = "module:libz"), "0125");
	expect(SPEC(.focus = "module:libz", .ignore = "^ns::f"), "4");
	expect(SPEC(.focus = "file:^app\\.c$"), "01235");
	expect(SPEC(.ignore = "file:app"), "4");
	expect_error(
		SPEC(.focus = "module:libz.so.2"),
		"--focus 'module:libz.so.2' matches nothing in this profile; did you mean libz.so.1?");
	expect_error(
		SPEC(.focus = "module:[kernx]"), /* no letters */
		"--focus 'module:[kernx]' matches nothing in this profile; did you mean [kernel]?");
	expect_error(SPEC(.focus = "file:x"), "--focus 'file:x' matches nothing in this profile");
	expect_error(SPEC(.focus = "file:("),
		     "--focus: '(' is not a regular expression: Unmatched ( or \\(");
}

static void expect_of_names(const char *focus, size_t count)
{
	static const char *const paths[] = { "", "/lib/lib(1.so", "/lib/a+b.so", "/lib/nl.so" };
	struct build b;
	struct filter *f = NULL;
	struct filter_result r;
	struct error err = { 0 };

	build_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		uint32_t module = build_module(&b, i ? MODULE_FILE : MODULE_KERNEL, paths[i]);
		build_sample(&b, PROFILE_NONE, module, build_code(&b, module, "f"), 1);
	}
	profile_index(&b.profile);
	if (filter_new(&f, &b.profile, SPEC(.focus = focus), &err) < 0)
		fail_msg("%s", err.text);
	filter_apply(f, &r);
	assert_int_equal(r.samples.len, count);
	filter_result_release(&r);
	filter_free(f);
	build_release(&b);
}

/* A module that is called so is meant, whatever its name is as a regular expression. */
static void a_modules_name_is_no_regex(void **state)
{
	(void)state;
	expect_of_names("module:[kernel]", 1);
	expect_of_names("module:[k]er", 1);
	expect_of_names("module:/[kernel]/", 4);
	expect_of_names("module:lib(1.so", 1);
	expect_of_names("module:/lib/a+b.so", 1);
	expect_of_names("module:so$", 3);
}

/* Sample 2 stands for what was not sampled. */
static void of_no_time(void **state)
{
	struct build b;
	struct filter *f = NULL;
	struct filter_result r;
	struct error err = { 0 };
	(void)state;

	fill(&b);
	b.profile.samples.data[2].flags = SAMPLE_SYNTHETIC;
	assert_int_equal(filter_new(&f, &b.profile, SPEC(.time = "1ms,4ms"), &err), 0);
	filter_apply(f, &r);
	assert_int_equal(r.samples.len, 2);
	assert_int_equal(r.samples.data[0], 1);
	assert_int_equal(r.samples.data[1], 3);
	assert_string_equal(filter_note(f), "--time leaves out what was not sampled, 20.0% of all: "
					    "nothing tells when it ran");
	filter_result_release(&r);
	filter_free(f);
	build_release(&b);
}

static void by_event(void **state)
{
	(void)state;
	expect(SPEC(.event = "page-faults"), "5");
	expect(SPEC(.event = "task-clock"), "01234");
	expect_error(SPEC(.event = "cylces"),
		     "--event 'cylces' matches nothing in this profile; there are "
		     "task-clock, page-faults:u");
	expect_error(SPEC(.event = "page-fault"),
		     "--event 'page-fault' matches nothing in this profile; "
		     "did you mean page-faults:u?");
}

static void words_combine(void **state)
{
	(void)state;
	expect(SPEC(.module = "app", .comm = "app", .event = "task-clock", .time = "-1ms"), "0");
}

static void the_event_of_a_view(void **state)
{
	struct build b;
	struct filter *f;
	struct filter_spec specs[] = { { .time = NULL },
				       { .event = "page-faults" },
				       { .comm = "app" } };
	uint32_t expected[] = { 0, 1, 0 };

	(void)state;
	fill(&b);
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		assert_int_equal(filter_new(&f, &b.profile, &specs[i], NULL), 0);
		assert_int_equal(filter_event(f), expected[i]);
		assert_int_equal(filter_is_everything(f), i == 0);
		filter_free(f);
	}
	/* Without samples of the first event the second is shown; without samples the first. */
	b.profile.samples.data[0] = b.profile.samples.data[5];
	b.profile.samples.len = 1;
	assert_int_equal(filter_new(&f, &b.profile, &specs[0], NULL), 0);
	assert_int_equal(filter_event(f), 1);
	filter_free(f);
	b.profile.samples.len = 0;
	assert_int_equal(filter_new(&f, &b.profile, &specs[0], NULL), 0);
	assert_int_equal(filter_event(f), 0);
	filter_free(f);
	b.profile.events.len = 0;
	assert_int_equal(filter_new(&f, &b.profile, &specs[0], NULL), 0);
	assert_true(filter_event(f) == PROFILE_NONE);
	filter_free(f);
	build_release(&b);
}

/* What prints a message makes it printable; escaped here too it would be so twice. */
static void messages_name_tasks_as_they_are(void **state)
{
	struct build b;
	struct filter *f = NULL;
	struct error err = { 0 };

	(void)state;
	build_init(&b);
	build_task(&b, 1, 1, "a\x1b[31mb\xff");
	profile_index(&b.profile);
	assert_int_equal(filter_new(&f, &b.profile, SPEC(.comm = "nothing"), &err), -1);
	assert_string_equal(err.text,
			    "--comm 'nothing' matches nothing in this profile; there are app, "
			    "a\x1b[31mb\xff");
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),
		cmocka_unit_test(by_time),
		cmocka_unit_test(of_no_time),
		cmocka_unit_test(by_task),
		cmocka_unit_test(by_module),
		cmocka_unit_test(by_symbol),
		cmocka_unit_test(by_frames_anywhere),
		cmocka_unit_test(what_ignores_nothing_is_noted),
		cmocka_unit_test(by_several_frames),
		cmocka_unit_test(by_module_or_file_of_a_frame),
		cmocka_unit_test(a_modules_name_is_no_regex),
		cmocka_unit_test(by_event),
		cmocka_unit_test(words_combine),
		cmocka_unit_test(the_event_of_a_view),
		cmocka_unit_test(messages_name_tasks_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
