/* The differential flame graph: what is said of both profiles, and how frames show what changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "fixture.h"
#include "output/flame_diff.h"
#include "web/web.h"
#include "xml.h"

struct pair {
	struct fixture side[DIFF_SIDES];
	struct diff_source base;
};

/* Samples of one stack in a row would be a phase of the program: each text is repeated. */
static void pair_init(struct pair *p, const char *base, const char *new, unsigned times)
{
	const char *texts[DIFF_SIDES] = { base, new };

	for (int side = 0; side < DIFF_SIDES; side++) {
		struct bytes folded = { 0 };
		for (unsigned i = 0; i < times; i++)
			bytes_printf(&folded, "%s", texts[side]);
		fixture_from_folded(&p->side[side], (const char *)folded.data, folded.len);
		bytes_release(&folded);
	}
	p->base = (struct diff_source){ &p->side[DIFF_BASE].profile, &p->side[DIFF_BASE].all, 0 };
}

static void pair_release(struct pair *p)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		fixture_release(&p->side[side]);
}

static void draw(struct bytes *svg, const char *base, const char *new, unsigned times,
		 struct flame_options options)
{
	struct pair p;
	struct xml_facts facts;

	pair_init(&p, base, new, times);
	options.base = &p.base;
	fixture_draw(svg, &p.side[DIFF_NEW], &options);
	pair_release(&p);
	const char *wrong = xml_check((const char *)svg->data, svg->len, &facts);
	if (wrong)
		fail_msg("not well-formed: %s", wrong);
	assert_int_equal(facts.images, 0);
	assert_true(facts.elements < 15000);
	bytes_u8(svg, '\0');
	svg->len--;
}

static bool contains(const struct bytes *svg, const char *text)
{
	return strstr((const char *)svg->data, text) != NULL;
}

static void expect(const struct bytes *svg, const char *text)
{
	if (!contains(svg, text))
		fail_msg("nowhere: %s", text);
}

/* Of 100: parse 40 to 50, emit 30 to 20, both told; read as before; old gone, fresh new. */
static const char before[] = "main;parse 40000000 4\nmain;emit 30000000 3\n"
			     "main;l:read 10000000 1\nmain;old 20000000 2\n",
		  after[] = "main;parse 50000000 5\nmain;emit 20000000 2\n"
			    "main;l:read 10000000 1\nmain;fresh 20000000 2\n";

static void test_changes(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, before, after, 120, (struct flame_options){ 0 });
	expect(&svg, "<title>parse, base 4.80 s, 40.00% \xc2\xb1"
		     "2.77 \xe2\x86\x92 new 6.00 s, 50.00% \xc2\xb1"
		     "2.82: +10.00 points (app)</title>");
	expect(&svg, ">+ parse</text>");
	expect(&svg, "30.00% \xc2\xb1");
	expect(&svg, ": \xe2\x88\x92"
		     "10.00 points (app)</title>");
	expect(&svg, ">\xe2\x88\x92 emit</text>");
	/* A library's mark is not shown, it has none; no change, no sign. */
	expect(&svg, ">read</text>");
	expect(&svg, "+0.00 points, not told apart (libc.so.6)</title>");
	expect(&svg, ">\xe2\x88\x92 old [gone]</text>");
	expect(&svg, ">+ fresh [new]</text>");
	/* One and a quarter, and two thirds of it. */
	expect(&svg, "<g class=\"o1\"><g><title>parse");
	expect(&svg, "<g class=\"b2\"><g><title>emit");
	expect(&svg, "<g class=\"o3\"><g><title>fresh");
	expect(&svg, "<g class=\"x0\"><path");
	bytes_release(&svg);
}

/* What is gone is an outline: a path that closes. */
static void test_gone_is_hollow(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, before, after, 120, (struct flame_options){ 0 });
	const char *gone = strstr((const char *)svg.data, "<g class=\"w0\"><g><title>old");
	assert_non_null(gone);
	const char *path = strstr(gone, "<path d=\"");
	assert_non_null(path);
	assert_non_null(memmem(path, strcspn(path, "/"), "z\"", 2));
	bytes_release(&svg);
}

static void test_same_is_grey(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, before, before, 50, (struct flame_options){ 0 });
	const char *picture = strstr((const char *)svg.data, "<g class=\"still\"");
	assert_non_null(picture);
	for (const char *c = "bowvx"; *c; c++) {
		char group[] = "<g class=\"?";
		group[10] = *c;
		assert_null(strstr(picture, group));
	}
	assert_non_null(strstr(picture, "<g class=\"g0\">"));
	expect(&svg, "No change is told from chance.");
	bytes_release(&svg);
}

static void test_head(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, before, after, 120, (struct flame_options){ 0 });
	expect(&svg,
	       ">Differential flame graph: two recordings of ./app --input &#39;a b&#39;</title>");
	expect(&svg, "Largest changes: fresh +20.0 points, old \xe2\x88\x92"
		     "20.0 points");
	expect(&svg,
	       ">new: ./app --input &#39;a b&#39; \xc2\xb7 task-clock \xc2\xb7 12.0 s \xc2\xb7 1 200 "
	       "samples \xc2\xb7 recorded for 12.3 s");
	expect(&svg, ">base: ./app --input &#39;a b&#39; \xc2\xb7 task-clock");
	expect(&svg, ">new health: ");
	expect(&svg, ">base health: ");
	expect(&svg, "within these runs");
	expect(&svg, "mean share");
	bytes_clear(&svg);
	draw(&svg, before, after, 120,
	     (struct flame_options){ .title = "My <title>", .subtitle = "Since & before" });
	expect(&svg, ">My &lt;title");
	expect(&svg, ">Since &amp; before<");
	bytes_release(&svg);
}

/* Twice as much of everything. */
static void test_absolute(void **state)
{
	static const char twice[] = "main;parse 80000000 8\nmain;emit 60000000 6\n"
				    "main;l:read 20000000 2\nmain;old 40000000 4\n";
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, before, twice, 100, (struct flame_options){ 0 });
	assert_false(contains(&svg, ">+ parse"));
	bytes_clear(&svg);
	draw(&svg, before, twice, 100, (struct flame_options){ .absolute = true });
	expect(&svg, ">+ parse</text>");
	expect(&svg, ">+ main</text>");
	expect(&svg, "base 4.00 s, 40.00%");
	expect(&svg, ": +4.00 s (app)</title>");
	expect(&svg, "mean weight");
	bytes_release(&svg);
}

static void test_bottom_up(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, "main;a;f 60000000 6\nmain;b;f 40000000 4\n",
	     "main;a;f 30000000 3\nmain;b;f 70000000 7\n", 100,
	     (struct flame_options){ .reverse = true, .inverted = true });
	expect(&svg, ">f</text>");
	expect(&svg, ">\xe2\x88\x92 a</text>");
	expect(&svg, ">+ b</text>");
	bytes_release(&svg);
}

static void test_nothing_to_compare_with(void **state)
{
	struct bytes svg = { 0 };

	(void)state;
	draw(&svg, "", after, 50, (struct flame_options){ 0 });
	expect(&svg, "base has no samples: there is nothing to compare with");
	assert_false(contains(&svg, ">+ fresh"));
	bytes_clear(&svg);
	draw(&svg, before, "", 50, (struct flame_options){ 0 });
	expect(&svg, "new has no samples: there is nothing to compare with");
	bytes_clear(&svg);
	draw(&svg, "", "", 1, (struct flame_options){ 0 });
	expect(&svg, "No samples");
	bytes_release(&svg);
}

/* Names of strangers, deep stacks and all widths. */
static void test_hostile(void **state)
{
	struct bytes svg = { 0 }, base = { 0 }, new = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++)
		bytes_printf(&base, "%srec%d", i ? ";" : "", i % 3);
	bytes_printf(&base, " 5000000\nmain;</script><script>x]]>\x01\xff\"'& 900000 9\n");
	bytes_printf(&new, "main;\xe2\x80\xae"
			   "evil;\xd7\xa9\xd7\x9c 900000 9\nmain;");
	for (int i = 0; i < 16384; i++)
		bytes_printf(&new, "a<b>");
	bytes_printf(&new, " 500000 5\n");
	bytes_u8(&base, '\0');
	bytes_u8(&new, '\0');
	for (uint32_t width = 0; width < 4200; width += width < 300 ? 41 : 313) {
		draw(&svg, (const char *)base.data, (const char *)new.data, 3,
		     (struct flame_options){ .width = width, .reverse = width % 2 });
		bytes_clear(&svg);
	}
	bytes_release(&base);
	bytes_release(&new);
	bytes_release(&svg);
}

/* With health lines of its own: what they say is tested elsewhere. */
static void draw_page(struct bytes *svg)
{
	struct pair p;
	struct difftree tree;
	struct flame_options options = { 0 };
	struct flame_diff diff = { .tree = &tree, .drawn = &tree };

	pair_init(&p, before, after, 120);
	struct diff_source sources[DIFF_SIDES] = {
		p.base, { &p.side[DIFF_NEW].profile, &p.side[DIFF_NEW].all, 0 }
	};
	difftree_build(&tree, sources, false, &options.frames);
	for (int side = 0; side < DIFF_SIDES; side++)
		diff.side[side] = (struct flame_page){
			.profile = sources[side].profile,
			.options = &options,
			.health = side ? "health: all well & <good>\n" : "health: worse\nremedy\n",
		};
	struct flame_page page = diff.side[DIFF_NEW];
	flame_diff_page(&page, &diff);
	flame_write(svg, &page);
	flame_metrics_release(&diff.metrics);
	difftree_release(&tree);
	pair_release(&p);
	bytes_u8(svg, '\0');
	svg->len--;
}

static void cut_out(struct bytes *svg, const char *text)
{
	char *at = strstr((char *)svg->data, text);

	assert_non_null(at);
	memmove(at, at + strlen(text), strlen(at + strlen(text)) + 1);
	svg->len -= strlen(text);
}

static void test_golden(void **state)
{
	static const char path[] = PROF_TEST_DIR "/flame/golden_diff.svg";
	struct bytes svg = { 0 }, golden = { 0 };
	struct error err = { 0 };

	(void)state;
	draw_page(&svg);
	cut_out(&svg, web_flame_css);
	cut_out(&svg, web_flame_diff_css);
	cut_out(&svg, web_flame_differential);
	cut_out(&svg, web_flame_js);
	if (getenv("PROF_UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(svg.data, 1, svg.len, f), svg.len);
		assert_int_equal(fclose(f), 0);
	}
	assert_int_equal(io_read_file(path, &golden, 1 << 20, &err), 0);
	bytes_u8(&golden, '\0');
	assert_string_equal((const char *)svg.data, (const char *)golden.data);
	bytes_release(&svg);
	bytes_release(&golden);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_gone_is_hollow),
		cmocka_unit_test(test_same_is_grey),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_bottom_up),
		cmocka_unit_test(test_nothing_to_compare_with),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
