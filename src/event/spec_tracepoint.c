/*
 * Tracepoints, subsystem:name. Their numbers differ from kernel to kernel and are read from
 * tracefs, which ordinary users usually may not read and which is not mounted everywhere.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/spec_source.h"

#define ID_MAX_BYTES 64

const char *spec_tracefs_root(void)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[64];

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		snprintf(path, sizeof(path), "%s/events", roots[i]);
		if (access(path, F_OK) == 0)
			return roots[i];
	}
	return NULL;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-')
		n++;
	return n;
}

/* Two words with one colon between: nothing in them can lead out of tracefs. */
static bool looks_like_tracepoint(const char *text, int *subsystem_len)
{
	size_t first = word_length(text);

	if (first == 0 || text[first] != ':')
		return false;
	size_t second = word_length(text + first + 1);
	*subsystem_len = (int)first;
	return second > 0 && text[first + 1 + second] == '\0';
}

static bool read_id(const char *path, uint64_t *id)
{
	struct bytes b = { 0 };
	bool ok = io_read_file(path, &b, ID_MAX_BYTES, NULL) == 0;

	if (ok) {
		bytes_u8(&b, 0);
		b.data[strcspn((const char *)b.data, "\n")] = '\0';
		ok = text_parse_u64((const char *)b.data, id);
	}
	bytes_release(&b);
	return ok;
}

enum spec_answer spec_tracepoint_resolve(const char *root, const char *text,
					 struct event_spec *spec)
{
	int subsystem_len;
	uint64_t id;

	if (!root || !looks_like_tracepoint(text, &subsystem_len))
		return SPEC_NOT_MINE;
	char *path = xasprintf("%s/events/%.*s/%s/id", root, subsystem_len, text,
			       text + subsystem_len + 1);
	bool found = read_id(path, &id);
	free(path);
	if (!found)
		return SPEC_NOT_MINE;
	spec->name = xstrdup(text);
	spec->type = PERF_TYPE_TRACEPOINT;
	spec->config = id;
	return SPEC_FOUND;
}

const char *spec_tracepoint_obstacle(const char *text)
{
	size_t first = word_length(text);

	if (first == 0 || text[first] != ':' || text[first + 1] == ':')
		return NULL;
	const char *root = spec_tracefs_root();
	char path[64];
	snprintf(path, sizeof(path), "%s/events/sched", root ? root : "/sys/kernel/tracing");
	if (access(path, X_OK) == 0)
		return NULL;
	if (errno == EACCES)
		return "tracefs may not be read: `sudo mount -o remount,mode=755 "
		       "/sys/kernel/tracing`";
	return root ? NULL
		    : "tracepoints need tracefs: `sudo mount -t tracefs nodev /sys/kernel/tracing`";
}

struct lister {
	const char *root, *subsystem;
	const struct name_sink *sink;
};

static int put_tracepoint(void *ctx, const struct dirent *entry)
{
	const struct lister *l = ctx;

	if (entry->d_type == DT_REG) /* enable, filter */
		return 0;
	char *id = xasprintf("%s/events/%s/%s/id", l->root, l->subsystem, entry->d_name);
	bool can_be_opened = access(id, F_OK) == 0; /* most of ftrace: has only formats */
	char *name = xasprintf("%s:%s", l->subsystem, entry->d_name);
	struct event_name n = { .name = name, .kind = "tracepoint" };
	int stop = can_be_opened ? name_sink_put(l->sink, &n) : 0;
	free(id);
	free(name);
	return stop;
}

static int put_subsystem(void *ctx, const struct dirent *entry)
{
	struct lister *l = ctx;

	if (entry->d_type == DT_REG)
		return 0;
	char *path = xasprintf("%s/events/%s", l->root, entry->d_name);
	l->subsystem = entry->d_name;
	int stop = spec_each_entry(path, put_tracepoint, l);
	free(path);
	return stop;
}

int spec_tracepoint_each(const char *root, const struct name_sink *sink)
{
	struct lister l = { .root = root, .sink = sink };

	if (!root)
		return 0;
	char *path = xasprintf("%s/events", root);
	int stop = spec_each_entry(path, put_subsystem, &l);
	free(path);
	return stop;
}
