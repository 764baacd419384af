/* The outermost frames of threads. */
#include "record/bases.h"

#include <string.h>

#define BASES_MAX ((size_t)1 << 16) /* threads remembered; then all are forgotten */

void bases_release(struct bases *r)
{
	hmap_release(&r->by_thread);
	vec_release(&r->items);
}

static struct base *base_of(struct bases *r, const struct task_thread *t)
{
	uint32_t index = hmap_get(&r->by_thread, t->tid);
	if (index != HMAP_NONE)
		return &r->items.data[index];
	if (r->items.len >= BASES_MAX) {
		hmap_clear(&r->by_thread);
		vec_clear(&r->items);
	}
	index = (uint32_t)r->items.len;
	vec_push(&r->items, (struct base){ 0 });
	hmap_put(&r->by_thread, t->tid, index);
	return &r->items.data[index];
}

/*
 * How many of the outermost frames every stack of the thread has: the start code, which may lie in
 * several modules, and what it calls, which lies in another module than the start code before it.
 */
static size_t start_length(const uint32_t *modules, size_t count)
{
	size_t n = count < BASES_FRAMES ? count : BASES_FRAMES, i = 1;
	while (i < n && modules[i] == modules[0])
		i++;
	if (i >= 2) /* clone, then the thread library; or all of it in one static program */
		return i < n ? i + 1 : n;
	while (i < n && modules[i] != modules[0])
		i++;
	return i < n ? i + 1 : n;
}

void bases_learn(struct bases *r, const struct task_thread *t, const uint64_t *pcs,
		 const uint32_t *modules, size_t count, bases_function_of *function_of, void *ctx)
{
	struct base *base = base_of(r, t);
	uint32_t space = t->space ? t->space->id : 0;
	bool is_new = base->count == 0 || base->space != space;
	if (base->space != space)
		base->conflicts = 0;
	size_t known = is_new ? start_length(modules, count) : base->count;
	if (!is_new && count >= known && memcmp(base->pc, pcs, known * sizeof(*pcs)) == 0)
		return;
	for (size_t i = 0; i < known; i++) {
		uint64_t start = i < count ? function_of(ctx, pcs[i]) : 0;
		bool same = is_new || (i < count && start == base->start[i] &&
				       (start != 0 || pcs[i] == base->pc[i]));
		if (!same) {
			known = i;
			break;
		}
		base->pc[i] = pcs[i];
		base->start[i] = start;
	}
	base->conflicts += known == 0;
	base->space = space;
	base->count = base->conflicts < BASES_CONFLICTS ? (uint32_t)known : 0;
}

bool bases_is_loader(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0;
}

const struct base *bases_find(const struct bases *r, const struct task_thread *t)
{
	uint32_t index = hmap_get(&r->by_thread, t->tid);
	if (index == HMAP_NONE)
		return NULL;
	const struct base *base = &r->items.data[index];
	return base->count != 0 && base->space == (t->space ? t->space->id : 0) ? base : NULL;
}
