/* Names to functions, locations and trie nodes. */
#include "input/stacks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024
#define MADE_UP	    ((uint64_t)1 << 62) /* addresses from here on stand for locations */

void stacks_init(struct stacks *s, struct profile *p)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
}

void stacks_release(struct stacks *s)
{
	hmap_release(&s->modules);
	hmap_release(&s->functions);
	hmap_release(&s->chains);
	vec_release(&s->of_function);
	free_ptr(&s->slots);
}

uint32_t stacks_module(struct stacks *s, const char *path, size_t len, uint8_t kind)
{
	uint32_t string = strtab_add(&s->p->strings, path, len);
	uint64_t key = (uint64_t)string << 8 | kind;
	uint32_t id = hmap_get(&s->modules, key);

	if (id != HMAP_NONE)
		return id;
	struct profile_module m = { .path = string, .kind = kind, .symbols = SYMBOLS_GIVEN };
	id = (uint32_t)s->p->modules.len;
	vec_push(&s->p->modules, m);
	hmap_put(&s->modules, key, id);
	return id;
}

static uint32_t function_of(struct stacks *s, const char *name, size_t len, uint32_t module)
{
	uint32_t string = strtab_add(&s->p->strings, name, len);
	uint64_t key = (uint64_t)string << 32 | module;
	uint32_t id = hmap_get(&s->functions, key);

	if (id != HMAP_NONE)
		return id;
	struct profile_function f = { .name = string, .module = module };
	id = (uint32_t)s->p->functions.len;
	vec_push(&s->p->functions, f);
	vec_push(&s->of_function, PROFILE_NONE);
	hmap_put(&s->functions, key, id);
	return id;
}

uint32_t stacks_location(struct stacks *s, uint32_t module, uint32_t first_frame)
{
	uint32_t id = (uint32_t)s->p->locations.len;
	struct profile_location l = { .address = MADE_UP + id,
				      .module = module,
				      .first_frame = first_frame,
				      .frame_count = (uint32_t)s->p->frames.len - first_frame };

	vec_push(&s->p->locations, l);
	return id;
}

/* Innermost first: function, then what is at outer. */
static uint32_t add_location(struct stacks *s, uint32_t function, uint32_t outer)
{
	struct profile *p = s->p;
	uint32_t first = (uint32_t)p->frames.len, module = p->functions.data[function].module;

	vec_push(&p->frames, ((struct profile_frame){ .function = function }));
	if (outer != PROFILE_NONE) {
		const struct profile_location *o = &p->locations.data[outer];
		module = o->module;
		for (uint32_t i = 0; i < o->frame_count; i++) {
			struct profile_frame frame = p->frames.data[o->first_frame + i];
			vec_push(&p->frames, frame);
		}
	}
	return stacks_location(s, module, first);
}

uint32_t stacks_function(struct stacks *s, const char *name, size_t len, uint32_t module)
{
	uint32_t function = function_of(s, name, len, module);

	if (s->of_function.data[function] == PROFILE_NONE)
		s->of_function.data[function] = add_location(s, function, PROFILE_NONE);
	return s->of_function.data[function];
}

uint32_t stacks_inline(struct stacks *s, uint32_t outer, const char *name, size_t len)
{
	uint32_t module = s->p->locations.data[outer].module;
	uint32_t function = function_of(s, name, len, module);
	uint64_t key = (uint64_t)outer << 32 | function;

	if (s->p->locations.data[outer].frame_count >= STACKS_FRAMES_MAX)
		return outer;
	uint32_t location = hmap_get(&s->chains, key);

	if (location == HMAP_NONE) {
		location = add_location(s, function, outer);
		hmap_put(&s->chains, key, location);
	}
	return location;
}

struct stacks_place stacks_place(const struct stacks *s, uint32_t location)
{
	const struct profile_location *l = &s->p->locations.data[location];

	return (struct stacks_place){ .address = l->address, .module = l->module };
}

static size_t home_of(const struct stacks *s, uint32_t parent, uint32_t module, uint64_t address)
{
	uint64_t code = (address ^ (uint64_t)module << 40) * 0x9e3779b97f4a7c15ull;

	return (size_t)hash_u64((uint64_t)parent << 32 ^ code) & (s->slot_cap - 1);
}

/* The slot of the node, or the free one where it belongs. */
static uint32_t *slot_of(struct stacks *s, const struct profile_node *like)
{
	const struct profile_node *nodes = s->p->nodes.data;
	size_t at = home_of(s, like->parent, like->module, like->address);

	for (; s->slots[at]; at = (at + 1) & (s->slot_cap - 1)) {
		const struct profile_node *n = &nodes[s->slots[at] - 1];
		if (n->parent == like->parent && n->address == like->address &&
		    n->module == like->module)
			break;
	}
	return &s->slots[at];
}

/* Room for one more, at most three quarters used; and the nodes that are not in it yet. */
static void index_nodes(struct stacks *s)
{
	size_t cap = s->slot_cap ? s->slot_cap : FIRST_SLOTS;

	while (s->p->nodes.len >= cap / 4 * 3)
		cap *= 2;
	if (cap != s->slot_cap) {
		free(s->slots);
		s->slot_cap = cap;
		s->slots = xcalloc(cap, sizeof(*s->slots));
		s->indexed = 0;
	}
	for (; s->indexed < s->p->nodes.len; s->indexed++)
		*slot_of(s, &s->p->nodes.data[s->indexed]) = (uint32_t)s->indexed + 1;
}

uint32_t stacks_call(struct stacks *s, uint32_t parent, struct stacks_place place, bool is_new)
{
	/* One more than the address that is looked up, as a return address is. */
	struct profile_node node = { .parent = parent,
				     .module = place.module,
				     .address = place.address + 1,
				     .how = FRAME_CHAIN };

	if (!is_new) {
		index_nodes(s);
		uint32_t slot = *slot_of(s, &node);
		if (slot)
			return slot - 1;
	}
	vec_push(&s->p->nodes, node);
	return (uint32_t)s->p->nodes.len - 1;
}

void stacks_sample(struct stacks *s, uint32_t node, struct stacks_place place,
		   const struct profile_sample *like)
{
	struct profile_sample sample = *like;

	sample.node = node;
	sample.leaf_module = place.module;
	sample.leaf_address = place.address;
	vec_push(&s->p->samples, sample);
}
