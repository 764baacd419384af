/*
 * Hashing, the u64 → u32 map and the string table. Both tables are open-addressed with linear
 * probing and at most 3/4 full. Their hashes are seeded with the address of the slot array, so that
 * a file cannot be made to collide on purpose; nothing depends on the order of slots.
 */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_tail(const uint8_t *p, size_t len)
{
	uint64_t v = 0;

	memcpy(&v, p, len);
	return v;
}

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed)
{
	const uint64_t k0 = 0x9e3779b97f4a7c15ull, k1 = 0xd6e8feb86659fd93ull;
	const uint8_t *p = data;
	uint64_t h = seed ^ k0;
	size_t left = len;

	for (; left >= 8; p += 8, left -= 8)
		h = mix(h ^ load_tail(p, 8), k1) + k0;
	if (left)
		h = mix(h ^ load_tail(p, left), k1) + k0;
	return hash_u64(h ^ len);
}

static uint64_t address_seed(const void *slots)
{
	return (uint64_t)(uintptr_t)slots * 0x9e3779b97f4a7c15ull;
}

static bool too_full(size_t len, size_t cap)
{
	return cap == 0 || len >= cap - cap / 4;
}

static size_t double_cap(size_t cap)
{
	return cap ? cap * 2 : 16;
}

void hmap_init(struct hmap *m)
{
	memset(m, 0, sizeof(*m));
}

static size_t hmap_home(const struct hmap *m, uint64_t key)
{
	return (size_t)hash_u64(key ^ address_seed(m->keys)) & (m->cap - 1);
}

/* The slot that holds key, or the free one where it belongs. */
static size_t hmap_slot(const struct hmap *m, uint64_t key)
{
	size_t i = hmap_home(m, key);

	while (m->values[i] != HMAP_NONE && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static void hmap_grow(struct hmap *m)
{
	struct hmap old = *m;

	m->cap = double_cap(old.cap);
	m->keys = xrealloc_array(NULL, m->cap, sizeof(*m->keys));
	m->values = xrealloc_array(NULL, m->cap, sizeof(*m->values));
	memset(m->values, 0xff, m->cap * sizeof(*m->values));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.values[i] == HMAP_NONE)
			continue;
		size_t slot = hmap_slot(m, old.keys[i]);
		m->keys[slot] = old.keys[i];
		m->values[slot] = old.values[i];
	}
	free(old.keys);
	free(old.values);
}

uint32_t hmap_get(const struct hmap *m, uint64_t key)
{
	return m->cap ? m->values[hmap_slot(m, key)] : HMAP_NONE;
}

void hmap_put(struct hmap *m, uint64_t key, uint32_t value)
{
	if (too_full(m->len, m->cap))
		hmap_grow(m);
	size_t slot = hmap_slot(m, key);
	m->len += m->values[slot] == HMAP_NONE;
	m->keys[slot] = key;
	m->values[slot] = value;
}

bool hmap_remove(struct hmap *m, uint64_t key)
{
	if (hmap_get(m, key) == HMAP_NONE)
		return false;

	size_t mask = m->cap - 1, hole = hmap_slot(m, key);
	m->values[hole] = HMAP_NONE;
	m->len--;
	/* Move later entries of the run back, so that no search stops at the hole. */
	for (size_t i = (hole + 1) & mask; m->values[i] != HMAP_NONE; i = (i + 1) & mask) {
		size_t home = hmap_home(m, m->keys[i]);
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->keys[hole] = m->keys[i];
		m->values[hole] = m->values[i];
		m->values[i] = HMAP_NONE;
		hole = i;
	}
	return true;
}

void hmap_clear(struct hmap *m)
{
	if (m->cap)
		memset(m->values, 0xff, m->cap * sizeof(*m->values));
	m->len = 0;
}

void hmap_release(struct hmap *m)
{
	free(m->keys);
	free(m->values);
	hmap_init(m);
}

void strtab_init(struct strtab *t)
{
	memset(t, 0, sizeof(*t));
	strtab_add(t, "", 0);
}

static size_t strtab_home(const struct strtab *t, uint32_t hash)
{
	return hash & (t->slot_cap - 1);
}

static struct strtab_slot *strtab_slot(const struct strtab *t, const char *s, size_t len,
				       uint32_t hash)
{
	size_t i = strtab_home(t, hash);

	for (; t->slots[i].id; i = (i + 1) & (t->slot_cap - 1)) {
		uint32_t id = t->slots[i].id - 1;
		if (t->slots[i].hash == hash && t->lengths.data[id] == len &&
		    memcmp(t->strings.data[id], s, len) == 0)
			break;
	}
	return &t->slots[i];
}

/* Without a look at the strings. */
static void strtab_grow(struct strtab *t)
{
	struct strtab_slot *old = t->slots;
	size_t old_cap = t->slot_cap;

	t->slot_cap = double_cap(old_cap);
	t->slots = xcalloc(t->slot_cap, sizeof(*t->slots));
	if (!old)
		t->seed = address_seed(t->slots);
	for (size_t from = 0; from < old_cap; from++) {
		size_t to = strtab_home(t, old[from].hash);
		if (!old[from].id)
			continue;
		while (t->slots[to].id)
			to = (to + 1) & (t->slot_cap - 1);
		t->slots[to] = old[from];
	}
	free(old);
}

static uint32_t add_string(struct strtab *t, const char *s, size_t len, bool is_lent)
{
	if (len > UINT32_MAX)
		len = UINT32_MAX;
	if (too_full(t->strings.len, t->slot_cap))
		strtab_grow(t);
	uint32_t hash = (uint32_t)hash_bytes(s, len, t->seed);
	struct strtab_slot *slot = strtab_slot(t, len ? s : "", len, hash);
	if (slot->id)
		return slot->id - 1;

	uint32_t id = (uint32_t)t->strings.len;
	vec_push(&t->strings, is_lent ? s : arena_strndup(&t->arena, s, len));
	vec_push(&t->lengths, (uint32_t)len);
	*slot = (struct strtab_slot){ .hash = hash, .id = id + 1 };
	return id;
}

uint32_t strtab_add(struct strtab *t, const char *s, size_t len)
{
	return add_string(t, s, len, false);
}

uint32_t strtab_add_lent(struct strtab *t, const char *s, size_t len)
{
	return add_string(t, s, len, true);
}

uint32_t strtab_add_str(struct strtab *t, const char *s)
{
	return s ? strtab_add(t, s, strlen(s)) : 0;
}

void strtab_clear(struct strtab *t)
{
	arena_reset(&t->arena);
	vec_clear(&t->strings);
	vec_clear(&t->lengths);
	if (t->slot_cap)
		memset(t->slots, 0, t->slot_cap * sizeof(*t->slots));
	strtab_add(t, "", 0);
}

void strtab_release(struct strtab *t)
{
	arena_release(&t->arena);
	vec_release(&t->strings);
	vec_release(&t->lengths);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
