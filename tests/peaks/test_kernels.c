/* Every kernel that can be run here: what it computes, what it touches, and threads that run it. */
#include <stdlib.h>
#include <string.h>

#include "peaks/ceilings.h"
#include "peaks/crew.h"
#include "peaks/kernels.h"
#include "peaks/machine.h"
#include "tests.h"

#define BYTES (2 * (size_t)PEAK_GRAIN)
#define COUNT (BYTES / sizeof(double))

/* a, b and c with a page of sevens on each side. */
struct arrays {
	double *all, *a, *b, *c;
};

#define EDGE   (PEAK_GRAIN / sizeof(double))
#define STRIDE (COUNT + EDGE)

static struct arrays make_arrays(void)
{
	struct arrays r = { .all = xaligned(64, (3 * STRIDE + EDGE) * sizeof(double)) };

	r.a = r.all + EDGE;
	r.b = r.a + STRIDE;
	r.c = r.b + STRIDE;
	for (size_t i = 0; i < 3 * STRIDE + EDGE; i++)
		r.all[i] = 7;
	for (size_t i = 0; i < COUNT; i++) {
		r.a[i] = -1;
		r.b[i] = (double)i;
		r.c[i] = (double)(2 * i);
	}
	return r;
}

static double expected(enum peak_kind kind, size_t i)
{
	return kind == PEAK_LOAD ? -1 : kind == PEAK_COPY ? (double)i : (double)(3 * i);
}

static void check_arrays(const struct arrays *r, const struct peak_kernel *k)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (r->a[i] != expected(k->kind, i))
			fail_msg("%s %s: a[%zu] is %f", k->name, peaks_kind_name(k->kind), i,
				 r->a[i]);
		assert_true(r->b[i] == (double)i && r->c[i] == (double)(2 * i));
	}
	for (size_t part = 0; part < 4; part++)
		for (size_t i = 0; i < EDGE; i++)
			assert_true(r->all[part * STRIDE + i] == 7);
}

static void movers_move(void **state)
{
	size_t count;
	const struct peak_kernel *table = peaks_kernels(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct peak_kernel *k = &table[i];
		if (k->kind == PEAK_FLOPS || !k->is_usable())
			continue;
		struct arrays r = make_arrays();
		struct peak_work w = { .repeats = 2,
				       .a = (uint8_t *)r.a,
				       .b = (uint8_t *)r.b,
				       .c = (uint8_t *)r.c,
				       .bytes = BYTES };
		k->run(&w);
		check_arrays(&r, k);
		free(r.all);
	}
}

/* They end, and leave nothing of theirs in registers that somebody else counts on. */
static void arithmetic_ends(void **state)
{
	size_t count, usable = 0;
	const struct peak_kernel *table = peaks_kernels(&count);
	volatile double before = 1.5;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct peak_kernel *k = &table[i];
		if (k->kind != PEAK_FLOPS || !k->is_usable())
			continue;
		double kept = before * 2;
		k->run(&(struct peak_work){ .repeats = 3 });
		assert_true(kept == 3.0);
		assert_true(peaks_flops(k) > 0 && k->flops % 2 == 0);
		usable++;
	}
	assert_true(count == 0 || usable > 0);
}

/* A row is told by its name and precision; lanes and FMA multiply what one repeat does. */
static void rows_are_told_apart(void **state)
{
	size_t count;
	const struct peak_kernel *table = peaks_kernels(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(table[i].kind == table[j].kind &&
				     table[i].is_double == table[j].is_double &&
				     table[i].is_streaming == table[j].is_streaming &&
				     strcmp(table[i].name, table[j].name) == 0);
}

static void best_mover_is_usable(void **state)
{
	size_t count;

	(void)state;
	if (peaks_kernels(&count), count == 0)
		skip();
	for (enum peak_kind kind = PEAK_LOAD; kind <= PEAK_TRIAD; kind++) {
		const struct peak_kernel *k = peaks_mover(kind, false);
		assert_non_null(k);
		assert_true(k->kind == kind && k->is_usable() && !k->is_streaming);
	}
	assert_null(peaks_mover(PEAK_LOAD, true));
	assert_true(peaks_mover(PEAK_TRIAD, true)->is_streaming);
}

static struct crew *crew_of(cpu_numbers *cpus, size_t bytes)
{
	struct error err = { 0 };

	cpu_numbers_permitted(cpus);
	struct crew *crew = crew_start(cpus->data, cpus->len, bytes, bytes, &err);
	if (!crew)
		fail_msg("%s", err.text);
	return crew;
}

static void a_crew_works_together(void **state)
{
	const struct peak_kernel *copy = peaks_mover(PEAK_COPY, false);
	cpu_numbers cpus = { 0 };

	(void)state;
	if (!copy)
		skip();
	struct crew *crew = crew_of(&cpus, crew_memory(2, BYTES));
	for (size_t threads = 1; threads <= cpus.len; threads++) {
		struct crew_job job = { .kernel = copy,
					.threads = threads,
					.array_bytes = BYTES,
					.repeats = 10,
					.warm_repeats = 1 };
		struct crew_time t = crew_run(crew, &job);
		assert_true(t.wall_ns > 0 && t.spent_ns > 0);
		/* Many more pieces than there are: one pass, and the next one begins anew. */
		job.is_walk = true;
		for (job.repeats = 1; job.repeats < 8; job.repeats++)
			assert_true(crew_run(crew, &job).wall_ns > 0);
	}
	crew_end(crew);
	vec_release(&cpus);
}

static void a_cpu_that_is_not_there(void **state)
{
	const uint32_t cpus[] = { 0, MACHINE_CPUS_MAX - 1 };
	struct error err = { 0 };

	(void)state;
	assert_null(crew_start(cpus, 2, 0, 0, &err));
	assert_non_null(strstr(err.text, "CPU 4095"));
}

static void rates_of_rounds(void **state)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 2, 3 }, steady[] = { 10, 9.5, 9.6 };
	struct ceiling_rate r = ceiling_rate_of(odd, 3);

	(void)state;
	assert_true(r.best == 3 && r.median == 2 && r.least == 1);
	assert_true(ceiling_is_noisy(&r));
	r = ceiling_rate_of(even, 4);
	assert_true(r.median == 2.5);
	r = ceiling_rate_of(steady, 3);
	assert_false(ceiling_is_noisy(&r));
}

int run_kernel_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(movers_move),		 cmocka_unit_test(arithmetic_ends),
		cmocka_unit_test(rows_are_told_apart),	 cmocka_unit_test(best_mover_is_usable),
		cmocka_unit_test(a_crew_works_together), cmocka_unit_test(a_cpu_that_is_not_there),
		cmocka_unit_test(rates_of_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
