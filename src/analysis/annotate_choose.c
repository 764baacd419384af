/* Which function is annotated: the one that is asked for, or the heaviest. */
#include <stdlib.h>

#include "analysis/annotate_parts.h"
#include "analysis/near.h"
#include "analysis/pattern.h"

struct key_sums { /* by key: what was sampled in the function's code, and what is inlined there */
	uint64_t *weights, *counts;
	bool *outer; /* it has code of its own */
	size_t len;
};

static void grow(struct key_sums *k, size_t len)
{
	if (len <= k->len)
		return;
	k->weights = xrealloc_array(k->weights, len, sizeof(*k->weights));
	k->counts = xrealloc_array(k->counts, len, sizeof(*k->counts));
	k->outer = xrealloc_array(k->outer, len, sizeof(*k->outer));
	for (size_t i = k->len; i < len; i++) {
		k->weights[i] = k->counts[i] = 0;
		k->outer[i] = false;
	}
	k->len = len;
}

static void add_key(struct annotate_build *b, struct key_sums *k,
		    const struct annotate_place *place, uint32_t key, bool outer)
{
	grow(k, b->out->names.keys.len);
	k->weights[key] += place->weight;
	k->counts[key] += place->count;
	k->outer[key] |= outer;
}

/* Each function of the chain once. */
static void add_chain(struct annotate_build *b, struct key_sums *k,
		      const struct annotate_place *place)
{
	uint32_t count, first = annotate_chain(b, place, &count), seen[FRAME_INLINE_LIMIT];

	if (count == 0)
		add_key(b, k, place, annotate_chain_key(b, place, 0, 0), true);
	for (uint32_t i = 0; i < count; i++) {
		bool again = false;
		seen[i] = annotate_chain_key(b, place, first, i);
		for (uint32_t j = 0; j < i; j++)
			again |= seen[j] == seen[i];
		if (!again)
			add_key(b, k, place, seen[i], i + 1 == count);
		else if (i + 1 == count)
			k->outer[seen[i]] = true;
	}
}

static bool is_heavier(const struct key_sums *k, size_t x, size_t y)
{
	if (k->weights[x] != k->weights[y])
		return k->weights[x] > k->weights[y];
	if (k->counts[x] != k->counts[y])
		return k->counts[x] > k->counts[y];
	return k->outer[x] && !k->outer[y];
}

static bool is_code(const struct annotation *a, size_t key)
{
	return a->names.keys.data[key].kind != CODE_SYNTHETIC;
}

/* Of those that fit (NULL: all). */
static void choose(struct annotation *a, const struct key_sums *k, const bool *fits)
{
	for (uint32_t i = 1; i < k->len; i++) {
		if (k->counts[i] == 0 || (fits ? !fits[i] : !is_code(a, i)))
			continue;
		if (fits && a->key != ANNOTATE_NONE)
			a->others++;
		if (a->key == ANNOTATE_NONE || is_heavier(k, i, a->key))
			a->key = i;
	}
	for (uint32_t i = 1; fits && i < k->len; i++)
		if (fits[i] && i != a->key)
			a->others_weight += k->weights[i];
	if (a->key != ANNOTATE_NONE) {
		a->all.weight = k->weights[a->key];
		a->all.count = k->counts[a->key];
	}
}

/* Of a function that was seen as a caller only, it can be said. */
static int not_sampled(const struct annotation *a, const struct key_sums *k, const char *function,
		       struct error *err)
{
	struct near near;
	struct bytes hint = { 0 };

	near_init(&near, function);
	for (size_t i = 1; i < a->names.keys.len; i++) {
		uint8_t kind = a->names.keys.data[i].kind;
		if (kind != CODE_SYNTHETIC && kind != CODE_UNKNOWN)
			near_offer_weighted(&near, a->names.keys.data[i].name,
					    i < k->len ? k->weights[i] : 0);
	}
	near_append(&near, &hint);
	bytes_u8(&hint, '\0');
	error_set(err, ERROR_NOT_FOUND, "no samples were taken in the code of '%s'%s", function,
		  (const char *)hint.data);
	bytes_release(&hint);
	return -1;
}

static int choose_named(struct annotate_build *b, const struct key_sums *k, const char *function,
			struct error *err)
{
	struct patterns ps;
	struct annotation *a = b->out;
	CLEANUP_FREE bool *fits = xcalloc(k->len + 1, sizeof(*fits));
	int rc = patterns_parse(&ps, "FUNCTION", function, err);

	for (size_t i = 1; rc == 0 && i < k->len; i++)
		patterns_see_function(&ps, a->names.keys.data[i].name);
	for (size_t i = 1; rc == 0 && i < k->len; i++)
		fits[i] = patterns_match_function(&ps, a->names.keys.data[i].name);
	patterns_release(&ps);
	if (rc < 0)
		return -1;
	choose(a, k, fits);
	return a->key == ANNOTATE_NONE ? not_sampled(a, k, function, err) : 0;
}

int annotate_choose(struct annotate_build *b, struct error *err)
{
	struct key_sums k = { NULL, NULL, NULL, 0 };
	int rc = 0;

	for (size_t i = 0; i < b->places.len; i++)
		add_chain(b, &k, &b->places.data[i]);
	if (b->choice->function) {
		rc = choose_named(b, &k, b->choice->function, err);
	} else {
		choose(b->out, &k, NULL);
		if (b->out->key == ANNOTATE_NONE)
			rc = error_set(err, ERROR_NOT_FOUND, "there are no samples to annotate");
	}
	free(k.weights);
	free(k.counts);
	free(k.outer);
	return rc;
}
