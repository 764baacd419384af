/* Filters as a list, hidden frames, patterns for one name, layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

static uint64_t total_with(const struct fixture *f, struct filters *filters, uint32_t *event)
{
	struct filter_result samples;
	struct error err = { 0 };
	uint64_t total = 0;

	if (filters_apply(filters, &f->b.profile, &samples, event, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < samples.samples.len; i++)
		total += f->b.profile.samples.data[samples.samples.data[i]].weight;
	filter_result_release(&samples);
	return total;
}

static void test_filters_add_up(void **state)
{
	struct fixture f;
	struct filters filters = { 0 };
	struct bytes words = { 0 };
	uint32_t event;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	assert_int_equal(total_with(&f, &filters, &event), 1500);
	filters_add(&filters, FILTER_FOCUS, "^b$", "b");
	assert_int_equal(total_with(&f, &filters, &event), 500);
	filters_append_words(&filters, &words);
	filters_add(&filters, FILTER_FOCUS, "^d$", "d");
	assert_int_equal(total_with(&f, &filters, &event), 400);
	filters_add(&filters, FILTER_IGNORE, "^a$", NULL);
	filters_add(&filters, FILTER_IGNORE, "^c$", NULL);
	assert_int_equal(total_with(&f, &filters, &event), 400);
	bytes_clear(&words);
	filters_append_words(&filters, &words);
	bytes_u8(&words, '\0');
	assert_string_equal((const char *)words.data,
			    " --focus '^b$' --focus '^d$' --ignore '^a$' --ignore '^c$'");
	filters_remove(&filters, 0);
	assert_int_equal(total_with(&f, &filters, &event), 1200);
	filters_add(&filters, FILTER_TIME, "0,0.002", NULL);
	filters_add(&filters, FILTER_TIME, "0,1", NULL); /* takes the other's place */
	assert_int_equal(filters.items.len, 4);
	bytes_release(&words);
	filters_release(&filters);
	fixture_release(&f);
}

static void test_hidden_frames(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	press(&f, "/^a$ enter H");
	const struct calltree *t = &f.model.view.trees[0];
	assert_int_equal(t->total, 1500);
	uint32_t main_node = t->nodes.data[0].first_child;
	for (uint32_t c = t->nodes.data[main_node].first_child; c != PROFILE_NONE;
	     c = t->nodes.data[c].next_sibling)
		assert_string_not_equal(view_name(t, c), "a");
	/* Of b and c that a called, and d: three callees of main. */
	uint32_t c = t->nodes.data[main_node].first_child;
	assert_string_equal(view_name(t, c), "d");
	c = t->nodes.data[c].next_sibling;
	assert_string_equal(view_name(t, c), "c");
	assert_int_equal(t->nodes.data[c].total, 200);
	press(&f, "/^c$ enter H");
	t = &f.model.view.trees[0];
	main_node = t->nodes.data[0].first_child;
	assert_int_equal(t->nodes.data[main_node].self, 200);
	fixture_release(&f);
}

static void test_exact_patterns(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, few_stacks, 80, 24);
	CLEANUP_FREE char *exact = filter_exact(&f.b.profile, "f<a*>(x[2]) /y", NAMES_FULL);
	assert_string_equal(exact, "^f<a\\*>\\(x\\[2\\]\\) [/]y$");
	CLEANUP_FREE char *plain = filter_function("main");
	assert_string_equal(plain, "main");
	CLEANUP_FREE char *other = filter_function("a::b");
	assert_string_equal(other, "/^a::b$/");
	CLEANUP_FREE char *none = filter_exact(&f.b.profile, "gone", NAMES_SIMPLE);
	assert_string_equal(none, "^gone$");
	CLEANUP_FREE char *simple = filter_exact(&f.b.profile, "main", NAMES_SIMPLE);
	assert_string_equal(simple, "^main$");
	fixture_release(&f);
}

/* Boxes of a row follow each other, are within their caller's and as wide as their share. */
static void test_layout_is_true(void **state)
{
	struct fixture f;
	struct layout l = { 0 };

	(void)state;
	fixture_init(&f, sample_profile, 80, 24);
	for (unsigned columns = 1; columns < 200; columns += 7) {
		layout_build(&l, &f.model.view, (struct place){ 0, 0 }, 0, 40, columns);
		for (size_t i = 0; i < l.boxes.len; i++) {
			const struct box *b = &l.boxes.data[i], *last = i ? b - 1 : NULL;
			assert_true(b->width > 0 && b->x + b->width <= columns);
			if (last && last->row == b->row)
				assert_true(last->x + last->width <= b->x);
			if (b->at.node == PROFILE_NONE)
				continue;
			const struct calltree_node *n =
				&f.model.view.trees[0].nodes.data[b->at.node];
			double exact =
				(double)n->total * columns / (double)view_total(&f.model.view);
			assert_true(b->width > exact - 1.01 && b->width < exact + 1.01);
		}
	}
	layout_release(&l);
	fixture_release(&f);
}

int run_view_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filters_add_up),
		cmocka_unit_test(test_hidden_frames),
		cmocka_unit_test(test_exact_patterns),
		cmocka_unit_test(test_layout_is_true),
	};

	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
