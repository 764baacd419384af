/* A flame graph of several events: one tree with the weights of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "output/flame_cells.h"
#include "payload.h"

static const char folded[] = "main;a 600 6\nmain;b 300 3\ns:[not sampled] 100\n"
			     "#event misses count\n"
			     "main;a 5000 1\nmain;b;leaf 4000 2\nother 1000 1\n"
			     "#event unused count\n"
			     "#event heap bytes\n"
			     "main;new 64 1\n";

static void draw(struct payload_tree *t, const char *text, uint32_t event,
		 const struct flame_options *options)
{
	struct bytes svg = { 0 };
	struct fixture f;
	size_t len;

	fixture_from_folded(&f, text, strlen(text));
	output_flame(&svg, &f.profile, &f.all, event, options);
	bytes_u8(&svg, '\0');
	const char *found = payload_find(&svg, &len);
	payload_read(t, found, len);
	fixture_release(&f);
	bytes_release(&svg);
}

/* A metric's total of the nodes with this name. */
static uint64_t total_of(const struct payload_tree *t, size_t metric, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nodes.len; i++)
		if (strcmp(t->strings.data[t->frames.data[t->nodes.data[i].frame].name], name) == 0)
			sum += t->metrics.data[metric].total[i];
	return sum;
}

static uint64_t samples_of(const struct payload_tree *t, size_t metric)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nodes.len; i++)
		sum += t->metrics.data[metric].samples[i];
	return sum;
}

static void expect_metric(const struct payload_tree *t, size_t metric, const char *name,
			  unsigned unit, uint64_t total, uint64_t samples)
{
	const struct payload_metric *m = &t->metrics.data[metric];

	assert_string_equal(m->name, name);
	assert_string_equal(m->label, name);
	assert_int_equal(m->unit, unit);
	assert_int_equal(m->flags, 2);
	assert_int_equal(m->total[0], total);
	assert_int_equal(samples_of(t, metric), samples);
}

/* One tree holds the stacks of all events; one without samples is left out. */
static void test_every_event_is_there(void **state)
{
	const struct flame_options options = { 0 };
	struct payload_tree t;

	(void)state;
	draw(&t, folded, 0, &options);
	assert_int_equal(t.metrics.len, 3);
	expect_metric(&t, 0, "task-clock", UNIT_NS, 1000, 9);
	expect_metric(&t, 1, "misses", UNIT_COUNT, 10000, 4);
	expect_metric(&t, 2, "heap", UNIT_BYTES, 64, 1);
	assert_int_equal(total_of(&t, 0, "main"), 900);
	assert_int_equal(total_of(&t, 1, "main"), 9000);
	assert_int_equal(total_of(&t, 0, "leaf"), 0);
	assert_int_equal(total_of(&t, 1, "b"), 4000);
	assert_int_equal(total_of(&t, 1, "leaf"), 4000);
	assert_int_equal(total_of(&t, 2, "new"), 64);
	assert_int_equal(total_of(&t, 1, "new"), 0);
	/* all, main, a, b, leaf, new, other, [not sampled] */
	assert_int_equal(t.nodes.len, 8);
	payload_release(&t);
}

static void test_the_chosen_event_is_first(void **state)
{
	const struct flame_options options = { .count_name = "cache lines" };
	struct payload_tree t;

	(void)state;
	draw(&t, folded, 1, &options);
	assert_int_equal(t.metrics.len, 3);
	expect_metric(&t, 0, "cache lines", UNIT_COUNT, 10000, 4);
	expect_metric(&t, 1, "task-clock", UNIT_NS, 1000, 9);
	expect_metric(&t, 2, "heap", UNIT_BYTES, 64, 1);
	payload_release(&t);
}

/* The still picture is the chosen event's: its numbers do not change by the others. */
static void test_the_picture_is_of_one(void **state)
{
	static const char one[] = "main;a 600 6\nmain;b 300 3\ns:[not sampled] 100\n";
	const struct flame_options options = { 0 };
	struct bytes alone = { 0 }, among = { 0 };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bytes *svg = i ? &among : &alone;
		const char *text = i ? folded : one;
		fixture_from_folded(&f, text, strlen(text));
		/* Who was recorded when is another matter. */
		f.profile.runs.len = 0;
		output_flame(svg, &f.profile, &f.all, 0, &options);
		fixture_release(&f);
	}
	const char *start = strstr((const char *)alone.data, "<g class=\"still\"");
	const char *end = strstr(start, "<metadata");
	assert_non_null(memmem(among.data, among.len, start, (size_t)(end - start)));
	bytes_release(&alone);
	bytes_release(&among);
}

/* Many stacks of two events, heavy in one of them only. */
static void bushy(struct bytes *text)
{
	bytes_printf(text, "main;hot 1000000\n");
	for (int i = 0; i < 500; i++)
		bytes_printf(text, "main;f%d;g%d %d\n", i % 50, i, 1 + i % 7);
	bytes_printf(text, "#event misses count\nmain;cold 1\n");
	for (int i = 0; i < 500; i++)
		bytes_printf(text, "main;h%d;k%d %d\n", i % 50, i, 1000 + i);
}

/* What is kept is the heaviest in either of two metrics, and no weight is lost in any. */
static void test_budget_keeps_sums_of_all(void **state)
{
	const struct flame_options options = { 0 };
	struct bytes text = { 0 };
	struct fixture f;
	struct calltree tree;
	struct flame_metrics metrics;

	(void)state;
	bushy(&text);
	fixture_from_folded(&f, (const char *)text.data, text.len);
	uint32_t *places = xcalloc(f.all.samples.len, sizeof(*places));
	calltree_build_places(&tree, &f.profile, &f.all, 0, &options.frames, places);
	struct flame_page page = { .profile = &f.profile, .tree = &tree, .options = &options };
	flame_metrics_build(&metrics, &page, &f.all, places);
	assert_int_equal(metrics.rows.len, 2);
	for (size_t budget = 1; budget < 2 * tree.nodes.len; budget = budget * 2 + 1) {
		struct bytes text_of_tree = { 0 };
		struct payload_tree t;
		flame_payload(&text_of_tree, &tree, &metrics, budget);
		payload_read(&t, (const char *)text_of_tree.data, text_of_tree.len);
		assert_int_equal(t.metrics.data[0].total[0], tree.total);
		assert_int_equal(t.metrics.data[1].total[0], 1 + 500 * 1000 + 499 * 500 / 2);
		assert_int_equal(samples_of(&t, 0), 501);
		assert_int_equal(samples_of(&t, 1), 501);
		assert_in_range(t.nodes.len, 1, budget < 2 ? 2 : budget);
		if (budget > 100 && budget < tree.nodes.len) {
			assert_int_equal(total_of(&t, 0, "hot"), 1000000);
			assert_true(total_of(&t, 1, "k499") > 0);
			assert_int_equal(total_of(&t, 0, "g0"), 0);
		}
		payload_release(&t);
		bytes_release(&text_of_tree);
	}
	flame_metrics_release(&metrics);
	calltree_release(&tree);
	free(places);
	fixture_release(&f);
	bytes_release(&text);
}

/* A metric's weight in a thread and from slice to slice. */
static uint64_t weight_in(const struct payload_tree *t, size_t metric, const char *thread,
			  uint64_t from, uint64_t to)
{
	const struct payload_metric *m = &t->metrics.data[metric];
	uint64_t sum = 0;

	for (size_t i = 0; i < m->cells.len; i++) {
		const struct payload_cell *c = &m->cells.data[i];
		if (c->slice >= from && c->slice < to &&
		    (!thread || strcmp(t->threads.data[c->thread].name, thread) == 0))
			sum += c->weight;
	}
	return sum;
}

/* Five samples of main, five of a worker from 1 s on, two of another event there. */
static const char threaded[] = "main;a 50 5\n"
			       "#thread 8 7 worker\n#at 1000\nmain;b 500 5\n"
			       "#event misses count\n#at 1500\nmain;b 20 2\n"
			       "#event heap bytes\n#thread 9 9 other\n#at 6400\nmain;c 3 1\n";

static void test_threads_and_times(void **state)
{
	const struct flame_options options = { 0 };
	struct payload_tree t;

	(void)state;
	draw(&t, threaded, 0, &options);
	assert_int_equal(t.cells, 2);
	assert_int_equal(t.threads.len, 3);
	assert_string_equal(t.threads.data[0].name, "worker (8)");
	assert_string_equal(t.threads.data[0].process, "app");
	assert_int_equal(t.threads.data[0].pid, 7);
	assert_string_equal(t.threads.data[1].name, "app (7)");
	assert_string_equal(t.threads.data[2].name, "other (9)");
	/* From the first sample to the last, of all events since they do not go together. */
	assert_int_equal(t.start, 0);
	assert_int_equal(t.slices, 60);
	assert_int_equal(t.end, 6400000001);
	assert_int_equal(t.slice, 106666667);
	assert_int_equal(weight_in(&t, 0, "app (7)", 0, 1), 50);
	assert_int_equal(weight_in(&t, 0, "worker (8)", 0, 9), 0);
	assert_int_equal(weight_in(&t, 0, "worker (8)", 9, 10), 500);
	assert_int_equal(weight_in(&t, 1, "worker (8)", 14, 15), 20);
	assert_int_equal(weight_in(&t, 1, NULL, 0, 64), 20);
	assert_int_equal(weight_in(&t, 2, "other (9)", 59, 60), 3);
	payload_release(&t);
}

/* Slices are those that errors are told from: the first event's twenty in three parts each, or as
 * many as it takes for twenty that are not empty. What another event has just outside goes along.
 */
static void test_slices_of_errors(void **state)
{
	const struct flame_options options = { 0 };
	struct payload_tree t;

	(void)state;
	draw(&t, "main;a 300 300\n#event misses count\n#at 301\nmain;b 5 1\n", 0, &options);
	assert_int_equal(t.slices, 60);
	assert_int_equal(t.end, 299000001);
	assert_int_equal(weight_in(&t, 1, NULL, 59, 60), 5);
	payload_release(&t);
	draw(&t, "main;a 200 200\n#at 1000\nmain;a 50 50\n#at 1950\nmain;a 50 50\n", 0, &options);
	assert_int_equal(t.slices, 160);
	assert_int_equal(t.end, 1999000001);
	payload_release(&t);
}

/* What says nothing of threads or times has no cells. */
static void test_one_thread_without_times(void **state)
{
	const struct flame_options options = { 0 };
	struct bytes svg = { 0 };
	struct fixture f;
	struct payload_tree t;
	size_t len;

	(void)state;
	fixture_from_folded(&f, folded, strlen(folded));
	for (size_t i = 0; i < f.profile.samples.len; i++)
		f.profile.samples.data[i].time_ns = 0;
	output_flame(&svg, &f.profile, &f.all, 0, &options);
	bytes_u8(&svg, '\0');
	const char *found = payload_find(&svg, &len);
	payload_read(&t, found, len);
	assert_int_equal(t.cells, 0);
	assert_int_equal(t.metrics.data[0].total[0], 1000);
	payload_release(&t);
	fixture_release(&f);
	bytes_release(&svg);
}

/* Cells fit their budget by longer slices, then by fewer threads; no weight is lost. */
static void test_cells_fit_their_budget(void **state)
{
	const struct flame_options options = { 0 };
	struct bytes text = { 0 };
	struct fixture f;
	struct calltree tree;
	struct flame_metrics metrics;
	struct flame_places places;
	uint64_t slices = UINT64_MAX;
	uint32_t threads = UINT32_MAX;

	(void)state;
	for (int thread = 0; thread < 20; thread++) {
		bytes_printf(&text, "#thread %d 100 t%d\n", 100 + thread, thread);
		for (int i = 0; i < 40; i++)
			bytes_printf(&text, "#at %d\nmain;f%d %d\n", i * 100, i % 3, 1 + thread);
	}
	fixture_from_folded(&f, (const char *)text.data, text.len);
	uint32_t *node_of_sample = xcalloc(f.all.samples.len, sizeof(*node_of_sample));
	calltree_build_places(&tree, &f.profile, &f.all, 0, &options.frames, node_of_sample);
	struct flame_page page = { .profile = &f.profile, .tree = &tree, .options = &options };
	flame_metrics_build(&metrics, &page, &f.all, node_of_sample);
	uint8_t *keep = malloc(tree.nodes.len);
	memset(keep, 1, tree.nodes.len);
	flame_places_build(&places, &tree, keep);
	static const size_t budgets[] = { 1000, 500, 300, 100, 50, 35 };
	for (size_t i = 0; i < ARRAY_LEN(budgets); i++) {
		struct flame_cells c;
		uint64_t sum = 0;
		flame_cells_build(&c, &metrics, &places, budgets[i]);
		assert_int_equal(c.state, FLAME_CELLS_THERE);
		assert_in_range(c.lists[0].rows.len, 3, budgets[i]);
		for (size_t k = 0; k < c.lists[0].rows.len; k++)
			sum += c.lists[0].rows.data[k].weight;
		assert_int_equal(sum, 40 * 210);
		assert_true(c.slices <= slices && c.thread_count <= threads);
		assert_true(c.thread_count == 20 || c.slices <= 10);
		slices = c.slices;
		threads = c.thread_count;
		flame_cells_release(&c);
	}
	assert_true(slices <= 10 && threads < 20);
	struct flame_cells none;
	flame_cells_build(&none, &metrics, &places, 2);
	assert_int_equal(none.state, FLAME_CELLS_TOO_MANY);
	flame_cells_release(&none);
	flame_places_release(&places);
	free(keep);
	flame_metrics_release(&metrics);
	calltree_release(&tree);
	free(node_of_sample);
	fixture_release(&f);
	bytes_release(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_is_there),
		cmocka_unit_test(test_the_chosen_event_is_first),
		cmocka_unit_test(test_the_picture_is_of_one),
		cmocka_unit_test(test_budget_keeps_sums_of_all),
		cmocka_unit_test(test_threads_and_times),
		cmocka_unit_test(test_slices_of_errors),
		cmocka_unit_test(test_one_thread_without_times),
		cmocka_unit_test(test_cells_fit_their_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
