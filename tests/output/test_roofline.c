/* Text, picture and JSON of ceilings and points that are known; hostile names. */
#include <math.h>
#include <string.h>

#include "golden.h"
#include "output/roofline.h"
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define G 1e9

static struct ceiling_rate rate(double best, double part)
{
	return (struct ceiling_rate){ best, best * part, best * part / 2 };
}

static void add_flops(struct ceilings *c, const char *name, bool is_double, bool is_vector,
		      bool is_fma, double one)
{
	struct ceiling_flops f = { .is_double = is_double,
				   .is_vector = is_vector,
				   .is_fma = is_fma };

	memcpy(f.name, name, strlen(name));
	f.one = rate(one, 0.95);
	f.all = rate(4 * one, is_fma ? 0.8 : 0.97);
	vec_push(&c->flops, f);
}

static void add_bandwidth(struct ceilings *c, const char *place, const char *what, double one,
			  double times)
{
	struct ceiling_bandwidth b = { .one_bytes = 4096, .all_bytes = 2048 };

	memcpy(b.place, place, strlen(place));
	memcpy(b.what, what, strlen(what));
	b.one = rate(one, 0.99);
	b.all = times > 0 ? rate(times * one, 0.99) : (struct ceiling_rate){ 0 };
	vec_push(&c->bandwidth, b);
}

static struct ceilings desktop(void)
{
	struct ceilings c = { .processor = "Some <b>CPU</b> & co",
			      .architecture = "x86_64",
			      .threads = 4,
			      .cores = 4,
			      .rounds = 42,
			      .elapsed_ns = 8012345678u,
			      .steal = 0.05,
			      .others = 0.001,
			      .held_up = NAN };

	for (int is_double = 1; is_double >= 0; is_double--) {
		double lanes = is_double ? 1 : 2;
		add_flops(&c, "scalar", is_double, false, false, 8 * G);
		add_flops(&c, "sse2", is_double, true, false, 16 * lanes * G);
		add_flops(&c, "avx", is_double, true, false, 32 * lanes * G);
		add_flops(&c, "avx2-fma", is_double, true, true, 64 * lanes * G);
	}
	add_bandwidth(&c, "L1", "load", 250 * G, 4);
	add_bandwidth(&c, "L1", "copy", 240.6 * G, 4);
	add_bandwidth(&c, "L1", "triad", 200 * G, 4);
	add_bandwidth(&c, "L2", "load", 110 * G, 4);
	add_bandwidth(&c, "L3", "load", 60 * G, 0);
	add_bandwidth(&c, "memory", "load", 20 * G, 1.6);
	add_bandwidth(&c, "memory", "copy", 15 * G, 1.6);
	add_bandwidth(&c, "memory", "copy, streaming", 21.04 * G, 1.6);
	vec_push(&c.caches, ((struct ceiling_cache){ 1, 1, 49152 }));
	vec_push(&c.caches, ((struct ceiling_cache){ 3, 0, 33554432 }));
	return c;
}

static struct roofline_point point(const char *name, double flops, double bytes, double cpus)
{
	return (struct roofline_point){ .name = name,
					.flops = flops,
					.bytes = bytes,
					.single = NAN,
					.seconds = 2,
					.cpus = cpus,
					.running = 1,
					.bytes_from = ROOFLINE_TRAFFIC };
}

static void expect_all(const struct roofline_view *v, const char *name)
{
	static void (*const writers[])(struct bytes *, const struct roofline_view *) = {
		output_roofline_text, output_roofline_svg, output_roofline_json
	};
	static const char *const ends[] = { "txt", "svg", "json" };

	for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
		CLEANUP_FREE char *file = xasprintf("roofline-%s.%s", name, ends[i]);
		struct bytes out = { 0 };
		writers[i](&out, v);
		expect_golden(&out, file);
		bytes_release(&out);
	}
}

static void ceilings_alone(void **state)
{
	struct ceilings c = desktop();
	const struct roofline_view v = { .ceilings = &c, .unicode = true };

	(void)state;
	expect_all(&v, "ceilings");
	ceilings_release(&c);
}

static void points_below_them(void **state)
{
	struct ceilings c = desktop();
	struct roofline_point points[] = {
		point("./app --size '<1000>'", 10 * G, 64 * G, 0.98),
		point("multiply", 120 * G, 2 * G, 1),
		point("of unknown bytes", 3 * G, NAN, 1),
		point("fetched", 20 * G, 16 * G, 1),
	};
	const struct roofline_view v = { .ceilings = &c,
					 .points = points,
					 .point_count = ARRAY_LEN(points),
					 .title = "./app --size '<1000>'",
					 .unicode = true };

	(void)state;
	points[1].single = 0;
	points[3].bytes_from = ROOFLINE_FILLS;
	points[3].running = 0.5;
	expect_all(&v, "points");
	ceilings_release(&c);
}

static void one_core_and_no_place(void **state)
{
	struct ceilings c = desktop();
	const struct roofline_view v = { .ceilings = &c,
					 .title = "\x1b[31m</svg>\xff",
					 .not_placed = "cannot be placed: <no> counters",
					 .verbose = true };

	(void)state;
	c.threads = c.cores = 1;
	c.is_virtual = c.caches_are_guessed = c.memory_is_small = true;
	expect_all(&v, "alone");
	ceilings_release(&c);
}

/* A machine of which nothing could be measured, and points that lie far off. */
static void nothing_and_far_off(void **state)
{
	struct ceilings none = { .threads = 1, .cores = 1 }, c = desktop();
	struct roofline_point points[] = { point("a", 1e-6, 1e12, 1), point("b", 1e22, 1, 100) };
	struct roofline_view v = { .ceilings = &none, .points = points, .point_count = 2 };
	struct bytes out = { 0 };

	(void)state;
	output_roofline_text(&out, &v);
	output_roofline_svg(&out, &v);
	output_roofline_json(&out, &v);
	v.ceilings = &c;
	output_roofline_text(&out, &v);
	output_roofline_svg(&out, &v);
	output_roofline_json(&out, &v);
	bytes_u8(&out, '\0');
	assert_null(strstr((const char *)out.data, "nan"));
	assert_null(strstr((const char *)out.data, "inf"));
	bytes_release(&out);
	ceilings_release(&c);
}

static void numbers(void **state)
{
	static const struct {
		double n;
		const char *text, *rate;
	} rows[] = {
		{ 0, "0", "0 B/s" },
		{ 0.012345, "0.0123", "0.0123 B/s" },
		{ 9.996, "10.0", "10.0 B/s" },
		{ 99.96, "100", "100 B/s" },
		{ 123.4, "123", "123 B/s" },
		{ 999.6, "1000", "1.00 kB/s" },
		{ 1.5e9, "1500000000", "1.50 GB/s" },
		{ 2.34e12, "2340000000000", "2.34 TB/s" },
	};

	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_string_equal(roofline_number(buf, sizeof(buf), rows[i].n), rows[i].text);
		assert_string_equal(roofline_rate(buf, sizeof(buf), rows[i].n, "B/s"),
				    rows[i].rate);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ceilings_alone),
		cmocka_unit_test(points_below_them),
		cmocka_unit_test(one_core_and_no_place),
		cmocka_unit_test(nothing_and_far_off),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
