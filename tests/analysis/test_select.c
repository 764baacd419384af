/* Trees and tables of some samples that are made from the tree of all are those that are made from
 * the samples. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/bottom_up.h"
#include "analysis/calltree.h"
#include "analysis/flat.h"
#include "base/bytes.h"
#include "build_profile.h"

static void print_node(struct bytes *out, const struct calltree *t, uint32_t i, int depth)
{
	const struct calltree_node *n = &t->nodes.data[i];

	bytes_printf(out, "%*s%s %d %" PRIu64 "/%" PRIu64 " %" PRIu64 "/%" PRIu64 "\n", depth, "",
		     t->keys.data[n->key].name, n->kind, n->self, n->total, n->self_count,
		     n->count);
	for (uint32_t c = n->first_child; c != PROFILE_NONE; c = t->nodes.data[c].next_sibling)
		print_node(out, t, c, depth + 1);
}

static char *tree_text(const struct calltree *t)
{
	struct bytes out = { 0 };

	print_node(&out, t, 0, 0);
	bytes_printf(&out, "%" PRIu64 " %" PRIu64 " %zu\n", t->total, t->sample_count,
		     t->nodes.len);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static char *flat_text(const struct flat *f)
{
	struct bytes out = { 0 };

	for (size_t i = 0; i < f->rows.len; i++) {
		const struct flat_row *r = &f->rows.data[i];
		bytes_printf(&out, "%s %" PRIu64 "/%" PRIu64 " %.9g %.9g %d %" PRIu32 "\n", r->name,
			     r->self, r->total, r->self_error, r->total_error, r->tied, r->threads);
	}
	bytes_printf(&out, "%" PRIu64 " %" PRIu64 "\n", f->total, f->sample_count);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

/* Recursion, inlined frames, stacks that were cut, two threads, two events, what was not seen. */
static uint32_t make(struct build *b)
{
	static const char *const stacks[] = {
		"main;run;parse;next", "main;run;parse", "main;run;eval;rec;rec;rec;leaf",
		"main;run;inl|eval",   "main;idle",	 "other;rec;run"
	};
	uint32_t worker, event = build_event(b, "cycles", UNIT_COUNT), synthetic;

	worker = build_task(b, 100, 101, "worker");
	for (uint32_t i = 0; i < 700; i++) {
		uint32_t s = build_stack(b, stacks[i * 7919 % 6], 1000 + i % 13);
		build_at(b, s)->task = i % 3 ? b->task : worker;
		build_at(b, s)->end = i % 11 ? END_ROOT : END_TRUNCATED;
		build_at(b, s)->event = (uint16_t)(i % 5 ? b->event : event);
	}
	synthetic = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);
	build_at(b, build_sample(b, PROFILE_NONE, synthetic, 0, 40000))->flags = SAMPLE_SYNTHETIC;
	return event;
}

struct made {
	struct build b;
	struct filter_result all;
	struct calltree whole;
	uint32_t *places;
	uint32_t events[2];
};

static void make_whole(struct made *m, const struct calltree_options *o)
{
	build_init(&m->b);
	m->events[1] = make(&m->b);
	build_finish(&m->b, &m->all);
	m->events[0] = m->b.event;
	size_t count = m->all.samples.len;
	uint32_t *nodes = calloc(count, sizeof(*nodes));
	m->places = calloc(count, sizeof(*m->places));
	calltree_build_places(&m->whole, &m->b.profile, &m->all, m->b.event, o, nodes);
	for (size_t i = 0; i < count; i++)
		m->places[m->all.samples.data[i]] = nodes[i];
	free(nodes);
}

static void release_whole(struct made *m)
{
	calltree_release(&m->whole);
	free(m->places);
	filter_result_release(&m->all);
	build_release(&m->b);
}

/* In whatever order it is opened. */
static void turn_over(struct calltree *t, const struct calltree *upright)
{
	struct bottom_up *b;

	bottom_up_begin(&b, t, upright);
	for (int i = 0; i < 3; i++)
		bottom_up_open(b, t, (uint32_t)t->nodes.len - 1);
	assert_false(bottom_up_open(b, t, 0));
	if (t->nodes.len > 5)
		assert_false(bottom_up_open_all(b, t, 5));
	assert_true(bottom_up_open_all(b, t, SIZE_MAX));
	assert_false(bottom_up_open(b, t, (uint32_t)t->nodes.len - 1));
	bottom_up_free(b);
}

static void expect_same(struct made *m, const struct filter_spec *spec, uint32_t event,
			struct calltree_options o)
{
	const struct profile *p = &m->b.profile;
	struct filter *filter;
	struct error err = { 0 };
	struct filter_result samples = { 0 };
	struct calltree built, chosen, turned;
	struct flat rows, chosen_rows;
	enum flat_by by = o.by_module ? FLAT_BY_MODULE : FLAT_BY_FUNCTION;

	if (filter_new(&filter, p, spec, &err) < 0)
		fail_msg("%s", err.text);
	filter_apply(filter, &samples);
	filter_free(filter);
	uint32_t *nodes = calloc(samples.samples.len + 1, sizeof(*nodes));
	calltree_build(&built, p, &samples, event, &o);
	calltree_select(&chosen, &m->whole, m->places, &samples, event, nodes);
	char *expected = tree_text(&built), *got = tree_text(&chosen);
	assert_string_equal(got, expected);
	free(expected);
	free(got);
	flat_build(&rows, p, &samples, event, by, &o);
	flat_build_from_tree(&chosen_rows, &chosen, &samples, nodes);
	expected = flat_text(&rows), got = flat_text(&chosen_rows);
	assert_string_equal(got, expected);
	free(expected);
	free(got);
	calltree_release(&built);
	o.inverted = true;
	calltree_build(&built, p, &samples, event, &o);
	turn_over(&turned, &chosen);
	expected = tree_text(&built), got = tree_text(&turned);
	assert_string_equal(got, expected);
	free(expected);
	free(got);
	calltree_release(&built);
	calltree_release(&turned);
	calltree_release(&chosen);
	flat_release(&rows);
	flat_release(&chosen_rows);
	free(nodes);
	filter_result_release(&samples);
}

static void test_same_as_built(void **state)
{
	static const struct filter_spec specs[] = {
		{ .time = NULL },
		{ .tid = "101" },
		{ .focus = "parse" },
		{ .ignore = "rec" },
		{ .time = "20%-60%" },
		{ .symbol = "leaf" },
		{ .focus = "eval", .ignore = "leaf", .tid = "100" },
		{ .ignore = "." },
	};
	static const struct calltree_options options[] = { { .by_thread = false },
							   { .by_module = true },
							   { .merge_recursion = true },
							   { .no_inline = true } };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(options); k++) {
		struct made m = { 0 };
		make_whole(&m, &options[k]);
		for (size_t i = 0; i < ARRAY_LEN(specs); i++)
			for (int e = 0; e < 2; e++)
				expect_same(&m, &specs[i], m.events[e], options[k]);
		release_whole(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_built),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
