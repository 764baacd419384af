/*
 * Copies in arrival order in blocks, a binary heap of (time, arrival) over them. Both kinds of
 * memory are reused: in the steady state nothing is allocated. A block is free again when its last
 * record has come out; since records leave at most two rounds after they came, blocks empty in
 * about the order they fill.
 */
#include "event/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define BLOCK_MIN_BYTES	 ((size_t)4 << 10)
#define BLOCK_MAX_BYTES	 ((size_t)1 << 20)
#define BLOCKS_PER_LIMIT 16
#define NO_BLOCK	 UINT32_MAX

struct block {
	uint8_t *data;
	size_t cap, used;
	uint32_t live;	    /* records not yet out */
	uint32_t next_free; /* while on a free list */
};

struct entry {
	uint64_t time_ns, arrival; /* equal times come out as they came in */
	size_t len;
	uint32_t block, offset, tag;
};

struct order {
	size_t max_bytes, block_bytes;
	size_t blocks_bytes; /* of the blocks in use */
	VEC(struct block) blocks;
	uint32_t filling;    /* block that takes the next record */
	uint32_t free_full;  /* list: blocks of block_bytes */
	uint32_t free_empty; /* list: numbers without memory */
	VEC(struct entry) heap;
	struct hmap source_of_tag;
	VEC(uint64_t) source_last_ns;
	uint64_t arrivals;
	uint64_t newest_ns;	/* seen so far */
	uint64_t round_ns;	/* newest_ns when the last round ended */
	uint64_t free_until_ns; /* may come out */
	uint64_t last_out_ns;
	uint32_t lent; /* block of the record handed out, NO_BLOCK */
	struct order_stats stats;
};

struct order *order_new(size_t max_bytes)
{
	struct order *o = xcalloc(1, sizeof(*o));
	size_t block = max_bytes / BLOCKS_PER_LIMIT;

	if (block < BLOCK_MIN_BYTES)
		block = BLOCK_MIN_BYTES;
	if (block > BLOCK_MAX_BYTES)
		block = BLOCK_MAX_BYTES;
	o->block_bytes = block;
	o->max_bytes = max_bytes < 2 * block ? 2 * block : max_bytes;
	o->filling = o->free_full = o->free_empty = o->lent = NO_BLOCK;
	return o;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->blocks.len; i++)
		free(o->blocks.data[i].data);
	vec_release(&o->blocks);
	vec_release(&o->heap);
	vec_release(&o->source_last_ns);
	hmap_release(&o->source_of_tag);
	free(o);
}

static uint32_t list_pop(struct order *o, uint32_t *list)
{
	uint32_t b = *list;

	if (b != NO_BLOCK)
		*list = o->blocks.data[b].next_free;
	return b;
}

static void list_push(struct order *o, uint32_t *list, uint32_t b)
{
	o->blocks.data[b].next_free = *list;
	*list = b;
}

static uint32_t block_take(struct order *o, size_t cap)
{
	uint32_t b = cap == o->block_bytes ? list_pop(o, &o->free_full) : NO_BLOCK;

	if (b == NO_BLOCK) {
		b = list_pop(o, &o->free_empty);
		if (b == NO_BLOCK) {
			struct block none = { 0 };
			b = (uint32_t)o->blocks.len;
			vec_push(&o->blocks, none);
		}
		o->blocks.data[b].data = xmalloc(cap);
		o->blocks.data[b].cap = cap;
	}
	o->blocks.data[b].used = 0;
	o->blocks.data[b].live = 0;
	o->blocks_bytes += cap;
	return b;
}

static void block_give_back(struct order *o, uint32_t b)
{
	struct block *block = &o->blocks.data[b];

	o->blocks_bytes -= block->cap;
	if (block->cap == o->block_bytes) {
		list_push(o, &o->free_full, b);
		return;
	}
	free(block->data); /* one outsize record */
	block->data = NULL;
	list_push(o, &o->free_empty, b);
}

static void block_drop(struct order *o, uint32_t b)
{
	struct block *block = &o->blocks.data[b];

	if (--block->live)
		return;
	if (b == o->filling)
		block->used = 0;
	else
		block_give_back(o, b);
}

/* A block with room for len bytes; a record larger than a block gets one of its own. */
static uint32_t block_for(struct order *o, size_t len)
{
	if (len > o->block_bytes)
		return block_take(o, len);
	if (o->filling != NO_BLOCK) {
		const struct block *block = &o->blocks.data[o->filling];
		if (block->cap - block->used >= len)
			return o->filling;
		uint32_t full = o->filling;
		o->filling = NO_BLOCK;
		if (block->live == 0)
			block_give_back(o, full);
	}
	o->filling = block_take(o, o->block_bytes);
	return o->filling;
}

static bool comes_before(const struct entry *a, const struct entry *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->arrival < b->arrival;
}

static void heap_add(struct order *o, const struct entry *e)
{
	vec_push(&o->heap, *e);
	size_t i = o->heap.len - 1;
	while (i > 0) {
		size_t parent = (i - 1) / 2;
		if (!comes_before(e, &o->heap.data[parent]))
			break;
		o->heap.data[i] = o->heap.data[parent];
		i = parent;
	}
	o->heap.data[i] = *e;
}

static void heap_remove_first(struct order *o)
{
	struct entry last = o->heap.data[--o->heap.len];
	size_t n = o->heap.len, i = 0;

	if (n == 0)
		return;
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= n)
			break;
		if (child + 1 < n && comes_before(&o->heap.data[child + 1], &o->heap.data[child]))
			child++;
		if (!comes_before(&o->heap.data[child], &last))
			break;
		o->heap.data[i] = o->heap.data[child];
		i = child;
	}
	o->heap.data[i] = last;
}

static void take_back_lent(struct order *o)
{
	if (o->lent == NO_BLOCK)
		return;
	block_drop(o, o->lent);
	o->lent = NO_BLOCK;
}

/* The time of a record of this source, and remember it for those without. */
static uint64_t source_time(struct order *o, uint32_t tag, uint64_t time_ns)
{
	uint32_t source = hmap_get(&o->source_of_tag, tag);

	if (source == HMAP_NONE) {
		source = (uint32_t)o->source_last_ns.len;
		hmap_put(&o->source_of_tag, tag, source);
		vec_push(&o->source_last_ns, 0);
	}
	if (time_ns)
		o->source_last_ns.data[source] = time_ns;
	return o->source_last_ns.data[source];
}

void order_push(struct order *o, uint64_t time_ns, uint32_t tag, const void *bytes, size_t len)
{
	struct order_part whole = { bytes, len };

	order_push_parts(o, time_ns, tag, &whole, 1);
}

void order_push_parts(struct order *o, uint64_t time_ns, uint32_t tag,
		      const struct order_part *parts, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += parts[i].len;
	size_t room = (len + 7) & ~(size_t)7; /* keeps every copy aligned */
	uint32_t b = block_for(o, room);
	struct block *block = &o->blocks.data[b];
	struct entry e = { .time_ns = source_time(o, tag, time_ns),
			   .arrival = o->arrivals++,
			   .len = len,
			   .block = b,
			   .offset = (uint32_t)block->used,
			   .tag = tag };
	uint8_t *to = block->data + block->used;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len)
			memcpy(to, parts[i].bytes, parts[i].len);
		to += parts[i].len;
	}
	block->used += room;
	block->live++;
	heap_add(o, &e);
	o->stats.held_bytes += len;
	o->stats.out_of_order += e.time_ns < o->last_out_ns;
	if (e.time_ns > o->newest_ns)
		o->newest_ns = e.time_ns;
}

void order_end_round(struct order *o)
{
	take_back_lent(o);
	o->free_until_ns = o->round_ns;
	o->round_ns = o->newest_ns;
}

void order_flush(struct order *o)
{
	take_back_lent(o);
	o->free_until_ns = UINT64_MAX;
}

void order_free_until(struct order *o, uint64_t time_ns)
{
	if (time_ns > o->free_until_ns)
		o->free_until_ns = time_ns;
}

static bool may_come_out(const struct order *o, const struct entry *e)
{
	return e->time_ns <= o->free_until_ns || e->time_ns <= o->last_out_ns;
}

bool order_is_full(const struct order *o)
{
	return o->blocks_bytes > o->max_bytes;
}

bool order_peek(const struct order *o, uint64_t *time_ns)
{
	if (o->heap.len == 0)
		return false;
	*time_ns = o->heap.data[0].time_ns;
	return may_come_out(o, &o->heap.data[0]) || order_is_full(o);
}

const void *order_pop(struct order *o, size_t *len, uint32_t *tag, uint64_t *time_ns)
{
	take_back_lent(o);
	if (o->heap.len == 0) {
		if (o->free_until_ns == UINT64_MAX) /* a flush has ended */
			o->free_until_ns = o->round_ns = o->last_out_ns;
		return NULL;
	}
	struct entry e = o->heap.data[0];
	if (!may_come_out(o, &e)) {
		if (o->blocks_bytes <= o->max_bytes)
			return NULL;
		o->stats.forced++;
	}
	heap_remove_first(o);
	o->lent = e.block;
	o->stats.held_bytes -= e.len;
	if (e.time_ns > o->last_out_ns)
		o->last_out_ns = e.time_ns;
	*len = e.len;
	*tag = e.tag;
	*time_ns = e.time_ns;
	return o->blocks.data[e.block].data + e.offset;
}

void order_get_stats(const struct order *o, struct order_stats *out)
{
	*out = o->stats;
}
