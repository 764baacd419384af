/*
 * Which frames are embedded when not all fit: the heaviest ones. Among those of equal weight at the
 * border, the first in preorder, so that whole branches stay whole.
 */
#include <stdlib.h>
#include <string.h>

#include "output/flame.h"

/*
 * The rank-th largest of totals (rank from 1), found byte by byte from the top: no sorting, no bad
 * case. The first one, the root's, is the largest.
 */
static uint64_t total_of_rank(const uint64_t *totals, size_t len, size_t rank)
{
	uint64_t prefix = 0, mask = 0;
	int top = 63 - __builtin_clzll(totals[0] | 1);

	for (int shift = top / 8 * 8; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 }, byte = 256;
		for (size_t i = 0; i < len; i++)
			if ((totals[i] & mask) == prefix)
				counts[totals[i] >> shift & 255]++;
		while (byte-- > 0 && counts[byte] < rank)
			rank -= counts[byte];
		prefix |= (uint64_t)byte << shift;
		mask |= 255ull << shift;
	}
	return prefix;
}

/* Keep the heaviest count nodes. totals: of all nodes. */
static void keep_heaviest(const struct calltree *t, const uint64_t *totals, size_t count,
			  uint8_t *keep)
{
	uint64_t border = total_of_rank(totals, t->nodes.len, count);
	size_t above = 0;

	for (size_t i = 0; i < t->nodes.len; i++) {
		keep[i] = totals[i] > border;
		above += keep[i];
	}
	size_t ties = count - above;
	for (uint32_t n = 0; n != PROFILE_NONE && ties > 0;) {
		bool heavy_enough = totals[n] >= border;
		if (!keep[n] && heavy_enough) {
			keep[n] = 1;
			ties--;
		}
		n = flame_next(t, n, !heavy_enough);
	}
}

/* Kept nodes that lose at least one child. */
static size_t count_losers(const struct calltree *t, const uint8_t *keep)
{
	size_t losers = 0;
	uint32_t last = PROFILE_NONE;

	for (uint32_t n = 0; n < t->nodes.len; n++) {
		for (uint32_t c = keep[n] ? t->nodes.data[n].first_child : PROFILE_NONE;
		     c != PROFILE_NONE; c = t->nodes.data[c].next_sibling) {
			if (!keep[c] && last != n) {
				losers++;
				last = n;
			}
		}
	}
	return losers;
}

/* Keep as many as leave room for one node per loser. */
static void keep_within(const struct calltree *t, const uint64_t *totals, size_t budget,
			uint8_t *keep)
{
	/* A loser is a kept node, so half the budget always suffices. */
	size_t least = budget / 2 > 0 ? budget / 2 : 1, count = budget;

	for (int round = 0; round < 6 && count > least; round++) {
		keep_heaviest(t, totals, count, keep);
		size_t losers = count_losers(t, keep);
		if (count + losers <= budget)
			return;
		count = budget - losers > least ? budget - losers - losers / 16 : least;
	}
	keep_heaviest(t, totals, least, keep);
}

void flame_prune(const struct calltree *t, size_t budget, uint8_t *keep)
{
	memset(keep, 1, t->nodes.len);
	if (t->nodes.len <= budget)
		return;
	uint64_t *totals = xrealloc_array(NULL, t->nodes.len, sizeof(*totals));
	for (size_t i = 0; i < t->nodes.len; i++)
		totals[i] = t->nodes.data[i].total;
	keep_within(t, totals, budget, keep);
	free(totals);
}
