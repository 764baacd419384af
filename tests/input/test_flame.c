/* A flame graph as an input: drawn again from what is read of it, its tree is the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/health.h"
#include "fixture.h"
#include "flame_file.h"
#include "input/input.h"

static const char demo[] =
	"main;run;compile;parse;tokenize 3100000000 3100\n"
	"main;run;compile;parse;tokenize;i:is_ident 900000000 900\n"
	"main;run;compile;parse;tokenize;i:is_ident;l:memchr 300000000 300\n"
	"main;run;compile;parse;tokenize;i:is_ident;i:deeper 300000007 3\n"
	"main;run;compile;emit;j:JS:*hot;j:JS:inner 700000000 700\n"
	"main;run;compile;emit;l:fwrite;l:write;k:do_syscall_64;k:vfs_write 1300000000 1300\n"
	"main;run;compile;?:0 150000000 150\n"
	"main;run;compile;?:0;below 150000000 15\n"
	"main;run;gc(Heap&);gc(Heap&);gc(Heap&);l:memset 700000000 700\n"
	"main;load;</script>]]>\"' 190000000 190\n"
	"s:[not sampled] 450000000\n";

static void open_drawn(struct profile *p, const struct bytes *drawn)
{
	struct error err = { 0 };
	uint32_t warnings = 99;

	if (open_bytes(p, drawn->data, drawn->len, &warnings, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(warnings, 0);
	assert_true(p->is_foreign && profile_is_consistent(p));
}

/* The text of the embedded tree. */
static const char *tree_in(const struct bytes *drawn, size_t *len)
{
	const char *tag = memmem(drawn->data, drawn->len, "<metadata", 9);

	assert_non_null(tag);
	const char *text = strchr(tag, '>') + 1;
	*len = strcspn(text, "<");
	return text;
}

static void draw(struct bytes *out, const struct profile *p, const struct flame_options *options)
{
	struct filter_result all = { 0 };

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	output_flame(out, p, &all, 0, options);
	bytes_u8(out, '\0');
	filter_result_release(&all);
}

static void expect_same_again(const char *folded, const struct flame_options *first,
			      const struct flame_options *again)
{
	struct bytes drawn = { 0 }, redrawn = { 0 };
	struct fixture f;
	struct profile p;
	size_t len, len_again;

	fixture_from_folded(&f, folded, strlen(folded));
	draw(&drawn, &f.profile, first);
	open_drawn(&p, &drawn);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "task-clock");
	assert_int_equal(p.events.data[0].unit, UNIT_NS);
	draw(&redrawn, &p, again);
	const char *tree = tree_in(&drawn, &len), *tree_again = tree_in(&redrawn, &len_again);
	assert_int_equal(len, len_again);
	assert_memory_equal(tree, tree_again, len);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
	bytes_release(&redrawn);
}

static void there_and_back(void **state)
{
	const struct flame_options plain = { 0 };

	(void)state;
	expect_same_again(demo, &plain, &plain);
	expect_same_again(demo, &(struct flame_options){ .html = true }, &plain);
	expect_same_again(demo, &(struct flame_options){ .reverse = true, .width = 300 }, &plain);
	expect_same_again("main 1\n", &plain, &plain);
	expect_same_again("main 3 2\n", &plain, &plain);
}

/* Rows of threads and commands come back as such, and only when they are asked for. */
static void tasks(void **state)
{
	const struct flame_options by_thread = { .frames = { .by_thread = true } },
				   by_comm = { .frames = { .by_comm = true } }, plain = { 0 };
	struct bytes drawn = { 0 };
	struct fixture f;
	struct profile p;

	(void)state;
	expect_same_again(demo, &by_thread, &by_thread);
	expect_same_again(demo, &by_comm, &by_comm);
	fixture_from_folded(&f, demo, strlen(demo));
	draw(&drawn, &f.profile, &by_thread);
	open_drawn(&p, &drawn);
	assert_int_equal(p.tasks.len, 2);
	assert_string_equal(profile_str(&p, p.tasks.data[1].comm), "app");
	assert_int_equal(p.tasks.data[1].tid, 7);
	struct bytes redrawn = { 0 };
	draw(&redrawn, &p, &plain);
	assert_null(memmem(redrawn.data, redrawn.len, "<title>app", 10));
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
	bytes_release(&redrawn);
}

/* Samples are as many as they were, the rows that stand for what was not seen are none. */
static void samples(void **state)
{
	struct bytes drawn = { 0 };
	struct fixture f;
	struct profile p;
	uint64_t weight = 0;
	size_t sampled = 0;

	(void)state;
	fixture_from_folded(&f, demo, strlen(demo));
	draw(&drawn, &f.profile, &(struct flame_options){ 0 });
	open_drawn(&p, &drawn);
	for (size_t i = 0; i < p.samples.len; i++) {
		weight += p.samples.data[i].weight;
		sampled += !(p.samples.data[i].flags & SAMPLE_SYNTHETIC);
	}
	assert_true(!f.profile.is_summed && !p.is_summed);
	assert_int_equal(weight, 8240000007);
	assert_int_equal(sampled, 7358);
	assert_int_equal(p.samples.len, 7359);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
}

static void draw_chain(struct bytes *drawn, const char *frame, int count)
{
	struct bytes folded = { 0 };
	struct fixture f;

	bytes_printf(&folded, "main");
	for (int i = 0; i < count; i++)
		bytes_printf(&folded, ";%s%d", frame, i);
	bytes_printf(&folded, " 7\n");
	fixture_from_folded(&f, (const char *)folded.data, folded.len);
	bytes_clear(drawn);
	draw(drawn, &f.profile, &(struct flame_options){ 0 });
	fixture_release(&f);
	bytes_release(&folded);
}

/* What is too deep is cut, what is inlined too often counts as its caller; the weight stays. */
static void depth_is_bounded(void **state)
{
	struct bytes drawn = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	draw_chain(&drawn, "f", 5000);
	assert_int_equal(open_bytes(&p, drawn.data, drawn.len - 1, &warnings, &err), 0);
	assert_int_equal(warnings, 1);
	assert_in_range(p.nodes.len, PROFILE_DEPTH_MAX - 1, PROFILE_DEPTH_MAX);
	assert_int_equal(p.samples.len, 1);
	assert_int_equal(p.samples.data[0].weight, 7);
	profile_release(&p);
	draw_chain(&drawn, "i:f", 300);
	open_drawn(&p, &drawn);
	assert_int_equal(p.nodes.len, 0);
	assert_int_equal(p.samples.data[0].weight, 7);
	uint32_t leaf = profile_find_location(&p, p.samples.data[0].leaf_module,
					      p.samples.data[0].leaf_address);
	assert_int_equal(p.locations.data[leaf].frame_count, 128);
	profile_release(&p);
	bytes_release(&drawn);
}

/* All events of a graph are read, and shown again. */
static void events(void **state)
{
	static const char folded[] =
		"main;a 600 6\ns:[not sampled] 100\n#event misses count\nmain;b 5000 5\n";
	struct bytes drawn = { 0 }, redrawn = { 0 };
	struct fixture f;
	struct profile p;
	size_t len, len_again;

	(void)state;
	fixture_from_folded(&f, folded, strlen(folded));
	draw(&drawn, &f.profile, &(struct flame_options){ 0 });
	open_drawn(&p, &drawn);
	assert_int_equal(p.events.len, 2);
	assert_string_equal(profile_str(&p, p.events.data[1].name), "misses");
	assert_int_equal(p.events.data[0].unit, UNIT_NS);
	assert_int_equal(p.events.data[1].unit, UNIT_COUNT);
	/* So that a copy in another format says it, too. */
	assert_int_equal(p.events.data[0].flags & p.events.data[1].flags, EVENT_COUNTED);
	assert_int_equal(p.samples.len, 6 + 1 + 5);
	draw(&redrawn, &p, &(struct flame_options){ 0 });
	const char *tree = tree_in(&drawn, &len), *tree_again = tree_in(&redrawn, &len_again);
	assert_int_equal(len, len_again);
	assert_memory_equal(tree, tree_again, len);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
	bytes_release(&redrawn);
}

/* Threads come back as tasks, and times as far as slices tell them. */
static void threads_and_times(void **state)
{
	static const char folded[] =
		"main;a 50 5\n#thread 8 7 worker\n#at 1000\nmain;b 500 5\n"
		"#thread 9 30 other\n#at 6400\nmain;c 30 1\ns:[not sampled] 7\n";
	struct bytes drawn = { 0 };
	struct fixture f;
	struct profile p;
	uint64_t weights[3] = { 0 };

	(void)state;
	fixture_from_folded(&f, folded, strlen(folded));
	draw(&drawn, &f.profile, &(struct flame_options){ 0 });
	open_drawn(&p, &drawn);
	assert_false(p.is_summed);
	/* One that stands for all, the three, and the process of the last, which has no name. */
	assert_int_equal(p.tasks.len, 4);
	assert_string_equal(profile_str(&p, p.tasks.data[1].comm), "worker");
	assert_int_equal(p.tasks.data[1].tid, 8);
	assert_int_equal(p.tasks.data[1].pid, 7);
	assert_int_equal(p.samples.len, 12);
	for (size_t i = 0; i < p.samples.len; i++) {
		const struct profile_sample *s = &p.samples.data[i];
		uint64_t at = s->time_ns - p.runs.data[0].start_ns;
		assert_in_range(s->task, 1, 3);
		weights[s->task - 1] += s->weight;
		/* 60 slices of 6.4 s. */
		if (s->task == 1)
			assert_in_range(at, 960000001, 1066666668);
		if (s->task == 2)
			assert_in_range(at, 0, 106666668);
	}
	assert_int_equal(weights[0], 500);
	assert_int_equal(weights[1], 50);
	assert_int_equal(weights[2], 37);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
}

static void expect_same_error(double a, double b)
{
	assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a));
}

/* How sure a share is stays the same: the samples are in the same slices again. */
static void errors_stay(void **state)
{
	const struct calltree_options frames = { 0 };
	struct bytes folded = { 0 }, drawn = { 0 };
	struct filter_result all = { 0 };
	struct flat before, after;
	struct fixture f;
	struct profile p;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		bytes_printf(&folded, "main;%s %u %u\nmain;%s;leaf %u %u\nmain;tick 3000 3\n",
			     i / 17 % 2 ? "a" : "b", 1000 * (40 - i / 3), 40 - i / 3,
			     i / 23 % 2 ? "a" : "b", 1000 * (7 + i / 3), 7 + i / 3);
	bytes_printf(&folded, "s:[not sampled] 9000\n");
	fixture_from_folded(&f, (const char *)folded.data, folded.len);
	draw(&drawn, &f.profile, &(struct flame_options){ 0 });
	open_drawn(&p, &drawn);
	for (uint32_t i = 0; i < p.samples.len; i++)
		vec_push(&all.samples, i);
	flat_build(&before, &f.profile, &f.all, 0, FLAT_BY_FUNCTION, &frames);
	flat_build(&after, &p, &all, 0, FLAT_BY_FUNCTION, &frames);
	assert_int_equal(before.rows.len, 6);
	assert_int_equal(after.rows.len, 6);
	assert_int_equal(after.slices, 20);
	assert_true(before.rows.data[0].total_error > 0.05);
	for (size_t i = 0; i < before.rows.len; i++) {
		const struct flat_row *x = &before.rows.data[i], *y = &after.rows.data[i];
		assert_string_equal(x->name, y->name);
		expect_same_error(x->self_error, y->self_error);
		expect_same_error(x->total_error, y->total_error);
	}
	flat_release(&before);
	flat_release(&after);
	filter_result_release(&all);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&folded);
	bytes_release(&drawn);
}

/* A chart's stacks are those of any graph of the same samples. */
static void chart_is_a_profile(void **state)
{
	static const char folded[] = "main;a;x 10\nmain;a 5\nmain;a;x 10\nmain 7\nmain;b 20\n";
	const struct folded_options options = { 0 };
	struct bytes drawn = { 0 }, before = { 0 }, after = { 0 };
	struct filter_result all = { 0 };
	struct fixture f;
	struct profile p;

	(void)state;
	fixture_from_folded(&f, folded, strlen(folded));
	draw(&drawn, &f.profile, &(struct flame_options){ .chart = true });
	open_drawn(&p, &drawn);
	for (uint32_t i = 0; i < p.samples.len; i++)
		vec_push(&all.samples, i);
	output_folded(&before, &f.profile, &f.all, 0, &options);
	output_folded(&after, &p, &all, 0, &options);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	filter_result_release(&all);
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&drawn);
	bytes_release(&before);
	bytes_release(&after);
}

/* Names that cannot be shown as they are come back as they were. */
static void names_stay(void **state)
{
	static const char *const names[] = { "ctl\x01\x1b[31m\x7f",
					     ("bad\xff\xc3(\xed\xa0\x80"
					      "end"),
					     "\\x1b",
					     "\\\\x1bg",
					     "\\xg",
					     "\xe2\x80\xaegnp.exe",
					     "non\xef\xbf\xbf",
					     "\\",
					     "caf\xc3\xa9" };
	struct bytes folded = { 0 }, drawn = { 0 };
	struct fixture f;
	struct profile p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		bytes_printf(&folded, "main;%s %zu\n", names[i], i + 1);
	fixture_from_folded(&f, (const char *)folded.data, folded.len);
	draw(&drawn, &f.profile, &(struct flame_options){ 0 });
	open_drawn(&p, &drawn);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		bool found = false;
		for (size_t k = 0; k < p.functions.len; k++)
			found |= strcmp(profile_str(&p, p.functions.data[k].name), names[i]) == 0;
		if (!found)
			fail_msg("name %zu came back as another", i);
	}
	profile_release(&p);
	fixture_release(&f);
	bytes_release(&folded);
	bytes_release(&drawn);
}

/* Of stacks that another tool summed up, the number stays one of stacks. */
static void summed_up(void **state)
{
	static const char folded[] = "main;work 5\nmain;rest 7\n";
	struct bytes drawn = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	assert_int_equal(open_bytes(&p, folded, sizeof(folded) - 1, &warnings, &err), 0);
	assert_true(p.is_summed);
	draw(&drawn, &p, &(struct flame_options){ 0 });
	profile_release(&p);
	open_drawn(&p, &drawn);
	assert_true(p.is_summed);
	assert_int_equal(p.samples.len, 2);
	profile_release(&p);
	bytes_release(&drawn);
}

static void health_of(struct bytes *out, const struct profile *p)
{
	struct filter_result all = { 0 };
	struct health health;

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	health_compute(&health, p, &all);
	health_format(&health, p, out);
	bytes_u8(out, '\0');
	filter_result_release(&all);
}

/* The lines of a graph's report are those of the profile that it was drawn of. */
static void expect_same_health(const struct profile *p, const struct flame_options *options)
{
	struct bytes drawn = { 0 }, before = { 0 }, after = { 0 }, redrawn = { 0 };
	struct profile again;

	draw(&drawn, p, options);
	open_drawn(&again, &drawn);
	health_of(&before, p);
	health_of(&after, &again);
	assert_string_equal((const char *)after.data, (const char *)before.data);
	/* And so on, from graph to graph. */
	draw(&redrawn, &again, options);
	profile_release(&again);
	open_drawn(&again, &redrawn);
	bytes_clear(&after);
	health_of(&after, &again);
	assert_string_equal((const char *)after.data, (const char *)before.data);
	profile_release(&again);
	bytes_release(&drawn);
	bytes_release(&before);
	bytes_release(&after);
	bytes_release(&redrawn);
}

/* Numbers that no other has, a run, and stacks that ended in all ways. */
static void make_recording(struct profile *p)
{
	static const uint8_t ends[] = { END_ROOT,	 END_ROOT,	END_TRUNCATED, END_ROOT,
					END_UNREADABLE,	 END_NO_CFI,	END_LOOP,      END_ROOT,
					END_KERNEL_ONLY, END_NO_MAPPING };
	static const uint8_t flags[] = { 0, SAMPLE_GUESSED, 0, SAMPLE_LATER,
					 SAMPLE_GUESSED | SAMPLE_LATER };
	struct profile_machine machine = { .cpu_count = 5 };
	struct profile_run run = { .start_ns = 1, .exit_status = -1 };

	for (size_t i = 0; i < PROFILE_HEALTH_NUMBERS; i++)
		*profile_health_number(&p->health, i) = 100 + i;
	p->health.due = p->samples.len + 7;
	p->health.requested_rate = 997;
	p->health.effective_rate_mhz = 990123;
	p->events.data[0].frequency = 997;
	vec_clear(&p->machines);
	vec_clear(&p->runs);
	machine.hostname = strtab_add_str(&p->strings, "box\x1b[1m");
	vec_push(&p->machines, machine);
	run.command = strtab_add_str(&p->strings, "./app 'x y'");
	run.tool = strtab_add_str(&p->strings, "prof 0.1.0");
	run.end_ns = 5000000001;
	vec_push(&p->runs, run);
	for (size_t i = 0; i < p->samples.len; i++) {
		p->samples.data[i].end = ends[i * 7 % ARRAY_LEN(ends)];
		p->samples.data[i].flags |= flags[i * 11 % ARRAY_LEN(flags)];
	}
	p->health.complete = 1;
}

static void health_stays(void **state)
{
	static const char text[] = "main;work;?:0 30 5\nmain;work;l:read;k:vfs 70 9\n"
				   "main;idle 50 30\ns:[not sampled] 9\nmain;work 99 80\n";
	const struct flame_options plain = { 0 }, by_thread = { .frames = { .by_thread = true } };
	struct fixture f;

	(void)state;
	fixture_from_folded(&f, text, sizeof(text) - 1);
	expect_same_health(&f.profile, &plain);
	make_recording(&f.profile);
	expect_same_health(&f.profile, &plain);
	expect_same_health(&f.profile, &by_thread);
	f.profile.health.complete = 0;
	f.profile.health.detached = 0;
	expect_same_health(&f.profile, &(struct flame_options){ .html = true });
	f.profile.is_part = true;
	expect_same_health(&f.profile, &plain);
	fixture_release(&f);
}

static void health_of_a_recording_stays(void **state)
{
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	if (input_open(&p, RECORDING, &warnings, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(p.health.due > 0 && p.samples.len > 0);
	/* What would mend it names the file. */
	free_ptr(&p.origin);
	expect_same_health(&p, &(struct flame_options){ 0 });
	profile_release(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),    cmocka_unit_test(tasks),
		cmocka_unit_test(samples),	     cmocka_unit_test(events),
		cmocka_unit_test(threads_and_times), cmocka_unit_test(errors_stay),
		cmocka_unit_test(health_stays),	     cmocka_unit_test(health_of_a_recording_stays),
		cmocka_unit_test(names_stay),	     cmocka_unit_test(chart_is_a_profile),
		cmocka_unit_test(summed_up),	     cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
