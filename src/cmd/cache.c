/* prof cache: what prof keeps between runs to be faster the next time. */
#include "cache/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/text.h"
#include "cache/entry.h"
#include "cmd/cmd.h"
#include "output/json.h"

#define NOTHING_KEPT "nothing is kept: XDG_CACHE_HOME is /dev/null\n"
#define MOST_ITEMS   ((size_t)10) /* whose lines may be long: half a screen */

struct options {
	bool clear, json, all, verbose;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, clear, OPT_FLAG, 0, "clear", .help = "remove all entries"),
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "as JSON, all entries"),
	OPTION(struct options, all, OPT_FLAG, 0, "all",
	       .help = "all entries (default: the ten used last, and a sum)"),
	OPTION(struct options, verbose, OPT_FLAG, 'v', "verbose", .help = "the same as --all"),
	{ .name = NULL },
};

/* Caller frees. Looking at an entry is no use of it. */
static char *title_of(struct cache *c, const struct cache_item *item)
{
	int fd = cache_look_at_entry(c, item->name);
	char *title = fd < 0 ? NULL : cache_entry_title(fd);

	close_fd_ptr(&fd);
	return title ? title : xstrdup("(damaged)");
}

static const char *age(char *buf, size_t size, int64_t used_ns)
{
	int64_t passed = (int64_t)clock_realtime_ns() / 1000000000 - used_ns / 1000000000;
	unsigned long long s = passed > 0 ? (unsigned long long)passed : 0;

	if (s < 120)
		snprintf(buf, size, "just now");
	else if (s < 7200)
		snprintf(buf, size, "%llu min ago", s / 60);
	else if (s < 172800)
		snprintf(buf, size, "%llu h ago", s / 3600);
	else
		snprintf(buf, size, "%llu days ago", s / 86400);
	return buf;
}

static void print_item(struct bytes *out, struct cache *c, const struct cache_item *item)
{
	char size[32], used[32];
	CLEANUP_FREE char *title = title_of(c, item);

	bytes_printf(out, "%9s  %-12s  ", text_bytes(size, sizeof(size), item->bytes),
		     age(used, sizeof(used), item->used_ns));
	text_append_printable(out, title, strlen(title));
	bytes_printf(out, "%s\n", item->is_foreign ? " (of another build of prof)" : "");
}

/* What the entries from first on are. */
static void print_rest(struct bytes *out, const struct cache_list *l, size_t first)
{
	char size[32], count[32];
	uint64_t bytes = 0;
	size_t foreign = 0;

	for (size_t i = first; i < l->items.len; i++) {
		bytes += l->items.data[i].bytes;
		foreign += l->items.data[i].is_foreign;
	}
	if (first >= l->items.len)
		return;
	bytes_printf(out, "%9s  in %s more", text_bytes(size, sizeof(size), bytes),
		     text_count(count, sizeof(count), l->items.len - first));
	if (foreign)
		bytes_printf(out, ", %s of another build of prof",
			     text_count(count, sizeof(count), foreign));
	bytes_printf(out, ": prof cache --all\n");
}

static void print_text(struct bytes *out, struct cache *c, const struct cache_list *l, bool all)
{
	size_t shown = all || l->items.len <= MOST_ITEMS + 1 ? l->items.len : MOST_ITEMS;
	char size[32], max[32];

	if (!c) {
		bytes_printf(out, NOTHING_KEPT);
		return;
	}
	text_append_printable(out, cache_path(c), strlen(cache_path(c)));
	bytes_printf(out, ": %zu entries, %s of at most %s\n", l->items.len,
		     text_bytes(size, sizeof(size), l->bytes),
		     text_bytes(max, sizeof(max), CACHE_MAX_BYTES));
	if (l->items.len)
		bytes_printf(out, "\n%9s  %-12s  %s\n", "SIZE", "LAST USED", "ENTRY");
	for (size_t i = 0; i < shown; i++)
		print_item(out, c, &l->items.data[i]);
	print_rest(out, l, shown);
}

static void print_json(struct bytes *out, struct cache *c, const struct cache_list *l)
{
	struct json j;

	json_begin(&j, out, 2);
	json_open_object(&j, NULL);
	if (c)
		json_string(&j, "path", cache_path(c));
	else
		json_null(&j, "path");
	json_u64(&j, "bytes", l->bytes);
	json_u64(&j, "max_bytes", c ? CACHE_MAX_BYTES : 0);
	json_open_array(&j, "entries");
	for (size_t i = 0; i < l->items.len; i++) {
		const struct cache_item *item = &l->items.data[i];
		CLEANUP_FREE char *title = title_of(c, item);
		json_open_object(&j, NULL);
		json_string(&j, "title", title);
		json_string(&j, "name", item->name);
		json_u64(&j, "bytes", item->bytes);
		json_i64(&j, "used_ns", item->used_ns);
		json_bool(&j, "other_build", item->is_foreign);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_close_object(&j);
	json_end(&j);
}

/* c: NULL when the user wants nothing to be kept, which is no fault. */
static int show(struct cache *c, const struct options *o)
{
	struct cache_list list = { 0 };
	struct bytes out = { 0 };
	struct error err = { 0 };

	if (c && cache_list(c, &list, &err) < 0)
		return cmd_fail(&command_cache, &err, EXIT_FAILED);
	if (o->json)
		print_json(&out, c, &list);
	else
		print_text(&out, c, &list, o->all || o->verbose);
	cache_list_release(&list);
	int status = cmd_write_output(&command_cache, &out, NULL);
	bytes_release(&out);
	return status;
}

/* Standard output has one line, or an object, so that a script sees what is gone. */
static int clear(struct cache *c, const struct options *o)
{
	struct cache_removed removed = { 0 };
	struct bytes out = { 0 };
	struct error err = { 0 };
	char size[32], count[32];

	if (c && cache_clear(c, &removed, &err) < 0)
		return cmd_fail(&command_cache, &err, EXIT_FAILED);
	if (o->json) {
		struct json j;
		json_begin(&j, &out, 1);
		json_open_object(&j, NULL);
		json_u64(&j, "removed_entries", removed.entries);
		json_u64(&j, "removed_bytes", removed.bytes);
		json_close_object(&j);
		json_end(&j);
	} else if (!c) {
		bytes_printf(&out, NOTHING_KEPT);
	} else {
		text_append_printable(&out, cache_path(c), strlen(cache_path(c)));
		bytes_printf(&out, ": removed %s %s, %s\n",
			     text_count(count, sizeof(count), removed.entries),
			     removed.entries == 1 ? "entry" : "entries",
			     text_bytes(size, sizeof(size), removed.bytes));
	}
	int status = cmd_write_output(&command_cache, &out, NULL);
	bytes_release(&out);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct error err = { 0 };
	struct cache *c;
	int status;

	(void)argv;
	if (argc)
		return cmd_usage(&command_cache, "takes no operands");
	if (cache_is_unwanted())
		return o->clear ? clear(NULL, o) : show(NULL, o);
	if (cache_ignored_home())
		cmd_say(&command_cache,
			"XDG_CACHE_HOME '%s' is ignored: it must be an absolute path",
			cache_ignored_home());
	if (cache_open(&c, true, &err) < 0)
		return cmd_fail(&command_cache, &err, EXIT_FAILED);
	status = o->clear ? clear(c, o) : show(c, o);
	cache_free(c);
	return status;
}

const struct command command_cache = {
	.name = "cache",
	.summary = "show or clear what is kept between runs",
	.synopsis = "prof cache [options]",
	.description =
		"prof keeps what it found out about programs, their debug files and the kernel, so that the next "
		"recording of the same files costs less. Entries are found again by the identity of the files they were "
		"made from, never by name; damaged ones are passed over. They lie in $XDG_CACHE_HOME/prof, else in "
		"~/.cache/prof, a folder that nobody else may write to; the ones not used for longest go when there "
		"are too many, first those that another build of prof made, which are of no use to this one. Nothing is lost when they are removed. With XDG_CACHE_HOME=/dev/null nothing is kept; "
		"one that is no absolute path is ignored, as its specification wants it, and said here and by prof check.",
	.examples = "prof cache --clear\tRemove everything.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
