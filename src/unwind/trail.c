/* Trails of several threads. */
#include "unwind/trail.h"

#include "base/memory.h"

static void put_end(struct trail *t)
{
	if (t->count != 0)
		t->frames[t->count - 1].plain = NOT_PLAIN;
	t->frames[t->count].plain = NOT_PLAIN;
	for (size_t i = 0; i < TRAIL_END; i++)
		t->frames[t->count + i].sp = UINT64_MAX;
}

static void clear(struct trail *t)
{
	t->count = t->joined = 0;
	put_end(t);
}

static struct trail *new_trail(void)
{
	struct trail *t = xaligned(_Alignof(struct trail), sizeof(*t));
	t->thread = t->key = t->pc_mask = 0;
	clear(t);
	return t;
}

void trails_init(struct trails *t)
{
	t->spare = new_trail();
}

void trails_release(struct trails *t)
{
	for (size_t i = 0; i < TRAILS; i++)
		free_ptr(&t->of[i]);
	free_ptr(&t->spare);
}

struct trail **trails_begin(struct trails *t, uint64_t thread, uint64_t key, uint64_t pc_mask)
{
	struct trail **former = &t->of[(thread * 0x9e3779b97f4a7c15ull >> 32) % TRAILS];
	if (!*former)
		*former = new_trail();
	const struct trail *f = *former;
	if (f->thread != thread || f->key != key || f->pc_mask != pc_mask)
		clear(*former);
	t->spare->thread = thread;
	t->spare->key = key;
	t->spare->pc_mask = pc_mask;
	t->spare->count = t->spare->joined = 0;
	return former;
}

void trails_keep(struct trails *t, struct trail **former)
{
	struct trail *latest = t->spare;
	put_end(latest);
	t->spare = *former;
	*former = latest;
}
