/* Two profiles as one tree: exact sums on both sides, what is matched with what, and changes that
 * are told when there is one, and hardly ever when there is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/difftree.h"
#include "build_profile.h"

struct pair {
	struct build side[DIFF_SIDES];
	struct filter_result all[DIFF_SIDES];
	struct difftree diff;
};

static void pair_init(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	for (int side = 0; side < DIFF_SIDES; side++)
		build_init(&p->side[side]);
}

static void compare_as(struct pair *p, bool absolute, const struct calltree_options *options)
{
	struct diff_source sources[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		build_finish(&p->side[side], &p->all[side]);
		sources[side] = (struct diff_source){ &p->side[side].profile, &p->all[side],
						      p->side[side].event };
	}
	difftree_build(&p->diff, sources, absolute, options);
}

static void compare(struct pair *p)
{
	compare_as(p, false, &(struct calltree_options){ 0 });
}

static void pair_release(struct pair *p)
{
	difftree_release(&p->diff);
	for (int side = 0; side < DIFF_SIDES; side++) {
		filter_result_release(&p->all[side]);
		build_release(&p->side[side]);
	}
}

static const char *name_of(const struct pair *p, uint32_t node)
{
	const struct calltree *t = &p->diff.tree;

	return t->keys.data[t->nodes.data[node].key].name;
}

/* "root;…;leaf" of a node. */
static void path_of(const struct pair *p, uint32_t node, char *out, size_t size)
{
	char rest[512] = "";

	out[0] = '\0';
	for (; node != 0; node = p->diff.tree.nodes.data[node].parent) {
		snprintf(rest, sizeof(rest), "%s", out);
		snprintf(out, size, "%s%s%s", name_of(p, node), *rest ? ";" : "", rest);
	}
}

/* The one node with this path, or that ends so when it begins with "…". */
static uint32_t find(const struct pair *p, const char *path)
{
	uint32_t found = PROFILE_NONE;
	char have[512];

	for (uint32_t i = 1; i < p->diff.tree.nodes.len; i++) {
		path_of(p, i, have, sizeof(have));
		if (strcmp(have, path) == 0) {
			assert_int_equal(found, PROFILE_NONE);
			found = i;
		}
	}
	if (found == PROFILE_NONE)
		fail_msg("no node %s", path);
	return found;
}

static const struct diff_node *node_at(const struct pair *p, const char *path)
{
	return &p->diff.nodes.data[find(p, path)];
}

static void expect(const struct pair *p, const char *path, uint64_t base_total, uint64_t base_self,
		   uint64_t new_total, uint64_t new_self)
{
	const struct diff_node *n = node_at(p, path);

	assert_int_equal(n->part[DIFF_BASE].total, base_total);
	assert_int_equal(n->part[DIFF_BASE].self, base_self);
	assert_int_equal(n->part[DIFF_NEW].total, new_total);
	assert_int_equal(n->part[DIFF_NEW].self, new_self);
}

/* Each node is its self and its children, on both sides and in the layout; nothing is lost. */
static void expect_sums(const struct pair *p)
{
	const struct difftree *d = &p->diff;

	assert_int_equal(d->nodes.len, d->tree.nodes.len);
	for (uint32_t i = 0; i < d->tree.nodes.len; i++) {
		uint64_t layout = d->tree.nodes.data[i].self, total[DIFF_SIDES], count[DIFF_SIDES];
		for (int side = 0; side < DIFF_SIDES; side++) {
			total[side] = d->nodes.data[i].part[side].self;
			count[side] = d->nodes.data[i].part[side].self_count;
		}
		for (uint32_t c = d->tree.nodes.data[i].first_child; c != PROFILE_NONE;
		     c = d->tree.nodes.data[c].next_sibling) {
			layout += d->tree.nodes.data[c].total;
			for (int side = 0; side < DIFF_SIDES; side++) {
				total[side] += d->nodes.data[c].part[side].total;
				count[side] += d->nodes.data[c].part[side].count;
			}
		}
		assert_true(layout == d->tree.nodes.data[i].total);
		for (int side = 0; side < DIFF_SIDES; side++) {
			const struct diff_part *part = &d->nodes.data[i].part[side];
			assert_true(part->total == total[side]);
			assert_true(part->count == count[side]);
			assert_true(part->low <= part->high && part->low >= 0 &&
				    part->high <= 1.0001);
		}
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < p->side[side].profile.samples.len; i++)
			sum += p->side[side].profile.samples.data[i].weight;
		assert_true(d->side[side].total == sum);
		assert_true(d->nodes.data[0].part[side].total == sum);
	}
}

static void add(struct build *b, const char *stack, uint64_t weight, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		build_stack(b, stack, weight);
}

static void test_union(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	add(&p.side[DIFF_BASE], "main;parse;old", 7, 30);
	add(&p.side[DIFF_BASE], "main;parse", 5, 10);
	add(&p.side[DIFF_NEW], "main;parse;fresh;deep", 3, 40);
	add(&p.side[DIFF_NEW], "main;parse", 4, 10);
	compare(&p);
	expect_sums(&p);
	expect(&p, "main", 260, 0, 160, 0);
	expect(&p, "main;parse", 260, 50, 160, 40);
	expect(&p, "main;parse;old", 210, 210, 0, 0);
	expect(&p, "main;parse;fresh", 0, 0, 120, 0);
	expect(&p, "main;parse;fresh;deep", 0, 0, 120, 120);
	assert_int_equal(node_at(&p, "main")->change, DIFF_SAME);
	assert_int_equal(node_at(&p, "main;parse")->change, DIFF_SAME);
	assert_int_equal(node_at(&p, "main;parse;old")->change, DIFF_LESS);
	assert_int_equal(node_at(&p, "main;parse;fresh;deep")->change, DIFF_MORE);
	assert_int_equal(p.diff.side[DIFF_BASE].trust, DIFF_BY_SLICES);
	/* Shares of both are as wide as each other: 210/260 and 120/160. */
	double all = (double)p.diff.tree.total,
	       old = (double)p.diff.tree.nodes.data[find(&p, "main;parse;old")].total,
	       fresh = (double)p.diff.tree.nodes.data[find(&p, "main;parse;fresh")].total;
	assert_true(fabs(old / all - 210.0 / 260 / 2) < 1e-6);
	assert_true(fabs(fresh / all - 120.0 / 160 / 2) < 1e-6);
	pair_release(&p);
}

static void test_bottom_up(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	add(&p.side[DIFF_BASE], "main;a;f", 2, 30);
	add(&p.side[DIFF_BASE], "main;b;f", 2, 5);
	add(&p.side[DIFF_NEW], "main;a;f", 2, 20);
	add(&p.side[DIFF_NEW], "main;c;f", 2, 30);
	compare_as(&p, false, &(struct calltree_options){ .inverted = true });
	expect_sums(&p);
	expect(&p, "f", 70, 0, 100, 0);
	expect(&p, "f;a", 60, 0, 40, 0);
	expect(&p, "f;b;main", 10, 10, 0, 0);
	expect(&p, "f;c;main", 0, 0, 60, 60);
	assert_int_equal(node_at(&p, "f")->change, DIFF_SAME);
	assert_int_equal(node_at(&p, "f;c")->change, DIFF_MORE);
	assert_int_equal(node_at(&p, "f;a;main")->change, DIFF_LESS);
	pair_release(&p);
}

/* The same program, but all takes twice as long: no share differs, every weight does. */
static void test_absolute(void **state)
{
	struct pair p;

	(void)state;
	for (int absolute = 0; absolute < 2; absolute++) {
		pair_init(&p);
		for (int i = 0; i < 200; i++) {
			build_stack(&p.side[DIFF_BASE], i % 4 ? "main;a" : "main;b", 10);
			build_stack(&p.side[DIFF_NEW], i % 4 ? "main;a" : "main;b", 20);
		}
		compare_as(&p, absolute, &(struct calltree_options){ 0 });
		expect_sums(&p);
		for (uint32_t i = 1; i < p.diff.nodes.len; i++)
			assert_int_equal(p.diff.nodes.data[i].change,
					 absolute ? DIFF_MORE : DIFF_SAME);
		uint32_t a = find(&p, "main;a");
		assert_true(fabs(difftree_share(&p.diff, a, DIFF_NEW) - 0.75) < 1e-9);
		assert_true(fabs(difftree_share(&p.diff, a, DIFF_BASE) -
				 (absolute ? 0.375 : 0.75)) < 1e-9);
		pair_release(&p);
	}
}

static double uniform(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (double)(*seed >> 8) / (1 << 24);
}

#define LEAVES 12

/* Leaf of a program whose leaf k has the weight of wanted[k]. */
static unsigned draw(const double *wanted, uint32_t *seed)
{
	double all = 0;

	for (unsigned k = 0; k < LEAVES; k++)
		all += wanted[k];
	double x = uniform(seed) * all;
	for (unsigned k = 0; k < LEAVES; k++)
		if ((x -= wanted[k]) < 0)
			return k;
	return LEAVES - 1;
}

/* In phases of so many samples the program stays where it is. */
static void simulate(struct build *b, const double *wanted, unsigned samples, unsigned phase,
		     uint32_t *seed)
{
	char stack[64];
	unsigned leaf = 0;

	for (unsigned i = 0; i < samples; i++) {
		leaf = i % phase ? leaf : draw(wanted, seed);
		snprintf(stack, sizeof(stack), "main;part%u;leaf%u", leaf % 3, leaf);
		build_stack(b, stack, 1000000);
	}
}

static const double alike[LEAVES] = { 20, 15, 12, 10, 9, 8, 7, 6, 5, 4, 2, 2 };

static void test_same_is_grey(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	for (int side = 0; side < DIFF_SIDES; side++) {
		uint32_t seed = 7;
		simulate(&p.side[side], alike, 3000, 20, &seed);
	}
	compare(&p);
	for (size_t i = 0; i < p.diff.nodes.len; i++)
		assert_int_equal(p.diff.nodes.data[i].change, DIFF_SAME);
	pair_release(&p);
}

static void test_known_change(void **state)
{
	double slower[LEAVES];
	struct pair p;
	uint32_t seed = 3;

	(void)state;
	memcpy(slower, alike, sizeof(slower));
	slower[1] *= 1.2;
	pair_init(&p);
	simulate(&p.side[DIFF_BASE], alike, 12000, 1, &seed);
	simulate(&p.side[DIFF_NEW], slower, 12000, 1, &seed);
	compare(&p);
	for (uint32_t i = 0; i < p.diff.nodes.len; i++) {
		bool is_it = i && strcmp(name_of(&p, i), "leaf1") == 0;
		/* What calls it has it, too. */
		if (i == 0 || strcmp(name_of(&p, i), "part1") != 0)
			assert_int_equal(p.diff.nodes.data[i].change,
					 is_it ? DIFF_MORE : DIFF_SAME);
	}
	uint32_t leaf = find(&p, "main;part1;leaf1");
	assert_true(difftree_share(&p.diff, leaf, DIFF_NEW) >
		    difftree_share(&p.diff, leaf, DIFF_BASE));
	assert_true(difftree_error(&p.diff, leaf, DIFF_NEW) > 0.002);
	assert_true(difftree_error(&p.diff, leaf, DIFF_NEW) < 0.02);
	pair_release(&p);
}

/* Of how many frames with 2 % or more a change is told in pairs that have none. */
static double false_changes(unsigned pairs, unsigned samples, unsigned phase)
{
	uint32_t seed = 1 + phase;
	size_t told = 0, big = 0;

	for (unsigned i = 0; i < pairs; i++) {
		struct pair p;
		pair_init(&p);
		for (int side = 0; side < DIFF_SIDES; side++)
			simulate(&p.side[side], alike, samples, phase, &seed);
		compare(&p);
		for (uint32_t n = 1; n < p.diff.nodes.len; n++) {
			if (difftree_share(&p.diff, n, DIFF_BASE) < 0.02)
				continue;
			big++;
			told += p.diff.nodes.data[n].change != DIFF_SAME;
		}
		pair_release(&p);
	}
	return (double)told / (double)big;
}

/* Intervals of 95 % that do not overlap are rarer than one in 20, also in a program with phases,
 * whose samples alone would promise too much. */
static void test_chance_is_grey(void **state)
{
	(void)state;
	assert_true(false_changes(200, 600, 1) < 0.03);
	assert_true(false_changes(200, 1500, 15) < 0.05);
}

static void test_few_samples(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	add(&p.side[DIFF_BASE], "main;a", 1, 15);
	add(&p.side[DIFF_NEW], "main;a", 1, 12);
	add(&p.side[DIFF_NEW], "main;b", 1, 3);
	compare(&p);
	assert_int_equal(p.diff.side[DIFF_NEW].trust, DIFF_BY_COUNT);
	assert_int_equal(node_at(&p, "main;b")->change, DIFF_SAME);
	/* None of 15: Wilson's interval ends at z²/(15 + z²). */
	assert_true(fabs(node_at(&p, "main;b")->part[DIFF_BASE].high - 3.841459 / 18.841459) <
		    1e-5);
	pair_release(&p);
}

/* As folded stacks: the weights are the numbers of samples, or multiples of a sample's. */
static void test_summed_up(void **state)
{
	static const struct {
		uint64_t step;
		uint8_t unit, trust, change;
	} rows[] = {
		{ 1, UNIT_COUNT, DIFF_BY_COUNT, DIFF_MORE },
		{ 10000000, UNIT_NS, DIFF_BY_COUNT, DIFF_MORE },
		/* Nobody knows: what differs by little is not told. */
		{ 1, UNIT_NS, DIFF_UNKNOWN, DIFF_MORE },
		{ 1, UNIT_BYTES, DIFF_UNKNOWN, DIFF_MORE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair p;
		pair_init(&p);
		for (int side = 0; side < DIFF_SIDES; side++) {
			struct build *b = &p.side[side];
			b->profile.events.data[b->event].unit = rows[i].unit;
			add(b, "main;a", (side ? 301 : 499) * rows[i].step, 1);
			add(b, "main;b", (side ? 699 : 501) * rows[i].step, 1);
			for (size_t k = 0; k < b->profile.samples.len; k++)
				b->profile.samples.data[k].time_ns = 0;
		}
		compare(&p);
		assert_int_equal(p.diff.side[DIFF_NEW].trust, rows[i].trust);
		assert_int_equal(node_at(&p, "main;b")->change, rows[i].change);
		assert_int_equal(node_at(&p, "main;a")->change, DIFF_LESS);
		assert_int_equal(node_at(&p, "main")->change, DIFF_SAME);
		pair_release(&p);
	}
}

static void test_nothing_on_a_side(void **state)
{
	struct pair p;

	(void)state;
	for (int full = 0; full < DIFF_SIDES; full++) {
		pair_init(&p);
		add(&p.side[full], "main;a", 5, 50);
		compare(&p);
		expect_sums(&p);
		assert_int_equal(node_at(&p, "main;a")->part[full].total, 250);
		assert_int_equal(node_at(&p, "main;a")->change, DIFF_SAME);
		pair_release(&p);
	}
	pair_init(&p);
	compare(&p);
	assert_int_equal(p.diff.tree.nodes.len, 1);
	assert_true(p.diff.tree.total == 0);
	pair_release(&p);
}

/* What was not sampled is in no interval, and never told. */
static void test_rows_for_what_was_not_seen(void **state)
{
	struct pair p;
	struct build *b;

	(void)state;
	pair_init(&p);
	add(&p.side[DIFF_BASE], "main", 10, 60);
	add(&p.side[DIFF_NEW], "main", 10, 60);
	b = &p.side[DIFF_NEW];
	uint32_t lost = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);
	struct profile_sample *s = build_at(b, build_sample(b, PROFILE_NONE, lost, 0, 600));
	s->flags |= SAMPLE_SYNTHETIC;
	compare(&p);
	expect_sums(&p);
	expect(&p, SYNTHETIC_NOT_SAMPLED, 0, 0, 600, 600);
	assert_int_equal(node_at(&p, SYNTHETIC_NOT_SAMPLED)->change, DIFF_SAME);
	/* The half that was seen is all of it main. */
	assert_true(fabs(difftree_share(&p.diff, find(&p, "main"), DIFF_NEW) - 0.5) < 1e-9);
	assert_int_equal(node_at(&p, "main")->change, DIFF_LESS);
	pair_release(&p);
}

static uint32_t module_named(struct build *b, const char *path, const char *build_id)
{
	uint32_t module = build_module(b, MODULE_FILE, path);

	b->profile.modules.data[module].build_id = build_str(b, build_id);
	return module;
}

static void add_code_sample(struct build *b, uint32_t module, const char *function, unsigned times)
{
	uint64_t address = build_code(b, module, function);

	for (unsigned i = 0; i < times; i++)
		build_sample(b, PROFILE_NONE, module, address, 1);
}

static void test_modules_are_matched(void **state)
{
	static const struct {
		const char *base, *new;
		bool matched;
	} rows[] = {
		{ "/opt/one/tool", "/opt/one/tool", true },
		{ "/opt/one/tool", "/srv/build/tool", true },
		{ "/opt/tool-1.0", "/opt/tool-1.1", true }, /* the only program of each */
		{ "/usr/lib/libz.so.1", "/opt/lib/libz.so.1", true },
		{ "/usr/lib/libz.so.1", "/usr/lib/libx.so.1", false },
		{ "/usr/lib/libz.so.1", "/opt/libz", false },
		{ "", "/opt/one/tool", true }, /* folded stacks have no modules */
		{ "/usr/lib/libz.so.1", "", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair p;
		pair_init(&p);
		add_code_sample(&p.side[DIFF_BASE],
				module_named(&p.side[DIFF_BASE], rows[i].base, "aa"), "work", 40);
		add_code_sample(&p.side[DIFF_NEW],
				module_named(&p.side[DIFF_NEW], rows[i].new, "bb"), "work", 40);
		compare(&p);
		expect_sums(&p);
		assert_int_equal(p.diff.tree.nodes.len, rows[i].matched ? 2 : 3);
		pair_release(&p);
	}
}

/* Two of a name cannot be told apart by it; those with the same path can. */
static void test_modules_of_one_name(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct build *b = &p.side[side];
		add_code_sample(b, module_named(b, "/a/libp.so", "aa"), "init", 10);
		add_code_sample(b, module_named(b, side ? "/c/libp.so" : "/b/libp.so", "bb"),
				"init", 10);
	}
	compare(&p);
	expect_sums(&p);
	/* /a is the same, and what is left of the name is one on each side. */
	assert_int_equal(p.diff.tree.nodes.len, 3);
	pair_release(&p);
	pair_init(&p);
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct build *b = &p.side[side];
		add_code_sample(b, module_named(b, side ? "/c/libp.so" : "/a/libp.so", "aa"),
				"init", 10);
		add_code_sample(b, module_named(b, side ? "/d/libp.so" : "/b/libp.so", "bb"),
				"init", 10);
	}
	compare(&p);
	assert_int_equal(p.diff.tree.nodes.len, 5);
	pair_release(&p);
}

/* Addresses are compared in the same build only. */
static void test_code_without_names(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct pair p;
		pair_init(&p);
		for (int side = 0; side < DIFF_SIDES; side++) {
			struct build *b = &p.side[side];
			uint32_t module =
				module_named(b, "/opt/stripped", same || side ? "aa" : "bb");
			for (unsigned i = 0; i < 30; i++)
				build_sample(b, PROFILE_NONE, module, 0x1000 + 0x100 * (i % 3), 1);
		}
		compare(&p);
		expect_sums(&p);
		if (same)
			expect(&p, "[unknown stripped+0x1100]", 10, 10, 10, 10);
		else
			expect(&p, "[unknown stripped]", 30, 30, 30, 30);
		assert_int_equal(p.diff.tree.nodes.len, same ? 4 : 2);
		pair_release(&p);
	}
}

/* Two events of one profile. */
static void test_events_of_one_profile(void **state)
{
	struct build b;
	struct filter_result all;
	struct difftree d;

	(void)state;
	build_init(&b);
	uint32_t first = b.event, second = build_event(&b, "after", UNIT_COUNT);
	add(&b, "main;a", 1, 50);
	b.event = second;
	add(&b, "main;b", 1, 70);
	build_finish(&b, &all);
	struct diff_source sources[DIFF_SIDES] = { { &b.profile, &all, first },
						   { &b.profile, &all, second } };
	difftree_build(&d, sources, false, &(struct calltree_options){ 0 });
	assert_true(d.side[DIFF_BASE].total == 50 && d.side[DIFF_NEW].total == 70);
	assert_int_equal(d.tree.nodes.len, 4);
	difftree_release(&d);
	filter_result_release(&all);
	build_release(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_bottom_up),
		cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_same_is_grey),
		cmocka_unit_test(test_known_change),
		cmocka_unit_test(test_chance_is_grey),
		cmocka_unit_test(test_few_samples),
		cmocka_unit_test(test_summed_up),
		cmocka_unit_test(test_nothing_on_a_side),
		cmocka_unit_test(test_rows_for_what_was_not_seen),
		cmocka_unit_test(test_modules_are_matched),
		cmocka_unit_test(test_modules_of_one_name),
		cmocka_unit_test(test_code_without_names),
		cmocka_unit_test(test_events_of_one_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
