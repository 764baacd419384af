/*
 * One unit made flat: its DIEs are passed once, each physical function and inlined call becomes a
 * node with its ranges, and the ranges become one sorted table in which the deepest node owns an
 * address. The levels of the tree are on a stack of bounded height.
 */
#include <stdlib.h>

#include "symbolize/dwarf_private.h"

/* Bounds for hostile files; real code nests inlined calls some 60 deep. What lies deeper is passed
 * over. */
#define MAX_LEVELS	   512
#define MAX_RANGES_OF_UNIT ((size_t)4 << 20)
#define MAX_KEPT_SLOTS	   ((size_t)64 << 10)

struct level {
	uint64_t die;	/* the scope that the level belongs to */
	uint32_t node;	/* innermost function with code */
	uint32_t depth; /* of the node in the inline tree */
	uint32_t scope; /* index in the unit's scopes, once it is needed */
	bool is_scope;
};

struct dwarf_walk {
	struct dwarf_unit *unit; /* where the DIEs are */
	struct dwarf_unit *out;	 /* what is filled: the unit, or its skeleton */
	struct bytes_reader r;
	struct hmap functions; /* DIE → index in out's functions, for this unit's own DIEs */
	VEC(struct flat_range) ranges;
	struct flat_map map;
	uint32_t node; /* whose ranges are being read */
	uint32_t depth;
	size_t level_count, beyond; /* beyond: levels that are only counted */
	struct level levels[MAX_LEVELS];
};

static void add_range(void *ctx, uint64_t start, uint64_t end)
{
	struct dwarf_walk *w = ctx;
	uint64_t priority = (uint64_t)w->depth << 32 | w->node;

	if (w->ranges.len < MAX_RANGES_OF_UNIT)
		vec_push(&w->ranges, ((struct flat_range){ start, end, priority, w->node }));
}

/* A number for the function that a node is an instance of: calls of one function share it. */
static uint32_t function_of(struct dwarf_walk *w, struct dwarf_unit *unit, uint64_t die)
{
	uint32_t index = HMAP_NONE;

	if (unit == w->unit)
		index = hmap_get(&w->functions, die);
	if (index == HMAP_NONE) {
		index = (uint32_t)w->out->functions.len;
		vec_push(&w->out->functions,
			 ((struct dwarf_function_ref){ .unit = unit, .die = die }));
		if (unit == w->unit)
			hmap_put(&w->functions, die, index);
	}
	return index;
}

static uint32_t small_number(const struct dwarf_die *d, enum dwarf_slot slot, uint32_t otherwise)
{
	return dwarf_die_has(d, slot) && d->values[slot].number <= UINT32_MAX
		       ? (uint32_t)d->values[slot].number
		       : otherwise;
}

/* Inlined calls go by the abstract instance; a physical function speaks for itself. */
static void add_node(struct dwarf_walk *w, const struct dwarf_die *d, uint32_t parent)
{
	static const struct dwarf_value none = { 0 };
	struct dwarf_unit *origin_unit = w->unit;
	uint64_t origin = d->offset, low = 0;

	if (parent != DWARF_NONE && dwarf_die_has(d, SLOT_ORIGIN) &&
	    !dwarf_value_die(w->unit, d->values[SLOT_ORIGIN], &origin_unit, &origin)) {
		origin_unit = w->unit;
		origin = d->offset;
	}
	struct dwarf_node node = {
		.parent = parent,
		.function = function_of(w, origin_unit, origin),
		.call_file = small_number(d, SLOT_CALL_FILE, DWARF_NONE),
		.call_line = small_number(d, SLOT_CALL_LINE, 0),
	};
	w->node = (uint32_t)w->out->nodes.len;
	vec_push(&w->out->nodes, node);
	bool has_low = dwarf_die_has(d, SLOT_LOW_PC) &&
		       dwarf_value_address(w->unit, d->values[SLOT_LOW_PC], &low);
	dwarf_ranges_of(w->unit, has_low, low,
			dwarf_die_has(d, SLOT_HIGH_PC) ? &d->values[SLOT_HIGH_PC] : &none,
			dwarf_die_has(d, SLOT_RANGES) ? &d->values[SLOT_RANGES] : &none, add_range,
			w);
}

/* The scopes around the current DIE as a chain of indices, made when the first function asks. */
static uint32_t scope_here(struct dwarf_walk *w)
{
	size_t chain[MAX_LEVELS], count = 0;
	uint32_t outer = DWARF_NONE;

	for (size_t i = w->level_count; i-- > 0;)
		if (w->levels[i].is_scope) {
			if (w->levels[i].scope != DWARF_NONE) {
				outer = w->levels[i].scope;
				break;
			}
			chain[count++] = i;
		}
	while (count > 0) {
		struct level *l = &w->levels[chain[--count]];
		vec_push(&w->out->scopes, ((struct dwarf_scope){ l->die, outer }));
		outer = l->scope = (uint32_t)w->out->scopes.len - 1;
	}
	return outer;
}

/* A function that has a name but no linkage name needs its scopes' to be told from others. */
static void note_scope(struct dwarf_walk *w, const struct dwarf_die *d)
{
	if (!dwarf_die_has(d, SLOT_NAME) || dwarf_die_has(d, SLOT_LINKAGE_NAME))
		return;
	uint32_t scope = scope_here(w);
	if (scope != DWARF_NONE)
		hmap_put(&w->out->scope_of, d->offset, scope);
}

static bool is_flag_set(const struct dwarf_die *d, enum dwarf_slot slot)
{
	return dwarf_die_has(d, slot) && d->values[slot].number;
}

/* Fills the level that a function's children are on. */
static void visit_function(struct dwarf_walk *w, const struct dwarf_die *d, struct level *inner)
{
	bool inlined = d->tag == DW_TAG_inlined_subroutine;

	inner->is_scope = true;
	note_scope(w, d);
	if (is_flag_set(d, SLOT_DECLARATION) ||
	    !(dwarf_die_has(d, SLOT_LOW_PC) || dwarf_die_has(d, SLOT_RANGES)))
		return;
	w->depth = inlined && inner->node != DWARF_NONE ? inner->depth + 1 : 0;
	add_node(w, d, inlined ? inner->node : DWARF_NONE);
	inner->node = w->node;
	inner->depth = w->depth;
}

/* Types without functions inside. Their siblings' places are used where they are known; all else is
 * descended into: bodies of lambdas and of local classes stand inside types, blocks and abstract
 * functions. */
static bool holds_no_code(const struct dwarf_die *d)
{
	return d->tag == DW_TAG_array_type || d->tag == DW_TAG_subroutine_type ||
	       d->tag == DW_TAG_call_site || d->tag == DW_TAG_GNU_call_site ||
	       (d->tag == DW_TAG_subprogram && is_flag_set(d, SLOT_DECLARATION));
}

static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* Moves the reader to the DIE's sibling, when that is said and is behind the DIE. */
static bool jump_to_sibling(struct dwarf_walk *w, const struct dwarf_die *d)
{
	const uint8_t *data = dwarf_unit_bytes(w->unit).data;
	struct dwarf_unit *unit;
	uint64_t sibling;

	if (!dwarf_die_has(d, SLOT_SIBLING) ||
	    !dwarf_value_die(w->unit, d->values[SLOT_SIBLING], &unit, &sibling) ||
	    unit != w->unit || data + sibling < w->r.pos)
		return false;
	w->r.pos = data + sibling;
	return true;
}

static void visit(struct dwarf_walk *w, const struct dwarf_die *d)
{
	struct level inner = w->levels[w->level_count - 1];

	inner.die = d->offset;
	inner.scope = DWARF_NONE;
	inner.is_scope = is_scope(d->tag);
	if (w->beyond) {
		w->beyond += d->children;
		return;
	}
	if (d->tag == DW_TAG_subprogram || d->tag == DW_TAG_inlined_subroutine)
		visit_function(w, d, &inner);
	if (!d->children || (holds_no_code(d) && jump_to_sibling(w, d)))
		return;
	if (w->level_count == MAX_LEVELS)
		w->beyond = 1;
	else
		w->levels[w->level_count++] = inner;
}

static void walk_tree(struct dwarf_walk *w, const struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_die d;

	/* The unit's own DIE. */
	if (!dwarf_die_read(w->unit, abbrevs, &w->r, &d) || !d.children)
		return;
	w->levels[0] = (struct level){ .node = DWARF_NONE, .scope = DWARF_NONE };
	w->level_count = 1;
	while (w->level_count && reader_left(&w->r) &&
	       dwarf_die_read(w->unit, abbrevs, &w->r, &d)) {
		if (d.tag)
			visit(w, &d);
		else if (w->beyond)
			w->beyond--;
		else
			w->level_count--;
	}
}

static uint32_t distance(const struct dwarf_unit *u, uint64_t address)
{
	uint64_t d = address - u->file->info->text_start;

	return d < UINT32_MAX ? (uint32_t)d : UINT32_MAX;
}

/* Disjoint ranges with gaps become segments that reach to the next one. */
static void make_segments(struct dwarf_unit *u, const struct flat_map *map)
{
	uint32_t end = 0;

	for (size_t i = 0; i < map->segments.len; i++) {
		const struct flat_segment *s = &map->segments.data[i];
		uint32_t start = distance(u, s->start);
		if (u->segments.len && end < start)
			vec_push(&u->segments, ((struct dwarf_segment){ end, DWARF_NONE }));
		vec_push(&u->segments, ((struct dwarf_segment){ start, s->value }));
		end = distance(u, s->end);
	}
	if (u->segments.len)
		vec_push(&u->segments, ((struct dwarf_segment){ end, DWARF_NONE }));
}

uint32_t dwarf_unit_node(struct dwarf_unit *u, uint64_t address, uint64_t *start, uint64_t *end)
{
	uint64_t base = u->file->info->text_start, at = address - base;
	size_t n = ascending_count(ASCENDING(u->segments), at, &u->near_segment);

	if (n == 0 || n == u->segments.len)
		return DWARF_NONE;
	*start = base + u->segments.data[n - 1].start;
	*end = base + u->segments.data[n].start;
	return u->segments.data[n - 1].node;
}

/* Where the DIEs of a unit are: in the file, or in the other half of a skeleton. */
static struct dwarf_unit *unit_with_dies(struct dwarf_unit *u)
{
	if (!u->dwo_name)
		return u;
	u->split = dwarf_split_open(u);
	return u->split;
}

/* The working memory, empty. */
static struct dwarf_walk *start_walk(struct dwarf_info *d)
{
	if (!d->walk)
		d->walk = xcalloc(1, sizeof(*d->walk));
	struct dwarf_walk *w = d->walk;
	vec_clear(&w->ranges);
	if (w->functions.cap <= MAX_KEPT_SLOTS)
		hmap_clear(&w->functions);
	else
		hmap_release(&w->functions);
	w->level_count = w->beyond = 0;
	return w;
}

void dwarf_walk_free(struct dwarf_walk *w)
{
	if (!w)
		return;
	flat_map_release(&w->map);
	vec_release(&w->ranges);
	hmap_release(&w->functions);
	free(w);
}

void dwarf_unit_read_tree(struct dwarf_unit *u)
{
	if (u->has_tree)
		return;
	u->has_tree = true;
	struct dwarf_unit *from = dwarf_unit_attributes(u, NULL) ? unit_with_dies(u) : NULL;
	const struct dwarf_abbrevs *abbrevs = from ? dwarf_abbrevs_of(from) : NULL;
	if (!abbrevs || !dwarf_spend(u->file->info, from->end - from->first_die))
		return;
	struct dwarf_walk *w = start_walk(u->file->info);
	w->unit = from;
	w->out = u;
	reader_init(&w->r, dwarf_unit_bytes(from).data + from->first_die,
		    from->end - from->first_die);
	walk_tree(w, abbrevs);
	flat_map_build(&w->map, w->ranges.data, w->ranges.len);
	make_segments(u, &w->map);
}

void dwarf_unit_release(struct dwarf_unit *u)
{
	vec_release(&u->segments);
	vec_release(&u->nodes);
	vec_release(&u->rows);
	vec_release(&u->functions);
	vec_release(&u->scopes);
	vec_release(&u->files.list);
	hmap_release(&u->scope_of);
	free(u);
}
