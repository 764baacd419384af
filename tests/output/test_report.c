/* prof report: golden text, JSON and CSV; sums; names made to break it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "golden.h"
#include "output/output.h"
#include "sample_profile.h"

struct fixture {
	struct build b;
	struct filter_result all;
	struct bytes out;
};

typedef void profile_maker(struct build *b, struct filter_result *all);

static void make(struct fixture *f, profile_maker *maker)
{
	memset(f, 0, sizeof(*f));
	maker(&f->b, &f->all);
}

static void release(struct fixture *f)
{
	bytes_release(&f->out);
	filter_result_release(&f->all);
	build_release(&f->b);
}

/* The report as a string in f->out. */
static const char *report(struct fixture *f, const struct report_options *o)
{
	struct error err = { 0 };

	bytes_clear(&f->out);
	if (output_report(&f->out, &f->b.profile, &f->all, f->b.event, o, &err) < 0)
		fail_msg("%s", err.text);
	bytes_u8(&f->out, '\0');
	f->out.len--;
	return (const char *)f->out.data;
}

#define OPTIONS(...) (&(struct report_options){ __VA_ARGS__ })

static const struct {
	const char *file;
	struct report_options options;
} goldens[] = {
	{ "report.txt", { .unicode = true } },
	{ "report-ascii.txt", { .unicode = false } },
	{ "report-colour.txt", { .unicode = true, .colour = true } },
	{ "report-120.txt", { .unicode = true, .width = 120 } },
	{ "report-40.txt", { .unicode = true, .width = 40 } },
	{ "report-verbose.txt", { .unicode = true, .verbose = true, .limit = 9 } },
	{ "report-limit.txt", { .unicode = true, .limit = 3 } },
	{ "report-min.txt", { .unicode = true, .min_percent = 5, .limit = 100 } },
	{ "report-given.txt",
	  { .unicode = true,
	    .limit = 3,
	    .given = " --comm 'a b' --verbose",
	    .selection = " --comm 'a b'" } },
	{ "report-thread.txt", { .unicode = true, .by = FLAT_BY_THREAD } },
	{ "report-process.txt", { .unicode = true, .by = FLAT_BY_PROCESS } },
	{ "report-module.txt", { .unicode = true, .by = FLAT_BY_MODULE } },
	{ "report-line.txt", { .unicode = true, .by = FLAT_BY_LINE } },
	{ "report-cpu.txt", { .unicode = true, .by = FLAT_BY_CPU } },
	{ "report-event.txt", { .unicode = true, .by = FLAT_BY_EVENT } },
	{ "tree.txt", { .unicode = true, .tree = true } },
	{ "tree-ascii.txt", { .tree = true } },
	{ "tree-limit.txt", { .unicode = true, .tree = true, .limit = 5 } },
	{ "tree-thread.txt", { .unicode = true, .tree = true, .by = FLAT_BY_THREAD } },
	{ "tree-inverted.txt",
	  { .unicode = true, .tree = true, .limit = 12, .frames.inverted = true } },
	{ "callers.txt", { .unicode = true, .callers = "hash" } },
	{ "callees.txt", { .unicode = true, .callees = "eval" } },
	{ "peek.txt", { .unicode = true, .peek = "eval" } },
	{ "peek-ascii.txt", { .peek = "hash", .limit = 2 } },
	{ "report.json", { .format = REPORT_JSON } },
	{ "tree.json", { .format = REPORT_JSON, .tree = true } },
	{ "callers.json", { .format = REPORT_JSON, .callers = "rec" } },
	{ "report.csv", { .format = REPORT_CSV } },
	{ "tree.csv", { .format = REPORT_CSV, .tree = true } },
	{ "thread.csv", { .format = REPORT_CSV, .by = FLAT_BY_THREAD } },
};

static void two_events(struct build *b, struct filter_result *all)
{
	sample_profile(b, all);
	filter_result_release(all);
	uint32_t faults = build_event(b, "page-faults", UNIT_COUNT);
	for (int i = 0; i < 40; i++)
		build_at(b, build_stack(b, "main;run", 3))->event = (uint16_t)faults;
	build_finish(b, all);
}

/* Seconds and faults are no parts of one whole: no shares, no bars, each in its own unit. */
static void events_have_weights_only(void **state)
{
	static const struct {
		enum report_format format;
		const char *with, *without;
	} rows[] = {
		{ REPORT_TEXT, "      WEIGHT    SAMPLES  EVENT\n", "SHARE" },
		{ REPORT_TEXT, "      790 ms        750  task-clock\n", "█" },
		{ REPORT_TEXT, "         120         40  page-faults\n", "█" },
		{ REPORT_MARKDOWN, "| weight | samples | event |\n", "self" },
		{ REPORT_MARKDOWN, "| 120 | 40 | `page-faults` |\n", "| |" },
		{ REPORT_CSV, "event,kind,module,file,line,self_weight,total_weight,", "self_ns" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;
		struct report_options o = { .unicode = true,
					    .by = FLAT_BY_EVENT,
					    .format = rows[i].format };

		make(&f, two_events);
		const char *text = report(&f, &o);
		assert_non_null(strstr(text, rows[i].with));
		assert_null(strstr(text, rows[i].without));
		release(&f);
	}
}

static void reports_are_as_before(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, sample_profile);
	for (size_t i = 0; i < ARRAY_LEN(goldens); i++) {
		report(&f, &goldens[i].options);
		expect_golden(&f.out, goldens[i].file);
	}
	release(&f);
}

static void the_screen_is_as_before(void **state)
{
	struct fixture f;

	static const struct {
		const char *file;
		struct report_options options;
	} screens[] = {
		{ "screen.txt", { .unicode = true } },
		{ "screen-ascii.txt", { .width = 80 } },
		{ "screen-60.txt", { .unicode = true, .width = 60 } },
		{ "screen.md", { .format = REPORT_MARKDOWN, .unicode = true } },
		{ "screen.json", { .format = REPORT_JSON, .limit = 1 } },
	};

	(void)state;
	make(&f, screen_profile);
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		report(&f, &screens[i].options);
		expect_golden(&f.out, screens[i].file);
	}
	release(&f);
}

static void a_command_cannot_close_the_block_of_markdown(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, screen_profile);
	f.b.profile.runs.data[0].command = build_str(&f.b, "```` @all");
	const char *text = report(&f, OPTIONS(.format = REPORT_MARKDOWN));
	assert_non_null(strstr(text, "### ````` ```` @all `````\n\n`````text\n```` @all | "));
	assert_non_null(strstr(text, "\n`````\n\n- **"));
	release(&f);
}

/* Its lines may have moved. */
static void text_of_a_newer_file_is_not_shown(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, screen_profile);
	assert_non_null(strstr(report(&f, OPTIONS(.unicode = true)), "app.c:10  while (tab[c]"));
	f.b.profile.sources.data[0].flags = SOURCE_IS_NEWER;
	assert_non_null(strstr(report(&f, OPTIONS(.unicode = true)), "app.c:10  in tokenize\n"));
	assert_null(strstr(report(&f, OPTIONS(.format = REPORT_JSON)), "while (tab[c]"));
	release(&f);
}

/* The longest line's columns, and the number of lines. */
static size_t measure(const char *text, size_t *lines)
{
	size_t widest = 0;

	for (*lines = 0; *text; ++*lines) {
		size_t len = strcspn(text, "\n"), width = text_width(text, len);
		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}

static void it_fits_the_screen(void **state)
{
	struct fixture f;
	size_t lines;
	uint32_t widths[] = { 60, 72, 80, 100, 120, 200 };

	(void)state;
	for (int screen = 0; screen < 2; screen++) {
		make(&f, screen ? screen_profile : sample_profile);
		for (size_t i = 0; i < ARRAY_LEN(widths) * 2; i++) {
			uint32_t width = widths[i / 2];
			const char *text = report(&f, OPTIONS(.unicode = i % 2, .width = width));
			assert_in_range(measure(text, &lines), 50, width);
			if (width >= 80)
				assert_in_range(lines, 10, 23);
			text = report(&f, OPTIONS(.unicode = i % 2, .width = width, .tree = true));
			assert_in_range(measure(text, &lines), 40, width);
		}
		release(&f);
	}
}

/* A terminal of 80 columns has what one of 120 has but for the module, which stands in for a line
 * that is not known. */
static void eighty_columns_say_where(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, screen_profile);
	for (uint32_t width = 80; width < 200; width++) {
		const char *text = report(&f, OPTIONS(.unicode = true, .width = width));
		assert_non_null(strstr(text, " ██████████ tokenize  "));
		assert_non_null(strstr(text, " app.c:1 "));
		assert_non_null(strstr(text, "  THR\n"));
		assert_int_equal(strstr(text, "MODULE") != NULL, width >= 110);
	}
	release(&f);
	make(&f, sample_profile);
	const char *text = report(&f, OPTIONS(.unicode = true, .width = 80));
	assert_non_null(strstr(text, "  libz.so.1 "));
	release(&f);
}

/* Without Unicode the mark for what was left out of the command is ASCII too, and not escaped. */
static void a_long_command_is_cut_plainly(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, sample_profile);
	const char *text = report(&f, OPTIONS(.unicode = false, .width = 16));
	assert_memory_equal(text, "ap..fast", 8);
	text = report(&f, OPTIONS(.unicode = true, .width = 16));
	assert_memory_equal(text, "ap…-fast", strlen("ap…-fast"));
	release(&f);
}

static uint64_t number_after(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, 10);
}

/* Sum of "self" over the objects of a JSON report, which stand one on a line. */
static uint64_t sum_json_selfs(const char *json)
{
	uint64_t sum = 0;

	/* Findings, lines and the path come before. */
	const char *rows = strstr(json, "\n\t\"rows\": ");
	for (const char *at = rows ? rows : json; (at = strstr(at, "\n\t\t{\"")); at++)
		sum += number_after(at, "\"self\": ");
	return sum;
}

static void json_sums_to_the_total(void **state)
{
	struct fixture f;

	enum flat_by bys[] = { FLAT_BY_FUNCTION, FLAT_BY_MODULE, FLAT_BY_LINE, FLAT_BY_THREAD,
			       FLAT_BY_PROCESS,	 FLAT_BY_CPU,	 FLAT_BY_EVENT };

	(void)state;
	make(&f, sample_profile);
	for (size_t i = 0; i < ARRAY_LEN(bys); i++) {
		const char *json = report(&f, OPTIONS(.format = REPORT_JSON, .by = bys[i]));
		assert_int_equal(number_after(json, "\n\t\"total\": "), 790000000);
		assert_int_equal(sum_json_selfs(json), 790000000);
		json = report(&f, OPTIONS(.format = REPORT_JSON, .by = bys[i], .limit = 1));
		uint64_t rest = number_after(strstr(json, "\"rest\""), "\"self\": ");
		assert_int_equal(sum_json_selfs(json) + rest, 790000000);
	}
	assert_int_equal(sum_json_selfs(report(&f, OPTIONS(.format = REPORT_JSON, .tree = true))),
			 790000000);
	release(&f);
}

/* Field number field (from 0) of a CSV line; fields before it may be quoted. */
static uint64_t csv_number(const char *line, int field)
{
	bool quoted = false;

	for (; field > 0; line++) {
		quoted ^= *line == '"';
		field -= *line == ',' && !quoted;
	}
	return strtoull(line, NULL, 10);
}

static uint64_t sum_csv(const char *csv, int field)
{
	uint64_t sum = 0;

	for (const char *at = strstr(csv, "\r\n") + 2; *at; at = strstr(at, "\r\n") + 2)
		sum += csv_number(at, field);
	return sum;
}

static void csv_sums_to_the_total(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, sample_profile);
	assert_int_equal(sum_csv(report(&f, OPTIONS(.format = REPORT_CSV)), 5), 790000000);
	assert_int_equal(sum_csv(report(&f, OPTIONS(.format = REPORT_CSV, .tree = true)), 7),
			 790000000);
	release(&f);
	make(&f, hostile_profile);
	assert_int_equal(sum_csv(report(&f, OPTIONS(.format = REPORT_CSV)), 5),
			 16 * 1000 + 120 + 2000 + 5);
	release(&f);
}

/* Callers' and callees' selfs sum to the function's total in the table. */
static void neighbours_sum_to_the_function(void **state)
{
	struct fixture f;
	const char *functions[] = { "main", "run", "eval", "rec", "hash", "do_syscall_64", "inl" };

	(void)state;
	make(&f, sample_profile);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		CLEANUP_FREE char *row = xasprintf("{\"name\": \"%s\",", functions[i]);
		const char *json = report(&f, OPTIONS(.format = REPORT_JSON));
		uint64_t total = number_after(strstr(json, row), "\"total\": ");
		assert_int_not_equal(total, 0);
		json = report(&f, OPTIONS(.format = REPORT_JSON, .callers = functions[i]));
		assert_int_equal(sum_json_selfs(json), total);
		json = report(&f, OPTIONS(.format = REPORT_JSON, .callees = functions[i]));
		assert_int_equal(sum_json_selfs(json), total);
	}
	release(&f);
}

static void a_function_that_is_not_there(void **state)
{
	struct fixture f;
	struct error err = { 0 };

	(void)state;
	make(&f, sample_profile);
	assert_int_equal(output_report(&f.out, &f.b.profile, &f.all, 0,
				       OPTIONS(.callers = "tokenise"), &err),
			 -1);
	assert_string_equal(
		err.text,
		"--callers 'tokenise': no such function in these samples; did you mean tokenize?");
	assert_int_equal(f.out.len, 0);
	assert_int_equal(output_report(&f.out, &f.b.profile, &f.all, 0, OPTIONS(.peek = "hsah"),
				       &(struct error){ 0 }),
			 -1);
	release(&f);
}

/* Both sides of --peek are what --callers and --callees show, in JSON too. */
static void peek_is_callers_and_callees(void **state)
{
	struct fixture f;
	const char *end = "\n\t]";

	(void)state;
	make(&f, sample_profile);
	for (int side = 0; side < 2; side++) {
		const char *json =
			report(&f, OPTIONS(.format = REPORT_JSON, .callers = side ? NULL : "rec",
					   .callees = side ? "rec" : NULL));
		const char *nodes = strstr(json, "\n\t\"nodes\": [");
		assert_non_null(nodes);
		nodes = strchr(nodes, '[');
		CLEANUP_FREE char *one =
			xasprintf("%.*s", (int)(strstr(nodes, end) - nodes), nodes);
		json = report(&f, OPTIONS(.format = REPORT_JSON, .peek = "rec"));
		const char *same = strstr(json, side ? "\"callees\": [" : "\"callers\": [");
		assert_non_null(same);
		same = strchr(same, '[');
		assert_memory_equal(same, one, strlen(one));
		assert_memory_equal(same + strlen(one), end, strlen(end));
	}
	release(&f);
}

/* Valid UTF-8, and nothing but newlines (and, where allowed, tabs, carriage returns) of the control
 * characters. */
static void expect_clean(const struct bytes *out, const char *allowed)
{
	const char *text = (const char *)out->data;

	for (size_t i = 0; i < out->len;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(text + i, out->len - i, &cp);
		assert_int_not_equal(n, 0);
		bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x202e;
		if (control && (cp == 0 || cp > 0x7f || !strchr(allowed, (int)cp)))
			fail_msg("U+%04X at byte %zu", cp, i);
		i += (size_t)n;
	}
}

static void hostile_names_cannot_break_it(void **state)
{
	struct fixture f;
	size_t lines;

	(void)state;
	make(&f, hostile_profile);
	for (int unicode = 0; unicode < 2; unicode++) {
		report(&f, OPTIONS(.unicode = unicode, .limit = 100));
		expect_clean(&f.out, "\n");
		assert_in_range(measure((const char *)f.out.data, &lines), 40, 80);
		report(&f, OPTIONS(.unicode = unicode, .tree = true, .limit = 100));
		expect_clean(&f.out, "\n");
		report(&f, OPTIONS(.unicode = unicode, .by = FLAT_BY_THREAD, .limit = 100));
		expect_clean(&f.out, "\n");
	}
	report(&f, OPTIONS(.unicode = true, .limit = 100));
	expect_golden(&f.out, "hostile.txt");
	report(&f, OPTIONS(.limit = 100));
	for (size_t i = 0; i < f.out.len; i++)
		assert_true(f.out.data[i] < 0x80);
	report(&f, OPTIONS(.format = REPORT_MARKDOWN, .unicode = true, .limit = 100));
	expect_clean(&f.out, "\n");
	expect_golden(&f.out, "hostile.md");
	report(&f, OPTIONS(.format = REPORT_JSON));
	expect_clean(&f.out, "\n\t");
	report(&f, OPTIONS(.format = REPORT_CSV));
	expect_clean(&f.out, "\r\n");
	release(&f);
}

static void no_samples_is_a_valid_report(void **state)
{
	struct fixture f;

	static const struct {
		const char *file;
		struct report_options options;
	} cases[] = {
		{ "empty.txt", { .unicode = true } },
		{ "empty-tree.txt", { .unicode = true, .tree = true } },
		{ "empty.json", { .format = REPORT_JSON } },
		{ "empty.csv", { .format = REPORT_CSV } },
	};

	(void)state;
	make(&f, empty_profile);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		report(&f, &cases[i].options);
		expect_golden(&f.out, cases[i].file);
	}
	/* Not even an event, a run or a machine. */
	f.b.profile.events.len = f.b.profile.runs.len = f.b.profile.machines.len = 0;
	f.b.event = PROFILE_NONE;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		report(&f, &cases[i].options);
		assert_int_not_equal(f.out.len, 0);
	}
	release(&f);
}

/* A filter that leaves nothing is named, so that it can be changed. */
static void what_left_nothing_is_said(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, sample_profile);
	f.all.samples.len = 0;
	f.all.emptied_by = xstrdup("--comm é");
	assert_non_null(strstr(report(&f, OPTIONS(.unicode = true)),
			       "health: 0 samples\nno samples: nothing is left by --comm é\n"));
	assert_non_null(strstr(report(&f, OPTIONS(.unicode = false)), "--comm \\xc3\\xa9\n"));
	assert_non_null(
		strstr(report(&f, OPTIONS(.format = REPORT_JSON)), "\"emptied_by\": \"--comm é\""));
	release(&f);
}

/* The rows never add up to more than the head says, however short the run. */
static void the_head_has_all_the_time_of_the_rows(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, empty_profile);
	f.b.profile.health.target_cpu_ns = 1730000;
	build_stack(&f.b, "main", 2100000);
	filter_result_release(&f.all);
	build_finish(&f.b, &f.all);
	assert_non_null(strstr(report(&f, OPTIONS(.unicode = true)), " · 2.10 ms CPU"));
	release(&f);
}

static void huge_numbers_are_exact(void **state)
{
	struct fixture f;

	(void)state;
	memset(&f, 0, sizeof(f));
	build_init(&f.b);
	build_stack(&f.b, "main;a", 9007199254740993ull);
	build_stack(&f.b, "main;b", 18000000000000000000ull);
	build_finish(&f.b, &f.all);
	const char *json = report(&f, OPTIONS(.format = REPORT_JSON));
	assert_non_null(strstr(json, "\"total\": 18009007199254740993,"));
	assert_non_null(strstr(json, "\"self\": 9007199254740993,"));
	assert_non_null(strstr(json, "\"self_percent\": 0.050015,"));
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_as_before),
		cmocka_unit_test(events_have_weights_only),
		cmocka_unit_test(the_screen_is_as_before),
		cmocka_unit_test(a_command_cannot_close_the_block_of_markdown),
		cmocka_unit_test(text_of_a_newer_file_is_not_shown),
		cmocka_unit_test(it_fits_the_screen),
		cmocka_unit_test(eighty_columns_say_where),
		cmocka_unit_test(a_long_command_is_cut_plainly),
		cmocka_unit_test(json_sums_to_the_total),
		cmocka_unit_test(csv_sums_to_the_total),
		cmocka_unit_test(neighbours_sum_to_the_function),
		cmocka_unit_test(a_function_that_is_not_there),
		cmocka_unit_test(peek_is_callers_and_callees),
		cmocka_unit_test(hostile_names_cannot_break_it),
		cmocka_unit_test(no_samples_is_a_valid_report),
		cmocka_unit_test(what_left_nothing_is_said),
		cmocka_unit_test(the_head_has_all_the_time_of_the_rows),
		cmocka_unit_test(huge_numbers_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
