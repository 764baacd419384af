/* A map from keys of a fixed number of 64-bit words to u32: what makes equal rows one row. */
#ifndef PROF_PROFILE_KEYSET_H
#define PROF_PROFILE_KEYSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

#define KEYSET_NONE	 UINT32_MAX
#define KEYSET_MAX_WORDS 5

struct keyset {		/* zeroed but for words is valid */
	unsigned words; /* of each key */
	VEC(uint64_t) keys;
	VEC(uint32_t) values;
	uint32_t *slots; /* open addressing: index of the key + 1 */
	size_t slot_cap;
};

uint32_t keyset_get(const struct keyset *s, const uint64_t *key); /* KEYSET_NONE when absent */
/* The value of an equal key, or value, which is then stored. */
uint32_t keyset_add(struct keyset *s, const uint64_t *key, uint32_t value);
void keyset_clear(struct keyset *s);
void keyset_release(struct keyset *s);

#endif
