/* The page: names of any bytes, all widths, what stands around the picture, and why one is empty.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "drawn.h"
#include "fixture.h"
#include "output/flame.h"
#include "xml.h"

/* Every name as one whole frame of 1 part in 12, however it looks; [1] is how it is shown when not
 * as is. */
static const char *const hostile[][2] = {
	{ "(anonymous namespace)::f" },
	{ "Functor::operator()(int) const" },
	{ "T<(E)0>::bar()" },
	{ "std::_Function_handler<void (int), f()::{lambda(int)#1}>::_M_invoke" },
	{ "operator new(unsigned long) 5 3 x" },
	{ "ctl\x01\x1b[31mX", "ctl\\x01\\x1b[31mX" },
	{ "bad\xff\xc0\xafutf8", "bad\\xff\\xc0\\xafutf8" },
	{ "</script><img src=x onerror=alert(1)>" },
	{ "x<y>&\"q\"'z]]>" },
	{ "&lt &#0 <![CDATA[" },
	{ "rtl\xe2\x80\xaeright", "rtl\\xe2\\x80\\xaeright" },
	{ "\xef\xbf\xbe\xf0\x9d\x95\x8f\xe5\xad\x97",
	  "\\xef\\xbf\\xbe\xf0\x9d\x95\x8f\xe5\xad\x97" },
};
#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static void hostile_folded(struct bytes *folded)
{
	for (size_t i = 0; i < HOSTILE; i++)
		bytes_printf(folded, "main;%s 1000000 10\n", hostile[i][0]);
}

static void test_hostile_names(void **state)
{
	struct bytes folded = { 0 }, svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { .title = "]]></title><script>alert(1)</script>\x02",
					 .subtitle = "a & b <\xff>" };
	struct xml_facts facts;

	(void)state;
	hostile_folded(&folded);
	drawn_draw(&svg, (const char *)folded.data, folded.len, &options);
	drawn_well_formed(&svg, &facts);
	assert_int_equal(facts.scripts, 1);
	drawn_tree(&t, &svg);
	for (size_t i = 0; i < HOSTILE; i++)
		assert_int_equal(payload_total(&t, hostile[i][1] ? hostile[i][1] : hostile[i][0]),
				 1000000);
	assert_int_equal(t.nodes.data[0].total, 1000000 * HOSTILE);
	assert_int_equal(t.nodes.len, 2 + HOSTILE);
	payload_release(&t);
	bytes_release(&folded);
	bytes_release(&svg);
}

static void test_page_around(void **state)
{
	static const char doctype[] = "<!DOCTYPE html>\n";
	struct flame_options options = { .title = "</title><script>x()</script>", .html = true };
	struct bytes folded = { 0 }, page = { 0 };
	struct xml_facts facts;

	(void)state;
	hostile_folded(&folded);
	drawn_draw(&page, (const char *)folded.data, folded.len, &options);
	size_t before = strlen(doctype);
	assert_memory_equal(page.data, doctype, before);
	/* It is XML, too. */
	const char *wrong = xml_check((const char *)page.data + before, page.len - before, &facts);
	assert_null(wrong);
	assert_int_equal(facts.scripts, 1);
	assert_int_equal(facts.images, 0);
	assert_true(drawn_contains(&page, "<title>Flame graph: &lt;/title>&lt;script>x()") ||
		    drawn_contains(&page, "<title>Flame graph: &lt;/title&gt;&lt;script&gt;x()"));
	bytes_release(&folded);
	bytes_release(&page);
}

static void test_one_hue(void **state)
{
	struct flame_options options = { .hue = 'k' };
	struct bytes svg = { 0 };

	(void)state;
	drawn_text(&svg, "main;l:read;k:sys 5\ns:[lost] 5\n", &options);
	assert_true(drawn_contains(&svg, "data-hue=\"k\""));
	for (const char *shade = "0123"; *shade; shade++) {
		char other[][16] = { "class=\"u?\"", "class=\"l?\"" };
		for (size_t i = 0; i < 2; i++) {
			other[i][8] = *shade;
			assert_false(drawn_contains(&svg, other[i]));
		}
	}
	assert_true(drawn_contains(&svg, "class=\"k") && drawn_contains(&svg, "class=\"s"));
	bytes_release(&svg);
}

static void test_every_width(void **state)
{
	struct bytes folded = { 0 };
	struct xml_facts facts;

	(void)state;
	hostile_folded(&folded);
	for (int i = 0; i < 40; i++)
		bytes_printf(&folded, "main;narrow%.*s&amp; %d\n", i,
			     "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<", 40000 + i * 900);
	for (uint32_t width = 0; width <= 4200; width += width < 300 ? 13 : 97) {
		struct flame_options options = { .width = width,
						 .inverted = width % 2,
						 .reverse = width % 3 == 0 };
		struct bytes svg = { 0 };
		drawn_draw(&svg, (const char *)folded.data, folded.len, &options);
		drawn_well_formed(&svg, &facts);
		bytes_release(&svg);
	}
	bytes_release(&folded);
}

static void test_nothing_to_show(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { 0 };
	struct xml_facts facts;

	(void)state;
	drawn_text(&svg, "", &options);
	drawn_well_formed(&svg, &facts);
	assert_int_equal(facts.scripts, 0);
	assert_true(drawn_contains(&svg, "No samples"));
	assert_true(drawn_contains(&svg, "less CPU time than the time from sample to sample"));
	bytes_release(&svg);
}

static void test_nothing_passes(void **state)
{
	struct fixture f;
	struct bytes svg = { 0 };
	struct flame_options options = { 0 };

	(void)state;
	fixture_from_folded(&f, drawn_small, strlen(drawn_small));
	f.all.samples.len = 0;
	fixture_draw(&svg, &f, &options);
	assert_true(drawn_contains(&svg, "none of the 751 recorded samples passes the filter"));
	fixture_release(&f);
	bytes_release(&svg);
}

/* What an XML parser of others says. */
static void test_xmllint(void **state)
{
	struct bytes folded = { 0 }, svg = { 0 };
	struct flame_options options = { 0 };

	(void)state;
	if (system("command -v xmllint >/dev/null 2>&1") != 0) {
		print_message("xmllint is not installed\n");
		skip();
	}
	hostile_folded(&folded);
	drawn_draw(&svg, (const char *)folded.data, folded.len, &options);
	FILE *lint = popen("xmllint --noout --nonet -", "w");
	assert_non_null(lint);
	assert_int_equal(fwrite(svg.data, 1, svg.len, lint), svg.len);
	assert_int_equal(pclose(lint), 0);
	bytes_release(&folded);
	bytes_release(&svg);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_names),	cmocka_unit_test(test_page_around),
		cmocka_unit_test(test_one_hue),		cmocka_unit_test(test_every_width),
		cmocka_unit_test(test_nothing_to_show), cmocka_unit_test(test_nothing_passes),
		cmocka_unit_test(test_xmllint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
