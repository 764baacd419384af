/* The still picture: form, names, widths, determinism, the golden file. */
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
#include "payload.h"
#include "web/web.h"
#include "xml.h"

/* Of 1000 px, 1 % is 10 px. */
static void test_narrow_frames_are_left_out(void **state)
{
	static const char folded[] = "main;wide 988\nmain;narrow 12\n";
	struct flame_options options = { .width = 1020, .min_width_share = 0.0125 };
	struct bytes svg = { 0 };

	(void)state;
	drawn_text(&svg, folded, &options);
	assert_true(drawn_contains(&svg, "4 frames, 3 drawn"));
	bytes_clear(&svg);
	options.min_width_share = 0.0115;
	drawn_text(&svg, folded, &options);
	assert_false(drawn_contains(&svg, "drawn"));
	bytes_clear(&svg);
	options = (struct flame_options){ .width = 1020, .min_width_px = 12.5 };
	drawn_text(&svg, folded, &options);
	assert_true(drawn_contains(&svg, "4 frames, 3 drawn"));
	bytes_release(&svg);
}

static void test_long_name_and_deep_stack(void **state)
{
	struct bytes folded = { 0 }, svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { 0 };
	struct xml_facts facts;

	(void)state;
	for (int i = 0; i < 10000; i++)
		bytes_printf(&folded, "%srec%d", i ? ";" : "", i % 3);
	bytes_printf(&folded, ";ns::");
	for (int i = 0; i < 65536 / 4; i++)
		bytes_printf(&folded, "a<b>");
	bytes_printf(&folded, "::end 5\n");
	drawn_draw(&svg, (const char *)folded.data, folded.len, &options);
	drawn_well_formed(&svg, &facts);
	assert_true(svg.len < 400000);
	assert_true(facts.elements < 15000);
	drawn_tree(&t, &svg);
	assert_int_equal(t.nodes.len, 10002);
	assert_int_equal(t.nodes.data[10001].self, 5);
	payload_release(&t);
	bytes_release(&folded);
	bytes_release(&svg);
}

static void test_same_bytes(void **state)
{
	struct bytes one = { 0 }, two = { 0 };
	struct flame_options options = { 0 };

	(void)state;
	drawn_text(&one, drawn_small, &options);
	drawn_text(&two, drawn_small, &options);
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.data, two.data, one.len);
	bytes_release(&one);
	bytes_release(&two);
}

static void test_bottom_up_picture(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { .reverse = true, .inverted = true, .count_name = "ticks" };
	struct payload_tree t;

	(void)state;
	drawn_text(&svg, drawn_small, &options);
	assert_true(drawn_contains(&svg, "data-view=\"up\""));
	assert_true(drawn_contains(&svg, "data-root=\"top\""));
	assert_true(drawn_contains(&svg, "300 000 000 ticks"));
	/* tokenize itself is a row below the root. */
	assert_true(
		drawn_contains(&svg, "<title>tokenize, 300 000 000 ticks, 30.00% (app)</title>"));
	drawn_tree(&t, &svg);
	assert_int_equal(payload_total(&t, "main"), 750000000);
	payload_release(&t);
	bytes_release(&svg);
}

/* The SVG without script and style sheet, which have tests of their own. */
static void picture_only(struct bytes *out, const struct bytes *svg)
{
	const char *style = strstr((const char *)svg->data, web_flame_css);
	const char *packed = strstr((const char *)svg->data, web_flame_plain);
	const char *script = strstr((const char *)svg->data, web_flame_js);

	assert_non_null(style);
	assert_non_null(packed);
	assert_non_null(script);
	const char *between = style + web_flame_css_len, *after = script + web_flame_js_len;
	bytes_append(out, svg->data, (size_t)(style - (const char *)svg->data));
	bytes_append(out, between, (size_t)(packed - between));
	between = packed + web_flame_plain_len;
	bytes_append(out, between, (size_t)(script - between));
	bytes_append(out, after, strlen(after));
}

/* A page whose health lines are its own: what they say is tested elsewhere. */
static void draw_page(struct bytes *svg, const char *folded)
{
	struct fixture f;
	struct calltree tree;
	struct calltree_options frames = { 0 };
	struct flame_metrics metrics;
	struct flame_options options = { 0 };

	fixture_from_folded(&f, folded, strlen(folded));
	calltree_build(&tree, &f.profile, &f.all, 0, &frames);
	drawn_metrics(&metrics, &f, &tree);
	struct flame_page page = { .profile = &f.profile,
				   .tree = &tree,
				   .metrics = &metrics,
				   .drawn = &tree,
				   .options = &options,
				   .health = "health: all well & <good>\n" };
	flame_write(svg, &page);
	bytes_u8(svg, '\0');
	svg->len--;
	flame_metrics_release(&metrics);
	calltree_release(&tree);
	fixture_release(&f);
}

static void test_golden(void **state)
{
	static const char path[] = PROF_TEST_DIR "/flame/golden.svg";
	struct bytes svg = { 0 }, picture = { 0 }, golden = { 0 };
	struct error err = { 0 };

	(void)state;
	draw_page(&svg, drawn_small);
	picture_only(&picture, &svg);
	if (getenv("PROF_UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(picture.data, 1, picture.len, f), picture.len);
		assert_int_equal(fclose(f), 0);
	}
	assert_int_equal(io_read_file(path, &golden, 1 << 20, &err), 0);
	bytes_u8(&golden, '\0');
	bytes_u8(&picture, '\0');
	assert_string_equal((const char *)picture.data, (const char *)golden.data);
	bytes_release(&svg);
	bytes_release(&picture);
	bytes_release(&golden);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_narrow_frames_are_left_out),
		cmocka_unit_test(test_long_name_and_deep_stack),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_bottom_up_picture),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
