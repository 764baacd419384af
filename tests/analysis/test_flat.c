/* The flat profile: exact self and total, and error bars that keep their word on random profiles.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/flat.h"
#include "analysis/jackknife.h"
#include "base/bytes.h"
#include "build_profile.h"

static void make(struct build *b, struct flat *f, enum flat_by by)
{
	struct filter_result all;
	struct calltree_options o = { 0 };

	build_finish(b, &all);
	flat_build(f, &b->profile, &all, b->event, by, &o);
	filter_result_release(&all);
}

/* "name self/total count/total_count" per row, "^" when partly inlined. */
static void expect_rows(struct build *b, enum flat_by by, const char *expected)
{
	struct flat f;
	struct bytes out = { 0 };

	make(b, &f, by);
	for (size_t i = 0; i < f.rows.len; i++) {
		const struct flat_row *r = &f.rows.data[i];
		bytes_printf(&out, "%s%s %" PRIu64 "/%" PRIu64 " %" PRIu64 "/%" PRIu64 "\n",
			     r->name, r->inlined ? "^" : "", r->self, r->total, r->self_count,
			     r->total_count);
	}
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
	flat_release(&f);
}

static int setup(void **state)
{
	static struct build b;

	build_init(&b);
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	build_release(*state);
	return 0;
}

static void no_samples_no_rows(void **state)
{
	expect_rows(*state, FLAT_BY_FUNCTION, "");
	expect_rows(*state, FLAT_BY_THREAD, "");
}

static void recursion_counts_once(void **state)
{
	build_stack(*state, "main;f;g;f;f", 10);
	build_stack(*state, "main;f;g", 5);
	build_stack(*state, "main;g;f", 1);
	build_stack(*state, "main", 2);
	expect_rows(*state, FLAT_BY_FUNCTION, "f 11/16 2/3\ng 5/16 1/3\nmain 2/18 1/4\n");
}

static void inline_frames_have_rows(void **state)
{
	struct build *b = *state;
	uint64_t leaf = build_code(b, b->program, "in|f");

	build_sample(b, PROFILE_NONE, b->program, leaf, 3);
	build_stack(b, "f", 2);
	expect_rows(b, FLAT_BY_FUNCTION, "in^ 3/3 1/1\nf 2/5 1/2\n");
}

static void rows_of_modules_and_lines(void **state)
{
	struct build *b = *state;
	uint32_t main_ = build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "main"));

	build_sample(b, main_, b->library, build_code(b, b->library, "z"), 3);
	build_sample(b, main_, b->program, build_code(b, b->program, "x"), 1);
	expect_rows(b, FLAT_BY_MODULE, "libz.so.1 3/3 1/1\napp 1/4 1/2\n");
	expect_rows(b, FLAT_BY_LINE, "z:10 3/3 1/1\nx:10 1/1 1/1\nmain:10 0/4 0/2\n");
}

static void rows_of_tasks_cpus_and_events(void **state)
{
	struct build *b = *state;
	uint32_t worker = build_task(b, 100, 101, "worker"),
		 renamed = build_task(b, 100, 101, "late");
	uint32_t other = build_event(b, "page-faults", UNIT_COUNT);

	build_stack(b, "main", 1);
	build_at(b, build_stack(b, "main", 2))->task = worker;
	build_at(b, build_stack(b, "main", 4))->task = renamed;
	b->profile.samples.data[2].cpu = 3;
	build_at(b, build_stack(b, "main", 9))->event = (uint16_t)other;
	expect_rows(b, FLAT_BY_THREAD,
		    "late (101) 4/4 1/1\nworker (101) 2/2 1/1\napp (100) 1/1 1/1\n");
	expect_rows(b, FLAT_BY_PROCESS, "app (100) 7/7 3/3\n");
	expect_rows(b, FLAT_BY_CPU, "CPU 3 4/4 1/1\nCPU 0 3/3 2/2\n");
	expect_rows(b, FLAT_BY_EVENT, "page-faults 9/9 1/1\ntask-clock 7/7 3/3\n");
	struct flat f;
	make(b, &f, FLAT_BY_EVENT);
	assert_int_equal(f.total, 0); /* nanoseconds and faults do not add */
	flat_release(&f);
}

static void what_was_not_seen_has_weight_but_no_count(void **state)
{
	struct build *b = *state;
	uint32_t lost = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_LOST);
	struct flat f;

	for (int i = 0; i < 40; i++)
		build_stack(b, i % 2 ? "main;a" : "main;b", 10);
	uint32_t s = build_sample(b, PROFILE_NONE, lost, 0, 400);
	b->profile.samples.data[s].flags = SAMPLE_SYNTHETIC;
	make(b, &f, FLAT_BY_FUNCTION);
	assert_int_equal(f.total, 800);
	assert_int_equal(f.sample_count, 40);
	assert_string_equal(f.rows.data[0].name, "[lost]");
	assert_int_equal(f.rows.data[0].self, 400);
	assert_int_equal(f.rows.data[0].self_count, 0);
	assert_true(isnan(f.rows.data[0].self_error));
	/* Every slice is half a, half b: nothing varies. main is all of what was sampled. */
	assert_string_equal(f.rows.data[1].name, "a");
	assert_true(f.rows.data[1].self_error < 1e-9);
	assert_string_equal(f.rows.data[3].name, "main");
	assert_true(f.rows.data[3].total_error < 1e-9);
	assert_true(isnan(f.rows.data[3].self_error));
	flat_release(&f);
}

/* 40 % ± 5 and 37 % ± 5 may be the other way round, 23 % ± 5 is surely less; the row between, which
 * was not sampled, is no party. */
static void ties_are_rows_whose_intervals_overlap(void **state)
{
	struct build *b = *state;
	struct flat f;
	uint32_t synthetic = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_LOST), seed = 1;

	static const struct {
		const char *name;
		bool tied;
		uint32_t threads;
	} expected[] = {
		{ "a", false, 2 }, { "b", true, 1 }, { SYNTHETIC_LOST, false, 0 }, { "c", false, 1 }
	};

	uint32_t other = build_task(b, 100, 101, "worker");

	for (int i = 0; i < 1000; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t at = (seed >> 8) % 100;
		uint32_t s = build_stack(b, at < 40 ? "a" : at < 77 ? "b" : "c", 1000000);
		build_at(b, s)->task = at < 3 ? other : b->task;
	}
	uint32_t s = build_sample(b, PROFILE_NONE, synthetic, 0, 300000000);
	build_at(b, s)->flags = SAMPLE_SYNTHETIC;
	make(b, &f, FLAT_BY_FUNCTION);
	assert_int_equal(f.rows.len, ARRAY_LEN(expected));
	for (size_t i = 0; i < f.rows.len; i++) {
		assert_string_equal(f.rows.data[i].name, expected[i].name);
		assert_int_equal(f.rows.data[i].tied, expected[i].tied);
		assert_int_equal(f.rows.data[i].threads, expected[i].threads);
	}
	flat_release(&f);
}

static void few_samples_have_no_error_bar(void **state)
{
	struct build *b = *state;
	struct flat f;

	for (int i = 0; i < 19; i++)
		build_stack(b, i % 3 ? "main;a" : "main;b", 10);
	make(b, &f, FLAT_BY_FUNCTION);
	assert_int_equal(f.slices, 0);
	assert_true(isnan(f.rows.data[0].self_error));
	flat_release(&f);
	build_stack(b, "main;a", 10);
	make(b, &f, FLAT_BY_FUNCTION);
	assert_int_equal(f.slices, 20);
	assert_true(f.rows.data[0].self_error > 0);
	flat_release(&f);
}

static void one_instant_has_no_error_bar(void **state)
{
	struct build *b = *state;
	struct flat f;

	for (int i = 0; i < 100; i++)
		build_at(b, build_stack(b, i % 3 ? "main;a" : "main;b", 10))->time_ns = 5;
	make(b, &f, FLAT_BY_FUNCTION);
	assert_int_equal(f.slices, 0);
	assert_true(isnan(f.rows.data[0].self_error));
	flat_release(&f);
}

static void pauses_are_cut_finer(void **state)
{
	struct build *b = *state;
	struct flat f;

	/* Two bursts of 50 ms around a pause of 9.9 s. */
	for (int i = 0; i < 100; i++) {
		uint32_t s = build_stack(b, i % 3 ? "main;a" : "main;b", 10);
		if (i >= 50)
			b->profile.samples.data[s].time_ns += 9900000000;
	}
	make(b, &f, FLAT_BY_FUNCTION);
	assert_true(f.slices >= 20);
	flat_release(&f);
}

/* The jackknife by its definition, as the reference. */
static double slow_jackknife(const double *x, const double *w, uint32_t k)
{
	double all_x = 0, all_w = 0, mean = 0, squares = 0;

	for (uint32_t i = 0; i < k; i++) {
		all_x += x[i];
		all_w += w[i];
	}
	for (uint32_t i = 0; i < k; i++)
		mean += (all_x - x[i]) / (all_w - w[i]) / k;
	for (uint32_t i = 0; i < k; i++) {
		double d = (all_x - x[i]) / (all_w - w[i]) - mean;
		squares += d * d;
	}
	return student_t975(k - 1) * sqrt((k - 1.0) / k * squares);
}

static void the_sums_are_the_definition(void **state)
{
	double x[] = { 3, 0, 5, 1, 0, 9, 2 }, w[] = { 10, 12, 7, 11, 10, 9, 14 };
	struct slices s = { .weight = w, .count = ARRAY_LEN(w) };
	struct jackknife_row row = { 0 };

	(void)state;
	for (uint32_t i = 0; i < s.count; i++)
		s.total += w[i];
	for (uint32_t i = 0; i < s.count; i++) {
		if (x[i] > 0)
			jackknife_add(&row, &s, i, x[i]);
	}
	assert_true(fabs(jackknife_half_width(&row, &s) - slow_jackknife(x, w, s.count)) < 1e-12);
}

static void quantiles_of_student(void **state)
{
	(void)state;
	assert_true(fabs(student_t975(1) - 12.706) < 0.001);
	assert_true(fabs(student_t975(11) - 2.20099) < 0.002);
	assert_true(fabs(student_t975(19) - 2.09302) < 0.001);
	assert_true(fabs(student_t975(100) - 1.98397) < 0.001);
	assert_true(fabs(student_t975(100000) - 1.95999) < 0.001);
	assert_true(isnan(student_t975(0)));
}

static double random_unit(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return (double)(hash_u64(*state) >> 11) / 9007199254740992.0;
}

enum { TRIALS = 400, SAMPLES = 1000 };

struct coverage {
	int jackknife, binomial;
};

/* Of TRIALS profiles, in how many the interval around f's share covers the true share. A phase
 * lasts phase_length samples on average; f has share high in one kind of phase, low in the other.
 */
static struct coverage measure(double phase_length, double high, double low)
{
	struct coverage c = { 0, 0 };
	uint64_t rng = 42;
	double truth = (high + low) / 2;

	for (int trial = 0; trial < TRIALS; trial++) {
		struct build b;
		struct flat f;
		bool phase = random_unit(&rng) < 0.5;
		build_init(&b);
		for (int i = 0; i < SAMPLES; i++) {
			if (random_unit(&rng) < 1 / phase_length)
				phase = random_unit(&rng) < 0.5;
			build_stack(&b, random_unit(&rng) < (phase ? high : low) ? "f" : "g", 10);
		}
		make(&b, &f, FLAT_BY_FUNCTION);
		const struct flat_row *row = &f.rows.data[strcmp(f.rows.data[0].name, "f") != 0];
		double share = (double)row->self / (double)f.total;
		c.jackknife += fabs(share - truth) <= row->self_error;
		c.binomial += fabs(share - truth) <= 1.96 * sqrt(share * (1 - share) / SAMPLES);
		flat_release(&f);
		build_release(&b);
	}
	return c;
}

/* 95 % of 400 is 380; binomial tails at 1e-6 reach from 356 to 398. */
static void intervals_cover_the_truth_of_independent_samples(void **state)
{
	double shares[] = { 0.5, 0.1, 0.03 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		struct coverage c = measure(1, shares[i], shares[i]);
		print_message("independent, share %.2f: %d of %d covered\n", shares[i], c.jackknife,
			      TRIALS);
		assert_in_range(c.jackknife, 356, 398);
	}
}

static void intervals_cover_the_truth_of_a_program_with_phases(void **state)
{
	double lengths[] = { 4, 10 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct coverage c = measure(lengths[i], 0.9, 0.1);
		print_message(
			"phases of %.0f samples: %d of %d covered, %d by the binomial interval\n",
			lengths[i], c.jackknife, TRIALS, c.binomial);
		assert_in_range(c.jackknife, 356, 398);
		assert_in_range(c.binomial, 0, 355);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(no_samples_no_rows),
		TEST(recursion_counts_once),
		TEST(inline_frames_have_rows),
		TEST(rows_of_modules_and_lines),
		TEST(rows_of_tasks_cpus_and_events),
		TEST(what_was_not_seen_has_weight_but_no_count),
		TEST(ties_are_rows_whose_intervals_overlap),
		TEST(few_samples_have_no_error_bar),
		TEST(one_instant_has_no_error_bar),
		TEST(pauses_are_cut_finer),
		cmocka_unit_test(the_sums_are_the_definition),
		cmocka_unit_test(quantiles_of_student),
		cmocka_unit_test(intervals_cover_the_truth_of_independent_samples),
		cmocka_unit_test(intervals_cover_the_truth_of_a_program_with_phases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
