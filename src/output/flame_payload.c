/*
 * The embedded tree. Before zlib and base64 it is these bytes; integers are LEB128, each column
 * complete:
 *
 *   version (1)
 *   strings: count, length in bytes, then the strings joined by '\n'; each is printable; string 0
 * is "" frames, in the order of their first node: count, then columns: name, module, file, line,
 * traits strings, each as zigzag difference to the row before; line is a number; traits = kind + 8
 * * guessed + 16 * shade. Frame 0 is "small frames". nodes in preorder: count, weight per sample
 * (p), then columns: pops: levels to go up from the node before to reach the parent (0: its child);
 * 0 for node 0 call: which callee of its parent's frame it is: k + 1 for the k-th distinct one seen
 * so far, 0 for a new one, which follows in the next column (node 0's parent frame is 0) callees:
 * for each new call 0 for the first frame not seen yet, or the number of the frame + 1 samples with
 * this node as leaf (n) self weight - n * p, zigzag for each node of frame 0: how many frames it
 * stands for
 *
 * A node's total is its self weight and its children's totals. Frames that do not fit the budget
 * are summed in a "small frames" child of their parent, so that all sums stay exact.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/compress.h"
#include "base/hash.h"
#include "base/text.h"
#include "output/flame.h"

#define NAME_COLUMNS 65536

struct frame {
	uint32_t key;
	uint8_t kind;
	bool guessed;
};

struct payload {
	const struct calltree *tree;
	const uint8_t *keep;
	struct hmap by_key;	  /* key and node traits → frame */
	VEC(struct frame) frames; /* frame 0 is not used */
	struct hmap
		calls; /* caller's frame, callee's frame → which of the caller's callees it is */
	VEC(uint32_t) callees; /* by frame: distinct callees so far */
	struct bytes pops, call, callee, samples, weight, small;
	size_t count;
	int64_t weight_per_sample;
};

static uint64_t frame_key(const struct calltree_node *n)
{
	return (uint64_t)n->key << 16 | (uint64_t)(n->kind & 0xff) << 1 | n->guessed;
}

/* The frame of a node, made when it is new: *fresh says so. */
static uint32_t frame_of(struct payload *p, uint32_t node, bool *fresh)
{
	const struct calltree_node *n = &p->tree->nodes.data[node];
	uint32_t frame = hmap_get(&p->by_key, frame_key(n));

	*fresh = frame == HMAP_NONE;
	if (*fresh) {
		frame = (uint32_t)p->frames.len;
		hmap_put(&p->by_key, frame_key(n), frame);
		vec_push(&p->frames, ((struct frame){ n->key, n->kind, n->guessed }));
		vec_push(&p->callees, 0);
	}
	return frame;
}

static uint32_t parent_frame(struct payload *p, uint32_t node)
{
	bool fresh;

	return node == 0 ? 0 : frame_of(p, p->tree->nodes.data[node].parent, &fresh);
}

static void add_call(struct payload *p, uint32_t caller, uint32_t callee, bool fresh)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t known = hmap_get(&p->calls, key);

	if (known != HMAP_NONE) {
		bytes_varint(&p->call, (uint64_t)known + 1);
		return;
	}
	hmap_put(&p->calls, key, p->callees.data[caller]++);
	bytes_varint(&p->call, 0);
	bytes_varint(&p->callee, fresh ? 0 : (uint64_t)callee + 1);
}

struct sum { /* of frames left out below one parent */
	uint64_t weight, samples, frames;
};

static void add_node(struct payload *p, uint32_t pops, uint64_t samples, uint64_t self)
{
	bytes_varint(&p->pops, pops);
	bytes_varint(&p->samples, samples);
	/* Wraps for weights above 2^63; the reader's sum wraps back. */
	bytes_zigzag(&p->weight, (int64_t)(self - samples * (uint64_t)p->weight_per_sample));
	p->count++;
}

/* Sum the children of n that are left out, with all below them. */
static struct sum sum_left_out(const struct payload *p, uint32_t n)
{
	const struct calltree_node *nodes = p->tree->nodes.data;
	struct sum sum = { 0 };

	for (uint32_t c = nodes[n].first_child; c != PROFILE_NONE; c = nodes[c].next_sibling) {
		if (p->keep[c])
			continue;
		sum.weight += nodes[c].total;
		sum.samples += nodes[c].count;
		uint32_t end = flame_next(p->tree, c, true);
		for (uint32_t i = c; i != end; i = flame_next(p->tree, i, false))
			sum.frames++;
	}
	return sum;
}

/* Levels between n and ancestor, which is n or above it. */
static uint32_t levels_up(const struct calltree *t, uint32_t n, uint32_t ancestor)
{
	uint32_t levels = 0;

	for (; n != ancestor; n = t->nodes.data[n].parent)
		levels++;
	return levels;
}

/* The node that stands for what n loses, as n's first child: only there its parent is at hand. */
static bool add_small(struct payload *p, uint32_t n, uint32_t frame)
{
	struct sum left_out = sum_left_out(p, n);

	if (left_out.frames == 0)
		return false;
	add_call(p, frame, 0, false);
	add_node(p, 0, left_out.samples, left_out.weight);
	bytes_varint(&p->small, left_out.frames);
	return true;
}

static void add_columns(struct payload *p)
{
	const struct calltree_node *nodes = p->tree->nodes.data;
	uint32_t previous = PROFILE_NONE;
	bool after_small = false;

	for (uint32_t n = 0; n != PROFILE_NONE;) {
		if (!p->keep[n]) {
			n = flame_next(p->tree, n, true);
			continue;
		}
		bool fresh;
		uint32_t pops =
			n == 0 ? 0 : levels_up(p->tree, previous, nodes[n].parent) + after_small;
		uint32_t caller = parent_frame(p, n), frame = frame_of(p, n, &fresh);
		add_call(p, caller, frame, fresh);
		add_node(p, pops, nodes[n].self_count, nodes[n].self);
		after_small = add_small(p, n, frame);
		previous = n;
		n = flame_next(p->tree, n, false);
	}
}

static uint32_t add_string(struct strtab *strings, const char *raw)
{
	struct bytes printable = { 0 }, cut = { 0 };

	text_append_printable(&printable, raw, strlen(raw));
	flame_cut(&cut, (const char *)printable.data, printable.len, NAME_COLUMNS);
	uint32_t id = strtab_add(strings, (const char *)cut.data, cut.len);
	bytes_release(&printable);
	bytes_release(&cut);
	return id;
}

struct frame_columns {
	struct strtab strings;
	uint32_t last[3];		     /* strings of the row before */
	struct bytes names[3], line, traits; /* name, module, file */
};

static void add_name(struct frame_columns *c, unsigned column, const char *raw)
{
	uint32_t id = add_string(&c->strings, raw);

	bytes_zigzag(&c->names[column], (int64_t)id - c->last[column]);
	c->last[column] = id;
}

static void add_frame(struct frame_columns *c, const struct payload *p, const struct frame *f)
{
	const struct profile *profile = p->tree->profile;
	const struct calltree_key *key = &p->tree->keys.data[f->key];
	const char *module = "";

	if (key->module < profile->modules.len)
		module = profile_str(profile, profile->modules.data[key->module].path);
	add_name(c, 0, key->name);
	add_name(c, 1, module);
	add_name(c, 2, profile_str(profile, key->file));
	bytes_varint(&c->line, key->line);
	uint32_t name = c->last[0];
	unsigned shade = flame_shade(strtab_get(&c->strings, name), strtab_len(&c->strings, name));
	unsigned kind = f->kind < FLAME_KINDS ? f->kind : CODE_UNKNOWN;
	bytes_varint(&c->traits, kind + 8u * f->guessed + 16u * shade);
}

static void append_release(struct bytes *out, struct bytes *part)
{
	bytes_append(out, part->data, part->len);
	bytes_release(part);
}

static void add_strings(struct bytes *out, const struct strtab *strings)
{
	struct bytes text = { 0 };

	for (uint32_t i = 0; i < strings->strings.len; i++) {
		if (i > 0)
			bytes_u8(&text, '\n');
		bytes_append(&text, strtab_get(strings, i), strtab_len(strings, i));
	}
	bytes_varint(out, strings->strings.len);
	bytes_varint(out, text.len);
	append_release(out, &text);
}

static void add_tables(struct bytes *out, const struct payload *p)
{
	struct frame_columns c = { 0 };

	strtab_init(&c.strings);
	for (unsigned column = 0; column < 3; column++)
		add_name(&c, column, "");
	bytes_varint(&c.line, 0);
	bytes_varint(&c.traits, CODE_SYNTHETIC);
	for (size_t i = 1; i < p->frames.len; i++)
		add_frame(&c, p, &p->frames.data[i]);
	add_strings(out, &c.strings);
	bytes_varint(out, p->frames.len);
	for (unsigned column = 0; column < 3; column++)
		append_release(out, &c.names[column]);
	append_release(out, &c.line);
	append_release(out, &c.traits);
	strtab_release(&c.strings);
}

void flame_payload(struct bytes *out, const struct calltree *t, size_t budget)
{
	uint8_t *keep = xcalloc(t->nodes.len + 1, 1);
	struct payload p = { .tree = t, .keep = keep };
	struct bytes raw = { 0 }, packed = { 0 };

	if (t->sample_count > 0)
		p.weight_per_sample = (int64_t)(t->total / t->sample_count);
	flame_prune(t, budget, keep);
	vec_push(&p.frames, (struct frame){ 0 });
	vec_push(&p.callees, 0);
	if (t->nodes.len > 0)
		add_columns(&p);
	bytes_varint(&raw, 1);
	add_tables(&raw, &p);
	bytes_varint(&raw, p.count);
	bytes_varint(&raw, (uint64_t)p.weight_per_sample);
	append_release(&raw, &p.pops);
	append_release(&raw, &p.call);
	append_release(&raw, &p.callee);
	append_release(&raw, &p.samples);
	append_release(&raw, &p.weight);
	append_release(&raw, &p.small);
	zlib_deflate(&packed, raw.data, raw.len, 7);
	base64_encode(out, packed.data, packed.len);
	bytes_release(&raw);
	bytes_release(&packed);
	vec_release(&p.frames);
	vec_release(&p.callees);
	hmap_release(&p.by_key);
	hmap_release(&p.calls);
	free(keep);
}
