/*
 * A flame graph that prof drew, SVG or HTML: the tree it embeds. What the tree does not keep is
 * gone: times, and addresses but of unknown code. Rows of threads and commands become tasks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/base91.h"
#include "base/compress.h"
#include "base/io.h"
#include "input/flame_tree.h"
#include "input/formats.h"
#include "input/stacks.h"

#define FILE_MAX    ((size_t)256 << 20)
#define TREE_MAX    ((size_t)512 << 20)
#define SAMPLES_MAX ((uint64_t)4 << 20)
#define WEIGHT_MAX  ((uint64_t)INT64_MAX)
/* Nothing that is said in the file comes before: names in it are escaped. */
/* Only the first version of the tree has it. */
#define UNIT_ATTRIBUTE " data-unit=\""
#define TREE_TAG       "<metadata class=\"prof-tree\""

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
};

struct flame {
	struct profile *p;
	struct stacks stacks;
	struct flame_tree tree;
	VEC(struct code) code; /* by node */
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
	struct flame_string name = f == r->tree.frames.data ? small : f->name;
	uint8_t kind = module_kind(f);
	struct flame_string path =
		kind == MODULE_SYNTHETIC && f->module.len == 0 ? name : f->module;
	uint32_t module = stacks_module(&r->stacks, path.s, path.len, kind);

	c->location = stacks_function(&r->stacks, name.s, name.len, module);
	c->place = stacks_place(&r->stacks, c->location);
	set_declaration(r, c->location, f);
}

static uint32_t call_of(struct flame *r, struct code *c)
{
	if (!c->has_call) {
		c->call = stacks_call(&r->stacks, c->below, c->place, false);
		c->has_call = true;
		if (c->guessed)
			r->p->nodes.data[c->call].how = FRAME_GUESSED;
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

static void add_code(struct flame *r, uint32_t node)
{
	const struct flame_tree_node *n = &r->tree.nodes.data[node];
	const struct flame_tree_frame *f = &r->tree.frames.data[n->frame];
	struct code *parent = &r->code.data[n->parent], c;
	uint64_t address;
	bool in_file;

	if (parent->depth >= PROFILE_DEPTH_MAX) {
		c = *parent;
		r->deep++;
	} else if (n->parent == 0 && f->kind == FLAME_THREAD) {
		c = root_code(r, add_task(r->p, f->name));
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
				   .guessed = f->guessed };
		if (unknown_address(f, &address, &in_file))
			place_unknown(r, &c, f, address, in_file);
		else
			place_function(r, &c, f);
	}
	c.has_guess = parent->has_guess || f->guessed;
	vec_push(&r->code, c);
}

/* As many samples as there were, of equal weights, or one for them all. */
static void add_samples(struct flame *r, uint16_t event, uint32_t node, bool one_by_one)
{
	const struct flame_tree_weight *w = &r->tree.metrics.data[event].weights.data[node];
	const struct code *c = &r->code.data[node];
	struct profile_sample like = { .task = c->task,
				       .event = event,
				       .flags = w->samples ? 0 : SAMPLE_SYNTHETIC };
	uint64_t weight = w->self <= WEIGHT_MAX ? w->self : WEIGHT_MAX;
	uint64_t count = one_by_one && w->samples ? w->samples : 1;

	if (w->samples == 0 && w->self == 0)
		return;
	if (c->has_guess)
		like.flags |= SAMPLE_GUESSED;
	r->limited += w->self > WEIGHT_MAX;
	for (uint64_t i = 0; i < count; i++) {
		like.weight = weight / count + (i < weight % count);
		stacks_sample(&r->stacks, c->below, c->place, &like);
	}
}

static void count_samples(struct flame *r)
{
	for (size_t m = 0; m < r->tree.metrics.len; m++) {
		for (size_t i = 0; i < r->tree.nodes.len; i++) {
			uint64_t samples = r->tree.metrics.data[m].weights.data[i].samples;
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
	r->p->health.complete = 1;
	vec_push(&r->code, root_code(r, 0));
	for (uint32_t node = 1; node < r->tree.nodes.len; node++)
		add_code(r, node);
	count_samples(r);
	for (uint16_t event = 0; event < r->tree.metrics.len; event++)
		for (uint32_t node = 0; node < r->tree.nodes.len; node++)
			add_samples(r, event, node, r->samples <= SAMPLES_MAX);
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

/* The text of an attribute of the tree's element; out is ended by NUL. */
static void read_attribute(struct bytes *out, const char *tag, size_t len, const char *name)
{
	static const struct {
		const char *entity;
		char c;
	} entities[] = { { "&amp;", '&' },
			 { "&lt;", '<' },
			 { "&gt;", '>' },
			 { "&quot;", '"' },
			 { "&#39;", '\'' } };

	size_t name_len = strlen(name);
	const char *at = memmem(tag, len, name, name_len), *end = tag + len;

	bytes_clear(out);
	for (at = at ? at + name_len : end; at < end && *at != '"'; at++) {
		char c = *at;
		for (size_t i = 0; c == '&' && i < ARRAY_LEN(entities); i++) {
			size_t n = strlen(entities[i].entity);
			if ((size_t)(end - at) >= n && memcmp(at, entities[i].entity, n) == 0) {
				c = entities[i].c;
				at += n - 1;
				break;
			}
		}
		bytes_u8(out, (uint8_t)c);
	}
	bytes_u8(out, '\0');
}

/* Of version 1: attributes say what the metric is. */
static void add_named_event(struct profile *p, struct flame_string tag, bool counted)
{
	struct bytes text = { 0 };
	struct profile_event event = { .unit = UNIT_COUNT };

	read_attribute(&text, tag.s, tag.len, " data-count=\"");
	event.name = strtab_add_str(&p->strings, (const char *)text.data);
	read_attribute(&text, tag.s, tag.len, UNIT_ATTRIBUTE);
	for (uint8_t unit = UNIT_COUNT; unit <= UNIT_BYTES; unit++)
		if (strcmp(unit_name(unit), (const char *)text.data) == 0)
			event.unit = unit;
	/* Not so where the graph is of stacks that another tool had summed up. */
	read_attribute(&text, tag.s, tag.len, " data-samples=\"");
	if (counted && strcmp((const char *)text.data, "counted") == 0)
		event.flags = EVENT_COUNTED;
	vec_push(&p->events, event);
	bytes_release(&text);
}

static void add_event(struct profile *p, const struct flame_tree_metric *m, bool counted)
{
	struct profile_event event = {
		.name = strtab_add(&p->strings, m->name.s, m->name.len),
		.unit = m->unit <= UNIT_BYTES ? (uint8_t)m->unit : (uint8_t)UNIT_COUNT,
	};

	if (counted && !(m->flags & FLAME_METRIC_SUMMED))
		event.flags = EVENT_COUNTED;
	vec_push(&p->events, event);
}

/* counted: samples were read one by one. */
static void add_events(struct flame *r, struct flame_string tag, bool counted)
{
	if (r->tree.version == 1)
		add_named_event(r->p, tag, counted);
	for (size_t i = 0; i < r->tree.metrics.len && r->tree.version > 1; i++)
		add_event(r->p, &r->tree.metrics.data[i], counted);
}

/* The element's attributes and text. */
static int find_tree(const struct bytes *file, struct flame_string *tag, struct flame_string *text)
{
	const char *start = memmem(file->data, file->len, TREE_TAG, strlen(TREE_TAG));

	if (!start)
		return -1;
	const char *end = (const char *)file->data + file->len;
	const char *open = memchr(start, '>', (size_t)(end - start));
	const char *close = open ? memchr(open, '<', (size_t)(end - open)) : NULL;
	if (!close)
		return -1;
	*tag = (struct flame_string){ start, (size_t)(open - start) };
	*text = (struct flame_string){ open + 1, (size_t)(close - open - 1) };
	return 0;
}

static int read_tree(struct flame_tree *tree, struct bytes *raw, struct flame_string tag,
		     struct flame_string text, const char *name, struct error *err)
{
	struct bytes packed = { 0 };
	struct error why = { 0 };
	bool first_version = memmem(tag.s, tag.len, UNIT_ATTRIBUTE, strlen(UNIT_ATTRIBUTE));
	int rc = first_version ? base64_decode(&packed, text.s, text.len)
			       : base91_decode(&packed, text.s, text.len);

	if (rc == 0)
		rc = zlib_inflate(raw, packed.data, packed.len, TREE_MAX, &why);
	bytes_release(&packed);
	if (rc < 0 || flame_tree_read(tree, raw->data, raw->len) < 0)
		return error_set(err, ERROR_FORMAT, "%s: the tree in it is damaged", name);
	return 0;
}

static int read_file(struct profile *p, const struct bytes *file, const char *name,
		     uint32_t *warnings, struct error *err)
{
	struct flame r = { .p = p };
	struct flame_string tag, text;
	struct bytes raw = { 0 };

	if (find_tree(file, &tag, &text) < 0)
		return error_set(err, ERROR_FORMAT,
				 "%s: the flame graph is cut short, or shows no samples", name);
	int rc = read_tree(&r.tree, &raw, tag, text, name, err);
	if (rc == 0) {
		stacks_init(&r.stacks, p);
		build(&r, warnings);
		add_events(&r, tag, r.samples <= SAMPLES_MAX);
		stacks_release(&r.stacks);
		vec_release(&r.code);
		flame_tree_release(&r.tree);
	}
	bytes_release(&raw);
	return rc;
}

static int read_flame(struct profile *p, int fd, const char *name, uint32_t *warnings,
		      struct error *err)
{
	struct bytes file = { 0 };
	int rc = io_read_all(fd, &file, FILE_MAX, err);

	rc = rc < 0 ? error_context(err, "%s", name) : read_file(p, &file, name, warnings, err);
	bytes_release(&file);
	return rc;
}

/* As prof writes them; other tools' SVGs hold no profile. */
static bool matches(const void *head, size_t len)
{
	static const char *const starts[] = {
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prof\"",
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta name=\"generator\" content=\"prof\"/>\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (len >= strlen(starts[i]) && memcmp(head, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

const struct input_format input_flame = { "flame graph", matches, read_flame };
