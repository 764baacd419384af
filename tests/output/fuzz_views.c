/*
 * Fuzzing everything that reads a profile: tables of any shape that are consistent (as readers
 * ensure) go through every filter word, tree and output; sums must hold. The input is a stream of
 * small numbers that fill the tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/condition.h"
#include "analysis/flat.h"
#include "analysis/health.h"
#include "made_profile.h"
#include "output/output.h"

/* Page faults were counted with samples of the first event, a clock then; some lack them. */
static void add_counts(struct profile *p, uint8_t bits)
{
	struct profile_event faults = { .name = strtab_add_str(&p->strings, "page-faults"),
					.group = 1 };
	struct profile_group group = { .known = bits, .counters = bits % COUNTERS_KINDS };

	if (!p->events.len || !(bits & 64))
		return;
	p->events.data[0].name = strtab_add_str(&p->strings, "task-clock");
	p->events.data[0].unit = UNIT_NS;
	p->events.data[0].group = 1;
	vec_push(&p->events, faults);
	uint16_t member = (uint16_t)(p->events.len - 1);
	for (uint32_t i = 0; i < p->samples.len; i++) {
		uint64_t h = hash_u64(i * 256u + bits);
		struct profile_count clock = { h >> (h & 63), i, 0 };
		struct profile_count count = { h & 31, i, member };
		if (p->samples.data[i].event != 0 || h % 7 == 0)
			continue;
		vec_push(&p->counts, clock);
		vec_push(&p->counts, count);
	}
	vec_push(&p->groups, group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "fuzz_views: %s\n", what);
	abort();
}

static void check_tree(const struct calltree *t)
{
	uint64_t selfs = 0;

	for (uint32_t i = 0; i < t->nodes.len; i++) {
		const struct calltree_node *n = &t->nodes.data[i];
		uint64_t children = 0;
		selfs += n->self;
		check(i ? n->parent < i : n->parent == PROFILE_NONE, "parents precede children");
		for (uint32_t c = n->first_child; c != PROFILE_NONE;
		     c = t->nodes.data[c].next_sibling)
			children += t->nodes.data[c].total;
		check(n->total == n->self + children, "a total is self and children");
	}
	check(selfs == t->total, "selfs sum to the total");
}

static void try_trees(const struct profile *p, const struct filter_result *r, uint32_t event,
		      uint8_t bits)
{
	struct calltree_options o = { .by_thread = bits & 1,
				      .by_comm = bits & 2,
				      .no_inline = bits & 4,
				      .names = (bits >> 3) % 3,
				      .by_module = bits & 16,
				      .by_line = bits & 32,
				      .merge_recursion = bits & 64,
				      .no_end_markers = bits & 128 };
	struct calltree t;
	uint64_t totals[2];

	for (int inverted = 0; inverted < 2; inverted++) {
		o.inverted = inverted;
		calltree_build(&t, p, r, event, &o);
		check_tree(&t);
		totals[inverted] = t.total;
		calltree_release(&t);
	}
	check(totals[0] == totals[1], "both trees have the same total");
}

static void try_flat(const struct profile *p, const struct filter_result *r, uint32_t event,
		     enum flat_by by)
{
	struct calltree_options o = { .no_inline = false };
	struct flat f;
	uint64_t selfs = 0;

	flat_build(&f, p, r, event, by, &o);
	for (size_t i = 0; i < f.rows.len; i++) {
		selfs += f.rows.data[i].self;
		check(f.rows.data[i].self <= f.rows.data[i].total, "self is within total");
		check(by == FLAT_BY_EVENT || f.rows.data[i].total <= f.total,
		      "total is within all");
	}
	check(by == FLAT_BY_EVENT || selfs == f.total, "selfs of rows sum to the total");
	flat_release(&f);
}

static void try_condition(const struct profile *p, const struct filter_result *r, uint32_t event,
			  uint8_t bits)
{
	char name[] = "*";
	struct condition c = { .is_total = bits & 1,
			       .is_below = bits & 2,
			       .limit = (double)bits / 255,
			       .functions = name };
	struct condition_result result;
	struct calltree_options frames = { .no_inline = bits & 4 };

	check(condition_evaluate(&c, p, r, event, &frames, &result, NULL) == 0, "it is a pattern");
	check(result.share >= 0 && result.share < 1.000001, "a share is of all");
}

static void try_outputs(const struct profile *p, const struct filter_result *r, uint32_t event,
			uint8_t bits)
{
	struct bytes out = { NULL, 0, 0 };
	const char *name = p->functions.len ? profile_str(p, p->functions.data[0].name) : "x";
	struct report_options o = {
		.format = bits % 4, .by = bits % 7, .width = bits, .unicode = bits & 1
	};
	struct folded_options folded = { .count = bits & 1, .bytes_limit = 1u << (bits % 20) };

	o.limit = bits % 5;
	output_report(&out, p, r, event, &o, NULL);
	if (o.by != FLAT_BY_EVENT)
		o.columns = "faults-per-second";
	output_report(&out, p, r, event, &o, NULL);
	o.columns = NULL;
	o.tree = true;
	o.frames.inverted = bits & 2;
	output_report(&out, p, r, event, &o, NULL);
	o.callers = bits & 4 ? name : NULL;
	o.callees = bits & 4 ? NULL : name;
	output_report(&out, p, r, event, &o, NULL);
	o.callers = o.callees = NULL;
	o.peek = name;
	output_report(&out, p, r, event, &o, NULL);
	output_folded(&out, p, r, event, &folded);
	output_info(&out, p, bits & 1, bits & 2);
	for (size_t i = 0; i < out.len; i++)
		check(out.data[i] >= 0x20 || (out.data[i] && strchr("\n\t\r", out.data[i])),
		      "no control characters");
	bytes_release(&out);
}

static void check_annotation(const struct annotation *a)
{
	uint64_t lines = 0, addresses = 0;

	for (size_t i = 0; i < a->lines.len; i++) {
		uint64_t inlined = 0;
		const struct annotated_line *row = &a->lines.data[i];
		for (uint32_t k = 0; k < row->inlined_count; k++)
			inlined += a->inlined.data[row->first_inlined + k].all.weight;
		check(row->own + inlined == row->all.weight,
		      "a line is its own and what is inlined");
		lines += row->all.weight;
	}
	for (size_t i = 0; i < a->addresses.len; i++)
		addresses += a->addresses.data[i].all.weight;
	check(lines == a->all.weight, "lines sum to the function");
	check(addresses == a->all.weight, "addresses sum to the function");
	check(a->all.weight <= a->total, "the function is within all");
}

static void try_annotate(const struct profile *p, const struct filter_result *r, uint32_t event,
			 uint8_t bits)
{
	struct annotation a;
	struct source_texts texts;
	struct bytes out = { NULL, 0, 0 };
	const char *name = p->functions.len ? profile_str(p, p->functions.data[0].name) : "x";
	struct annotate_choice choice = { .columns = p->counts.len ? "faults-per-second" : NULL,
					  .function = bits & 1 ? name : NULL,
					  .of_all = bits & 2,
					  .frames.no_inline = bits & 4 };
	struct annotate_options o = { .json = bits & 8,
				      .view = bits % 3,
				      .whole = bits & 16,
				      .unicode = bits & 32,
				      .att = bits & 64,
				      .width = bits };

	if (annotate_build(&a, p, r, event, &choice, NULL) < 0)
		return;
	check_annotation(&a);
	source_texts_init(&texts, p);
	output_annotate(&out, &a, &texts, &o);
	for (size_t i = 0; i < out.len; i++)
		check(out.data[i] >= 0x20 || out.data[i] == '\n' || out.data[i] == '\t',
		      "no control characters in an annotation");
	source_texts_release(&texts);
	annotate_release(&a);
	bytes_release(&out);
}

static int make_filter(struct filter **f, const struct profile *p, struct bytes_reader *r,
		       uint8_t word)
{
	char text[24] = { 0 };
	struct filter_spec spec = { .time = NULL };
	const char **words[] = { &spec.time,   &spec.comm,  &spec.pid,	 &spec.tid,   &spec.module,
				 &spec.symbol, &spec.event, &spec.focus, &spec.ignore };
	size_t len = reader_u8(r) % (sizeof(text) - 1);

	reader_copy(r, text, len);
	/* Repetition counts of regular expressions multiply: not what is tested here. */
	for (char *brace; (brace = strchr(text, '{'));)
		*brace = '.';
	if (word % 10 < 9)
		*words[word % 10] = text;
	return filter_new(f, p, &spec, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;
	struct bytes_reader r;
	struct filter *f;
	struct filter_result samples;

	reader_init(&r, data, size);
	uint8_t bits = reader_u8(&r), word = reader_u8(&r);
	struct bytes_reader head = r;
	reader_take(&r, reader_left(&r) < 32 ? reader_left(&r) : 32);
	made_profile(&p, &r, data, size, bits);
	add_counts(&p, bits);
	check(profile_is_consistent(&p), "the made-up profile is consistent");
	if (make_filter(&f, &p, &head, word) == 0) {
		filter_apply(f, &samples);
		try_trees(&p, &samples, filter_event(f), bits);
		try_flat(&p, &samples, filter_event(f), bits % 7);
		try_outputs(&p, &samples, filter_event(f), bits);
		try_condition(&p, &samples, filter_event(f), bits);
		try_annotate(&p, &samples, filter_event(f), bits);
		filter_result_release(&samples);
		filter_free(f);
	}
	profile_release(&p);
	return 0;
}
