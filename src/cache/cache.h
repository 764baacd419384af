/*
 * prof's folder of remembered results: $XDG_CACHE_HOME/prof, else ~/.cache/prof. The folder belongs
 * to the user prof runs as and nobody else may write there, or it is not used; as root it is never
 * another user's. An entry is written beside and renamed into place, so that readers see whole
 * entries whoever writes at the same time. When all together pass a bound, the ones not used for
 * longest go, first those of other builds of prof.
 */
#ifndef PROF_CACHE_CACHE_H
#define PROF_CACHE_CACHE_H

#include "base/error.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_NAME_LEN	      32 /* hexadecimal digits */
#define CACHE_MAKER_LEN	      32 /* likewise; names begin with the first few of them */
#define CACHE_NAME_MAKER_LEN  8
#define CACHE_MAX_ENTRY_BYTES ((uint64_t)64 << 20)
#define CACHE_MAX_BYTES	      ((uint64_t)256 << 20)

struct cache;

/* This program and the libraries it runs with, as hexadecimal digits: another build's entries are
 * of no use to it. */
void cache_maker(char out[CACHE_MAKER_LEN + 1]);

/* XDG_CACHE_HOME is /dev/null: the user wants nothing to be kept. */
bool cache_is_unwanted(void);
/* What XDG_CACHE_HOME says when it is no absolute path, which its specification calls invalid: it is ignored. Else NULL. */
const char *cache_ignored_home(void);
/* create: make the folder when it is missing. ERROR_NOT_FOUND when there is none. */
int cache_open(struct cache **out, bool create, struct error *err);
void cache_free(struct cache *c);
const char *cache_path(const struct cache *c);
void cache_set_max_bytes(struct cache *c, uint64_t max); /* instead of CACHE_MAX_BYTES */

/* What cache_entry_name makes, and nothing else. */
bool cache_is_name(const char *name);
/* A descriptor for reading, marked as used now; -1 when there is none. */
int cache_open_entry(struct cache *c, const char *name);
int cache_look_at_entry(struct cache *c, const char *name); /* the same, but not marked */
/* A new file to be filled and committed, borrowed; an earlier one that was not committed is
 * dropped. -1 with errno. */
int cache_create_entry(struct cache *c);
/* Puts the file in the place of name, and drops what is too much. -1 with errno. */
int cache_commit_entry(struct cache *c, const char *name);

struct cache_item {
	char name[CACHE_NAME_LEN + 1];
	uint64_t bytes;
	int64_t used_ns; /* of the real-time clock */
	bool is_foreign; /* made by another build of prof */
};

struct cache_list {		      /* zeroed is valid and empty */
	VEC(struct cache_item) items; /* last used first; foreign ones after the others */
	uint64_t bytes;
};

int cache_list(struct cache *c, struct cache_list *out, struct error *err);
void cache_list_release(struct cache_list *l);
/* Removes all entries. *removed: how many that were, and their bytes; also of those before a failure. May be NULL. */
struct cache_removed {
	uint64_t entries, bytes;
};
int cache_clear(struct cache *c, struct cache_removed *removed, struct error *err);
/* Drops what is last in the list until the bound holds, and files that writers left behind. */
void cache_trim(struct cache *c);

#endif
