/* Health: the counts, the lines a user reads, and what would mend it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/health.h"
#include "base/memory.h"
#include "build_profile.h"

static void compute(struct build *b, struct health *h)
{
	struct filter_result all;

	build_finish(b, &all);
	health_compute(h, &b->profile, &all);
	filter_result_release(&all);
}

static void expect_text(struct build *b, const char *expected)
{
	struct health h;
	struct bytes out = { 0 };

	compute(b, &h);
	health_format(&h, &b->profile, &out);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
}

static void expect_line(struct build *b, const char *expected)
{
	struct health h;
	struct bytes out = { 0 };

	compute(b, &h);
	health_format(&h, &b->profile, &out);
	bytes_u8(&out, '\0');
	if (!strstr((const char *)out.data, expected))
		fail_msg("%s", (const char *)out.data);
	bytes_release(&out);
}

static void expect_remedy(struct build *b, const char *expected)
{
	struct health h;

	compute(b, &h);
	const char *purpose;
	char *remedy = health_remedy(&h, &b->profile, &purpose);
	if (expected)
		assert_string_equal(remedy, expected);
	else
		assert_null(remedy);
	free(remedy);
}

/* The last line. */
static void expect_purpose(struct build *b, const char *expected)
{
	struct health h;
	struct bytes out = { 0 };

	compute(b, &h);
	health_format(&h, &b->profile, &out);
	size_t len = strlen(expected);
	assert_true(out.len > len);
	assert_memory_equal(out.data + out.len - len, expected, len);
	assert_int_equal(out.data[out.len - len - 1], '\n');
	bytes_release(&out);
}

static void expect_empty(struct build *b, const char *expected)
{
	struct health h;

	compute(b, &h);
	char *why = health_why_empty(&h, &b->profile);
	assert_string_equal(why, expected);
	free(why);
}

static int setup(void **state)
{
	static struct build b;

	build_init(&b);
	b.profile.health.complete = 1;
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	build_release(*state);
	return 0;
}

static void add_good_samples(struct build *b, int count)
{
	for (int i = 0; i < count; i++)
		build_stack(b, "main;f", 1000000);
}

static void a_good_recording(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 1000);
	b->profile.health.due = 1001;
	b->profile.health.effective_rate_mhz = 996900;
	b->profile.health.target_cpu_ns = 1001000000;
	b->profile.health.prof_cpu_ns = 8000000;
	expect_text(
		b,
		"health: 1 000 of 1 001 samples due, 0 lost · 99.9% of stacks whole · 0 guessed\n"
		"        997 Hz · prof used 8.00 ms of CPU\n");
	expect_remedy(b, NULL);
}

/* Where many samples that were due were never taken, the stacks that are there are told apart from
 * those. */
static void samples_never_taken(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 100);
	b->profile.health.due = 105;
	expect_text(b,
		    "health: 100 of 105 samples due, 0 lost · 95.2% of stacks whole · 0 guessed\n");
	b->profile.health.due = 400;
	expect_text(b, "health: 100 of 400 samples due, 0 lost\n"
		       "        25.0% of stacks whole (100.0% of those taken) · 0 guessed\n");
}

/* A share of a CPU says something only of a run of some length, and prof's own. */
static void what_prof_used(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 1000);
	b->profile.health.prof_cpu_ns = 80000000;
	b->profile.runs.data[0].end_ns += 9000000000;
	expect_text(b, "health: 1 000 samples, 0 lost · 100.0% of stacks whole · 0 guessed\n"
		       "        prof used 0.8% of a CPU\n");
	b->profile.runs.data[0].tool = build_str(b, "perf.data, imported by prof 0.1.0");
	expect_text(b, "health: 1 000 samples, 0 lost · 100.0% of stacks whole · 0 guessed\n");
}

static void rates(void **state)
{
	struct build *b = *state;
	const char *start = "health: 1 000 samples, 0 lost · 100.0% of stacks whole · 0 guessed\n";

	add_good_samples(b, 1000);
	b->profile.health.requested_rate = 1997;
	b->profile.health.effective_rate_mhz = 1500400;
	expect_text(b, start); /* over the wall time, it is no rate */
	b->profile.health.target_cpu_ns = 1000000000;
	CLEANUP_FREE char *less = xasprintf("%s        1 500 Hz of 1 997 asked for\n", start);
	expect_text(b, less);
	b->profile.events.data[0].flags = EVENT_SYSTEM_WIDE;
	expect_text(b, start);
	b->profile.events.data[0].flags = 0;
	b->profile.events.data[0].unit = UNIT_COUNT; /* a tracepoint */
	b->profile.events.data[0].period = 1;
	expect_text(b, start);
}

static void one_is_singular(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 1);
	b->profile.health.due = 1;
	expect_text(b, "health: 1 of 1 sample due, 0 lost · 100.0% of stacks whole · 0 guessed\n");
}

static void all_counts(void **state)
{
	struct build *b = *state;
	struct health h;
	uint32_t hidden = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_KERNEL_NOT_PERMITTED);

	add_good_samples(b, 6);
	build_at(b, 1)->flags = SAMPLE_GUESSED;
	build_at(b, 2)->end = END_TRUNCATED;
	build_at(b, 3)->end = END_NO_CFI;
	build_at(b, 4)->end = END_NO_CFI;
	build_at(b, 5)->flags = SAMPLE_LATER;
	b->profile.health.lost_kernel = 3;
	b->profile.health.lost_own = 4;
	build_sample(b, build_node(b, PROFILE_NONE, b->library, 0x50), b->library, 0x99, 5);
	build_at(b, build_sample(b, PROFILE_NONE, hidden, 0, 7000000))->flags = SAMPLE_SYNTHETIC;
	compute(b, &h);
	assert_int_equal(h.delivered, 7);
	assert_int_equal(h.whole, 3);
	assert_int_equal(h.guessed, 1);
	assert_int_equal(h.later, 1);
	assert_int_equal(h.lost, 7);
	assert_int_equal(h.by_end[END_ROOT], 4);
	assert_int_equal(h.by_end[END_NO_CFI], 2);
	assert_int_equal(h.unnamed_leaves, 1);
	assert_int_equal(h.weight_total, 13000005);
	assert_int_equal(h.weight_synthetic, 7000000);
	assert_int_equal(h.weight_kernel_hidden, 7000000);
	assert_int_equal(h.worst_count, 2);
	assert_int_equal(h.worst[0].module, b->program);
	assert_int_equal(h.worst[0].end, END_NO_CFI);
	assert_int_equal(h.worst[0].count, 2);
	assert_int_equal(h.nameless_count, 1);
	assert_int_equal(h.nameless[0].module, b->library);
	assert_false(h.filtered);
}

static void a_part_of_a_recording_knows_less(void **state)
{
	struct build *b = *state;
	struct filter_result part;
	struct health h;

	add_good_samples(b, 10);
	b->profile.health.due = 12;
	b->profile.health.lost_own = 2;
	build_finish(b, &part);
	part.samples.len = 4;
	health_compute(&h, &b->profile, &part);
	assert_true(h.filtered);
	assert_int_equal(h.due, 0);
	assert_int_equal(h.lost, 0);
	assert_int_equal(h.delivered, 4);
	filter_result_release(&part);
}

/* Of two events the second is no part of a recording, and what is due of it is in its rows. */
static void another_event_has_all_its_samples(void **state)
{
	struct build *b = *state;
	struct filter_result of_second;
	struct health h;
	uint32_t second = build_event(b, "cpu-clock", UNIT_NS);
	uint32_t missing = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);
	struct profile_event *e = &b->profile.events.data[second];

	e->period = 1000000;
	e->exact_total = 25000000;
	add_good_samples(b, 10);
	b->profile.health.due = 12;
	b->profile.health.lost_own = 2;
	for (uint32_t i = 0; i < 20; i++)
		build_at(b, build_sample(b, PROFILE_NONE, b->program, 0x99, 1000000))->event =
			(uint16_t)second;
	struct profile_sample *row =
		build_at(b, build_sample(b, PROFILE_NONE, missing, 0, 5000000));
	row->event = (uint16_t)second;
	row->flags = SAMPLE_SYNTHETIC;
	build_finish(b, &of_second);
	size_t kept = 0;
	for (size_t i = 0; i < of_second.samples.len; i++)
		if (b->profile.samples.data[of_second.samples.data[i]].event == second)
			of_second.samples.data[kept++] = of_second.samples.data[i];
	of_second.samples.len = kept;
	health_compute(&h, &b->profile, &of_second);
	assert_false(h.filtered);
	assert_int_equal(h.delivered, 20);
	assert_int_equal(h.due, 25);
	assert_int_equal(h.lost, 2);
	of_second.samples.len--;
	health_compute(&h, &b->profile, &of_second);
	assert_true(h.filtered);
	filter_result_release(&of_second);
}

/* Commands name the file that was read, as a shell takes it. */
static void remedies_for_another_file(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 50);
	b->profile.health.requested_rate = 997;
	b->profile.origin = xstrdup("other.data");
	expect_remedy(b, "prof record -o other.data -F 4000 -- app --fast");
	add_good_samples(b, 50);
	for (uint32_t i = 0; i < 6; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	b->profile.modules.data[b->library].path =
		build_str(b, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	b->profile.modules.data[b->library].flags = MODULE_NO_DEBUG_FILE;
	expect_remedy(b, "sudo apt install libc6-dbg && prof symbolize other.data");
	free(b->profile.origin);
	b->profile.origin = xstrdup("it's \x1b mine");
	expect_remedy(b, "sudo apt install libc6-dbg && prof symbolize $'it\\'s \\033 mine'");
	free(b->profile.origin);
	b->profile.origin = xstrdup("-x");
	expect_remedy(b, "sudo apt install libc6-dbg && prof symbolize ./-x");
	free(b->profile.origin);
	b->profile.origin = xstrdup("-"); /* nobody can look into a pipe again */
	expect_remedy(b, "sudo apt install libc6-dbg");
	free(b->profile.origin);
	b->profile.origin = xstrdup("perf.data");
	b->profile.is_foreign = true; /* named each time that it is read */
	expect_remedy(b, "sudo apt install libc6-dbg");
}

static void remedies(void **state)
{
	struct build *b = *state;
	uint32_t hidden = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_KERNEL_NOT_PERMITTED);

	add_good_samples(b, 50);
	expect_remedy(b, NULL); /* sampled by period: a rate would change nothing */
	b->profile.health.requested_rate = 997;
	expect_remedy(b, "prof record -F 4000 -- app --fast");
	add_good_samples(b, 50);
	expect_remedy(b, NULL);
	for (uint32_t i = 0; i < 6; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	expect_remedy(b, NULL);
	/* Words that came with the file are no commands. */
	b->profile.modules.data[b->library].note = build_str(b, "apt install zlib1g-dbgsym");
	expect_remedy(b, NULL);
	b->profile.modules.data[b->library].path =
		build_str(b, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	b->profile.modules.data[b->library].flags = MODULE_NO_DEBUG_FILE;
	expect_remedy(b, "sudo apt install libc6-dbg && prof symbolize");
	for (uint32_t i = 0; i < 10; i++)
		build_at(b, i)->end = END_NO_STACK;
	for (uint32_t i = 10; i < 20; i++)
		build_at(b, i)->end = END_TRUNCATED;
	expect_remedy(b, "prof record --call-graph dwarf,65528 -- app --fast");
	b->profile.health.stack_bytes = 8192;
	expect_remedy(b, "prof record --call-graph dwarf,32768 -- app --fast");
	b->profile.health.lost_kernel = 5;
	b->profile.health.ring_bytes = 1 << 19;
	expect_remedy(b, "prof record -m 2048k -- app --fast");
	build_at(b, build_sample(b, PROFILE_NONE, hidden, 0, 50000000))->flags = SAMPLE_SYNTHETIC;
	expect_remedy(b, "sudo sysctl kernel.perf_event_paranoid=1");
}

/* Where a package would name nothing, it is not advised. */
static void remedies_that_would_not_help(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 100);
	for (uint32_t i = 0; i < 6; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	struct profile_module *m = &b->profile.modules.data[b->library];
	m->path = build_str(b, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	m->symbols = SYMBOLS_SYMTAB; /* the debug file is there and does not know the address */
	expect_remedy(b, NULL);
	m->symbols = SYMBOLS_DYNSYM; /* there, but another build's, or not readable */
	expect_remedy(b, NULL);
	m->symbols = SYMBOLS_REFUSED; /* the library itself is another one by now */
	expect_remedy(b, NULL);
	m->symbols = SYMBOLS_DYNSYM;
	m->flags = MODULE_NO_DEBUG_FILE |
		   MODULE_DELETED; /* the package is for the one that came after */
	expect_remedy(b, NULL);
	m->flags = MODULE_NO_DEBUG_FILE;
	expect_remedy(b, "sudo apt install libc6-dbg && prof symbolize");
	m->path = build_str(b, "/opt/lib/libc.so.6"); /* of no package that is known */
	expect_remedy(b, NULL);
}

/* A line says what its command is for. */
static void remedies_say_what_they_are_for(void **state)
{
	struct build *b = *state;
	uint32_t hidden = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_KERNEL_NOT_PERMITTED);

	add_good_samples(b, 50);
	b->profile.health.requested_rate = 997;
	expect_purpose(b, "to have more samples: prof record -F 4000 -- app --fast\n");
	add_good_samples(b, 50);
	for (uint32_t i = 0; i < 6; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	b->profile.modules.data[b->library].path =
		build_str(b, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	b->profile.modules.data[b->library].flags = MODULE_NO_DEBUG_FILE;
	expect_purpose(b, "to name more functions: sudo apt install libc6-dbg && prof symbolize\n");
	for (uint32_t i = 0; i < 10; i++)
		build_at(b, i)->end = END_TRUNCATED;
	expect_purpose(b,
		       "to see whole stacks: prof record --call-graph dwarf,65528 -- app --fast\n");
	b->profile.health.lost_kernel = 5;
	expect_purpose(b, "to lose fewer samples: prof record -m 4096k -- app --fast\n");
	build_at(b, build_sample(b, PROFILE_NONE, hidden, 0, 50000000))->flags = SAMPLE_SYNTHETIC;
	expect_purpose(b, "to see what the kernel did: sudo sysctl kernel.perf_event_paranoid=1\n");
}

/* What the user chose is in the command; what the advice changes is there once. */
static void remedies_keep_what_was_chosen(void **state)
{
	struct build *b = *state;
	struct profile_event *e = &b->profile.events.data[0];

	add_good_samples(b, 50);
	b->profile.health.requested_rate = 500;
	e->frequency = 500;
	expect_remedy(b, "prof record -F 4000 -- app --fast");
	b->profile.health.lost_kernel = 50;
	expect_remedy(b, "prof record -F 500 -m 4096k -- app --fast");
	e->name = build_str(b, "page-faults");
	e->unit = UNIT_COUNT;
	e->frequency = 0;
	e->period = 1;
	expect_remedy(b, "prof record -e page-faults -c 1 -m 4096k -- app --fast");
	b->profile.health.lost_kernel = 0;
	expect_remedy(b, NULL); /* a rate would change nothing */
	e->name = build_str(b, "sched:sched_switch");
	e->frequency = 997;
	expect_remedy(b, NULL);
	for (uint32_t i = 0; i < 50; i++)
		build_at(b, i)->end = END_NO_STACK;
	expect_remedy(b, "prof record -e sched:sched_switch --call-graph auto -- app --fast");
	build_event(b, "context-switches", UNIT_COUNT);
	expect_remedy(b, "prof record -e sched:sched_switch -e context-switches --call-graph auto "
			 "-- app --fast");
	b->profile.events.data[0].group = b->profile.events.data[1].group = 1;
	expect_remedy(b, "prof record -e '{sched:sched_switch,context-switches}' --call-graph auto "
			 "-- app --fast");
	b->profile.runs.data[0].tool = build_str(b, "perf.data, imported by prof 0.1.0");
	expect_remedy(b, NULL);
}

/* How counters were read with samples, and which samples lack them. */
static void counters_have_a_line(void **state)
{
	struct build *b = *state;
	struct profile_group group = { .known = 90,
				       .first = 6,
				       .backwards = 4,
				       .enabled_ns = 1000,
				       .running_ns = 990,
				       .counters = COUNTERS_OF_THREADS };

	build_event(b, "page-faults", UNIT_COUNT);
	b->profile.events.data[0].group = b->profile.events.data[1].group = 1;
	vec_push(&b->profile.groups, group);
	expect_line(b, "counters: task-clock, page-faults\n"
		       "        90 samples have them, 10 without (6 first of their counters, 4 "
		       "counted backwards)\n"
		       "        per thread\n");
	struct profile_group *g = &b->profile.groups.data[0];
	g->first = g->backwards = 0;
	expect_line(b, "counters: task-clock, page-faults · 90 samples have them · per thread\n");
	g->running_ns = 400;
	g->counters = COUNTERS_OF_CPUS;
	expect_line(b, "counters: task-clock, page-faults · 90 samples have them · per CPU\n"
		       "        counted 40.0% of the time: others had the processor's counters\n");
}

static void remedies_for_whole_machines(void **state)
{
	struct build *b = *state;
	struct profile_event *e = &b->profile.events.data[0];

	add_good_samples(b, 50);
	e->name = build_str(b, "cpu-clock");
	e->flags = EVENT_SYSTEM_WIDE;
	b->profile.health.lost_kernel = 50;
	b->profile.health.ring_bytes = 8 << 20;
	b->profile.runs.data[0].command = build_str(b, "all processes");
	expect_remedy(b, "prof record -m 32768k -a");
	b->profile.runs.data[0].command = build_str(b, "sleep 5");
	expect_remedy(b, "prof record -m 32768k -a -- sleep 5");
}

/* What was attached to is named by its options; tasks too short for the period need other means. */
static void remedies_name_what_was_recorded(void **state)
{
	struct build *b = *state;
	uint32_t missing = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);

	add_good_samples(b, 50);
	b->profile.health.requested_rate = 997;
	b->profile.runs.data[0].command = build_str(b, "pid 12,13");
	expect_remedy(b, "prof record -F 4000 -p 12,13");
	b->profile.runs.data[0].command = build_str(b, "thread 7");
	expect_remedy(b, "prof record -F 4000 -t 7");
	b->profile.runs.data[0].command = build_str(b, "all processes");
	expect_remedy(b, "prof record -F 4000 -a");
	b->profile.runs.data[0].command = build_str(b, "pid 12 x");
	expect_remedy(b, "prof record -F 4000 -- pid 12 x");
	struct profile_sample *row =
		build_at(b, build_sample(b, PROFILE_NONE, missing, 0, 50000000));
	row->flags = SAMPLE_SYNTHETIC;
	row->task = build_task(b, 100, 101, "tiny");
	b->profile.events.data[0].period = 100000000;
	expect_remedy(b, "prof record -F 10000 -- pid 12 x");
	b->profile.events.data[0].flags = EVENT_EXCLUDES_KERNEL;
	expect_remedy(b, "sudo prof record -- pid 12 x");
}

static void cut_stacks_and_missing_names_are_told(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 150);
	for (uint32_t i = 0; i < 30; i++)
		build_at(b, i)->end = END_NO_CFI;
	for (uint32_t i = 0; i < 50; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	b->profile.modules.data[b->library].note = build_str(
		b, "only exported names are known: the file is stripped and its debug file is not "
		   "installed");
	b->profile.health.complete = 0;
	b->profile.health.openers_killed = 1;
	CLEANUP_FREE char *expected = xasprintf(
		"file: the recording was not finished; what was written is here\n"
		"health: 200 samples, 0 lost · 85.0%% of stacks whole · 0 guessed\n"
		"cut stacks: 30 in app (%s)\n"
		"names: 25.0%% of samples have none · 25.0%% in libz.so.1\n"
		"        only exported names are known: the file is stripped and its debug file\n"
		"        is not installed\n"
		"files: the process that opens them ended early once: stacks may be cut and names missing\n",
		stack_end_name(END_NO_CFI));
	expect_text(b, expected);
}

static void few_missing_names_take_one_line(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 195);
	for (uint32_t i = 0; i < 5; i++)
		build_sample(b, PROFILE_NONE, b->library, 0x99, 1);
	b->profile.modules.data[b->library].note = build_str(b, "only exported names are known");
	expect_text(b, "health: 200 samples, 0 lost · 100.0% of stacks whole · 0 guessed\n"
		       "names: 2.5% of samples have none · 2.5% in libz.so.1\n");
}

/* As that of stacks of which every frame is hidden. */
static void what_has_no_code_names_itself(void **state)
{
	struct build *b = *state;
	struct health h;

	add_good_samples(b, 100);
	for (uint32_t i = 0; i < 100; i++)
		build_sample(b, PROFILE_NONE, b->library, 0, 1);
	compute(b, &h);
	assert_int_equal(h.unnamed_leaves, 100);
	b->profile.modules.data[b->library].kind = MODULE_SYNTHETIC;
	compute(b, &h);
	assert_int_equal(h.unnamed_leaves, 0);
	assert_int_equal(h.nameless_count, 0);
}

static void without_stacks(void **state)
{
	struct build *b = *state;

	add_good_samples(b, 200);
	for (uint32_t i = 0; i < 200; i++)
		build_at(b, i)->end = END_NO_STACK;
	expect_text(b, "health: 200 samples, 0 lost · no stacks recorded\n"
		       "to see stacks: prof record --call-graph auto -- app --fast\n");
	for (uint32_t i = 0; i < 200; i++)
		build_at(b, i)->end = END_UNKNOWN;
	expect_text(b, "health: 200 samples, 0 lost · not known whether stacks are whole\n");
}

/* Frame-pointer stacks: only the kernel's own threads have a known end. */
static void few_known_ends_speak_for_no_others(void **state)
{
	struct build *b = *state;
	struct health h;

	add_good_samples(b, 1968);
	for (uint32_t i = 0; i < 1962; i++)
		build_at(b, i)->end = END_UNKNOWN;
	expect_text(
		b,
		"health: 1 968 samples, 0 lost · not known whether stacks are whole (6 known)\n");
	compute(b, &h);
	assert_int_equal(h.ends_known, 6);
	for (uint32_t i = 0; i < 3; i++)
		build_at(b, i)->end = END_NO_STACK;
	expect_text(
		b,
		"health: 1 968 samples, 0 lost · not known whether stacks are whole (6 known)\n");
	for (uint32_t i = 0; i < 984; i++)
		build_at(b, i)->end = i < 492 ? END_ROOT : END_NO_CFI;
	for (uint32_t i = 984; i < 1968; i++)
		build_at(b, i)->end = END_UNKNOWN;
	expect_text(b, "health: 1 968 samples, 0 lost · 50.0% of stacks whole · 0 guessed\n"
		       "cut stacks: 492 in app (no unwind data)\n");
	for (uint32_t i = 0; i < 1967; i++)
		build_at(b, i)->end = END_NO_STACK;
	expect_text(b, "health: 1 968 samples, 0 lost · 1 967 samples have no stack\n"
		       "to see stacks: prof record --call-graph auto -- app --fast\n");
}

/* A line of folded stacks is no sample: what counts is its weight. */
static void names_of_summed_stacks_by_weight(void **state)
{
	struct build *b = *state;
	struct health h;

	build_stack(b, "main;[unknown app+0x40]", 9000000);
	for (int i = 0; i < 9; i++)
		build_stack(b, "main;[unknown app+0x44]", 10);
	build_stack(b, "main;f", 1000000 - 90);
	for (uint32_t i = 0; i < 11; i++)
		build_at(b, i)->time_ns = 0;
	compute(b, &h);
	assert_int_equal(h.unnamed_leaves, 10);
	assert_int_equal(h.unnamed, 9000090);
	assert_int_equal(h.unnamed_of, 10000000);
	assert_int_equal(h.nameless[0].count, 9000090);
}

/* Bounds of functions without a name are known from unwind tables: that is no name. */
static void unknown_functions_have_no_name(void **state)
{
	struct build *b = *state;
	struct health h;

	for (int i = 0; i < 3; i++)
		build_stack(b, "main;[unknown app+0x40]", 1000000);
	build_stack(b, "[unknown app+0x40];f", 1000000);
	compute(b, &h);
	assert_int_equal(h.unnamed_leaves, 3);
	assert_int_equal(h.nameless[0].module, b->program);
	assert_int_equal(h.nameless[0].count, 3);
}

static void why_there_is_nothing(void **state)
{
	struct build *b = *state;

	expect_text(b, "health: 0 samples, 0 lost\n");
	expect_empty(
		b,
		"the program may have waited or ended at once; 'prof check' says what this machine allows");
	b->profile.health.requested_rate = 997;
	b->profile.health.target_cpu_ns = 900000;
	expect_empty(
		b,
		"it used 900 us of CPU in 1.00 s, and a sample is due every 1.00 ms of CPU; a program that waits or ends at once has nothing to sample");
	b->profile.health.target_cpu_ns = 500000000;
	expect_empty(
		b,
		"it used 500 ms of CPU in 1.00 s, but no sample arrived; 'prof check' says what this "
		"machine allows");
	b->profile.health.lost_kernel = 12;
	expect_empty(b, "all 12 samples were lost; a larger ring may help: -m 4M");
	add_good_samples(b, 3);
	struct health h;
	struct filter_result none = { 0 };
	health_compute(&h, &b->profile, &none);
	CLEANUP_FREE char *why = health_why_empty(&h, &b->profile);
	assert_string_equal(why, "no sample passes the filter");
}

static void hostile_names_are_escaped(void **state)
{
	struct build *b = *state;

	b->profile.runs.data[0].command = build_str(b, "app \x1b]0;x\x07");
	uint32_t m = build_module(b, MODULE_FILE, "/x/\x1b[2J\xff");
	for (int i = 0; i < 10; i++)
		build_sample(b, PROFILE_NONE, m, 0x10, 1);
	expect_text(b, "health: 10 samples, 0 lost · 100.0% of stacks whole · 0 guessed\n"
		       "names: 100.0% of samples have none · 100.0% in \\x1b[2J\\xff\n");
	b->profile.health.lost_kernel = 9;
	expect_remedy(b, "prof record -m 4096k -- app \\x1b]0;x\\x07");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_good_recording),
		TEST(samples_never_taken),
		TEST(what_prof_used),
		TEST(rates),
		TEST(one_is_singular),
		TEST(all_counts),
		TEST(a_part_of_a_recording_knows_less),
		TEST(another_event_has_all_its_samples),
		TEST(remedies),
		TEST(remedies_for_another_file),
		TEST(remedies_that_would_not_help),
		TEST(remedies_say_what_they_are_for),
		TEST(remedies_keep_what_was_chosen),
		TEST(counters_have_a_line),
		TEST(remedies_for_whole_machines),
		TEST(remedies_name_what_was_recorded),
		TEST(cut_stacks_and_missing_names_are_told),
		TEST(few_missing_names_take_one_line),
		TEST(what_has_no_code_names_itself),
		TEST(without_stacks),
		TEST(few_known_ends_speak_for_no_others),
		TEST(unknown_functions_have_no_name),
		TEST(names_of_summed_stacks_by_weight),
		TEST(why_there_is_nothing),
		TEST(hostile_names_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
