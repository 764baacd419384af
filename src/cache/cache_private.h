/* What the files of this layer share. */
#ifndef PROF_CACHE_CACHE_PRIVATE_H
#define PROF_CACHE_CACHE_PRIVATE_H

#include "cache/cache.h"

#define CACHE_NEW_PREFIX "new-" /* files being written */

struct cache {
	char *path;
	int folder;
	int pending; /* being written, -1 */
	char pending_name[sizeof(CACHE_NEW_PREFIX) + 40];
	uint64_t max_bytes;
};

#endif
