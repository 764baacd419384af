/*
 * Which frames are embedded when not all fit: the heaviest ones. Among those of equal weight at the
 * border, the first in preorder, so that whole branches stay whole.
 */
#include <stdlib.h>
#include <string.h>

#include "output/flame.h"

/*
 * The rank-th largest of values (rank from 1), found byte by byte from the top: no sorting, no bad
 * case. The first one, the root's, is the largest.
 */
static uint64_t value_of_rank(const uint64_t *values, size_t len, size_t rank)
{
	uint64_t prefix = 0, mask = 0;
	int top = 63 - __builtin_clzll(values[0] | 1);

	for (int shift = top / 8 * 8; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 }, byte = 256;
		for (size_t i = 0; i < len; i++)
			if ((values[i] & mask) == prefix)
				counts[values[i] >> shift & 255]++;
		while (byte-- > 0 && counts[byte] < rank)
			rank -= counts[byte];
		prefix |= (uint64_t)byte << shift;
		mask |= 255ull << shift;
	}
	return prefix;
}

/* Keep the heaviest count nodes. */
static void keep_heaviest(const struct calltree *t, const uint64_t *rank, size_t count,
			  uint8_t *keep)
{
	uint64_t border = value_of_rank(rank, t->nodes.len, count);
	size_t above = 0;

	for (size_t i = 0; i < t->nodes.len; i++) {
		keep[i] = rank[i] > border;
		above += keep[i];
	}
	size_t ties = count - above;
	for (uint32_t n = 0; n != PROFILE_NONE && ties > 0;) {
		bool heavy_enough = rank[n] >= border;
		if (!keep[n] && heavy_enough) {
			keep[n] = 1;
			ties--;
		}
		n = flame_next(t, n, !heavy_enough);
	}
}

/* Kept nodes that lose at least one child; each child is asked, in the order they lie in memory. */
static size_t count_losers(const struct calltree *t, uint8_t *keep)
{
	enum { LOSES = 2 };

	size_t losers = 0;

	for (size_t i = 1; i < t->nodes.len; i++) {
		uint8_t *parent = &keep[t->nodes.data[i].parent];
		if (!keep[i] && *parent == 1) {
			*parent |= LOSES;
			losers++;
		}
	}
	for (size_t i = 0; i < t->nodes.len; i++)
		keep[i] &= (uint8_t)~LOSES;
	return losers;
}

/* Keep as many as leave room for one node per loser. */
static void keep_within(const struct calltree *t, const uint64_t *rank, size_t budget,
			uint8_t *keep)
{
	/* A loser is a kept node, so half the budget always suffices. */
	size_t least = budget / 2 > 0 ? budget / 2 : 1, count = budget;

	for (int round = 0; round < 6 && count > least; round++) {
		keep_heaviest(t, rank, count, keep);
		size_t losers = count_losers(t, keep);
		if (count + losers <= budget)
			return;
		count = budget - losers > least ? budget - losers - losers / 16 : least;
	}
	keep_heaviest(t, rank, least, keep);
}

void flame_prune(const struct calltree *t, const uint64_t *rank, size_t budget, uint8_t *keep)
{
	memset(keep, 1, t->nodes.len);
	if (t->nodes.len > budget)
		keep_within(t, rank, budget, keep);
}

/* self summed up the tree into totals. */
static void sum_up(const struct calltree *t, const uint64_t *self, uint64_t *totals)
{
	memcpy(totals, self, t->nodes.len * sizeof(*totals));
	for (size_t i = t->nodes.len; i-- > 1;)
		totals[t->nodes.data[i].parent] += totals[i];
}

uint64_t *flame_rank(const struct calltree *t, const struct flame_metrics *metrics)
{
	size_t nodes = t->nodes.len;
	uint64_t *rank = xcalloc(nodes + 1, sizeof(*rank));
	uint64_t *totals = xcalloc(nodes + 1, sizeof(*totals));

	for (size_t m = 0; m < metrics->rows.len && nodes > 0; m++) {
		if (metrics->rows.data[m].flags & FLAME_SPREAD)
			continue;
		sum_up(t, metrics->rows.data[m].self, totals);
		uint64_t all = totals[0] > 0 ? totals[0] : 1;
		for (size_t i = 0; i < nodes; i++) {
			/* One metric's own numbers need no scale. */
			uint64_t share =
				metrics->rows.len == 1
					? totals[i]
					: (uint64_t)(((unsigned __int128)totals[i] << 32) / all);
			rank[i] = share > rank[i] ? share : rank[i];
		}
	}
	free(totals);
	return rank;
}
