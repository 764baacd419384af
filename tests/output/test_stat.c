/* What prof stat shows: fixtures with everything that may happen to a counter, as text, JSON, CSV.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "output/stat.h"
#include "replay.h"

/* A group that ran all the time, one that shared the PMU for 40 % of it at a varying rate, one that
 * was never there, and what a kernel or a processor may refuse. */
static const char shared[] =
	"{\"event\": \"task-clock\", \"group\": 1, \"unit\": \"ns\", \"software\": true}\n"
	"{\"event\": \"page-faults\", \"group\": 1, \"software\": true}\n"
	"{\"event\": \"cycles\", \"group\": 2}\n"
	"{\"event\": \"instructions\", \"group\": 2}\n"
	"{\"event\": \"cache-misses\", \"group\": 3}\n"
	"{\"event\": \"cache-references\", \"group\": 4}\n"
	"{\"event\": \"branch-misses\", \"group\": 5, \"state\": \"not supported\", \"reason\": "
	"\"this processor or kernel has no such event\"}\n"
	"{\"event\": \"sched:sched_switch\", \"group\": 6, \"state\": \"not permitted\", "
	"\"reason\": \"tracepoints need more\"}\n"
	"{\"event\": \"power/energy-pkg/\", \"group\": 7, \"unit\": \"Joules\", \"scale\": "
	"0.0000610352}\n";

/* One reading at time i of n, of a counter that was 40 % of the time on the processor. */
static int append_reading(char *to, size_t size, unsigned i)
{
	unsigned long long t = 100000000ull * i, part = t / 5 * 2;

	return snprintf(to, size,
			"{\"time_ns\": %llu, \"read\": [[%llu, %llu, %llu], [%u, %llu, %llu], "
			"[%llu, %llu, %llu], [%llu, %llu, %llu], [%llu, %llu, %llu], "
			"[0, %llu, 0], null, null, [%llu, %llu, %llu]]}\n",
			t, t - i, t, t, 250 * i, t, t, t * 3, t, t, t * 5 + i * i, t, t,
			(unsigned long long)i * (1000 + i * i % 7), t, part, t, t / 1000, t, t);
}

static void fill_shared(char *text, size_t size, unsigned readings)
{
	size_t len = strlen(shared);

	memcpy(text, shared, len);
	for (unsigned i = 1; i <= readings; i++)
		len += (size_t)append_reading(text + len, size - len, i);
	assert_true(len < size);
}

struct shown {
	struct stat_view view;
	struct metric_list metrics;
	struct bytes out;
};

static void begin(struct shown *s)
{
	static char note[] = "a note that somebody should read";
	static char *notes[] = { note };

	*s = (struct shown){ 0 };
	metric_rows(&s->metrics, NULL, NULL);
	s->view = (struct stat_view){
		.title = "./app --fast",
		.metrics = &s->metrics,
		.cpus = 4,
		.unicode = true,
		.notes = notes,
		.note_count = 1,
	};
}

static void end(struct shown *s)
{
	metric_list_release(&s->metrics);
	bytes_release(&s->out);
}

static struct counter_run replay(const char *text)
{
	struct counter_run run;
	struct error err = { 0 };

	if (replay_fixture(&run, "fixture", text, strlen(text), NULL, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return run;
}

static struct counter_run shared_run(unsigned readings)
{
	char text[16384];

	fill_shared(text, sizeof(text), readings);
	struct counter_run run = replay(text);
	run.launched = run.ended = true;
	run.exit_status = 3;
	run.usage = (struct counter_usage){ true, 1200000000, 300000000, 123456789, 200, 2, 17, 4 };
	return run;
}

static void test_text(void **state)
{
	struct counter_run run = shared_run(8);
	struct shown s;

	(void)state;
	begin(&s);
	s.view.runs = &run;
	s.view.run_count = 1;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat.txt");
	bytes_clear(&s.out);
	s.view.unicode = false;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-ascii.txt");
	counter_run_release(&run);
	end(&s);
}

/* What is said about the counters keeps to the width, further lines indented below its first. */
static void test_remarks_are_wrapped(void **state)
{
	static char note[] =
		"no hardware counters here (a virtual machine without a PMU?): cycles, "
		"instructions, branches are left out";
	static char *notes[] = { note };
	struct counter_run run = shared_run(8);
	struct shown s;

	(void)state;
	begin(&s);
	s.view.runs = &run;
	s.view.run_count = 1;
	s.view.notes = notes;
	output_stat_text(&s.out, &s.view);
	bytes_u8(&s.out, 0);
	assert_non_null(strstr((const char *)s.out.data,
			       "  no hardware counters here (a virtual machine without a PMU?): "
			       "cycles,\n    instructions, branches are left out\n"));
	bytes_clear(&s.out);
	s.view.width = 200;
	output_stat_text(&s.out, &s.view);
	bytes_u8(&s.out, 0);
	assert_non_null(strstr((const char *)s.out.data, note));
	counter_run_release(&run);
	end(&s);
}

/* Too few slices to know how far the scaled value may be off. */
static void test_text_of_a_short_run(void **state)
{
	struct counter_run run = shared_run(3);
	struct shown s;

	(void)state;
	begin(&s);
	run.exit_status = 0;
	run.exit_signal = 9;
	s.view.runs = &run;
	s.view.run_count = 1;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-short.txt");
	counter_run_release(&run);
	end(&s);
}

static void test_json_and_csv(void **state)
{
	struct counter_run run = shared_run(8);
	struct shown s;

	(void)state;
	begin(&s);
	s.view.runs = &run;
	s.view.run_count = 1;
	output_stat_json(&s.out, &s.view, false);
	expect_golden(&s.out, "stat.json");
	bytes_clear(&s.out);
	output_stat_csv(&s.out, &s.view, ",", true);
	expect_golden(&s.out, "stat.csv");
	counter_run_release(&run);
	end(&s);
}

static const char broken[] =
	"{\"event\": \"cycles\", \"group\": 1}\n"
	"{\"event\": \"instructions\", \"group\": 2}\n"
	"{\"event\": \"branches\", \"group\": 3}\n"
	"{\"time_ns\": 100000000, \"read\": [[9000, 100, 100], [10, 100, 100], "
	"[10, 100, 120]]}\n"
	"{\"time_ns\": 200000000, \"read\": [[20, 200, 200], [20, 200, 200], "
	"[20, 200, 240]]}\n";

/* One went backwards, one ran for longer than it was enabled: shown as such, and no ratio of them.
 */
static void test_broken_counters(void **state)
{
	struct counter_run run = replay(broken);
	struct shown s;

	(void)state;
	begin(&s);
	s.view.runs = &run;
	s.view.run_count = 1;
	s.view.note_count = 0;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-broken.txt");
	bytes_clear(&s.out);
	output_stat_json(&s.out, &s.view, true);
	expect_golden(&s.out, "stat-broken.json");
	counter_run_release(&run);
	end(&s);
}

static const char hybrid[] =
	"{\"event\": \"task-clock\", \"group\": 1, \"unit\": \"ns\", \"software\": true}\n"
	"{\"event\": \"cycles\", \"type\": \"cpu_core\", \"group\": 2}\n"
	"{\"event\": \"instructions\", \"type\": \"cpu_core\", \"group\": 2}\n"
	"{\"event\": \"cycles\", \"type\": \"cpu_atom\", \"group\": 3}\n"
	"{\"event\": \"instructions\", \"type\": \"cpu_atom\", \"group\": 3}\n"
	"{\"row\": \"cpu\", \"id\": 0, \"label\": \"CPU 0\"}\n"
	"{\"row\": \"cpu\", \"id\": 1, \"label\": \"CPU 1\"}\n"
	"{\"time_ns\": 1000000000, \"read\": [[400000000, 400000000, 400000000], [1200000000, "
	"400000000, 400000000], [3600000000, 400000000, 400000000], null, null, [500000000, "
	"500000000, 500000000], null, null, [1000000000, 500000000, 500000000], [1000000000, "
	"500000000, 500000000]]}\n";

/* Each core type has its own counters and its own ratio. */
static void test_core_types_and_rows(void **state)
{
	struct counter_run run = replay(hybrid);
	struct shown s;

	(void)state;
	begin(&s);
	s.view.runs = &run;
	s.view.run_count = 1;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-types.txt");
	bytes_clear(&s.out);
	output_stat_json(&s.out, &s.view, false);
	expect_golden(&s.out, "stat-types.json");
	bytes_clear(&s.out);
	output_stat_csv(&s.out, &s.view, ";", true);
	expect_golden(&s.out, "stat-types.csv");
	counter_run_release(&run);
	end(&s);
}

static void test_repeats(void **state)
{
	struct counter_run runs[8];
	struct shown s;

	(void)state;
	begin(&s);
	for (unsigned i = 0; i < 8; i++) {
		runs[i] = shared_run(i % 3 + 6);
		runs[i].exit_status = i == 5;
	}
	s.view.runs = runs;
	s.view.run_count = 8;
	s.view.warmups = 1;
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-repeats.txt");
	bytes_clear(&s.out);
	output_stat_json(&s.out, &s.view, false);
	expect_golden(&s.out, "stat-repeats.json");
	bytes_clear(&s.out);
	output_stat_csv(&s.out, &s.view, ",", true);
	expect_golden(&s.out, "stat-repeats.csv");
	bytes_clear(&s.out);
	s.view.run_count = 3; /* too few for an interval */
	output_stat_text(&s.out, &s.view);
	expect_golden(&s.out, "stat-repeats-few.txt");
	for (unsigned i = 0; i < 8; i++)
		counter_run_release(&runs[i]);
	end(&s);
}

struct interval_outputs {
	struct shown text, json, csv;
	bool begun;
};

static void add_interval(void *ctx, const struct counter_table *t, uint64_t since_begin_ns)
{
	struct interval_outputs *o = ctx;

	output_stat_text_interval(&o->text.out, &o->text.view, t, since_begin_ns, !o->begun);
	output_stat_json_interval(&o->json.out, &o->json.view, t, since_begin_ns);
	output_stat_csv_interval(&o->csv.out, &o->csv.view, t, since_begin_ns, ",", !o->begun);
	o->begun = true;
}

static void test_intervals(void **state)
{
	struct interval_outputs o = { .begun = false };
	struct counter_run run;
	char text[16384];

	(void)state;
	begin(&o.text);
	begin(&o.json);
	begin(&o.csv);
	fill_shared(text, sizeof(text), 3);
	assert_int_equal(replay_fixture(&run, "f", text, strlen(text), add_interval, &o, NULL), 0);
	expect_golden(&o.text.out, "stat-intervals.txt");
	expect_golden(&o.json.out, "stat-intervals.json");
	expect_golden(&o.csv.out, "stat-intervals.csv");
	counter_run_release(&run);
	end(&o.text);
	end(&o.json);
	end(&o.csv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_remarks_are_wrapped),
		cmocka_unit_test(test_text_of_a_short_run),
		cmocka_unit_test(test_json_and_csv),
		cmocka_unit_test(test_broken_counters),
		cmocka_unit_test(test_core_types_and_rows),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_intervals),
	};

	return cmocka_run_group_tests_name("prof stat's output", tests, NULL, NULL);
}
