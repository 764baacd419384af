/*
 * Where unwinders keep what was registered with them, recognised by what it is, since nothing names
 * it. x86-64.
 *
 *   libgcc up to gcc 12   a list of struct object: 48 bytes, the .eh_frame at 24, its state at 32,
 *                         the next one at 40. Once an exception was thrown, what stands at 24 is a
 *                         sorted table instead, whose first word is what stood there.
 *   libgcc of gcc 13      a b-tree of nodes of 256 bytes (lock, count, kind, entries): inner ones
 *                         have pairs (bound, child), leaves (code, length, struct object).
 *   LLVM's libunwind      an array of (section, code's start and end, FDE).
 */
#include "record/registered.h"

#include <stdlib.h>

#define OBJECT_BYTES  48u
#define OBJECT_ORIGIN 24u
#define OBJECT_STATE  32u
#define OBJECT_NEXT   40u
#define STATE_SORTED  1u
#define STATE_ARRAY   2u
#define OBJECTS_MAX   65536u
#define SECTIONS_MAX  4096u /* of one object */
#define NODE_BYTES    256u
#define NODE_HEAD     16u
#define INNER_MAX     15u
#define INNER_BYTES   16u
#define LEAF_MAX      10u
#define LEAF_BYTES    24u
#define NODES_MAX     16384u
#define CACHED_BYTES  32u
#define CACHED_MAX    65536u

struct object {
	uint64_t origin, state, next;
};

static uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

/* Is it one, by what it says its .eh_frame is? */
static bool read_object(struct registered_look *l, uint64_t address, struct object *out)
{
	uint8_t bytes[OBJECT_BYTES];
	uint64_t first;

	if (address % 8 != 0 || !peek_bytes(l->peek, address, bytes, sizeof(bytes)))
		return false;
	*out = (struct object){ word_at(bytes, OBJECT_ORIGIN), word_at(bytes, OBJECT_STATE),
				word_at(bytes, OBJECT_NEXT) };
	if ((out->state & STATE_SORTED) && !peek_u64(l->peek, out->origin, &out->origin))
		return false;
	first = out->origin;
	if ((out->state & STATE_ARRAY) && !peek_u64(l->peek, out->origin, &first))
		return false;
	return registered_is_section(l, first);
}

static void take_object(struct registered_look *l, const struct object *o)
{
	uint64_t section;

	if (!(o->state & STATE_ARRAY)) {
		registered_take_section(l, o->origin);
		return;
	}
	for (uint64_t i = 0; i < SECTIONS_MAX; i++) {
		if (!peek_u64(l->peek, o->origin + i * 8, &section)) {
			registered_fault(l, REGISTERED_UNREADABLE);
			return;
		}
		if (section == 0)
			return;
		registered_take_section(l, section);
	}
	registered_fault(l, REGISTERED_TOO_LARGE);
}

/* ---- a list ---- */

/* What the next one of a list leads to that is no object. */
static void object_fault(struct registered_look *l, uint64_t address)
{
	uint64_t word;
	bool is_there = peek_u64(l->peek, address, &word);

	registered_fault(l, is_there ? REGISTERED_DAMAGED : REGISTERED_UNREADABLE);
}

static bool take_list(struct registered_look *l, uint64_t address)
{
	struct hmap met = { 0 };
	struct object o;
	bool is_list = read_object(l, address, &o);

	while (is_list && address) {
		if (hmap_get(&met, address) != HMAP_NONE || met.len == OBJECTS_MAX) {
			registered_fault(l, met.len == OBJECTS_MAX ? REGISTERED_TOO_LARGE
								   : REGISTERED_CYCLE);
			break;
		}
		if (!read_object(l, address, &o)) {
			object_fault(l, address);
			break;
		}
		hmap_put(&met, address, 1);
		take_object(l, &o);
		address = o.next;
	}
	hmap_release(&met);
	return is_list;
}

/* ---- a b-tree ---- */

enum node_kind { NODE_INNER, NODE_LEAF };

struct node {
	uint8_t bytes[NODE_BYTES];
	uint32_t count, kind;
};

static bool read_node(struct registered_look *l, uint64_t address, struct node *out)
{
	if (address % 8 != 0 || !peek_bytes(l->peek, address, out->bytes, sizeof(out->bytes)))
		return false;
	memcpy(&out->count, out->bytes + 8, 4);
	memcpy(&out->kind, out->bytes + 12, 4);
	return out->kind == NODE_INNER ? out->count <= INNER_MAX
				       : out->kind == NODE_LEAF && out->count <= LEAF_MAX;
}

static uint64_t child_of(const struct node *n, uint32_t i)
{
	return word_at(n->bytes, NODE_HEAD + (size_t)i * INNER_BYTES + 8);
}

static uint64_t object_of(const struct node *n, uint32_t i)
{
	return word_at(n->bytes, NODE_HEAD + (size_t)i * LEAF_BYTES + 16);
}

/* The way down along first children leads to an object. */
static bool is_tree(struct registered_look *l, uint64_t address)
{
	struct node n;
	struct object o;

	for (int depth = 0; depth < 16; depth++) {
		if (!read_node(l, address, &n) || n.count == 0)
			return false;
		if (n.kind == NODE_LEAF)
			return read_object(l, object_of(&n, 0), &o);
		address = child_of(&n, 0);
	}
	return false;
}

struct waiting {
	VEC(uint64_t) nodes;
	struct hmap met;
};

static void add_node(struct registered_look *l, struct waiting *w, uint64_t address)
{
	if (hmap_get(&w->met, address) != HMAP_NONE) {
		registered_fault(l, REGISTERED_CYCLE);
	} else if (w->met.len == NODES_MAX) {
		registered_fault(l, REGISTERED_TOO_LARGE);
	} else {
		hmap_put(&w->met, address, 1);
		vec_push(&w->nodes, address);
	}
}

static void take_node(struct registered_look *l, struct waiting *w, uint64_t address)
{
	struct node n;
	struct object o;

	if (!read_node(l, address, &n)) {
		object_fault(l, address);
		return;
	}
	for (uint32_t i = 0; i < n.count; i++) {
		if (n.kind == NODE_INNER)
			add_node(l, w, child_of(&n, i));
		else if (read_object(l, object_of(&n, i), &o))
			take_object(l, &o);
		else
			object_fault(l, object_of(&n, i));
	}
}

static bool take_tree(struct registered_look *l, uint64_t address)
{
	struct waiting w = { 0 };

	if (!is_tree(l, address))
		return false;
	add_node(l, &w, address);
	while (w.nodes.len)
		take_node(l, &w, w.nodes.data[--w.nodes.len]);
	vec_release(&w.nodes);
	hmap_release(&w.met);
	return true;
}

/* ---- an array ---- */

/* How many entries there are: another variable says where they end. No other says more than the
 * room for them. */
static uint64_t count_cached(const uint64_t *values, size_t count, uint64_t array)
{
	uint64_t nearest = CACHED_MAX;
	unsigned same = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t distance = values[i] - array;
		same += distance == 0;
		if (distance && distance % CACHED_BYTES == 0 && distance / CACHED_BYTES < nearest)
			nearest = distance / CACHED_BYTES;
	}
	return same > 1 || nearest == CACHED_MAX ? 0 : nearest;
}

enum cached { CACHED_TAKEN, CACHED_FOREIGN, CACHED_NONE };

/* An entry says the same of its code as its FDE does. */
static enum cached take_cached(struct registered_look *l, uint64_t address)
{
	uint8_t bytes[CACHED_BYTES];
	size_t before = l->out->frames.len;

	if (!peek_bytes(l->peek, address, bytes, sizeof(bytes)))
		return CACHED_NONE;
	uint64_t start = word_at(bytes, 8), end = word_at(bytes, 16);
	if (start >= end)
		return CACHED_NONE;
	if (!l->is_wanted(l->ctx, start))
		return CACHED_FOREIGN;
	if (!registered_take_fde(l, word_at(bytes, 24)) || l->out->frames.len == before)
		return CACHED_NONE;
	const struct registered_frame *f = &l->out->frames.data[before];
	if (f->start == start && f->end == end)
		return CACHED_TAKEN;
	l->out->frames.len = before;
	return CACHED_NONE;
}

/* Whether there is such an array. */
static bool take_array(struct registered_look *l, const uint64_t *values, size_t count,
		       uint64_t array)
{
	uint64_t entries = array % 8 ? 0 : count_cached(values, count, array);
	bool is_cache = false;

	for (uint64_t i = 0; i < entries; i++) {
		enum cached cached = take_cached(l, array + i * CACHED_BYTES);
		is_cache |= cached == CACHED_TAKEN;
		if (cached != CACHED_NONE)
			continue;
		if (is_cache)
			registered_fault(l, REGISTERED_DAMAGED);
		break;
	}
	return is_cache;
}

/* The ends of an array's entries and of its room are variables too. */
static bool is_end_of(uint64_t array, uint64_t value)
{
	return array && value > array && (value - array) % CACHED_BYTES == 0 &&
	       (value - array) / CACHED_BYTES < CACHED_MAX;
}

static int compare_values(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

void registered_take_frames(struct registered_look *l, const uint64_t *variables, size_t count)
{
	uint64_t values[64], array = 0;
	size_t known = 0;

	for (size_t i = 0; i < count && known < ARRAY_LEN(values); i++)
		if (peek_u64(l->peek, variables[i], &values[known]) && values[known])
			known++;
	if (known)
		qsort(values, known, sizeof(*values), compare_values);
	for (size_t i = 0; i < known; i++) {
		if (is_end_of(array, values[i]) || take_list(l, values[i]) ||
		    take_tree(l, values[i]))
			continue;
		if (take_array(l, values, known, values[i]))
			array = values[i];
	}
}
