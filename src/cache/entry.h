/*
 * One entry: a head that says whose it is, then the remembered bytes in blocks with a checksum
 * each. The file is never mapped and read block by block when bytes are asked for, so a large table
 * costs what is looked at. Whatever the file holds, a reader gets bytes that somebody once wrote
 * for this key, or nothing; offsets inside of them are the caller's to check.
 */
#ifndef PROF_CACHE_ENTRY_H
#define PROF_CACHE_ENTRY_H

#include "base/bytes.h"
#include "cache/cache.h"
#include <stdbool.h>
#include <stdint.h>

struct cache_entry;

/* The name under which this build of prof keeps the entry of a key. */
void cache_entry_name(const char *key, char name[CACHE_NAME_LEN + 1]);
/* Fills an empty file. title says to people what it is about. 0 or -1 with errno. */
int cache_entry_write(int fd, const char *key, const char *title, const struct bytes *payload);

/* Takes fd. NULL when the file is no intact entry of this key. */
struct cache_entry *cache_entry_open(int fd, const char *key);
void cache_entry_free(struct cache_entry *e);
uint64_t cache_entry_size(const struct cache_entry *e);
/* [offset, offset + len) at an address that stays; NULL beyond the end, or when a block is damaged.
 */
const uint8_t *cache_entry_at(struct cache_entry *e, uint64_t offset, uint64_t len);
/* A text that ends inside of the entry; else NULL. */
const char *cache_entry_string(struct cache_entry *e, uint64_t offset);
/* For showing: the title of whatever entry fd is; NULL when it is none. Caller frees. */
char *cache_entry_title(int fd);

#endif
