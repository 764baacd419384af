/* Hash functions, an open-addressing map from u64 to u32, and string interning to dense u32 ids. */
#ifndef PROF_BASE_HASH_H
#define PROF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed);

static inline uint64_t hash_u64(uint64_t x) /* finalizer of splitmix64 */
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

#define HMAP_NONE UINT32_MAX

struct hmap { /* u64 key → u32 value; value HMAP_NONE is not storable */
	uint64_t *keys;
	uint32_t *values;
	size_t len, cap; /* cap is a power of two or 0 */
};

void hmap_init(struct hmap *m);				     /* a zeroed struct is valid too */
uint32_t hmap_get(const struct hmap *m, uint64_t key);	     /* HMAP_NONE when absent */
void hmap_put(struct hmap *m, uint64_t key, uint32_t value); /* inserts or replaces */
bool hmap_remove(struct hmap *m, uint64_t key);
void hmap_clear(struct hmap *m);
void hmap_release(struct hmap *m);

/* Interned byte strings (no NUL inside is required; each is stored with a final NUL). Id 0 is "".
 */
struct strtab {
	struct arena arena;
	VEC(const char *) strings;
	VEC(uint32_t) lengths;

	struct strtab_slot {
		uint32_t hash; /* the lower half: what differs there is not looked at */
		uint32_t id;   /* + 1; 0: free */
	} * slots;	       /* open addressing */

	size_t slot_cap;
	uint64_t seed; /* of hashes */
};

void strtab_init(struct strtab *t);
uint32_t strtab_add(struct strtab *t, const char *s, size_t len);
uint32_t strtab_add_str(struct strtab *t, const char *s); /* NULL → 0 */
/* The same without a copy: s has a NUL at len, and lives as long as t. */
uint32_t strtab_add_lent(struct strtab *t, const char *s, size_t len);

static inline const char *strtab_get(const struct strtab *t, uint32_t id)
{
	return id < t->strings.len ? t->strings.data[id] : "";
}

static inline uint32_t strtab_len(const struct strtab *t, uint32_t id)
{
	return id < t->lengths.len ? t->lengths.data[id] : 0;
}

void strtab_clear(struct strtab *t);
void strtab_release(struct strtab *t);

#endif
