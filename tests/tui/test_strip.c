/* The strip of use over time, and choosing a part of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "sample_profile.h"

/* A second of a, then one of b in another thread, as many samples of each. */
static void two_phases(struct build *b, struct filter_result *all)
{
	build_init(b);
	uint32_t other = build_task(b, 100, 101, "other");
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t s = build_stack(b, i < 1000 ? "main;a" : "main;b", 1000000);
		build_at(b, s)->task = i < 1000 ? b->task : other;
	}
	build_finish(b, all);
}

/* The filter of time; "": none. */
static const char *time_word(const struct fixture *f)
{
	const struct filters *filters = &f->model.state.filters;

	for (size_t i = 0; i < filters->items.len; i++)
		if (filters->items.data[i].kind == FILTER_TIME)
			return filters->items.data[i].word;
	return "";
}

static void drag(struct fixture *f, unsigned from, unsigned to)
{
	unsigned y = f->model.places.strip.y;

	click(f, from, y);
	model_mouse(&f->model, &(struct tui_mouse){ .button = TUI_RELEASE, .x = to, .y = y });
}

/* By itself only where there is room, and times. */
static void test_is_there_where_it_can_be(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, two_phases, 80, 24);
	assert_int_equal(f.model.places.strip.height, 0);
	press(&f, "v");
	assert_int_equal(f.model.places.strip.height, 1);
	press(&f, "v");
	assert_int_equal(f.model.places.strip.height, 0);
	model_resize(&f.model, 80, 40);
	assert_int_equal(f.model.places.strip.height, 0); /* as was wished */
	fixture_release(&f);
	fixture_init(&f, two_phases, 80, 40);
	assert_int_equal(f.model.places.strip.height, 1);
	press(&f, "v");
	assert_int_equal(f.model.places.strip.height, 0);
	model_resize(&f.model, 10, 5);
	press(&f, "p");
	assert_non_null(strstr(f.model.message, "no room"));
	assert_false(f.model.strip.is_choosing);
	fixture_release(&f);
	fixture_init(&f, few_stacks, 80, 40);
	for (size_t i = 0; i < f.b.profile.samples.len; i++)
		f.b.profile.samples.data[i].time_ns = 0;
	model_resize(&f.model, 80, 41);
	assert_int_equal(f.model.places.strip.height, 0);
	press(&f, "p");
	assert_non_null(strstr(f.model.message, "no times"));
	press(&f, "v");
	assert_non_null(strstr(f.model.message, "no times"));
	fixture_release(&f);
}

/* Nothing is lost: the slices are all of what was sampled and passes the other filters. */
static void test_counts_what_is_shown(void **state)
{
	struct fixture f;
	uint64_t sum = 0;

	(void)state;
	fixture_init(&f, two_phases, 80, 40);
	const struct strip *s = &f.model.strip;
	for (size_t i = 0; i < s->slices.len; i++)
		sum += s->slices.data[i];
	assert_int_equal(sum, UINT64_C(2000000000));
	assert_int_equal(s->total, sum);
	press(&f, "/^b$ enter F");
	assert_int_equal(s->total, sum / 2);
	assert_int_equal(s->slices.data[s->slices.len / 4], 0);
	/* The part that is shown does not change what there was. */
	press(&f, "@0,50% enter");
	assert_int_equal(s->total, sum / 2);
	struct strip_span shown = strip_filtered(&f.model);
	assert_int_equal(shown.first, 0);
	assert_int_equal(shown.end, s->slices.len / 2);
	fixture_release(&f);
}

static void test_keys_choose_a_part(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, two_phases, 80, 40);
	unsigned last = (unsigned)f.model.strip.slices.len - 1;
	press(&f, "p esc");
	assert_int_equal(f.model.past.len, 0);
	press(&f, "p end");
	assert_int_equal(f.model.strip.at, last);
	press(&f, "right pgup pgdn home left");
	assert_int_equal(f.model.strip.at, 0);
	press(&f, "_ pgdn right enter");
	assert_false(f.model.strip.is_choosing);
	struct strip_span shown = strip_filtered(&f.model);
	assert_int_equal(shown.first, 0);
	assert_int_equal(shown.end, 12);
	assert_string_equal(time_word(&f), "0.000,0.353");
	assert_int_equal(view_total(&f.model.view), 353 * 1000000);
	/* Its end can be moved. */
	press(&f, "p right enter");
	shown = strip_filtered(&f.model);
	assert_int_equal(shown.end, 13);
	assert_int_equal(f.model.state.filters.items.len, 1);
	assert_int_equal(f.model.past.len, 2);
	/* All of it is no filter. */
	press(&f, "p end enter");
	assert_string_equal(time_word(&f), "");
	press(&f, "u u u");
	assert_string_equal(time_word(&f), "");
	assert_int_equal(view_total(&f.model.view), UINT64_C(2000000000));
	press(&f, "p home _ end enter");
	assert_int_equal(f.model.past.len, 0);
	assert_non_null(f.model.message);
	fixture_release(&f);
}

static void test_mouse_chooses_a_part(void **state)
{
	struct fixture f;
	unsigned left = strip_left();

	(void)state;
	fixture_init(&f, two_phases, 80, 40);
	unsigned end = (unsigned)f.model.strip.slices.len, half = end / 2;
	drag(&f, left + half, left + end + 5);
	struct strip_span shown = strip_filtered(&f.model);
	assert_int_equal(shown.first, half);
	assert_int_equal(shown.end, end);
	assert_string_equal(time_word(&f), "1.000,");
	assert_int_equal(view_total(&f.model.view), UINT64_C(1000000000));
	press(&f, "u");
	/* To the left, too. */
	drag(&f, left + 20, left + 10);
	shown = strip_filtered(&f.model);
	assert_int_equal(shown.first, 10);
	assert_int_equal(shown.end, 21);
	press(&f, "u");
	/* Where the terminal does not tell of letting go elsewhere: two clicks. */
	drag(&f, left + 3, left + 3);
	assert_true(f.model.strip.is_choosing);
	assert_string_equal(time_word(&f), "");
	click(&f, left + 5, f.model.places.strip.y);
	shown = strip_filtered(&f.model);
	assert_int_equal(shown.first, 3);
	assert_int_equal(shown.end, 6);
	/* A click elsewhere leaves it. */
	press(&f, "u p");
	click(&f, 5, f.model.places.graph.y);
	assert_false(f.model.strip.is_choosing);
	assert_int_equal(f.model.past.len, 0);
	fixture_release(&f);
}

/* Of every pair of slices: what the words say is what was chosen, however short the recording. */
static void test_words_fit_slices(void **state)
{
	static const uint64_t spacing[] = { 1, 7, 1000, 999999937, UINT64_C(3600000000000) };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spacing); i++) {
		struct fixture f;
		fixture_init(&f, few_stacks, 40, 40);
		for (size_t k = 0; k < f.b.profile.samples.len; k++)
			f.b.profile.samples.data[k].time_ns = spacing[i] * k;
		for (size_t k = 0; k < f.b.profile.runs.len; k++)
			f.b.profile.runs.data[k].start_ns = f.b.profile.runs.data[k].end_ns = 0;
		model_resize(&f.model, 40, 41);
		unsigned slices = (unsigned)f.model.strip.slices.len;
		assert_true(slices > 1);
		for (unsigned from = 0; from < slices; from++)
			for (unsigned to = from; to < slices; to++) {
				if (from == 0 && to + 1 == slices)
					continue;
				f.model.strip.is_choosing = f.model.strip.has_mark = true;
				f.model.strip.mark = from;
				f.model.strip.at = to;
				press(&f, "enter");
				struct strip_span shown = strip_filtered(&f.model);
				assert_int_equal(shown.first, from);
				assert_int_equal(shown.end, to + 1);
				press(&f, "u");
			}
		fixture_release(&f);
	}
}

/* Whatever the size becomes meanwhile. */
static void test_other_size_while_choosing(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, two_phases, 80, 40);
	press(&f, "p end _");
	model_resize(&f.model, 60, 40);
	assert_false(f.model.strip.is_choosing);
	press(&f, "p end _");
	grid_resize(&f.grid, 60, 6);
	model_resize(&f.model, 60, 6);
	assert_false(f.model.strip.is_choosing);
	press(&f, "left enter");
	assert_non_null(screen(&f));
	fixture_release(&f);
}

int run_strip_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_there_where_it_can_be),
		cmocka_unit_test(test_counts_what_is_shown),
		cmocka_unit_test(test_keys_choose_a_part),
		cmocka_unit_test(test_mouse_chooses_a_part),
		cmocka_unit_test(test_words_fit_slices),
		cmocka_unit_test(test_other_size_while_choosing),
	};

	return cmocka_run_group_tests_name("strip", tests, NULL, NULL);
}
