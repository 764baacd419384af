/* A flame chart: the tree in the order of time, and where its frames are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/chart.h"
#include "base/bytes.h"
#include "fixture.h"
#include "output/flame.h"
#include "payload.h"

static const char folded[] =
	"main;a;x 10\nmain;a 5\nmain;a;x 10\nmain;b 20\nmain 10\nmain 3\nmain;b 30\n";

struct drawn {
	struct fixture fixture;
	struct chart chart;
	uint32_t *node_of_sample;
};

static void chart_of(struct drawn *d, const char *text, size_t limit)
{
	const struct calltree_options frames = { 0 };

	fixture_from_folded(&d->fixture, text, strlen(text));
	d->node_of_sample =
		xrealloc_array(NULL, d->fixture.all.samples.len, sizeof(*d->node_of_sample));
	chart_build(&d->chart, &d->fixture.profile, &d->fixture.all, 0, &frames, d->node_of_sample,
		    limit);
}

static void release(struct drawn *d)
{
	chart_release(&d->chart);
	free(d->node_of_sample);
	fixture_release(&d->fixture);
}

/* "name self/total" of each node, in preorder, indented by its level. */
static void expect_tree(const struct calltree *t, const char *wanted)
{
	struct bytes text = { 0 };

	for (uint32_t n = 0; n != PROFILE_NONE; n = flame_next(t, n, false)) {
		const struct calltree_node *node = &t->nodes.data[n];
		for (uint32_t p = node->parent; p != PROFILE_NONE; p = t->nodes.data[p].parent)
			bytes_u8(&text, ' ');
		bytes_printf(&text, "%s %d/%d\n", t->keys.data[node->key].name, (int)node->self,
			     (int)node->total);
	}
	bytes_u8(&text, '\0');
	assert_string_equal((const char *)text.data, wanted);
	bytes_release(&text);
}

static void test_order(void **state)
{
	struct drawn d;

	(void)state;
	chart_of(&d, folded, 100);
	expect_tree(&d.chart.tree, "all 0/88\n"
				   " main 0/88\n"
				   "  a 0/25\n"
				   "   x 10/10\n"
				   "   [self] 5/5\n"
				   "   x 10/10\n"
				   "  b 20/20\n"
				   "  [self] 13/13\n"
				   "  b 30/30\n");
	assert_int_equal(d.chart.cut, 0);
	assert_int_equal(d.chart.tree.sample_count, 7);
	for (size_t i = 0; i < d.fixture.all.samples.len; i++)
		assert_in_range(d.node_of_sample[i], 1, 8);
	release(&d);
}

/* Own time comes before calls until there was one. */
static void test_own_time_first(void **state)
{
	struct drawn d;

	(void)state;
	chart_of(&d, "main 3\nmain 4\nmain;a 5\nmain 1\n", 100);
	expect_tree(&d.chart.tree, "all 0/13\n"
				   " main 7/13\n"
				   "  a 5/5\n"
				   "  [self] 1/1\n");
	release(&d);
}

/* The heavier thread comes first, though its samples and the other's take turns. */
static void test_threads(void **state)
{
	struct drawn d;

	(void)state;
	chart_of(
		&d,
		"main;a 1\n#thread 8 7 w\nrun;a 5\n#thread 7 7 app\nmain;a 2\n#thread 8 7 w\nrun;b 6\n",
		100);
	expect_tree(&d.chart.tree, "all 0/14\n"
				   " w (8) 0/11\n"
				   "  run 0/11\n"
				   "   a 5/5\n"
				   "   b 6/6\n"
				   " app (7) 0/3\n"
				   "  main 0/3\n"
				   "   a 3/3\n");
	release(&d);
}

/* No weight is lost where the limit is reached, and it is said how many samples it was. */
static void test_limit(void **state)
{
	struct drawn d;

	(void)state;
	for (size_t limit = 1; limit < 12; limit++) {
		chart_of(&d, folded, limit);
		assert_in_range(d.chart.tree.nodes.len, 1, limit);
		assert_int_equal(d.chart.tree.total, 88);
		assert_int_equal(d.chart.cut > 0, limit < 9);
		release(&d);
	}
}

/* Own time between calls is a gap in the picture. */
static void test_gaps(void **state)
{
	static const struct {
		double x, width;
		uint32_t row;
	} wanted[] = { { 0, 880, 0 },	{ 0, 880, 1 },	 { 0, 250, 2 },	 { 0, 100, 3 },
		       { 150, 100, 3 }, { 250, 200, 2 }, { 580, 300, 2 } };
	struct flame_layout l;
	struct drawn d;

	(void)state;
	chart_of(&d, folded, 100);
	flame_layout_build(&l, &d.chart.tree, 880, 1);
	assert_int_equal(l.frames, 7);
	assert_int_equal(l.boxes.len, ARRAY_LEN(wanted));
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		assert_int_equal(l.boxes.data[i].row, wanted[i].row);
		assert_float_equal(l.boxes.data[i].x, wanted[i].x, 1e-9);
		assert_float_equal(l.boxes.data[i].width, wanted[i].width, 1e-9);
	}
	flame_layout_release(&l);
	release(&d);
}

/* The file says that it is a chart, and has one event. */
static void test_file(void **state)
{
	static const char text[] = "main;a 5\nmain;b 6\nmain;a 7\n#event misses count\nmain;c 5\n";
	const struct flame_options options = { .chart = true };
	struct bytes svg = { 0 };
	struct payload_tree t;
	struct fixture f;
	size_t len;

	(void)state;
	fixture_from_folded(&f, text, strlen(text));
	output_flame(&svg, &f.profile, &f.all, 0, &options);
	bytes_u8(&svg, '\0');
	assert_non_null(strstr((const char *)svg.data, " data-chart=\"[self]\""));
	const char *found = payload_find(&svg, &len);
	payload_read(&t, found, len);
	assert_int_equal(t.metrics.len, 1);
	assert_int_equal(t.nodes.len, 5);
	assert_int_equal(t.metrics.data[0].total[0], 18);
	assert_int_equal(t.metrics.data[0].self[2], 5);
	assert_int_equal(t.metrics.data[0].self[3], 6);
	assert_int_equal(t.metrics.data[0].self[4], 7);
	payload_release(&t);
	fixture_release(&f);
	bytes_release(&svg);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	cmocka_unit_test(test_own_time_first),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_gaps),	cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
