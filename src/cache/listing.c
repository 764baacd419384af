/* All entries at once: shown, cleared, and kept within their bound. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cache/cache_private.h"

#define MAX_ITEMS      ((size_t)1 << 16)
#define ABANDONED_NS   INT64_C(3600000000000)
#define KEPT_OF_EIGHTH 7 /* trimming leaves room, so that not every new entry trims */

static bool is_new_file(const char *name)
{
	return strncmp(name, CACHE_NEW_PREFIX, strlen(CACHE_NEW_PREFIX)) == 0;
}

static int64_t time_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* A descriptor of its own, since reading a folder moves the descriptor's position. */
static DIR *open_listing(struct cache *c)
{
	int fd = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static int best_first(const void *pa, const void *pb)
{
	const struct cache_item *a = pa, *b = pb;

	if (a->is_foreign != b->is_foreign)
		return a->is_foreign ? 1 : -1;
	if (a->used_ns != b->used_ns)
		return a->used_ns > b->used_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

int cache_list(struct cache *c, struct cache_list *out, struct error *err)
{
	DIR *dir = open_listing(c);
	char maker[CACHE_MAKER_LEN + 1];
	struct stat st;

	cache_maker(maker);
	*out = (struct cache_list){ 0 };
	if (!dir)
		return error_set_errno(err, errno, "cannot list %s", c->path);
	for (struct dirent *e; (e = readdir(dir)) && out->items.len < MAX_ITEMS;) {
		struct cache_item item = { 0 };
		if (!cache_is_name(e->d_name) ||
		    fstatat(c->folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		memcpy(item.name, e->d_name, CACHE_NAME_LEN);
		item.bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
		item.used_ns = time_of(&st);
		item.is_foreign = strncmp(item.name, maker, CACHE_NAME_MAKER_LEN) != 0;
		out->bytes += item.bytes;
		vec_push(&out->items, item);
	}
	closedir(dir);
	if (out->items.len)
		qsort(out->items.data, out->items.len, sizeof(*out->items.data), best_first);
	return 0;
}

void cache_list_release(struct cache_list *l)
{
	vec_release(&l->items);
}

/* What writers left that did not come to their end. */
static void drop_abandoned(struct cache *c, int64_t older_than_ns)
{
	DIR *dir = open_listing(c);
	int64_t now = (int64_t)clock_realtime_ns();
	struct stat st;

	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));)
		if (is_new_file(e->d_name) &&
		    fstatat(c->folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now - time_of(&st) >= older_than_ns)
			unlinkat(c->folder, e->d_name, 0);
	closedir(dir);
}

int cache_clear(struct cache *c, struct cache_removed *removed, struct error *err)
{
	struct cache_list all;
	struct cache_removed sum = { 0 };
	int result = cache_list(c, &all, err);

	for (size_t i = 0; result == 0 && i < all.items.len; i++) {
		if (unlinkat(c->folder, all.items.data[i].name, 0) == 0) {
			sum.entries++;
			sum.bytes += all.items.data[i].bytes;
		} else if (errno != ENOENT) {
			result = error_set_errno(err, errno, "cannot remove %s/%s", c->path,
						 all.items.data[i].name);
		}
	}
	if (removed)
		*removed = sum;
	cache_list_release(&all);
	if (result == 0)
		drop_abandoned(c, ABANDONED_NS);
	return result;
}

void cache_trim(struct cache *c)
{
	struct cache_list all;
	uint64_t keep = c->max_bytes / 8 * KEPT_OF_EIGHTH;

	if (cache_list(c, &all, NULL) < 0)
		return;
	if (all.bytes > c->max_bytes || all.items.len >= MAX_ITEMS) {
		uint64_t kept = 0;
		for (size_t i = 0; i < all.items.len; i++) {
			kept += all.items.data[i].bytes;
			if (kept > keep || i >= MAX_ITEMS / 2)
				unlinkat(c->folder, all.items.data[i].name, 0);
		}
		drop_abandoned(c, ABANDONED_NS);
	}
	cache_list_release(&all);
}
