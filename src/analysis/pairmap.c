/* Growth of the pair map: doubling, at most half full. */
#include "analysis/pairmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void resize(struct pairmap *m, size_t cap)
{
	struct pairmap old = *m;

	m->cap = cap;
	m->len = 0;
	m->slots = xrealloc_array(NULL, cap, sizeof(*m->slots));
	memset(m->slots, 0xff, cap * sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++) {
		const struct pairmap_slot *slot = &old.slots[i];
		if (slot->value != PAIRMAP_NONE)
			*pairmap_at(m, slot->a, slot->b) = slot->value;
	}
	free(old.slots);
}

void pairmap_grow(struct pairmap *m)
{
	resize(m, m->cap ? m->cap * 2 : 64);
}

void pairmap_reserve(struct pairmap *m, size_t n)
{
	size_t cap = m->cap ? m->cap : 64;

	while (cap / 2 <= n)
		cap *= 2;
	if (cap > m->cap)
		resize(m, cap);
}

void pairmap_release(struct pairmap *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
