/* How much data stands for a level of memory: so much that it fits there, and not in what is
 * nearer. */
#ifndef PROF_PEAKS_SIZES_H
#define PROF_PEAKS_SIZES_H

#include "peaks/machine.h"

#define SIZES_MEMORY 0 /* the place behind all caches; others are the cache's level */

/* What each of count threads works on, all arrays together; 0: nothing can stand for that level. Of
 * memory, most_bytes is what all threads may take together, and is_small is set when there is less
 * than 4 times the last level of caches. */
uint64_t sizes_cache(const struct machine *m, unsigned level, size_t count);
uint64_t sizes_memory(const struct machine *m, size_t count, uint64_t most_bytes, bool *is_small);

#endif
