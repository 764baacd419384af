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
#include "output/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "fuzz_views: %s\n", what);
	abort();
}

static uint32_t id_or_none(uint8_t byte, size_t count)
{
	return byte == 0xff || count == 0 ? PROFILE_NONE : (uint32_t)(byte % count);
}

static void add_strings(struct profile *p, struct bytes_reader *r)
{
	unsigned count = reader_u8(r) % 16;

	for (unsigned i = 0; i < count; i++) {
		size_t len = reader_u8(r) % 40;
		const uint8_t *bytes = reader_take(r, len);
		if (bytes)
			strtab_add(&p->strings, (const char *)bytes, len);
	}
}

static uint32_t any_string(const struct profile *p, struct bytes_reader *r)
{
	return (uint32_t)(reader_u8(r) % p->strings.strings.len);
}

static void add_modules(struct profile *p, struct bytes_reader *r)
{
	unsigned count = 1 + reader_u8(r) % 6;

	for (unsigned i = 0; i < count; i++) {
		struct profile_module m = { .path = any_string(p, r),
					    .note = any_string(p, r),
					    .kind = reader_u8(r) % 8,
					    .symbols = reader_u8(r) % 9 };
		vec_push(&p->modules, m);
	}
}

static void add_names(struct profile *p, struct bytes_reader *r)
{
	unsigned functions = reader_u8(r) % 16, frames = functions ? reader_u8(r) % 32 : 0;
	unsigned locations = reader_u8(r) % 32;

	for (unsigned i = 0; i < functions; i++) {
		struct profile_function f = { .name = any_string(p, r),
					      .linkage = any_string(p, r),
					      .file = any_string(p, r),
					      .line = reader_u8(r) };
		f.module = id_or_none(reader_u8(r), p->modules.len);
		vec_push(&p->functions, f);
	}
	for (unsigned i = 0; i < frames; i++) {
		struct profile_frame f = { .function = reader_u8(r) % functions,
					   .line = reader_u8(r) };
		vec_push(&p->frames, f);
	}
	for (unsigned i = 0; i < locations; i++) {
		struct profile_location l = { .address = reader_u8(r) % 64 };
		l.module = (uint32_t)(reader_u8(r) % p->modules.len);
		l.first_frame = frames ? reader_u8(r) % frames : 0;
		l.frame_count = frames ? reader_u8(r) % (frames - l.first_frame + 1) : 0;
		vec_push(&p->locations, l);
	}
}

static void add_nodes(struct profile *p, struct bytes_reader *r)
{
	unsigned count = reader_u8(r);

	for (unsigned i = 0; i < count; i++) {
		struct profile_node n = { .address = reader_u8(r) % 64, .how = reader_u8(r) % 10 };
		n.module = (uint32_t)(reader_u8(r) % p->modules.len);
		n.parent = id_or_none(reader_u8(r), i);
		vec_push(&p->nodes, n);
	}
}

static void add_tasks_and_events(struct profile *p, struct bytes_reader *r)
{
	unsigned tasks = 1 + reader_u8(r) % 5, events = reader_u8(r) % 4, runs = reader_u8(r) % 3;

	for (unsigned i = 0; i < tasks; i++) {
		struct profile_task t = { .pid = reader_u8(r) % 3, .tid = reader_u8(r) % 3 };
		t.comm = any_string(p, r);
		t.space = PROFILE_NONE;
		vec_push(&p->tasks, t);
	}
	for (unsigned i = 0; i < events; i++) {
		struct profile_event e = { .name = any_string(p, r), .unit = reader_u8(r) % 4 };
		vec_push(&p->events, e);
	}
	for (unsigned i = 0; i < runs; i++) {
		struct profile_run run = { .command = any_string(p, r), .tool = any_string(p, r) };
		run.start_ns = reader_u8(r);
		run.end_ns = reader_u8(r);
		run.start_realtime_ns = reader_u64(r);
		run.machine = PROFILE_NONE;
		vec_push(&p->runs, run);
	}
}

static void add_samples(struct profile *p, struct bytes_reader *r)
{
	while (reader_left(r) >= 8 && p->events.len) {
		struct profile_sample s = { .time_ns = reader_u8(r),
					    .leaf_address = reader_u8(r) % 64 };
		s.weight = reader_u8(r);
		if (s.weight > 250)
			s.weight = UINT64_MAX - s.weight;
		s.task = (uint32_t)(reader_u8(r) % p->tasks.len);
		s.node = id_or_none(reader_u8(r), p->nodes.len);
		s.leaf_module = (uint32_t)(reader_u8(r) % p->modules.len);
		s.event = (uint16_t)(reader_u8(r) % p->events.len);
		uint8_t how = reader_u8(r);
		s.end = how & 15;
		s.flags = how >> 4;
		vec_push(&p->samples, s);
	}
}

/* Made of what the samples are: the tables above must read the same bytes as before these were. */
static void add_excerpts(struct profile *p, const uint8_t *data, size_t size, uint8_t bits)
{
	size_t len = size < 64 ? size : 64;
	static const char *const architectures[] = { "x86_64", "aarch64", "", "other" };
	struct profile_machine m = { .architecture =
					     strtab_add_str(&p->strings, architectures[bits % 4]) };

	vec_push(&p->machines, m);
	for (size_t i = 0; i < len; i++)
		vec_push(&p->blob, data[size - 1 - i]);
	for (uint32_t i = 0; i < 4; i++) {
		struct profile_code c = { .module = (uint32_t)(i % p->modules.len),
					  .address = i == 3 ? UINT64_MAX - 5 : i * 7,
					  .offset = (uint32_t)len / 4 * i,
					  .length = (uint32_t)len / 4 };
		struct profile_source s = { .file = i % (uint32_t)p->strings.strings.len,
					    .first_line = i == 3 ? UINT32_MAX : i,
					    .offset = c.offset,
					    .length = c.length };
		vec_push(&p->code, c);
		vec_push(&p->sources, s);
	}
	for (size_t i = 0; i < p->frames.len; i++)
		p->frames.data[i].file = (uint32_t)(i % p->strings.strings.len);
}

static void fill(struct profile *p, struct bytes_reader *r)
{
	profile_init(p);
	add_strings(p, r);
	add_modules(p, r);
	add_names(p, r);
	add_nodes(p, r);
	add_tasks_and_events(p, r);
	p->health.requested_rate = reader_u8(r);
	p->health.target_cpu_ns = reader_u8(r);
	p->health.due = reader_u8(r);
	p->health.lost_own = reader_u8(r) % 8;
	add_samples(p, r);
	profile_index(p);
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
	struct annotate_choice choice = { .function = bits & 1 ? name : NULL,
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
	fill(&p, &r);
	add_excerpts(&p, data, size, bits);
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
