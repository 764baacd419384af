/* Ceilings that were saved, read back as they were; and JSON that is none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "input/ceilings.h"
#include "input/json_read.h"
#include "output/roofline.h"
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// clang-format on

/* What the view's test has as golden. */
static void read_golden(struct ceilings *c, const char *name)
{
	CLEANUP_FREE char *path = xasprintf("%s/output/golden/%s", PROF_TEST_DIR, name);
	struct error err = { 0 };

	if (ceilings_read(c, path, &err) < 0)
		fail_msg("%s", err.text);
}

static void what_was_written_is_read(void **state)
{
	static const char *const names[] = { "roofline-ceilings.json", "roofline-points.json",
					     "roofline-alone.json" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct ceilings c, again;
		struct bytes once = { 0 }, twice = { 0 };
		read_golden(&c, names[i]);
		const struct roofline_view v = { .ceilings = &c }, w = { .ceilings = &again };
		output_roofline_json(&once, &v);
		assert_int_equal(ceilings_parse(&again, (const char *)once.data, once.len, NULL),
				 0);
		output_roofline_json(&twice, &w);
		assert_int_equal(once.len, twice.len);
		assert_memory_equal(once.data, twice.data, once.len);
		bytes_release(&once);
		bytes_release(&twice);
		ceilings_release(&c);
		ceilings_release(&again);
	}
}

static void every_field(void **state)
{
	struct ceilings c;

	(void)state;
	read_golden(&c, "roofline-ceilings.json");
	assert_string_equal(c.processor, "Some <b>CPU</b> & co");
	assert_string_equal(c.architecture, "x86_64");
	assert_int_equal(c.threads, 4);
	assert_int_equal(c.cores, 4);
	assert_int_equal(c.rounds, 42);
	assert_true(c.elapsed_ns == 8012345678u);
	assert_float_equal(c.steal, 0.05, 1e-9);
	assert_true(isnan(c.held_up));
	assert_int_equal(c.flops.len, 8);
	assert_int_equal(c.bandwidth.len, 8);
	assert_int_equal(c.caches.len, 2);
	assert_float_equal(c.flops.data[3].one.best, 64e9, 1);
	assert_true(c.flops.data[3].is_double && c.flops.data[3].is_fma);
	assert_float_equal(c.bandwidth.data[1].one.best, 240.6e9, 1);
	assert_true(c.bandwidth.data[4].all.best == 0);
	assert_true(c.caches.data[1].bytes == 33554432 && c.caches.data[1].shared_by == 0);
	ceilings_release(&c);
}

#define HEAD	      "{\"format\":\"prof-ceilings\",\"version\":1,\"threads\":2,\"cores\":1,\"flops\":["
#define RATE(b, m, l) "{\"best\":" b ",\"median\":" m ",\"least\":" l "}"
#define ROW(rate)     "{\"name\":\"x\",\"precision\":\"double\",\"one\":" rate "}"

static void what_cannot_be(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "ends" },
		{ "[]", "no ceilings" },
		{ "{\"format\":\"prof-ceilings\"}", "another version" },
		{ "{\"format\":\"prof-ceilings\",\"version\":2}", "another version" },
		{ "{\"format\":\"prof-ceilings\",\"version\":1}", "threads and cores" },
		{ HEAD "]}", "no arithmetic ceiling" },
		{ HEAD ROW(RATE("1", "2", "1")) "]}", "cannot be" },
		{ HEAD ROW(RATE("3", "2", "0")) "]}", "cannot be" },
		{ HEAD ROW(RATE("1e300", "2", "1")) "]}", "cannot be" },
		{ HEAD ROW("{\"best\":1}") "]}", "cannot be" },
		{ HEAD ROW("7") "]}", "cannot be" },
		{ HEAD "{\"name\":\"x\",\"precision\":\"half\"}]}", "precision" },
		{ HEAD "1]}", "precision" },
		{ HEAD ROW(RATE("3", "2", "1")) "],\"bandwidth\":[{}]}", "place" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct ceilings c;
		struct error err = { 0 };
		assert_int_equal(ceilings_parse(&c, rows[i].text, strlen(rows[i].text), &err), -1);
		if (!strstr(err.text, rows[i].why))
			fail_msg("%s: %s", rows[i].text, err.text);
		ceilings_release(&c);
	}
}

static void strings_of_json(void **state)
{
	static const char text[] =
		" {\"a\\u00e9\\ud83d\\ude00\":\"\\\"\\\\\\/\\b\\n\\ud800x\", \"n\" : [ -1.5e2 , true,null ] } ";
	struct json_tree t;

	(void)state;
	assert_int_equal(json_parse(&t, text, strlen(text), NULL), 0);
	const struct json_value *whole = t.values.data;
	const struct json_value *s = json_member(&t, whole, "a\xc3\xa9\xf0\x9f\x98\x80");
	assert_string_equal(s->string, "\"\\/\b\n\xef\xbf\xbdx");
	const struct json_value *n = json_first(&t, json_member(&t, whole, "n"));
	assert_true(n->number == -150);
	n = json_next(&t, n);
	assert_int_equal(n->kind, JSON_TRUE);
	n = json_next(&t, n);
	assert_int_equal(n->kind, JSON_NULL);
	assert_null(json_next(&t, n));
	assert_null(json_member(&t, n, "a"));
	assert_null(json_member(&t, whole, "b"));
	json_release(&t);
}

static void no_json(void **state)
{
	static const char *const bad[] = {
		"{",	       "[",	 "\"",	  "\"\\",    "\"\\u12\"", "\"\\q\"",
		"\"\\u0000\"", "\"\n\"", "tru",	  "-",	     "1.",	  "1e",
		".5",	       "01",	 "[1,]",  "{\"a\"}", "{\"a\":}",  "{a:1}",
		"[1 2]",       "1 1",	 "1e999", "nan",
	};
	struct bytes deep = { 0 };
	struct json_tree t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (json_parse(&t, bad[i], strlen(bad[i]), NULL) == 0)
			fail_msg("taken: %s", bad[i]);
		json_release(&t);
	}
	for (int i = 0; i < 100; i++)
		bytes_u8(&deep, '[');
	assert_int_equal(json_parse(&t, (const char *)deep.data, deep.len, NULL), -1);
	json_release(&t);
	bytes_release(&deep);
}

static void a_file_that_is_not_there(void **state)
{
	struct ceilings c;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(ceilings_read(&c, "/nonexistent/box.json", &err), -1);
	assert_non_null(strstr(err.text, "/nonexistent/box.json"));
	ceilings_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(every_field),
		cmocka_unit_test(what_cannot_be),
		cmocka_unit_test(strings_of_json),
		cmocka_unit_test(no_json),
		cmocka_unit_test(a_file_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
