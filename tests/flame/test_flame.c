/* The flame graph's writer: form, names, sums, determinism, the golden picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base91.h"
#include "base/compress.h"
#include "base/io.h"
#include "fixture.h"
#include "output/flame.h"
#include "payload.h"
#include "web/web.h"
#include "xml.h"

static void draw(struct bytes *svg, const char *folded, size_t len,
		 const struct flame_options *options)
{
	struct fixture f;

	fixture_from_folded(&f, folded, len);
	fixture_draw(svg, &f, options);
	fixture_release(&f);
	/* For string functions, behind the end. */
	bytes_u8(svg, '\0');
	svg->len--;
}

static void draw_text(struct bytes *svg, const char *folded, const struct flame_options *options)
{
	draw(svg, folded, strlen(folded), options);
}

static void assert_well_formed(const struct bytes *svg, struct xml_facts *facts)
{
	const char *wrong = xml_check((const char *)svg->data, svg->len, facts);

	if (wrong)
		fail_msg("not well-formed: %s", wrong);
	assert_int_equal(facts->images, 0);
	assert_in_range(facts->scripts, 0, 1);
}

static bool contains(const struct bytes *svg, const char *text)
{
	return memmem(svg->data, svg->len, text, strlen(text)) != NULL;
}

static void read_tree(struct payload_tree *t, const struct bytes *svg)
{
	size_t len;
	const char *text_of_tree = payload_find(svg, &len);

	payload_read(t, text_of_tree, len);
}

static const char small[] = "main;run;parse;tokenize 300000000 300\n"
			    "main;run;parse;tokenize;i:is_ident;l:memchr 100000000 100\n"
			    "main;run;emit;l:write;k:ksys_write 250000000 250\n"
			    "main;run;emit;j:JS:*hot 50000000 50\n"
			    "main;run;?:1 20000000 20\n"
			    "main;load(Config const&) 30000000 30\n"
			    "s:[not sampled] 250000000\n";

static void test_sums_are_exact(void **state)
{
	struct bytes svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { 0 };

	(void)state;
	draw_text(&svg, small, &options);
	read_tree(&t, &svg);
	assert_int_equal(t.nodes.data[0].total, 1000000000);
	assert_int_equal(payload_total(&t, "main"), 750000000);
	assert_int_equal(payload_total(&t, "tokenize"), 400000000);
	assert_int_equal(payload_total(&t, "is_ident"), 100000000);
	assert_int_equal(payload_total(&t, "ksys_write"), 250000000);
	assert_int_equal(payload_total(&t, "load(Config const&)"), 30000000);
	assert_int_equal(payload_total(&t, "[not sampled]"), 250000000);
	assert_int_equal(t.small, 0);
	payload_release(&t);
	bytes_release(&svg);
}

static unsigned kind_of(const struct payload_tree *t, const char *name)
{
	for (size_t i = 0; i < t->frames.len; i++)
		if (strcmp(t->strings.data[t->frames.data[i].name], name) == 0)
			return t->frames.data[i].kind;
	fail_msg("no frame %s", name);
	return 0;
}

static void test_kinds_and_places(void **state)
{
	struct bytes svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { 0 };

	(void)state;
	draw_text(&svg, small, &options);
	read_tree(&t, &svg);
	assert_int_equal(kind_of(&t, "main"), CODE_USER);
	assert_int_equal(kind_of(&t, "memchr"), CODE_LIBRARY);
	assert_int_equal(kind_of(&t, "ksys_write"), CODE_KERNEL);
	assert_int_equal(kind_of(&t, "JS:*hot"), CODE_JIT);
	assert_int_equal(kind_of(&t, "is_ident"), CODE_INLINED);
	assert_int_equal(kind_of(&t, "[not sampled]"), CODE_SYNTHETIC);
	for (size_t i = 1; i < t.frames.len; i++) {
		const struct payload_frame *f = &t.frames.data[i];
		if (strcmp(t.strings.data[f->name], "memchr") != 0)
			continue;
		assert_string_equal(t.strings.data[f->module],
				    "/usr/lib/x86_64-linux-gnu/libc.so.6");
		assert_string_equal(t.strings.data[f->file], "src/app.cc");
		assert_true(f->line > 0);
	}
	assert_true(contains(&svg, "program 33.0%"));
	assert_true(contains(&svg, "kernel [k] 25.0%"));
	assert_true(contains(&svg, "not sampled 25.0%"));
	payload_release(&t);
	bytes_release(&svg);
}

static void test_weights_beyond_doubles(void **state)
{
	static const char folded[] =
		"main;a 9007199254740993 1\nmain;b 9007199254740995 1\nmain;c 1 1\n";
	struct bytes svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { 0 };

	(void)state;
	draw_text(&svg, folded, &options);
	read_tree(&t, &svg);
	assert_true(payload_total(&t, "a") == 9007199254740993u);
	assert_true(payload_total(&t, "b") == 9007199254740995u);
	assert_true(t.nodes.data[0].total == 18014398509481989u);
	payload_release(&t);
	bytes_release(&svg);
}

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
	draw(&svg, (const char *)folded.data, folded.len, &options);
	assert_well_formed(&svg, &facts);
	assert_int_equal(facts.scripts, 1);
	read_tree(&t, &svg);
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
	draw(&page, (const char *)folded.data, folded.len, &options);
	size_t before = strlen(doctype);
	assert_memory_equal(page.data, doctype, before);
	/* It is XML, too. */
	const char *wrong = xml_check((const char *)page.data + before, page.len - before, &facts);
	assert_null(wrong);
	assert_int_equal(facts.scripts, 1);
	assert_int_equal(facts.images, 0);
	assert_true(contains(&page, "<title>Flame graph: &lt;/title>&lt;script>x()") ||
		    contains(&page, "<title>Flame graph: &lt;/title&gt;&lt;script&gt;x()"));
	bytes_release(&folded);
	bytes_release(&page);
}

static void test_one_hue(void **state)
{
	struct flame_options options = { .hue = 'k' };
	struct bytes svg = { 0 };

	(void)state;
	draw_text(&svg, "main;l:read;k:sys 5\ns:[lost] 5\n", &options);
	assert_true(contains(&svg, "data-hue=\"k\""));
	for (const char *shade = "0123"; *shade; shade++) {
		char other[][16] = { "class=\"u?\"", "class=\"l?\"" };
		for (size_t i = 0; i < 2; i++) {
			other[i][8] = *shade;
			assert_false(contains(&svg, other[i]));
		}
	}
	assert_true(contains(&svg, "class=\"k") && contains(&svg, "class=\"s"));
	bytes_release(&svg);
}

/* Of 1000 px, 1 % is 10 px. */
static void test_narrow_frames_are_left_out(void **state)
{
	static const char folded[] = "main;wide 988\nmain;narrow 12\n";
	struct flame_options options = { .width = 1020, .min_width_share = 0.0125 };
	struct bytes svg = { 0 };

	(void)state;
	draw_text(&svg, folded, &options);
	assert_true(contains(&svg, "4 frames, 3 drawn"));
	bytes_clear(&svg);
	options.min_width_share = 0.0115;
	draw_text(&svg, folded, &options);
	assert_false(contains(&svg, "drawn"));
	bytes_clear(&svg);
	options = (struct flame_options){ .width = 1020, .min_width_px = 12.5 };
	draw_text(&svg, folded, &options);
	assert_true(contains(&svg, "4 frames, 3 drawn"));
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
		draw(&svg, (const char *)folded.data, folded.len, &options);
		assert_well_formed(&svg, &facts);
		bytes_release(&svg);
	}
	bytes_release(&folded);
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
	draw(&svg, (const char *)folded.data, folded.len, &options);
	assert_well_formed(&svg, &facts);
	assert_true(svg.len < 400000);
	assert_true(facts.elements < 15000);
	read_tree(&t, &svg);
	assert_int_equal(t.nodes.len, 10002);
	assert_int_equal(t.nodes.data[10001].self, 5);
	payload_release(&t);
	bytes_release(&folded);
	bytes_release(&svg);
}

static void test_nothing_to_show(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { 0 };
	struct xml_facts facts;

	(void)state;
	draw_text(&svg, "", &options);
	assert_well_formed(&svg, &facts);
	assert_int_equal(facts.scripts, 0);
	assert_true(contains(&svg, "No samples"));
	assert_true(contains(&svg, "less CPU time than the time from sample to sample"));
	bytes_release(&svg);
}

static void test_nothing_passes(void **state)
{
	struct fixture f;
	struct bytes svg = { 0 };
	struct flame_options options = { 0 };

	(void)state;
	fixture_from_folded(&f, small, strlen(small));
	f.all.samples.len = 0;
	fixture_draw(&svg, &f, &options);
	assert_true(contains(&svg, "none of the 751 recorded samples passes the filter"));
	fixture_release(&f);
	bytes_release(&svg);
}

static void test_same_bytes(void **state)
{
	struct bytes one = { 0 }, two = { 0 };
	struct flame_options options = { 0 };

	(void)state;
	draw_text(&one, small, &options);
	draw_text(&two, small, &options);
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.data, two.data, one.len);
	bytes_release(&one);
	bytes_release(&two);
}

/* A tree of many weights and depths. */
static void bushy_folded(struct bytes *folded)
{
	uint32_t seed = 1;

	for (int i = 0; i < 3000; i++) {
		bytes_printf(folded, "main");
		uint32_t depth = 3 + (seed >> 20) % 12;
		for (uint32_t k = 0; k < depth; k++) {
			seed = seed * 1664525 + 1013904223;
			bytes_printf(folded, ";f%u", (seed >> 24) % (k < 4 ? 3 : 40));
		}
		bytes_printf(folded, " %u\n", 1 + (seed >> 16) % 1000);
	}
}

/* Of a tree of one event. */
static void metrics_of(struct flame_metrics *metrics, const struct fixture *f,
		       const struct calltree *tree)
{
	static const struct flame_options options;
	const struct flame_page page = { .profile = &f->profile,
					 .tree = tree,
					 .options = &options };

	flame_metrics_build(metrics, &page, NULL, NULL);
}

static void test_budget_keeps_sums(void **state)
{
	struct bytes folded = { 0 };
	struct fixture f;
	struct calltree tree;
	struct calltree_options frames = { 0 };
	struct flame_metrics metrics;

	(void)state;
	bushy_folded(&folded);
	fixture_from_folded(&f, (const char *)folded.data, folded.len);
	calltree_build(&tree, &f.profile, &f.all, 0, &frames);
	metrics_of(&metrics, &f, &tree);
	for (size_t budget = 1; budget < 2 * tree.nodes.len; budget = budget * 3 + 1) {
		struct bytes text_of_tree = { 0 };
		struct payload_tree t;
		flame_payload(&text_of_tree, &tree, &metrics, budget);
		payload_read(&t, (const char *)text_of_tree.data, text_of_tree.len);
		assert_true(t.nodes.data[0].total == tree.total);
		assert_in_range(t.nodes.len, 1, budget < 2 ? 2 : budget);
		size_t small_nodes = 0;
		uint64_t samples = 0;
		for (size_t i = 0; i < t.nodes.len; i++) {
			small_nodes += t.nodes.data[i].frame == 0;
			samples += t.nodes.data[i].samples;
		}
		assert_int_equal(samples, tree.sample_count);
		assert_int_equal(t.nodes.len - small_nodes + t.small, tree.nodes.len);
		assert_true((budget >= tree.nodes.len) == (small_nodes == 0));
		payload_release(&t);
		bytes_release(&text_of_tree);
	}
	flame_metrics_release(&metrics);
	calltree_release(&tree);
	fixture_release(&f);
	bytes_release(&folded);
}

static void test_pruning_keeps_the_heaviest(void **state)
{
	struct bytes folded = { 0 };
	struct fixture f;
	struct calltree tree;
	struct calltree_options frames = { 0 };
	struct flame_metrics metrics;

	(void)state;
	bushy_folded(&folded);
	fixture_from_folded(&f, (const char *)folded.data, folded.len);
	calltree_build(&tree, &f.profile, &f.all, 0, &frames);
	uint8_t *keep = malloc(tree.nodes.len);
	metrics_of(&metrics, &f, &tree);
	uint64_t *rank = flame_rank(&tree, &metrics);
	flame_prune(&tree, rank, tree.nodes.len / 4, keep);
	uint64_t least_kept = UINT64_MAX, most_cut = 0;
	for (size_t i = 0; i < tree.nodes.len; i++) {
		const struct calltree_node *n = &tree.nodes.data[i];
		if (keep[i] && n->total < least_kept)
			least_kept = n->total;
		if (!keep[i] && n->total > most_cut)
			most_cut = n->total;
		assert_true(!keep[i] || n->parent == PROFILE_NONE || keep[n->parent]);
	}
	assert_true(least_kept >= most_cut);
	free(keep);
	free(rank);
	flame_metrics_release(&metrics);
	calltree_release(&tree);
	fixture_release(&f);
	bytes_release(&folded);
}

static void test_labels(void **state)
{
	static const struct {
		const char *name, *label;
		size_t columns;
	} rows[] = {
		{ "main", "main", 4 },
		{ "main", "ma\xe2\x80\xa6", 3 },
		{ "f(int, char)", "f", 5 },
		{ "A::f(int) const", "A::f", 10 },
		{ "Fn::operator()(int) const", "Fn::operator()", 14 },
		{ "operator()", "opera\xe2\x80\xa6", 6 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "std::vector<>::push_back", 24 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "\xe2\x80\xa6push_back", 19 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "push_\xe2\x80\xa6", 6 },
		{ "(anonymous namespace)::gc_mark(Heap&)", "\xe2\x80\xa6gc_mark", 8 },
		{ "bool operator< <int>(A, B)", "bool operator< <int>", 20 },
		{ "A::operator->() const", "A::operator->", 14 },
		{ "github.com/a/b.(*T).Run",
		  "\xe2\x80\xa6"
		  "b.(*T).Run",
		  12 },
		{ "T<(E)0>::bar()", "T<>::bar", 9 },
		{ "broken<<(", "broke\xe2\x80\xa6", 6 },
		{ "\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", "\xe5\xad\x97\xe2\x80\xa6", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes out = { 0 };
		flame_label(&out, rows[i].name, strlen(rows[i].name), rows[i].columns);
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, rows[i].label);
		bytes_release(&out);
	}
}

/* Those that the script has, too. */
static void test_labels_of_the_script(void **state)
{
	FILE *f = fopen(LABELS, "re");
	char line[1024];
	int rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		char *name = strchr(line, '\t') + 1, *label = strchr(name, '\t') + 1;
		struct bytes out = { 0 };
		flame_label(&out, name, (size_t)(label - name) - 1, strtoul(line, NULL, 10));
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, label);
		bytes_release(&out);
		rows++;
	}
	assert_true(rows > 10);
	fclose(f);
}

static void test_colours_stay(void **state)
{
	(void)state;
	assert_int_equal(flame_shade("main", 4), 0);
	assert_int_equal(flame_shade("memcpy", 6), 0);
	assert_int_equal(flame_shade("", 0), 1);
	assert_int_equal(flame_kind_letter(CODE_KERNEL), 'k');
	assert_int_equal(flame_kind_letter(200), 'n');
}

static void test_bottom_up_picture(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { .reverse = true, .inverted = true, .count_name = "ticks" };
	struct payload_tree t;

	(void)state;
	draw_text(&svg, small, &options);
	assert_true(contains(&svg, "data-view=\"up\""));
	assert_true(contains(&svg, "data-root=\"top\""));
	assert_true(contains(&svg, "300 000 000 ticks"));
	/* tokenize itself is a row below the root. */
	assert_true(contains(&svg, "<title>tokenize, 300 000 000 ticks, 30.00% (app)</title>"));
	read_tree(&t, &svg);
	assert_int_equal(payload_total(&t, "main"), 750000000);
	payload_release(&t);
	bytes_release(&svg);
}

static void test_rows_of_tasks(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { .frames.by_comm = true };
	struct payload_tree t;

	(void)state;
	draw_text(&svg, small, &options);
	assert_true(contains(&svg, "<title>app, 1.00 s, 100.00%</title>"));
	read_tree(&t, &svg);
	assert_int_equal(kind_of(&t, "app"), CODE_THREAD);
	assert_int_equal(payload_total(&t, "app"), 1000000000);
	payload_release(&t);
	bytes_release(&svg);
}

/* What the loader unpacks. */
static void unpack(struct bytes *out, const char *text, size_t len)
{
	struct bytes packed = { 0 };
	struct error err = { 0 };

	assert_int_equal(base91_decode(&packed, text, len), 0);
	assert_int_equal(zlib_inflate(out, packed.data, packed.len, 1 << 20, &err), 0);
	bytes_u8(out, '\0');
	bytes_release(&packed);
}

static void expect_packed(const char *packed, size_t len, size_t limit)
{
	struct bytes content = { 0 };

	assert_int_equal(strlen(packed), len);
	assert_in_range(web_flame_js_len + len, 1, limit);
	assert_int_equal(strcspn(packed, "<>&"), len);
	unpack(&content, packed, len);
	const char *style = (const char *)content.data, *script = style + strlen(style) + 1;
	assert_int_equal(strlen(style) + strlen(script) + 2, content.len);
	const char *const scripts[] = { web_flame_js, script }, *const styles[] = { web_flame_css,
										    style };
	for (size_t i = 0; i < 2; i++) {
		assert_null(strstr(scripts[i], "eval("));
		assert_null(strstr(scripts[i], "innerHTML"));
		assert_null(strstr(styles[i], "url("));
		assert_null(strstr(styles[i], "@import"));
	}
	bytes_release(&content);
}

static void test_embedded_texts(void **state)
{
	(void)state;
	assert_int_equal(strlen(web_flame_js), web_flame_js_len);
	assert_int_equal(strlen(web_flame_css), web_flame_css_len);
	assert_null(strstr(web_flame_js, "]]>"));
	assert_null(strstr(web_flame_css, "</"));
	expect_packed(web_flame_plain, web_flame_plain_len, 16000);
	expect_packed(web_flame_timed, web_flame_timed_len, 18800);
	expect_packed(web_flame_differential, web_flame_differential_len, 18000);
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
	metrics_of(&metrics, &f, &tree);
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
	draw_page(&svg, small);
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
	draw(&svg, (const char *)folded.data, folded.len, &options);
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
		cmocka_unit_test(test_sums_are_exact),
		cmocka_unit_test(test_kinds_and_places),
		cmocka_unit_test(test_weights_beyond_doubles),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_page_around),
		cmocka_unit_test(test_one_hue),
		cmocka_unit_test(test_narrow_frames_are_left_out),
		cmocka_unit_test(test_every_width),
		cmocka_unit_test(test_long_name_and_deep_stack),
		cmocka_unit_test(test_nothing_to_show),
		cmocka_unit_test(test_nothing_passes),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_budget_keeps_sums),
		cmocka_unit_test(test_pruning_keeps_the_heaviest),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_labels_of_the_script),
		cmocka_unit_test(test_colours_stay),
		cmocka_unit_test(test_bottom_up_picture),
		cmocka_unit_test(test_rows_of_tasks),
		cmocka_unit_test(test_embedded_texts),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_xmllint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
