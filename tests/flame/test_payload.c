/* The tree that a flame graph embeds: exact sums, kinds, and what does not fit; the script and
 * style beside it. */
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
#include "drawn.h"
#include "fixture.h"
#include "output/flame.h"
#include "payload.h"
#include "web/web.h"

static void test_sums_are_exact(void **state)
{
	struct bytes svg = { 0 };
	struct payload_tree t;
	struct flame_options options = { 0 };

	(void)state;
	drawn_text(&svg, drawn_small, &options);
	drawn_tree(&t, &svg);
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
	drawn_text(&svg, drawn_small, &options);
	drawn_tree(&t, &svg);
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
	assert_true(drawn_contains(&svg, "program 33.0%"));
	assert_true(drawn_contains(&svg, "kernel [k] 25.0%"));
	assert_true(drawn_contains(&svg, "not sampled 25.0%"));
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
	drawn_text(&svg, folded, &options);
	drawn_tree(&t, &svg);
	assert_true(payload_total(&t, "a") == 9007199254740993u);
	assert_true(payload_total(&t, "b") == 9007199254740995u);
	assert_true(t.nodes.data[0].total == 18014398509481989u);
	payload_release(&t);
	bytes_release(&svg);
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
	drawn_metrics(&metrics, &f, &tree);
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
	drawn_metrics(&metrics, &f, &tree);
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

static void test_rows_of_tasks(void **state)
{
	struct bytes svg = { 0 };
	struct flame_options options = { .frames.by_comm = true };
	struct payload_tree t;

	(void)state;
	drawn_text(&svg, drawn_small, &options);
	assert_true(drawn_contains(&svg, "<title>app, 1.00 s, 100.00%</title>"));
	drawn_tree(&t, &svg);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_exact),
		cmocka_unit_test(test_kinds_and_places),
		cmocka_unit_test(test_weights_beyond_doubles),
		cmocka_unit_test(test_budget_keeps_sums),
		cmocka_unit_test(test_pruning_keeps_the_heaviest),
		cmocka_unit_test(test_rows_of_tasks),
		cmocka_unit_test(test_embedded_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
