/* Open addressing over keys kept in one array; hashes are seeded so that input cannot make them
 * collide. */
#include "profile/keyset.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static uint64_t hash_key(const struct keyset *s, const uint64_t *key)
{
	uint64_t h = (uint64_t)(uintptr_t)s->slots;

	for (unsigned i = 0; i < s->words; i++)
		h = hash_u64(h ^ key[i]) + 0x9e3779b97f4a7c15ull;
	return h;
}

static bool same_key(const struct keyset *s, size_t index, const uint64_t *key)
{
	const uint64_t *stored = &s->keys.data[index * s->words];

	for (unsigned i = 0; i < s->words; i++) {
		if (stored[i] != key[i])
			return false;
	}
	return true;
}

/* The slot of key, or the free one where it belongs. */
static size_t find_slot(const struct keyset *s, const uint64_t *key)
{
	size_t mask = s->slot_cap - 1, i = (size_t)hash_key(s, key) & mask;

	while (s->slots[i] && !same_key(s, s->slots[i] - 1, key))
		i = (i + 1) & mask;
	return i;
}

static void grow(struct keyset *s)
{
	free(s->slots);
	s->slot_cap = s->slot_cap ? s->slot_cap * 2 : 64;
	s->slots = xcalloc(s->slot_cap, sizeof(*s->slots));
	for (size_t i = 0; i < s->values.len; i++) {
		size_t slot = find_slot(s, &s->keys.data[i * s->words]);
		s->slots[slot] = (uint32_t)i + 1;
	}
}

uint32_t keyset_get(const struct keyset *s, const uint64_t *key)
{
	if (s->slot_cap == 0)
		return KEYSET_NONE;
	uint32_t index = s->slots[find_slot(s, key)];
	return index ? s->values.data[index - 1] : KEYSET_NONE;
}

uint32_t keyset_add(struct keyset *s, const uint64_t *key, uint32_t value)
{
	if (s->values.len * 4 >= s->slot_cap * 3)
		grow(s);
	size_t slot = find_slot(s, key);
	if (s->slots[slot])
		return s->values.data[s->slots[slot] - 1];
	for (unsigned i = 0; i < s->words; i++)
		vec_push(&s->keys, key[i]);
	vec_push(&s->values, value);
	s->slots[slot] = (uint32_t)s->values.len;
	return value;
}

void keyset_clear(struct keyset *s)
{
	vec_clear(&s->keys);
	vec_clear(&s->values);
	if (s->slot_cap)
		memset(s->slots, 0, s->slot_cap * sizeof(*s->slots));
}

void keyset_release(struct keyset *s)
{
	vec_release(&s->keys);
	vec_release(&s->values);
	free(s->slots);
	s->slots = NULL;
	s->slot_cap = 0;
}
