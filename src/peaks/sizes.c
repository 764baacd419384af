/* Sizes of what is worked on. */
#include "peaks/sizes.h"

#include "peaks/kernels.h"

#define TIMES_LAST_CACHE 4
#define MEMORY_LEAST	 ((uint64_t)64 << 20) /* where little or nothing is known of caches */

/* The next smaller cache's size, 0: there is none. */
static uint64_t nearer(const struct machine *m, unsigned level)
{
	while (--level > 0)
		if (m->caches[level].bytes)
			return m->caches[level].bytes;
	return 0;
}

static unsigned last_level(const struct machine *m)
{
	unsigned level = MACHINE_LEVELS;

	while (level > 0 && !m->caches[level].bytes)
		level--;
	return level;
}

/* Half of its share, so that what else is there does not push it out. But at least twice what is
 * nearer: a third level that keeps no copies of the second one holds that besides its own. */
uint64_t sizes_cache(const struct machine *m, unsigned level, size_t count)
{
	uint64_t share = m->caches[level].bytes / machine_cache_sharers(m, level, count);
	uint64_t below = nearer(m, level), want = share / 2;

	if (level > 2 && want > 4 * below)
		want = 4 * below;
	if (want < 2 * below)
		want = 2 * below;
	return want > share + (level > 2 ? below : 0) || want < 3 * PEAK_GRAIN ? 0 : want;
}

uint64_t sizes_memory(const struct machine *m, size_t count, uint64_t most_bytes, bool *is_small)
{
	unsigned level = last_level(m);
	uint64_t cache =
		level ? m->caches[level].bytes * machine_cache_instances(m, level, count) : 0;
	uint64_t want = TIMES_LAST_CACHE * cache;

	want = want < MEMORY_LEAST ? MEMORY_LEAST : want;
	uint64_t all = want < most_bytes ? want : most_bytes;
	*is_small = all < TIMES_LAST_CACHE * cache;
	/* A size that the C library told may be that of many caches. */
	if (m->caches_from == CACHES_FROM_SYSFS && all < cache + cache / 2)
		return 0;
	return all / count < 3 * PEAK_GRAIN ? 0 : all / count;
}
