/*
 * An open-addressing map from a pair of u64 to a u32, exact, for the hot loops of aggregation: one
 * slot, one cache line. Slots are seeded with the table's address, so that a file cannot be made to
 * collide on purpose; nothing depends on their order.
 */
#ifndef PROF_ANALYSIS_PAIRMAP_H
#define PROF_ANALYSIS_PAIRMAP_H

#include "base/hash.h"
#include <stddef.h>
#include <stdint.h>

#define PAIRMAP_NONE UINT32_MAX

struct pairmap_slot {
	uint64_t a, b;
	uint32_t value; /* PAIRMAP_NONE: free */
};

struct pairmap { /* zeroed is valid */
	struct pairmap_slot *slots;
	size_t len, cap; /* cap is a power of two or 0 */
};

void pairmap_grow(struct pairmap *m);
/* Make room for n entries. */
void pairmap_reserve(struct pairmap *m, size_t n);
void pairmap_release(struct pairmap *m);

static inline size_t pairmap_home(const struct pairmap *m, uint64_t a, uint64_t b)
{
	uint64_t seed = (uint64_t)(uintptr_t)m->slots * 0x9e3779b97f4a7c15ull;

	return (size_t)hash_u64((a ^ seed) * 0xd6e8feb86659fd93ull + hash_u64(b ^ seed)) &
	       (m->cap - 1);
}

/* The value of (a, b): the caller fills *value when it is PAIRMAP_NONE. Valid until the next call.
 */
static inline uint32_t *pairmap_at(struct pairmap *m, uint64_t a, uint64_t b)
{
	if (m->len >= m->cap / 2)
		pairmap_grow(m);
	size_t i = pairmap_home(m, a, b);
	while (m->slots[i].value != PAIRMAP_NONE && (m->slots[i].a != a || m->slots[i].b != b))
		i = (i + 1) & (m->cap - 1);
	struct pairmap_slot *slot = &m->slots[i];
	if (slot->value == PAIRMAP_NONE) {
		slot->a = a;
		slot->b = b;
		m->len++;
	}
	return &slot->value;
}

#endif
