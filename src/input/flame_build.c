/* The tree of a flame graph made a profile: nodes to stacks, cells to samples of threads. */
#include "input/flame_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/flame_recorded.h"
#include "input/stacks.h"

#define SAMPLES_MAX ((uint64_t)4 << 20)
#define WEIGHT_MAX  ((uint64_t)INT64_MAX)
#define START_NS    1 /* where the profile begins: 0 would be no time */

/* A node of the tree as code. */
struct code {
	struct stacks_place place;
	uint32_t location; /* PROFILE_NONE: no name */
	uint32_t below;	   /* trie node it was called from */
	uint32_t call;	   /* of a call made there, once there is one (has_call) */
	uint32_t task;
	uint32_t depth; /* calls above it */
	bool has_call, guessed;
	bool has_guess; /* it or one that called it */
	bool is_cut;	/* a row that says why frames are missing */
};

struct flame {
	struct profile *p;
	struct stacks stacks;
	const struct flame_tree *tree;
	VEC(struct code) code;	/* by node */
	uint32_t first_thread;	/* task of the tree's first one */
	struct flame_ends ends; /* of the event that samples are added of */
	uint64_t samples, limited, deep;
};

static uint8_t module_kind(const struct flame_tree_frame *f)
{
	switch (f->kind) {
	case FLAME_LIBRARY:
		return memmem(f->module.s, f->module.len, ".so", 3) ? MODULE_FILE : MODULE_VDSO;
	case FLAME_KERNEL:
		return MODULE_KERNEL;
	case FLAME_JIT:
		return MODULE_JIT;
	case FLAME_UNKNOWN:
		return MODULE_UNKNOWN;
	case FLAME_SYNTHETIC:
	case FLAME_THREAD:
		return MODULE_SYNTHETIC;
	default:
		return MODULE_FILE;
	}
}

static bool is_file_name(struct flame_string path, const char *name, size_t len)
{
	return len > 0 && path.len >= len && memcmp(path.s + path.len - len, name, len) == 0 &&
	       (path.len == len || path.s[path.len - len - 1] == '/');
}

/* "[unknown app+0x1234]", in app, and "[unknown 0x1234]" have no name: an address is all that is
 * known. */
static bool unknown_address(const struct flame_tree_frame *f, uint64_t *address, bool *in_file)
{
	static const char start[] = "[unknown ";
	char hex[20];
	const char *name = f->name.s, *end = name + f->name.len, *place = name + sizeof(start) - 1;

	if (f->name.len < sizeof(start) || memcmp(name, start, sizeof(start) - 1) != 0 ||
	    end[-1] != ']')
		return false;
	const char *at = end - 1;
	while (at > place && strchr("0123456789abcdef", at[-1]))
		at--;
	size_t digits = (size_t)(end - 1 - at);
	if (digits == 0 || digits > 16 || at - place < 2 || memcmp(at - 2, "0x", 2) != 0)
		return false;
	memcpy(hex, at, digits);
	hex[digits] = '\0';
	*address = strtoull(hex, NULL, 16);
	at -= 2;
	*in_file = at > place;
	return !*in_file ||
	       (at[-1] == '+' && is_file_name(f->module, place, (size_t)(at - 1 - place)));
}

static void set_declaration(struct flame *r, uint32_t location, const struct flame_tree_frame *f)
{
	const struct profile_location *l = &r->p->locations.data[location];
	uint32_t function = r->p->frames.data[l->first_frame].function;

	if (f->file.len)
		r->p->functions.data[function].file =
			strtab_add(&r->p->strings, f->file.s, f->file.len);
	r->p->functions.data[function].line = f->line;
}

static void place_unknown(struct flame *r, struct code *c, const struct flame_tree_frame *f,
			  uint64_t address, bool in_file)
{
	uint8_t kind = f->kind != FLAME_UNKNOWN ? module_kind(f)
		       : in_file		? MODULE_FILE
						: MODULE_ANON;

	c->place = (struct stacks_place){
		.address = address,
		.module = stacks_module(&r->stacks, f->module.s, f->module.len, kind),
	};
}

static void place_function(struct flame *r, struct code *c, const struct flame_tree_frame *f)
{
	static const struct flame_string small = { "(small frames)", 14 };
	struct flame_string name = f == r->tree->frames.data ? small : f->name;
	uint8_t kind = module_kind(f);
	struct flame_string path =
		kind == MODULE_SYNTHETIC && f->module.len == 0 ? name : f->module;
	uint32_t module = stacks_module(&r->stacks, path.s, path.len, kind);

	c->location = stacks_function(&r->stacks, name.s, name.len, module);
	c->place = stacks_place(&r->stacks, c->location);
	set_declaration(r, c->location, f);
}

static bool is_called(struct flame_string s, const char *name)
{
	return s.len == strlen(name) && memcmp(s.s, name, s.len) == 0;
}

/* As call trees and recordings call such rows. */
static bool is_cut_row(const struct flame_tree_frame *f)
{
	static const char *const names[] = { SYNTHETIC_TRUNCATED,      SYNTHETIC_CUT_NO_CFI,
					     SYNTHETIC_CUT_UNREADABLE, SYNTHETIC_CUT_NO_MAPPING,
					     SYNTHETIC_CUT_DEPTH,      SYNTHETIC_CUT_LOOP,
					     SYNTHETIC_CUT_OTHER_STACK };

	if (f->kind != FLAME_SYNTHETIC)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (is_called(f->name, names[i]))
			return true;
	for (uint8_t end = END_TRUNCATED; end < END_COUNT; end++)
		if (is_called(f->name, stack_end_name(end)))
			return true;
	return false;
}

static uint32_t call_of(struct flame *r, struct code *c)
{
	if (!c->has_call) {
		c->call = stacks_call(&r->stacks, c->below, c->place, false);
		c->has_call = true;
		if (c->guessed)
			r->p->nodes.data[c->call].how = FRAME_GUESSED;
		if (c->is_cut)
			r->p->nodes.data[c->call].how = FRAME_CUT;
	}
	return c->call;
}

/* "comm (12)" or "comm". */
static uint32_t add_task(struct profile *p, struct flame_string name)
{
	struct profile_task task = { .space = PROFILE_NONE };
	size_t at = name.len;
	uint64_t tid = 0, unit = 1;

	if (at > 3 && name.s[at - 1] == ')') {
		for (at--;
		     at > 0 && name.s[at - 1] >= '0' && name.s[at - 1] <= '9' && unit < 1000000000;
		     at--, unit *= 10)
			tid += (uint64_t)(name.s[at - 1] - '0') * unit;
		bool is_tid = unit > 1 && at > 2 && memcmp(name.s + at - 2, " (", 2) == 0;
		name.len = is_tid ? at - 2 : name.len;
		task.tid = task.pid = is_tid ? (uint32_t)tid : 0;
	}
	task.comm = strtab_add(&p->strings, name.s, name.len);
	vec_push(&p->tasks, task);
	return (uint32_t)p->tasks.len - 1;
}

/* The threads that cells are of, and the processes they belong to. */
static void add_threads(struct flame *r)
{
	struct hmap known = { 0 };
	size_t count = r->tree->threads.len;

	r->first_thread = (uint32_t)r->p->tasks.len;
	for (size_t i = 0; i < count; i++) {
		const struct flame_tree_thread *t = &r->tree->threads.data[i];
		static const struct flame_string others = { "other threads", 13 };
		uint32_t id = add_task(r->p, t->name.len ? t->name : others);
		struct profile_task *task = &r->p->tasks.data[id];
		task->tid = t->tid;
		task->pid = t->pid;
		hmap_put(&known, t->tid, 1);
	}
	for (size_t i = 0; i < count; i++) {
		const struct flame_tree_thread *t = &r->tree->threads.data[i];
		if (t->process.len == 0 || hmap_get(&known, t->pid) != HMAP_NONE)
			continue;
		struct profile_task leader = { .space = PROFILE_NONE,
					       .tid = t->pid,
					       .pid = t->pid };
		leader.comm = strtab_add(&r->p->strings, t->process.s, t->process.len);
		vec_push(&r->p->tasks, leader);
		hmap_put(&known, t->pid, 1);
	}
	hmap_release(&known);
}

/* A root of stacks: the whole, or a thread. It has no code. */
static struct code root_code(struct flame *r, uint32_t task)
{
	struct code c = { .location = PROFILE_NONE,
			  .below = PROFILE_NONE,
			  .call = PROFILE_NONE,
			  .has_call = true,
			  .task = task };
	uint32_t module = stacks_module(&r->stacks, "[no stack]", 10, MODULE_SYNTHETIC);

	c.place = (struct stacks_place){ .module = module };
	return c;
}

/* Of a row: the thread of cells that is called so, or one of its own. */
static uint32_t row_task(struct flame *r, struct flame_string name)
{
	for (uint32_t i = 0; i < r->tree->threads.len; i++) {
		struct flame_string known = r->tree->threads.data[i].name;
		if (known.len == name.len && memcmp(known.s, name.s, name.len) == 0)
			return r->first_thread + i;
	}
	return add_task(r->p, name);
}

/* Not code of its own: what its parent has itself between two calls. */
static bool is_own_time(const struct flame_tree *t, const struct flame_tree_frame *f)
{
	static const char name[] = "[self]";

	return t->is_chart && f->kind == FLAME_SYNTHETIC && f->name.len == sizeof(name) - 1 &&
	       memcmp(f->name.s, name, sizeof(name) - 1) == 0;
}

static void add_code(struct flame *r, uint32_t node)
{
	const struct flame_tree_node *n = &r->tree->nodes.data[node];
	const struct flame_tree_frame *f = &r->tree->frames.data[n->frame];
	struct code *parent = &r->code.data[n->parent], c;
	uint64_t address;
	bool in_file;

	if (is_own_time(r->tree, f)) {
		c = *parent;
	} else if (parent->depth >= PROFILE_DEPTH_MAX) {
		c = *parent;
		r->deep++;
	} else if (n->parent == 0 && f->kind == FLAME_THREAD) {
		c = root_code(r, row_task(r, f->name));
	} else if (f->kind == FLAME_INLINED && parent->location != PROFILE_NONE) {
		c = *parent;
		c.has_call = false;
		c.location = stacks_inline(&r->stacks, parent->location, f->name.s, f->name.len);
		c.place = stacks_place(&r->stacks, c.location);
		set_declaration(r, c.location, f);
	} else {
		c = (struct code){ .location = PROFILE_NONE,
				   .below = call_of(r, parent),
				   .task = parent->task,
				   .depth = parent->depth + 1,
				   .guessed = f->guessed,
				   .is_cut = is_cut_row(f) };
		if (unknown_address(f, &address, &in_file))
			place_unknown(r, &c, f, address, in_file);
		else
			place_function(r, &c, f);
	}
	c.has_guess = parent->has_guess || f->guessed;
	vec_push(&r->code, c);
}

/* A part of time; from_end: what is in it reaches its end, but not its beginning. */
struct part {
	uint64_t start_ns, length_ns;
	bool from_end;
};

static uint64_t time_in(const struct part *part, uint64_t i, uint64_t count)
{
	if (part->length_ns == 0)
		return part->start_ns;
	uint64_t away = part->length_ns / count * i;
	return part->start_ns + (part->from_end ? part->length_ns - 1 - away : away);
}

/* As many samples as there were, of equal weights, or one for them all; evenly over part. */
static void add_samples(struct flame *r, uint32_t node, struct profile_sample like,
			const struct flame_tree_weight *w, const struct part *part)
{
	const struct code *c = &r->code.data[node];
	uint64_t weight = w->self <= WEIGHT_MAX ? w->self : WEIGHT_MAX;
	uint64_t count = r->samples <= SAMPLES_MAX && w->samples ? w->samples : 1;

	if (w->samples == 0 && w->self == 0)
		return;
	like.flags = w->samples ? 0 : SAMPLE_SYNTHETIC;
	/* Of each sample, where that is told. */
	bool knows_ends = r->tree->recorded.is_known && count == w->samples;
	if (c->has_guess && !knows_ends)
		like.flags |= SAMPLE_GUESSED;
	r->limited += w->self > WEIGHT_MAX;
	for (uint64_t i = 0; i < count; i++) {
		like.weight = weight / count + (i < weight % count);
		like.time_ns = time_in(part, i, count);
		struct profile_sample s = like;
		if (knows_ends)
			flame_ends_take(&r->ends, node, &s);
		stacks_sample(&r->stacks, c->below, c->place, &s);
	}
}

/* The first slice begins with a sample, and the last one ends with one, so that the same time is
 * cut into the same slices again. Nothing is at 0, which would be no time. */
static struct part slice_part(const struct flame_tree *t, uint32_t slice)
{
	uint64_t begin = START_NS + t->start_ns;

	if (t->slices < 2)
		return (struct part){ 0 };
	if (!t->is_even)
		return (struct part){ begin + slice * t->slice_ns, t->slice_ns, false };
	unsigned __int128 length = t->end_ns - t->start_ns;
	uint64_t from = (uint64_t)((length * slice + t->slices - 1) / t->slices);
	uint64_t to = (uint64_t)((length * (slice + 1) + t->slices - 1) / t->slices);
	return (struct part){ begin + from, to - from, slice + 1 == t->slices };
}

static void add_cells(struct flame *r, uint16_t event)
{
	const struct flame_tree_metric *m = &r->tree->metrics.data[event];

	for (size_t i = 0; i < m->cells.len; i++) {
		const struct flame_tree_cell *cell = &m->cells.data[i];
		struct profile_sample like = { .cpu = PROFILE_CPU_UNKNOWN,
					       .event = event,
					       .task = r->first_thread + cell->thread };
		struct part part = slice_part(r->tree, cell->slice);
		add_samples(r, cell->node, like, &cell->weight, &part);
	}
}

static void add_event_samples(struct flame *r, uint16_t event)
{
	const struct flame_tree_metric *m = &r->tree->metrics.data[event];
	const struct part no_time = { 0 };

	r->ends = (struct flame_ends){ .metric = m };
	if (m->flags & FLAME_METRIC_CELLED) {
		add_cells(r, event);
		return;
	}
	for (uint32_t node = 0; node < r->tree->nodes.len; node++) {
		struct profile_sample like = { .cpu = PROFILE_CPU_UNKNOWN,
					       .event = event,
					       .task = r->code.data[node].task };
		add_samples(r, node, like, &m->weights.data[node], &no_time);
	}
}

static void count_samples(struct flame *r)
{
	for (size_t m = 0; m < r->tree->metrics.len; m++) {
		for (size_t i = 0; i < r->tree->nodes.len; i++) {
			uint64_t samples = r->tree->metrics.data[m].weights.data[i].samples;
			if (__builtin_add_overflow(r->samples, samples, &r->samples))
				r->samples = UINT64_MAX;
		}
	}
}

static void note(struct profile *p, uint32_t *warnings, const char *text)
{
	vec_push(&p->notes, strtab_add_str(&p->strings, text));
	++*warnings;
}

static void build(struct flame *r, uint32_t *warnings)
{
	struct profile_task all = { .space = PROFILE_NONE, .flags = TASK_UNKNOWN };
	char text[160];

	vec_push(&r->p->tasks, all);
	add_threads(r);
	vec_push(&r->code, root_code(r, 0));
	for (uint32_t node = 1; node < r->tree->nodes.len; node++)
		add_code(r, node);
	count_samples(r);
	for (uint16_t event = 0; event < r->tree->metrics.len; event++)
		add_event_samples(r, event);
	flame_recorded_apply(r->p, r->tree,
			     r->tree->threads.len > 0 && r->tree->slices > 1 ? START_NS : 0);
	if (r->samples > SAMPLES_MAX) {
		snprintf(text, sizeof(text),
			 "there are %" PRIu64
			 " samples: those with the same stack were read as one",
			 r->samples);
		note(r->p, warnings, text);
	}
	if (r->deep)
		note(r->p, warnings, "stacks were cut where they are 4096 frames deep");
	if (r->limited)
		note(r->p, warnings, "weights beyond 2^63 were cut to it");
}

bool flame_build(struct profile *p, const struct flame_tree *tree, uint32_t *warnings)
{
	struct flame r = { .p = p, .tree = tree };

	stacks_init(&r.stacks, p);
	build(&r, warnings);
	stacks_release(&r.stacks);
	vec_release(&r.code);
	return r.samples <= SAMPLES_MAX;
}
