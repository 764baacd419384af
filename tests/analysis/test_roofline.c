/* From counters of known operations and bytes to known places below known ceilings. */
#include <math.h>
#include <string.h>

#include "analysis/roofline.h"
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define G 1e9

static void add_flops(struct ceilings *c, const char *name, bool is_double, bool is_vector,
		      bool is_fma, double one, double all)
{
	struct ceiling_flops f = { .is_double = is_double,
				   .is_vector = is_vector,
				   .is_fma = is_fma };

	memcpy(f.name, name, strlen(name));
	f.one = (struct ceiling_rate){ one, one, one };
	f.all = (struct ceiling_rate){ all, all, all };
	vec_push(&c->flops, f);
}

static void add_bandwidth(struct ceilings *c, const char *place, double one, double all)
{
	struct ceiling_bandwidth b = { .what = "load" };

	memcpy(b.place, place, strlen(place));
	b.one = (struct ceiling_rate){ one, one, one };
	b.all = (struct ceiling_rate){ all, all, all };
	vec_push(&c->bandwidth, b);
}

/* One core: 2 GFLOP/s scalar, 8 AVX, 16 FMA, twice that single; memory 10 GB/s. All: 4 times,
 * memory 20 GB/s. */
static struct ceilings known(void)
{
	struct ceilings c = { .threads = 4, .cores = 4 };

	add_flops(&c, "scalar", true, false, false, 2 * G, 8 * G);
	add_flops(&c, "avx", true, true, false, 8 * G, 32 * G);
	add_flops(&c, "avx2-fma", true, true, true, 16 * G, 64 * G);
	add_flops(&c, "avx2-fma", false, true, true, 32 * G, 128 * G);
	add_bandwidth(&c, "L1", 100 * G, 400 * G);
	add_bandwidth(&c, "memory", 8 * G, 16 * G);
	add_bandwidth(&c, "memory", 10 * G, 20 * G);
	return c;
}

static struct roofline_point point_of(double flops, double bytes)
{
	return (struct roofline_point){ .name = "p",
					.flops = flops,
					.bytes = bytes,
					.single = 0,
					.seconds = 1,
					.cpus = 1,
					.running = 1,
					.bytes_from = ROOFLINE_TRAFFIC };
}

static void memory_limits_a_copy(void **state)
{
	struct ceilings c = known();
	struct roofline_point p = point_of(1 * G, 8 * G); /* 1/8 FLOP/byte */
	struct roofline_place place;

	(void)state;
	assert_true(roofline_place(&place, &c, &p));
	assert_false(place.is_all);
	assert_true(place.rate == 1 * G && place.intensity == 0.125);
	assert_int_equal(place.bound, ROOFLINE_BOUND_MEMORY);
	assert_float_equal(place.attainable, 1.25 * G, 1);
	assert_float_equal(place.gain, 1.25, 1e-9);
	assert_string_equal(place.peak->name, "avx2-fma");
	assert_true(place.peak->is_double);
	assert_string_equal(place.plain->name, "scalar");
	ceilings_release(&c);
}

static void arithmetic_limits_a_product(void **state)
{
	struct ceilings c = known();
	struct roofline_point p = point_of(4 * G, 0.1 * G); /* 40 FLOP/byte */
	struct roofline_place place;

	(void)state;
	assert_true(roofline_place(&place, &c, &p));
	assert_int_equal(place.bound, ROOFLINE_BOUND_ARITHMETIC);
	assert_true(place.attainable == 16 * G && place.gain == 4);
	/* On all cores, in single precision. */
	p.cpus = 3.5;
	p.single = 3 * G;
	assert_true(roofline_place(&place, &c, &p));
	assert_true(place.is_all && place.is_single);
	assert_true(place.attainable == 128 * G && place.gain == 32);
	ceilings_release(&c);
}

/* Bytes that are a lower bound: what is left of the ridge is so for sure, what is right of it not.
 */
static void a_lower_bound_of_bytes(void **state)
{
	struct ceilings c = known();
	struct roofline_point p = point_of(1 * G, 8 * G);
	struct roofline_place place;

	(void)state;
	p.bytes_from = ROOFLINE_FILLS;
	assert_true(roofline_place(&place, &c, &p));
	assert_true(place.is_at_most);
	assert_int_equal(place.bound, ROOFLINE_BOUND_MEMORY);
	p.bytes = 0.1 * G;
	assert_true(roofline_place(&place, &c, &p));
	assert_int_equal(place.bound, ROOFLINE_BOUND_UNKNOWN);
	ceilings_release(&c);
}

static void what_is_not_known(void **state)
{
	struct ceilings c = known(), none = { 0 };
	struct roofline_point p = point_of(1 * G, NAN);
	struct roofline_place place;

	(void)state;
	assert_true(roofline_place(&place, &c, &p));
	assert_true(isnan(place.intensity));
	assert_int_equal(place.bound, ROOFLINE_BOUND_UNKNOWN);
	assert_false(roofline_place(&place, &none, &p));
	p.flops = 0;
	assert_false(roofline_place(&place, &c, &p));
	p.flops = NAN;
	assert_false(roofline_place(&place, &c, &p));
	p = point_of(1 * G, 1 * G);
	p.seconds = 0;
	assert_false(roofline_place(&place, &c, &p));
	ceilings_release(&c);
}

static void ceilings_of_a_kind(void **state)
{
	struct ceilings c = known();

	(void)state;
	assert_string_equal(roofline_peak(&c, false, true, ROOFLINE_BEST)->name, "avx2-fma");
	assert_string_equal(roofline_peak(&c, false, true, ROOFLINE_NO_FMA)->name, "avx");
	assert_string_equal(roofline_peak(&c, false, true, ROOFLINE_SCALAR)->name, "scalar");
	assert_null(roofline_peak(&c, false, false, ROOFLINE_SCALAR));
	assert_true(roofline_roof(&c, true, "memory")->all.best == 20 * G);
	assert_null(roofline_roof(&c, true, "L2"));
	assert_float_equal(roofline_ridge(16 * G, 10 * G), 1.6, 1e-12);
	ceilings_release(&c);
}

/* ---- counters ---- */

static void count_event(struct counter_table *t, const char *name, const char *unit, double scale)
{
	struct counter_event e = { .scale = scale };

	e.name = (char *)(uintptr_t)name;
	e.unit = (char *)(uintptr_t)unit;
	counter_table_add_event(t, &e);
}

static void count_row(struct counter_table *t)
{
	struct counter_row row = { .kind = COUNTER_ROW_ALL };

	counter_table_add_row(t, &row);
}

static void set(struct counter_table *t, size_t event, uint64_t value, uint64_t running)
{
	*counter_table_at(t, 0, event) =
		(struct counter_reading){ value, 100, running, COUNTER_COUNTED };
}

/* The first set whose name begins so. */
static const struct roofline_set *set_of(const char *name)
{
	for (const struct roofline_set *s = roofline_sets(); s->name; s++)
		if (strncmp(s->name, name, strlen(name)) == 0)
			return s;
	fail_msg("no set %s", name);
	return NULL;
}

static size_t name_all(const struct roofline_set *s, struct roofline_named *named)
{
	size_t count = 0;

	for (const struct roofline_event *e = s->events; e->spec; e++)
		named[count++] = (struct roofline_named){ e->spec, e };
	return count;
}

/* 1 of each width: 1 + 2 + 4 + 8 doubles, twice that in singles, but scalar ones. */
static void intel_counts_by_width(void **state)
{
	struct counter_table t = { 0 };
	struct roofline_named named[10];
	size_t count = name_all(set_of("Intel FP_ARITH_INST_RETIRED with"), named);
	struct roofline_sum sum;

	(void)state;
	assert_int_equal(count, 8);
	for (size_t i = 0; i < count; i++)
		count_event(&t, named[i].name, "", 1);
	count_row(&t);
	for (size_t i = 0; i < count; i++)
		set(&t, i, 1000, 100);
	assert_true(roofline_add_up(&sum, &t, 0, named, count, 1));
	assert_true(sum.flops == 1000 * (15 + 29));
	assert_true(sum.single == 1000 * 29);
	assert_true(isnan(sum.bytes) && sum.running == 1);
	/* Half of the time, so scaled up. */
	set(&t, 0, 1000, 50);
	assert_true(roofline_add_up(&sum, &t, 0, named, count, 1));
	assert_true(sum.flops == 1000 * (16 + 29) && sum.running == 0.5);
	counter_table_release(&t);
}

static void amd_counts_operations_and_fills(void **state)
{
	struct counter_table t = { 0 };
	struct roofline_named named[4];
	size_t count = name_all(set_of("AMD RETIRED"), named);
	struct roofline_sum sum;

	(void)state;
	count += name_all(set_of("AMD cache fills from memory (Zen 4"), named + count);
	count_event(&t, "task-clock", "ns", 1);
	count_event(&t, "RETIRED_SSE_AVX_FLOPS:ANY:u", "", 1);
	count_event(&t, named[1].name, "", 1);
	count_row(&t);
	set(&t, 1, 5000, 100);
	set(&t, 2, 10, 100);
	assert_true(roofline_add_up(&sum, &t, 0, named, count, 1));
	assert_true(sum.flops == 5000 && isnan(sum.single) && sum.bytes == 640);
	counter_table_release(&t);
}

static void arm_counts_by_vector_length(void **state)
{
	struct counter_table t = { 0 };
	struct roofline_named named[2];
	size_t count = name_all(set_of("Arm FP_FIXED"), named);
	struct roofline_sum sum;

	(void)state;
	for (size_t i = 0; i < count; i++)
		count_event(&t, named[i].name, "", 1);
	count_row(&t);
	set(&t, 0, 100, 100);
	set(&t, 1, 100, 100);
	assert_true(roofline_add_up(&sum, &t, 0, named, count, 2)); /* 256 bits */
	assert_true(sum.flops == 300);
	counter_table_release(&t);
}

/* Controllers tell in MiB, by the scale that sysfs has. */
static void memory_controllers(void **state)
{
	struct counter_table t = { 0 };
	struct roofline_named named[2];
	size_t count = name_all(set_of("Intel memory controllers"), named);
	struct roofline_sum sum;

	(void)state;
	for (size_t i = 0; i < count; i++)
		count_event(&t, named[i].name, "MiB", 64.0 / 1048576);
	count_row(&t);
	set(&t, 0, 1000, 100);
	set(&t, 1, 500, 100);
	assert_true(roofline_add_up(&sum, &t, 0, named, count, 1));
	assert_float_equal(sum.bytes, 1500 * 64, 1e-6);
	assert_true(isnan(sum.flops));
	counter_table_release(&t);
}

/* Never 0 for what was not counted. */
static void what_was_not_counted_has_no_sum(void **state)
{
	struct counter_table t = { 0 };
	struct roofline_named named[10];
	size_t count = name_all(set_of("Intel FP_ARITH_INST_RETIRED with"), named);
	struct roofline_sum sum;

	(void)state;
	for (size_t i = 0; i < count; i++)
		count_event(&t, named[i].name, "", 1);
	count_row(&t);
	for (size_t i = 0; i < count; i++)
		set(&t, i, 1000, 100);
	counter_table_at(&t, 0, 3)->state = COUNTER_NOT_SUPPORTED;
	assert_false(roofline_add_up(&sum, &t, 0, named, count, 1));
	assert_string_equal(sum.lacking, named[3].name);
	assert_int_equal(sum.state, COUNTER_NOT_SUPPORTED);
	counter_table_release(&t);
	assert_false(roofline_add_up(&sum, &(struct counter_table){ 0 }, 0, named, 1, 1));
	assert_int_equal(sum.state, COUNTER_NOT_COUNTED);
}

static void sets_of_processors(void **state)
{
	(void)state;
	assert_true(roofline_set_fits(set_of("Arm FP"), "aarch64", "implementer 0x41 part 0xd4f"));
	assert_false(roofline_set_fits(set_of("Arm FP"), "aarch64", "implementer 0x41 part 0xd08"));
	assert_false(roofline_set_fits(set_of("Arm FP"), "x86_64", "part 0xd4f"));
	assert_true(roofline_set_fits(set_of("Intel misses"), "x86_64", "Intel(R) Xeon(R)"));
	assert_false(roofline_set_fits(set_of("Intel misses"), "x86_64", "AMD EPYC"));
	assert_true(roofline_set_fits(set_of("AMD RETIRED"), "x86_64", "AMD EPYC"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_limits_a_copy),
		cmocka_unit_test(arithmetic_limits_a_product),
		cmocka_unit_test(a_lower_bound_of_bytes),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(ceilings_of_a_kind),
		cmocka_unit_test(intel_counts_by_width),
		cmocka_unit_test(amd_counts_operations_and_fills),
		cmocka_unit_test(arm_counts_by_vector_length),
		cmocka_unit_test(memory_controllers),
		cmocka_unit_test(what_was_not_counted_has_no_sum),
		cmocka_unit_test(sets_of_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
