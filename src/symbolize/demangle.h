/* Display names of linkage names, computed once per name. */
#ifndef PROF_SYMBOLIZE_DEMANGLE_H
#define PROF_SYMBOLIZE_DEMANGLE_H

#include "base/hash.h"
#include "base/memory.h"

struct demangled {
	const char *linkage, *shown;
};

struct demangle_cache {	     /* zeroed is valid and empty */
	struct hmap by_name; /* address of the linkage name → index in list */
	struct hmap by_text; /* hash of a mangled name → the same, of the first one with it */
	VEC(struct demangled) list;
	struct arena arena;
};

/* What to show for a linkage name: demangled, or the name itself, in both cases without the
 * suffixes that the compiler gives to copies and parts of a function (.isra.0, .part.1,
 * .constprop.0, .cold). linkage must stay where it is while the cache lives; so does the answer. */
const char *demangle_cached(struct demangle_cache *c, const char *linkage);
/* The same, the caller frees. */
char *demangle_shown(const char *linkage);
void demangle_cache_release(struct demangle_cache *c);

#endif
