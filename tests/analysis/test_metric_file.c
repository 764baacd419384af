/* Users' metrics: what is read, what replaces ours, and the line that says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/metric_file.h"
#include "counted.h"

static const char sample[] = "# Metrics of our own.\n"
			     "\n"
			     "[stall-cost]\r\n"
			     "title = cycles for each fault\n"
			     "  formula =  cycles / page-faults  \n"
			     "unit = cycles\n"
			     "good = low\n"
			     "threshold = 1e4\n"
			     "explanation = what a fault costs, and everything else = too\n"
			     "condition = with a PMU\n"
			     "events = {cycles,instructions},page-faults\n"
			     "set = own\n"
			     "\n"
			     "[ ipc ]\n"
			     "formula = 2 * instructions / cycles\n"
			     "[only-zen4]\n"
			     "formula = 'r0c1' / cycles\n"
			     "cpus = amd:zen4*";

static void rows_are_read(void **state)
{
	struct metric_user user;
	struct metric_list rows = { 0 };
	struct error err = { 0 };

	(void)state;
	metric_user_init(&user);
	if (metric_file_parse(&user, "own.metrics", sample, sizeof(sample) - 1, &err) < 0)
		fail_msg("%s", err.text);
	metric_rows(&rows, NULL, &user);
	const struct metric *m = metric_find(&rows, "stall-cost");
	assert_non_null(m);
	assert_string_equal(m->title, "cycles for each fault");
	assert_string_equal(m->formula, "cycles / page-faults");
	assert_string_equal(m->unit, "cycles");
	assert_string_equal(m->explanation, "what a fault costs, and everything else = too");
	assert_string_equal(m->condition, "with a PMU");
	assert_string_equal(m->set, "own");
	assert_string_equal(m->source, "own.metrics");
	assert_int_equal(m->good, METRIC_LOWER_IS_BETTER);
	assert_true(m->threshold == 1e4);
	char *events = metric_events(m);
	assert_string_equal(events, "{cycles,instructions},page-faults");
	free(events);
	/* Replaces ours, where it stood. */
	m = metric_find(&rows, "ipc");
	assert_string_equal(m->formula, "2 * instructions / cycles");
	assert_string_equal(m->title, "ipc");
	assert_string_equal(m->unit, "");
	assert_true(isnan(m->threshold));
	assert_null(metric_find(&rows, "only-zen4"));
	metric_list_release(&rows);
	metric_rows(&rows, "amd:zen4+smt", &user);
	assert_non_null(metric_find(&rows, "only-zen4"));
	metric_list_release(&rows);
	metric_user_release(&user);
}

static void lines_that_are_wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "formula = 1\n", "f:1: a metric's name in brackets comes first: [name]" },
		{ "[a]\n\n[b]\nformula = 1\n", "f:1: metric a has no formula" },
		{ "[a]\ntitle = x", "f:1: metric a has no formula" },
		{ "[a\nformula = 1\n", "f:1: a ']' is missing behind the metric's name" },
		{ "[]\n", "f:1: a metric's name is 1 to 64 letters, digits, '-' and '_', a letter "
			  "first" },
		{ "[a b]\n", "f:1: a metric's name is 1 to 64 letters" },
		{ "[1a]\n", "f:1: a metric's name is 1 to 64 letters" },
		{ "[a]\nwords\n", "f:2: a line is '[name]', 'key = value' or '# comment'" },
		{ "[a]\nformula = 1 +\n",
		  "f:2: something is missing at character 4 of the formula '1 +'" },
		{ "[a]\nformula = 1\nformula = 2\n", "f:3: formula of metric a is there twice" },
		{ "[a]\nformula = 1\ngood = yes\n", "f:3: good is high, low or neutral" },
		{ "[a]\nformula = 1\nthreshold = much\n", "f:3: threshold is a number" },
		{ "[a]\nformula = 1\nthreshold = 1 / 0\n", "f:3: threshold is a number" },
		{ "[a]\nformula = 1\n\x1b[31m = 1\n",
		  "f:3: no key '\\x1b[31m' (there are title, formula, unit, " },
		{ "[a]\nformula = 1\n= 1\n", "f:3: no key '' (there are title, " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct metric_user user;
		struct error err = { 0 };
		metric_user_init(&user);
		assert_int_equal(
			metric_file_parse(&user, "f", cases[i].text, strlen(cases[i].text), &err),
			-1);
		if (strncmp(err.text, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_null(strchr(err.text, '\n'));
		assert_int_equal(user.rows.len, 0);
		metric_user_release(&user);
	}
}

static void limits(void **state)
{
	struct metric_user user;
	struct error err = { 0 };
	size_t size = METRIC_FILE_MAX_BYTES + 1;
	char *large = xmalloc(size);

	(void)state;
	metric_user_init(&user);
	memset(large, '#', size);
	assert_int_equal(metric_file_parse(&user, "f", large, size, &err), -1);
	assert_string_equal(err.text, "f: a file of metrics is at most 1 MiB");
	memset(&err, 0, sizeof(err));
	assert_int_equal(metric_file_parse(&user, "f", large, 5000, &err), -1);
	assert_string_equal(err.text, "f:1: a line is longer than 4096 characters");
	memset(&err, 0, sizeof(err));
	assert_int_equal(metric_file_parse(&user, "f", "#\n\0", 3, &err), -1);
	assert_string_equal(err.text, "f:2: a NUL: this is no text");
	memset(&err, 0, sizeof(err));
	size_t len = 0;
	for (int i = 0; i < 1001; i++)
		len += (size_t)sprintf(large + len, "[m%d]\nformula=1\n", i);
	assert_int_equal(metric_file_parse(&user, "f", large, len, &err), -1);
	assert_string_equal(err.text, "f:2001: more than 1000 metrics");
	assert_int_equal(metric_file_parse(&user, "f", "", 0, NULL), 0);
	free(large);
	metric_user_release(&user);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read),
		cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
