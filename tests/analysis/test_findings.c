/* Findings: each from a profile that shows it, and silence where it does not or cannot be told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/findings.h"
#include "base/memory.h"
#include "build_profile.h"

static void find_with(struct build *b, struct findings *f, const char *selection)
{
	struct filter_result all;
	struct health h;
	struct findings_input in = { &b->profile, &all, b->event, &h, selection };

	build_finish(b, &all);
	health_compute(&h, &b->profile, &all);
	findings_compute(f, &in);
	filter_result_release(&all);
}

/* The ids, in order, behind each other. */
static void expect_ids(const struct findings *f, const char *expected)
{
	char ids[256] = "";

	for (size_t i = 0; i < f->items.len && !f->items.data[i].is_verdict; i++) {
		strcat(ids, i ? " " : "");
		strcat(ids, f->items.data[i].id);
	}
	assert_string_equal(ids, expected);
}

static void expect_found(struct build *b, const char *expected)
{
	struct findings f;

	find_with(b, &f, NULL);
	expect_ids(&f, expected);
	findings_release(&f);
}

/* A code address of the module, named: called through main, or at the leaf of main. */
static void add_in(struct build *b, uint32_t module, const char *caller, const char *leaf)
{
	static const uint64_t weight = 1000000;
	uint32_t node = build_node(b, PROFILE_NONE, b->program, 0x100000);

	if (caller)
		node = build_node(b, node, module, build_code(b, module, caller));
	build_sample(b, node, module, build_code(b, module, leaf), weight);
}

/* Ranks 0 to 999 in an order that looks random and is always the same. */
static void shuffle(int ranks[1000])
{
	uint32_t state = 1;

	for (int i = 0; i < 1000; i++)
		ranks[i] = i;
	for (int i = 999; i > 0; i--) {
		state = state * 1664525 + 1013904223;
		int k = (int)((state >> 8) % (uint32_t)(i + 1)), other = ranks[k];
		ranks[k] = ranks[i];
		ranks[i] = other;
	}
}

/* 1000 samples, so many of them below caller (NULL: main) in leaf, the others in main. */
static void fill(struct build *b, uint32_t module, const char *caller, const char *leaf, int count)
{
	int ranks[1000];

	shuffle(ranks);
	for (int i = 0; i < 1000; i++) {
		if (ranks[i] < count)
			add_in(b, module, caller, leaf);
		else
			build_stack(b, "main", 1000000);
	}
}

static const struct {
	const char *id, *caller, *leaf, *command;
	bool kernel;
	int limit; /* percent */
} shares[] = {
	{ "page-faults", "asm_exc_page_fault", "mas_walk",
	  "prof report --callers asm_exc_page_fault", true, 10 },
	{ "zeroing-pages", NULL, "clear_page_erms", "prof report --callers clear_page_erms", true,
	  5 },
	{ "syscall-entry", NULL, "entry_SYSCALL_64_after_hwframe",
	  "prof report --callers entry_SYSCALL_64_after_hwframe", true, 5 },
	{ "locks", "do_futex", "futex_wait_setup", "prof report --callers do_futex", true, 5 },
	{ "locks", NULL, "___pthread_mutex_lock", "prof report --callers ___pthread_mutex_lock",
	  false, 5 },
	{ "allocator", "__GI___libc_malloc", "_int_malloc",
	  "prof report --callers __GI___libc_malloc", false, 8 },
	{ "allocator", NULL, "operator new(unsigned long)", "prof report --callers 'operator new'",
	  false, 8 },
	{ "copying", NULL, "__memmove_avx_unaligned_erms",
	  "prof report --callers __memmove_avx_unaligned_erms", false, 10 },
	{ "copying", NULL, "memset@@GLIBC_2.2.5", "prof report --callers memset@@GLIBC_2.2.5",
	  false, 10 },
	{ "interrupts-off", NULL, "pvm_irq_enable", "prof report --callers pvm_irq_enable", true,
	  5 },
	{ "interrupts-off", NULL, "finish_task_switch.isra.0",
	  "prof report --callers finish_task_switch.isra.0", true, 5 },
};

static void a_share_above_its_limit_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		fill(&b, shares[i].kernel ? b.kernel : b.library, shares[i].caller, shares[i].leaf,
		     shares[i].limit * 10 + 50);
		find_with(&b, &f, NULL);
		expect_ids(&f, shares[i].id);
		const struct finding *found = &f.items.data[0];
		assert_true(fabs(found->share - (shares[i].limit + 5) / 100.0) < 1e-9);
		assert_true(found->error > 0 &&
			    found->share - found->error > shares[i].limit / 100.0);
		assert_string_equal(found->command, shares[i].command);
		findings_release(&f);
		build_release(&b);
	}
}

/* Half a percent above the limit, the interval still has it inside; and who only looks alike is
 * none of these. */
static void a_share_that_may_be_below_is_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		struct build b;

		build_init(&b);
		fill(&b, shares[i].kernel ? b.kernel : b.library, shares[i].caller, shares[i].leaf,
		     shares[i].limit * 10 + 5);
		expect_found(&b, "");
		build_release(&b);
		/* The same names in the other kind of code. */
		build_init(&b);
		fill(&b,
		     strcmp(shares[i].id, "locks") ? shares[i].kernel ? b.library : b.kernel
						   : b.library,
		     NULL, strcmp(shares[i].id, "locks") ? shares[i].leaf : "do_futexes", 250);
		expect_found(&b, "");
		build_release(&b);
	}
}

/* 15 % ± 8 of 500 samples in bursts: above the limit of 10 %, but not surely. */
static void bursts_are_less_sure(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	for (int i = 0; i < 600; i++) {
		if (i / 30 % 7 == 0)
			add_in(&b, b.library, NULL, "memcpy");
		else
			build_stack(&b, "main", 1000000);
	}
	expect_found(&b, "");
	build_release(&b);
}

static void the_kernel_is_named_when_no_part_is(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	fill(&b, b.kernel, NULL, "ext4_do_something", 400);
	find_with(&b, &f, " --comm app");
	expect_ids(&f, "kernel");
	assert_string_equal(f.items.data[0].command, "prof report --comm app --module '[kernel]'");
	findings_release(&f);
	build_release(&b);
}

/* Zeroing is most of the page faults, and these are most of the kernel. */
static void a_part_that_explains_it_takes_its_place(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	fill(&b, b.kernel, "asm_exc_page_fault", "clear_page_erms", 400);
	expect_found(&b, "zeroing-pages");
	build_release(&b);

	build_init(&b);
	for (int i = 0; i < 1000; i++) {
		int at = i * 37 % 100;
		if (at < 40)
			add_in(&b, b.kernel, "asm_exc_page_fault",
			       at < 12 ? "clear_page_erms" : "x");
		else
			build_stack(&b, "main", 1000000);
	}
	expect_found(&b, "page-faults zeroing-pages");
	build_release(&b);
}

/* A counter's overflow interrupts code with interrupts off, too. */
static void only_a_timer_is_blind(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	b.profile.events.data[b.event].name = build_str(&b, "cycles");
	fill(&b, b.kernel, NULL, "_raw_spin_unlock_irqrestore", 200);
	expect_found(&b, "");
	build_release(&b);
}

static void several_names_are_one_command(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	b.profile.origin = xstrdup("my file");
	for (int i = 0; i < 1000; i++)
		add_in(&b, b.library, NULL, i % 10 < 5 ? "free" : i % 10 < 9 ? "malloc" : "work");
	find_with(&b, &f, NULL);
	expect_ids(&f, "allocator");
	assert_string_equal(f.items.data[0].command, "prof report 'my file' --callers free,malloc");
	assert_true(fabs(f.items.data[0].share - 0.9) < 1e-9);
	findings_release(&f);
	build_release(&b);
}

static void few_samples_come_first(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	b.profile.health.requested_rate = 997;
	for (int i = 0; i < 400; i++)
		add_in(&b, b.library, NULL, i % 2 ? "memcpy" : "work");
	find_with(&b, &f, NULL);
	expect_ids(&f, "few-samples copying");
	assert_true(isnan(f.items.data[0].share));
	/* 1.96 sqrt(0.25 / 400) */
	assert_true(fabs(f.items.data[0].error - 0.049) < 1e-9);
	assert_string_equal(f.items.data[0].text,
			    "for a share of half, of only 400 samples: sample more finely");
	assert_string_equal(f.items.data[0].command, "prof record -F 4000 -- app --fast");
	findings_release(&f);
	build_release(&b);
}

/* Words and command are of one mind: what is asked of the user is what the command does. */
static void few_samples_at_a_high_rate_need_time(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	b.profile.health.requested_rate = 4000;
	for (int i = 0; i < 400; i++)
		build_stack(&b, "main", 1000000);
	find_with(&b, &f, NULL);
	expect_ids(&f, "few-samples");
	assert_string_equal(f.items.data[0].text,
			    "for a share of half, of only 400 samples: record for longer");
	assert_null(f.items.data[0].command);
	findings_release(&f);
	build_release(&b);
}

/* 1000 samples of 50 us, and 500 us that were not sampled of each of so many threads more, or as
 * much of the thread that has the samples. */
static void fill_not_sampled(struct build *b, uint64_t rate, int others, bool same_thread)
{
	uint32_t missing = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);

	b->profile.health.requested_rate = rate;
	b->profile.health.target_cpu_ns = 50000000 + (uint64_t)others * 400000;
	b->profile.health.effective_rate_mhz = 13769000;
	b->profile.events.data[0].frequency = rate;
	b->profile.events.data[0].period = 50000;
	for (int i = 0; i < 1000; i++)
		build_stack(b, "main", 50000);
	for (int i = 0; i < others; i++) {
		uint32_t row = build_sample(b, PROFILE_NONE, missing, 0, 400000);
		build_at(b, row)->flags = SAMPLE_SYNTHETIC;
		if (!same_thread)
			build_at(b, row)->task = build_task(b, 100, 200 + (uint32_t)i, "tiny");
	}
}

static const struct {
	uint64_t rate;
	bool same_thread;
	const char *id, *text, *command;
} not_sampled[] = {
	{ 997, false, "not-sampled",
	  "not sampled, in tasks that were too short for it: sample more finely",
	  "prof record -F 10000 -- app --fast" },
	/* What was asked for already, and less, is not advised. */
	{ 10000, false, "not-sampled", "not sampled, in tasks that were too short for it", NULL },
	{ 20000, false, "not-sampled", "not sampled, in tasks that were too short for it", NULL },
	{ 20000, true, "missed-samples",
	  "not sampled, of threads that have samples: the kernel served 13769 of 20000 Hz", NULL },
	{ 14000, true, "missed-samples",
	  "not sampled, of threads that have samples: the kernel took fewer samples than were due",
	  NULL },
};

static void what_was_not_sampled_has_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(not_sampled); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		fill_not_sampled(&b, not_sampled[i].rate, 50, not_sampled[i].same_thread);
		find_with(&b, &f, NULL);
		expect_ids(&f, not_sampled[i].id);
		assert_string_equal(f.items.data[0].text, not_sampled[i].text);
		if (not_sampled[i].command)
			assert_string_equal(f.items.data[0].command, not_sampled[i].command);
		else
			assert_null(f.items.data[0].command);
		assert_true(fabs(f.items.data[0].share - 2.0 / 7) < 1e-9);
		findings_release(&f);
		build_release(&b);
	}
}

/* Stacks are cut, too, and for these there is a command: it is what the flame graph shows. */
static void a_fault_without_remedy_leaves_room_for_others(void **state)
{
	struct build b;
	struct filter_result all;
	struct health h;
	const char *purpose;

	(void)state;
	build_init(&b);
	fill_not_sampled(&b, 20000, 50, true);
	for (uint32_t i = 0; i < 100; i++)
		build_at(&b, i)->end = END_TRUNCATED;
	build_finish(&b, &all);
	health_compute(&h, &b.profile, &all);
	CLEANUP_FREE char *remedy = health_remedy(&h, &b.profile, &purpose);
	assert_string_equal(remedy, "prof record -F 20000 --call-graph dwarf,65528 -- app --fast");
	assert_string_equal(purpose, "to see whole stacks");
	filter_result_release(&all);
	build_release(&b);
}

/* Of stacks that another tool summed up the number says nothing, and neither do their shares'
 * errors. */
static void stacks_that_were_summed_up_are_not_few(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	for (int i = 0; i < 40; i++) {
		add_in(&b, b.library, NULL, i % 2 ? "memcpy" : "work");
		build_at(&b, (uint32_t)i)->time_ns = 0;
	}
	expect_found(&b, "");
	build_release(&b);
}

static void faults_of_the_recording_come_first(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	fill(&b, b.library, NULL, "memcpy", 500);
	b.profile.health.due = 2000;
	b.profile.health.lost_kernel = 1000;
	b.profile.health.ring_bytes = 524288;
	b.profile.health.stack_bytes = 8192;
	for (uint32_t i = 0; i < 100; i++)
		build_at(&b, i)->end = END_TRUNCATED;
	find_with(&b, &f, NULL);
	expect_ids(&f, "lost-samples cut-stacks copying");
	assert_true(fabs(f.items.data[0].share - 0.5) < 1e-9);
	assert_true(isnan(f.items.data[0].error));
	assert_string_equal(f.items.data[0].command, "prof record -m 2048k -- app --fast");
	assert_true(fabs(f.items.data[1].share - 0.1) < 1e-9);
	assert_string_equal(f.items.data[1].command,
			    "prof record --call-graph dwarf,32768 -- app --fast");
	findings_release(&f);
	build_release(&b);
}

/* Of each thousand milliseconds one thread runs busy, the other idle ones. */
static void add_threads(struct build *b, uint32_t other, int busy, int idle)
{
	for (int i = 0; i < 1000; i++) {
		if (i * 37 % 100 < busy)
			build_stack(b, "main", 1000000);
		if (i * 37 % 100 < idle)
			build_at(b, build_stack(b, "main", 1000000))->task = other;
	}
}

static void one_busy_thread_is_found(void **state)
{
	static const struct {
		int busy, idle;
		bool found;
	} cases[] = { { 100, 10, true },  { 96, 40, true },  { 91, 10, false },
		      { 100, 50, false }, { 60, 10, false }, { 100, 0, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		add_threads(&b, build_task(&b, 100, 101, "worker"), cases[i].busy, cases[i].idle);
		find_with(&b, &f, NULL);
		expect_ids(&f, cases[i].found ? "one-busy-thread" : "");
		if (cases[i].found) {
			assert_true(fabs(f.items.data[0].share - cases[i].busy / 100.0) < 1e-9);
			assert_string_equal(f.items.data[0].of, "wall");
			assert_string_equal(f.items.data[0].command, "prof report --tid 100");
			assert_non_null(strstr(f.items.data[0].text, "app (100) ran, the next "));
		}
		findings_release(&f);
		build_release(&b);
	}
}

/* A library of the C library's package, of another package, of the user, and one that may be any.
 */
static void code_without_lines_is_found(void **state)
{
	static const struct {
		const char *path, *command, *remedy;
		uint8_t flags, identity;
	} cases[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6",
		  "sudo apt install libc6-dbg && prof symbolize", "install its debug file",
		  MODULE_NO_DEBUG_FILE, IDENTITY_GNU_BUILD_ID },
		{ "/usr/lib/x86_64-linux-gnu/libz.so.1", "prof symbolize --debuginfod",
		  "fetch its debug file", MODULE_NO_DEBUG_FILE, IDENTITY_GNU_BUILD_ID },
		{ "/usr/lib/x86_64-linux-gnu/libz.so.1", NULL, "it is stripped, build it with -g",
		  MODULE_NO_DEBUG_FILE, IDENTITY_CONTENT_HASH },
		{ "/srv/app/libz.so.1", NULL, "it is stripped, build it with -g",
		  MODULE_NO_DEBUG_FILE, IDENTITY_GNU_BUILD_ID },
		{ "/usr/lib/libz.so.1", NULL, "build it with -g", 0, IDENTITY_GNU_BUILD_ID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		fill(&b, b.library, NULL, "compress", 300);
		struct profile_module *m = &b.profile.modules.data[b.library];
		m->path = build_str(&b, cases[i].path);
		m->flags = cases[i].flags;
		m->identity = cases[i].identity;
		expect_found(&b, "");
		for (size_t k = 0; k < b.profile.locations.len; k++) {
			const struct profile_location *l = &b.profile.locations.data[k];
			if (l->module == b.library)
				b.profile.frames.data[l->first_frame].line = 0;
		}
		find_with(&b, &f, NULL);
		expect_ids(&f, "no-lines");
		assert_true(fabs(f.items.data[0].share - 0.3) < 1e-9);
		if (cases[i].command)
			assert_string_equal(f.items.data[0].command, cases[i].command);
		else
			assert_null(f.items.data[0].command);
		CLEANUP_FREE char *text =
			xasprintf("of the samples are in %s, without source lines: %s",
				  strrchr(cases[i].path, '/') + 1, cases[i].remedy);
		assert_string_equal(f.items.data[0].text, text);
		findings_release(&f);
		build_release(&b);
	}
}

static void flag_function(struct build *b, const char *name, uint32_t flags)
{
	for (size_t i = 0; i < b->profile.functions.len; i++)
		if (strcmp(profile_str(&b->profile, b->profile.functions.data[i].name), name) == 0)
			b->profile.functions.data[i].flags = flags;
}

/* The function counts that the code is in, not what was inlined there. */
static void code_without_optimization_is_found(void **state)
{
	static const struct {
		const char *leaf;
		uint32_t flags;
		int count;
		bool found;
	} cases[] = {
		{ "slow", FUNCTION_UNOPTIMIZED, 250, true },
		{ "inner|slow", FUNCTION_UNOPTIMIZED, 250, true },
		{ "slow|outer", FUNCTION_UNOPTIMIZED, 250, false },
		{ "slow", FUNCTION_UNOPTIMIZED, 205, false },
		{ "slow", FUNCTION_OPTIMIZED, 900, false },
		{ "slow", 0, 900, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		fill(&b, b.library, NULL, cases[i].leaf, cases[i].count);
		flag_function(&b, "slow", cases[i].flags);
		find_with(&b, &f, " --comm app");
		expect_ids(&f, cases[i].found ? "debug-build" : "");
		if (cases[i].found) {
			assert_true(fabs(f.items.data[0].share - 0.25) < 1e-9);
			assert_string_equal(f.items.data[0].command,
					    "prof report --comm app --module libz.so.1");
			assert_string_equal(f.items.data[0].text,
					    "of the samples are in code that was compiled without "
					    "optimization, as in libz.so.1: build it with -O2");
		}
		findings_release(&f);
		build_release(&b);
	}
}

static void stolen_time_is_found(void **state)
{
	static const struct {
		uint64_t busy, steal; /* milliseconds */
		bool found;
	} cases[] = { { 900, 100, true }, { 2000, 110, true }, { 2000, 100, false },
		      { 0, 0, false },	  { 800, 100, false }, { 9000, 0, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct build b;
		struct findings f;

		build_init(&b);
		fill(&b, b.library, NULL, "work", 500);
		b.profile.runs.data[0].cpu_busy_ns = cases[i].busy * 1000000;
		b.profile.runs.data[0].cpu_steal_ns = cases[i].steal * 1000000;
		find_with(&b, &f, NULL);
		expect_ids(&f, cases[i].found ? "steal" : "");
		if (cases[i].found) {
			assert_string_equal(f.items.data[0].command, "prof record -- app --fast");
			assert_string_equal(f.items.data[0].of, "CPU time");
			assert_true(isnan(f.items.data[0].error));
		}
		findings_release(&f);
		build_release(&b);
	}
}

/* Rows for what was not seen are of the whole, but in no finding's code. */
static void what_was_not_sampled_dilutes(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	fill(&b, b.library, NULL, "memcpy", 500);
	uint32_t synthetic = build_module(&b, MODULE_SYNTHETIC, SYNTHETIC_LOST);
	uint32_t s = build_sample(&b, PROFILE_NONE, synthetic, 0, 1000000000);
	build_at(&b, s)->flags = SAMPLE_SYNTHETIC;
	find_with(&b, &f, NULL);
	expect_ids(&f, "copying");
	assert_true(fabs(f.items.data[0].share - 0.25) < 1e-9);
	findings_release(&f);
	build_release(&b);
}

static void nothing_is_found_in_nothing(void **state)
{
	struct build b;

	(void)state;
	build_init(&b);
	expect_found(&b, "");
	b.profile.events.len = b.profile.runs.len = b.profile.machines.len = 0;
	b.profile.tasks.len = b.profile.modules.len = 0;
	expect_found(&b, "");
	build_release(&b);
}

/* The busiest thread of one_busy_thread_is_found's kind, as the last of all. */
static void a_verdict_is_the_last(void **state)
{
	struct build b;
	struct findings f;

	(void)state;
	build_init(&b);
	for (int i = 0; i < 1000; i++)
		add_in(&b, b.program, NULL, "hot");
	find_with(&b, &f, NULL);
	size_t verdicts = 0;
	for (size_t i = 0; i < f.items.len; i++)
		verdicts += f.items.data[i].is_verdict;
	assert_int_equal(verdicts, 1);
	const struct finding *last = &f.items.data[f.items.len - 1];
	assert_true(last->is_verdict && isnan(last->share) && isnan(last->error));
	assert_int_equal(strncmp(last->id, "verdict-", 8), 0);
	assert_null(last->command); /* what the report shows of it */
	findings_release(&f);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_is_the_last),
		cmocka_unit_test(a_share_above_its_limit_is_found),
		cmocka_unit_test(a_share_that_may_be_below_is_not),
		cmocka_unit_test(bursts_are_less_sure),
		cmocka_unit_test(the_kernel_is_named_when_no_part_is),
		cmocka_unit_test(a_part_that_explains_it_takes_its_place),
		cmocka_unit_test(only_a_timer_is_blind),
		cmocka_unit_test(several_names_are_one_command),
		cmocka_unit_test(few_samples_come_first),
		cmocka_unit_test(few_samples_at_a_high_rate_need_time),
		cmocka_unit_test(what_was_not_sampled_has_its_reason),
		cmocka_unit_test(a_fault_without_remedy_leaves_room_for_others),
		cmocka_unit_test(stacks_that_were_summed_up_are_not_few),
		cmocka_unit_test(faults_of_the_recording_come_first),
		cmocka_unit_test(one_busy_thread_is_found),
		cmocka_unit_test(code_without_lines_is_found),
		cmocka_unit_test(code_without_optimization_is_found),
		cmocka_unit_test(stolen_time_is_found),
		cmocka_unit_test(what_was_not_sampled_dilutes),
		cmocka_unit_test(nothing_is_found_in_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
