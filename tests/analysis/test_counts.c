/*
 * Metrics of functions from counters that were read with samples: sums, what cannot be computed,
 * and whether 95 % intervals hold the truth in 95 % of synthetic recordings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/flat_counts.h"
#include "build_profile.h"

enum { CYCLES, INSTRUCTIONS, MISSES, MEMBERS };

struct recording {
	struct build b;
	struct filter_result all;
	uint16_t events[MEMBERS];
};

static void start(struct recording *r)
{
	static const char *const names[MEMBERS] = { "cycles", "instructions", "cache-misses" };

	build_init(&r->b);
	for (int i = 0; i < MEMBERS; i++) {
		uint32_t event = build_event(&r->b, names[i], UNIT_COUNT);
		r->events[i] = (uint16_t)event;
		r->b.profile.events.data[event].group = 1;
	}
	r->b.event = r->events[CYCLES];
}

static void add(struct recording *r, const char *stack, const uint64_t *values)
{
	uint32_t sample = build_stack(&r->b, stack, 1000000);

	for (uint16_t i = 0; values && i < MEMBERS; i++) {
		struct profile_count c = { values[i], sample, r->events[i] };
		vec_push(&r->b.profile.counts, c);
	}
}

static void release(struct recording *r)
{
	filter_result_release(&r->all);
	build_release(&r->b);
}

/* A view of functions with columns. */
struct view {
	struct counted counted;
	struct flat flat;
	struct flat_counts counts;
};

static void look(struct view *v, struct recording *r, const char *columns, enum flat_by by)
{
	struct calltree_options options = { 0 };
	struct error err = { 0 };

	if (counted_init(&v->counted, &r->b.profile, r->b.event, "--columns", columns, &err) < 0)
		fail_msg("%s", err.text);
	flat_build(&v->flat, &r->b.profile, &r->all, r->b.event, by, &options);
	flat_count(&v->counts, &v->counted, &r->all, by, &options);
}

static void look_away(struct view *v)
{
	flat_counts_release(&v->counts);
	flat_release(&v->flat);
	counted_release(&v->counted);
}

static const struct flat_row *row_of(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->flat.rows.len; i++)
		if (strcmp(v->flat.rows.data[i].name, name) == 0)
			return &v->flat.rows.data[i];
	fail_msg("no row %s", name);
	abort();
}

static struct counted_cell cell(struct view *v, const char *name, size_t column, bool total)
{
	struct counted_cell out;
	const struct counted_sums *s = total ? &v->counts.total : &v->counts.self;

	counted_cell(&v->counted, s, row_of(v, name)->id, column, &out);
	return out;
}

static void test_ratios_are_of_sums(void **state)
{
	struct recording r;
	struct view v;

	(void)state;
	start(&r);
	add(&r, "main;slow", (uint64_t[]){ 1000, 500, 20 });
	add(&r, "main;slow", (uint64_t[]){ 3000, 500, 0 });
	add(&r, "main;fast", (uint64_t[]){ 1000, 3000, 0 });
	add(&r, "main;again;fast;again", (uint64_t[]){ 1000, 1000, 5 });
	add(&r, "main;fast", NULL); /* nothing is known of it: it changes nothing */
	build_finish(&r.b, &r.all);
	look(&v, &r, "ipc, mpki", FLAT_BY_FUNCTION);
	assert_true(fabs(cell(&v, "slow", 0, false).value - 0.25) < 1e-9);
	assert_true(fabs(cell(&v, "slow", 1, false).value - 20) < 1e-9);
	assert_true(fabs(cell(&v, "fast", 0, false).value - 3) < 1e-9);
	assert_true(fabs(cell(&v, "fast", 0, true).value - 2) < 1e-9);
	assert_true(fabs(cell(&v, "again", 0, true).value - 1) < 1e-9); /* once, not twice */
	assert_true(fabs(cell(&v, "main", 0, true).value - 5000.0 / 6000) < 1e-9);
	assert_int_equal(cell(&v, "main", 0, false).state, METRIC_MISSING);
	assert_true(isnan(cell(&v, "slow", 0, false).half_width));
	look_away(&v);
	look(&v, &r, "ipc", FLAT_BY_THREAD);
	assert_int_equal(v.flat.rows.len, 1);
	struct counted_cell all;
	counted_cell(&v.counted, &v.counts.self, v.flat.rows.data[0].id, 0, &all);
	assert_true(fabs(all.value - 5000.0 / 6000) < 1e-9);
	look_away(&v);
	release(&r);
}

static void refused(struct recording *r, const char *columns, const char *words)
{
	struct counted c;
	struct error err = { 0 };

	assert_int_equal(counted_init(&c, &r->b.profile, r->b.event, "--columns", columns, &err),
			 -1);
	if (!strstr(err.text, words))
		fail_msg("%s", err.text);
}

static void test_what_cannot_be_computed(void **state)
{
	struct recording r;

	(void)state;
	start(&r);
	add(&r, "main", (uint64_t[]){ 1, 1, 1 });
	build_finish(&r.b, &r.all);
	CLEANUP_FREE char *names = counted_names(&r.b.profile, r.b.event);
	assert_non_null(strstr(names, "ipc"));
	assert_non_null(strstr(names, "mpki"));
	assert_null(strstr(names, "faults"));
	refused(&r, "ipd", "did you mean ipc");
	refused(&r, "branch-mpki", "-e '{branch-misses,instructions}'");
	refused(&r, "faults-per-second", "page-faults");
	refused(&r, "", "name is missing");
	r.b.profile.counts.len = 0;
	refused(&r, "ipc", "no counters were recorded");
	release(&r);
}

/* ---- synthetic recordings ---- */

static uint64_t random_state;

static double uniform(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* Of mean 1. */
static double exponential(void)
{
	return -log(uniform());
}

enum { FUNCTIONS = 4, PHASES = 3, RUNS = 1000, SAMPLES = 3000 };

/* A program in random phases of some 15 samples, in which functions have other shares and all of
 * them another speed; how many instructions a sample has depends on the sample before. */
static const struct {
	const char *name;
	double ipc, mpki, shares[PHASES];
} functions[FUNCTIONS] = {
	{ "hot", 2.5, 0.2, { 0.80, 0.50, 0.10 } },
	{ "missing", 0.4, 30, { 0.10, 0.30, 0.60 } },
	{ "rare", 1.2, 5, { 0.02, 0.02, 0.02 } },
	{ "bursty", 0.8, 12, { 0.08, 0.18, 0.28 } },
};

static const double speeds[PHASES] = { 1.3, 1.0, 0.6 };

static int choose_function(int phase)
{
	double u = uniform();
	int f = 0;

	for (; f < FUNCTIONS - 1 && u >= functions[f].shares[phase]; f++)
		u -= functions[f].shares[phase];
	return f;
}

static void generate(struct recording *r, uint64_t seed)
{
	double left = 0, drift = 0;
	int phase = 0;

	random_state = hash_u64(seed + 1);
	start(r);
	for (int i = 0; i < SAMPLES; i++) {
		if (--left <= 0) {
			left = 15 * exponential();
			phase = (int)(uniform() * PHASES);
		}
		int f = choose_function(phase);
		drift = 0.8 * drift + 0.2 * (uniform() - 0.5);
		double cycles = 1e6 * (0.95 + 0.1 * uniform());
		double instructions = cycles * functions[f].ipc * speeds[phase] * (1 + drift) *
				      (0.8 + 0.4 * uniform());
		double misses = instructions * functions[f].mpki / 1000 * exponential();
		add(r, functions[f].name,
		    (uint64_t[]){ (uint64_t)cycles, (uint64_t)instructions, (uint64_t)misses });
	}
	build_finish(&r->b, &r->all);
}

static double true_ipc(int f)
{
	double cycles = 0, instructions = 0;

	for (int p = 0; p < PHASES; p++) {
		cycles += functions[f].shares[p];
		instructions += functions[f].shares[p] * functions[f].ipc * speeds[p];
	}
	return instructions / cycles;
}

static void test_intervals_hold_the_truth(void **state)
{
	int held[FUNCTIONS][2] = { { 0 } }, known[FUNCTIONS][2] = { { 0 } };

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		struct recording r;
		struct view v;
		generate(&r, run);
		look(&v, &r, "ipc,mpki", FLAT_BY_FUNCTION);
		for (int f = 0; f < FUNCTIONS; f++) {
			double truths[] = { true_ipc(f), functions[f].mpki };
			for (size_t k = 0; k < 2; k++) {
				struct counted_cell c = cell(&v, functions[f].name, k, false);
				known[f][k] += !isnan(c.half_width);
				held[f][k] += fabs(c.value - truths[k]) <= c.half_width;
			}
		}
		look_away(&v);
		release(&r);
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		for (int k = 0; k < 2; k++) {
			double percent = 100.0 * held[f][k] / known[f][k];
			print_message(
				"%-8s %-5s true value in the 95 %% interval of %.1f %% of %d runs\n",
				functions[f].name, k ? "mpki" : "ipc", percent, known[f][k]);
			assert_in_range((int)(10 * percent), 920, 980);
			assert_int_equal(known[f][k], RUNS);
		}
	}
}

/* Of events that never came it is known how many may be due, not that there are none. */
static void test_none_is_not_surely_none(void **state)
{
	struct recording r;
	struct view v;

	(void)state;
	start(&r);
	for (int i = 0; i < 400; i++)
		add(&r, "calm", (uint64_t[]){ 1000, 1000, 0 });
	build_finish(&r.b, &r.all);
	look(&v, &r, "mpki", FLAT_BY_FUNCTION);
	struct counted_cell c = cell(&v, "calm", 0, false);
	assert_true(c.value == 0);
	assert_true(fabs(c.half_width - 1000 * 3.69 / 400000) < 1e-3);
	look_away(&v);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratios_are_of_sums),
		cmocka_unit_test(test_what_cannot_be_computed),
		cmocka_unit_test(test_none_is_not_surely_none),
		cmocka_unit_test(test_intervals_hold_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
