/* Encoding and decoding columns. Arithmetic is modulo 2^64, so every value survives. */
#include "profile/columns.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

void pack_integers(struct bytes *out, const uint64_t *values, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned planes = 0;

	for (size_t i = 0; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	if (n == 0)
		least = 0;
	for (uint64_t spread = n ? most - least : 0; spread; spread >>= 8)
		planes++;
	bytes_varint(out, least);
	bytes_u8(out, (uint8_t)planes);
	bytes_reserve(out, planes * n);
	for (unsigned shift = 0; shift < 8 * planes; shift += 8) {
		for (size_t i = 0; i < n; i++)
			out->data[out->len++] = (uint8_t)((values[i] - least) >> shift);
	}
}

bool unpack_integers(struct bytes_reader *r, uint64_t *values, size_t n)
{
	uint64_t least = reader_varint(r);
	unsigned planes = reader_u8(r);

	if (r->failed || planes > 8)
		return false;
	for (size_t i = 0; i < n; i++)
		values[i] = 0;
	for (unsigned shift = 0; shift < 8 * planes; shift += 8) {
		const uint8_t *plane = reader_take(r, n);
		if (!plane)
			return false;
		for (size_t i = 0; i < n; i++)
			values[i] |= (uint64_t)plane[i] << shift;
	}
	for (size_t i = 0; i < n; i++)
		values[i] += least;
	return true;
}

/* What a keyed column expects next, per key; a key not seen yet expects the row before. */
struct key_state {
	struct hmap index;
	VEC(uint64_t) last;
	uint64_t previous;
};

static uint64_t key_expected(const struct key_state *k, uint64_t key)
{
	uint32_t i = hmap_get(&k->index, key);

	return i == HMAP_NONE ? k->previous : k->last.data[i];
}

static void key_seen(struct key_state *k, uint64_t key, uint64_t value)
{
	uint32_t i = hmap_get(&k->index, key);

	k->previous = value;
	if (i != HMAP_NONE) {
		k->last.data[i] = value;
		return;
	}
	hmap_put(&k->index, key, (uint32_t)k->last.len);
	vec_push(&k->last, value);
}

static void key_state_release(struct key_state *k)
{
	hmap_release(&k->index);
	vec_release(&k->last);
}

static void keyed_forward(uint64_t *values, const uint64_t *key, size_t n)
{
	struct key_state k = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t value = values[i];
		values[i] = zigzag(value - key_expected(&k, key[i]));
		key_seen(&k, key[i], value);
	}
	key_state_release(&k);
}

static void keyed_back(uint64_t *values, const uint64_t *key, size_t n)
{
	struct key_state k = { 0 };

	for (size_t i = 0; i < n; i++) {
		values[i] = unzigzag(values[i]) + key_expected(&k, key[i]);
		key_seen(&k, key[i], values[i]);
	}
	key_state_release(&k);
}

static void delta_forward(uint64_t *values, size_t n, bool front)
{
	uint64_t base = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = values[i];
		values[i] = zigzag(value - base);
		base = front && value < base ? base : value;
	}
}

static void delta_back(uint64_t *values, size_t n, bool front)
{
	uint64_t base = 0;

	for (size_t i = 0; i < n; i++) {
		values[i] = unzigzag(values[i]) + base;
		base = front && values[i] < base ? base : values[i];
	}
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *values, size_t n)
{
	size_t kept = 0;

	qsort(values, n, sizeof(*values), compare_values);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || values[i] != values[kept - 1])
			values[kept++] = values[i];
	}
	return kept;
}

static size_t index_of(const uint64_t *sorted, size_t n, uint64_t value)
{
	size_t low = 0;

	while (n > 1) {
		size_t half = n / 2;
		low += sorted[low + half] <= value ? half : 0;
		n -= half;
	}
	return low;
}

/* Worth it when at most 7 of 10 rows bring a value of their own (measured on addresses). */
static bool try_dict(struct bytes *out, uint64_t *values, size_t n)
{
	uint64_t *sorted = xrealloc_array(NULL, n, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = values[i];
	size_t distinct = sort_unique(sorted, n);
	bool worth = distinct * 10 <= n * 7;
	if (worth) {
		for (size_t i = 0; i < n; i++)
			values[i] = index_of(sorted, distinct, values[i]);
		bytes_varint(out, distinct);
		delta_forward(sorted, distinct, false);
		pack_integers(out, sorted, distinct);
		pack_integers(out, values, n);
	}
	free(sorted);
	return worth;
}

static bool decode_dict(struct bytes_reader *r, uint64_t *values, size_t n)
{
	uint64_t distinct = reader_varint(r);

	if (r->failed || distinct > n)
		return false;
	uint64_t *sorted = xrealloc_array(NULL, distinct, sizeof(*sorted));
	bool good = unpack_integers(r, sorted, distinct) && unpack_integers(r, values, n);
	if (good)
		delta_back(sorted, distinct, false);
	for (size_t i = 0; good && i < n; i++) {
		good = values[i] < distinct;
		if (good)
			values[i] = sorted[values[i]];
	}
	free(sorted);
	return good;
}

enum column_encoding column_encode(struct bytes *out, enum column_encoding wanted, uint64_t *values,
				   const uint64_t *key, size_t n)
{
	if (wanted == ENCODING_DICT) {
		if (try_dict(out, values, n))
			return ENCODING_DICT;
		wanted = ENCODING_PLAIN;
	}
	if (wanted == ENCODING_KEYED)
		keyed_forward(values, key, n);
	else if (wanted != ENCODING_PLAIN)
		delta_forward(values, n, wanted == ENCODING_FRONT);
	pack_integers(out, values, n);
	return wanted;
}

bool column_decode(struct bytes_reader *r, unsigned encoding, uint64_t *values, const uint64_t *key,
		   size_t n)
{
	if (encoding == ENCODING_DICT)
		return decode_dict(r, values, n);
	if (encoding > ENCODING_FRONT || (encoding == ENCODING_KEYED && !key))
		return false;
	if (!unpack_integers(r, values, n))
		return false;
	if (encoding == ENCODING_KEYED)
		keyed_back(values, key, n);
	else if (encoding != ENCODING_PLAIN)
		delta_back(values, n, encoding == ENCODING_FRONT);
	return true;
}
