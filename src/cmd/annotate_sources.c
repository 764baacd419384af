/*
 * Names of source come from whoever wrote the profiled program, or the profile: only regular files
 * are read whose names, and those of what links led to, are names of source.
 */
#include "cmd/annotate_sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "files/files.h"
#include "files/kind.h"

#define MAX_FILE_BYTES	((size_t)32 << 20)
#define MAX_TOTAL_BYTES ((size_t)128 << 20)
#define MAX_FILES	256u
#define URL_OF_FILE	"file://" /* by which V8 calls modules */
#define NS_PER_S	UINT64_C(1000000000)

struct reading {
	struct source_texts *texts;
	const struct profile *profile;
	const struct source_places *places;
	struct files *files;
	struct hmap seen;     /* string ids of names */
	int64_t program_time; /* in seconds; 0: not known */
	size_t total_bytes;
	bool all;
};

int source_places_check(const struct command *cmd, const struct source_places *places)
{
	for (size_t i = 0; i < places->maps.len; i++) {
		const char *map = places->maps.items[i], *equals = strchr(map, '=');
		if (!equals || equals == map)
			return cmd_usage(cmd, "--source-map '%s' is not FROM=TO", map);
	}
	for (size_t i = 0; i < places->dirs.len; i++)
		if (access(places->dirs.items[i], X_OK) < 0)
			return cmd_usage(cmd, "--source-dir %s: cannot be searched",
					 places->dirs.items[i]);
	return EXIT_DONE;
}

/* ---- opening ---- */

static int open_source(const struct reading *r, const char *path)
{
	int fd;

	if (path[0] != '/' || !kind_is_source_name(path) ||
	    files_open_path(r->files, 0, path, &fd, NULL) < 0)
		return -1;
	if (kind_is_source(fd, path))
		return fd;
	close(fd);
	return -1;
}

/* An end of a name that leads out of a folder is none. */
static const char *without_parents(const char *name)
{
	for (const char *at = name; (at = strstr(at, "..")); at += 2)
		if ((at == name || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			name = at + 2;
	return name;
}

static int open_below(const struct reading *r, const char *dir, const char *name)
{
	char folder[PATH_MAX];
	int fd = -1;

	if (!realpath(dir, folder))
		return -1;
	for (const char *end = without_parents(name); fd < 0 && end;) {
		while (*end == '/')
			end++;
		if (!*end)
			break;
		CLEANUP_FREE char *path = xasprintf("%s/%s", folder, end);
		fd = open_source(r, path);
		end = strchr(end, '/');
	}
	return fd;
}

static int open_mapped(const struct reading *r, const char *map, const char *name)
{
	size_t from = strcspn(map, "=");
	char folder[PATH_MAX];

	if (strncmp(name, map, from) != 0 || !realpath(map + from + 1, folder))
		return -1;
	const char *rest = name + from;
	while (*rest == '/')
		rest++;
	CLEANUP_FREE char *path = xasprintf("%s/%s", folder, rest);
	return open_source(r, path);
}

/* What the user says comes first. */
static int find_source(const struct reading *r, const char *name)
{
	const struct source_places *places = r->places;
	size_t prefix = strlen(URL_OF_FILE);
	int fd = -1;

	if (strncmp(name, URL_OF_FILE, prefix) == 0)
		name += prefix;
	for (size_t i = 0; fd < 0 && i < places->maps.len; i++)
		fd = open_mapped(r, places->maps.items[i], name);
	for (size_t i = 0; fd < 0 && i < places->dirs.len; i++)
		fd = open_below(r, places->dirs.items[i], name);
	return fd >= 0 ? fd : open_source(r, name);
}

/* ---- which, and how old ---- */

static enum source_state state_of(const struct reading *r, int fd)
{
	struct stat st;

	return r->program_time && fstat(fd, &st) == 0 && st.st_mtime > r->program_time
		       ? SOURCE_NEWER
		       : SOURCE_AS_RECORDED;
}

static void read_file(struct reading *r, uint32_t file)
{
	struct bytes text = { 0 };
	CLEANUP_CLOSE int fd = find_source(r, profile_str(r->profile, file));

	if (fd < 0 || r->total_bytes >= MAX_TOTAL_BYTES)
		return;
	if (io_read_all(fd, &text, MAX_FILE_BYTES, NULL) == 0 && text.len) {
		r->total_bytes += text.len;
		source_texts_add_file(r->texts, file, (const char *)text.data, text.len,
				      state_of(r, fd));
	}
	bytes_release(&text);
}

static void want(struct reading *r, uint32_t file, uint32_t line)
{
	size_t len;

	if (!file || !line || r->seen.len >= MAX_FILES || hmap_get(&r->seen, file) != HMAP_NONE)
		return;
	if (!r->all && source_texts_line(r->texts, file, line, &len))
		return;
	hmap_put(&r->seen, file, 1);
	read_file(r, file);
}

/* The program is as old as its file is here, and no younger than the recording. */
static int64_t program_time(const struct profile *p, uint32_t module)
{
	int64_t time = p->runs.len ? (int64_t)(p->runs.data[0].start_realtime_ns / NS_PER_S) : 0;
	struct stat st;

	if (module < p->modules.len && p->modules.data[module].kind == MODULE_FILE &&
	    stat(profile_str(p, p->modules.data[module].path), &st) == 0 && S_ISREG(st.st_mode) &&
	    (time == 0 || st.st_mtime < time))
		time = st.st_mtime;
	return time;
}

void annotate_sources_read(struct source_texts *texts, const struct annotation *a,
			   const struct source_places *places, bool all)
{
	struct reading r = { .texts = texts,
			     .profile = a->profile,
			     .places = places,
			     .files = files_direct_new(),
			     .program_time =
				     program_time(a->profile, annotation_key(a, a->key)->module),
			     .all = all };

	for (size_t i = 0; i < a->lines.len; i++)
		want(&r, a->lines.data[i].file, a->lines.data[i].line);
	r.all = false;
	for (size_t i = 0; i < a->inlined.len; i++)
		want(&r, a->inlined.data[i].file, a->inlined.data[i].line);
	hmap_release(&r.seen);
	files_free(r.files);
}

void annotate_sources_read_file(struct source_texts *texts, const struct profile *p,
				uint32_t module, uint32_t file, const struct source_places *places)
{
	struct reading r = { .texts = texts,
			     .profile = p,
			     .places = places,
			     .files = files_direct_new(),
			     .program_time = program_time(p, module) };

	read_file(&r, file);
	files_free(r.files);
}

char *annotate_source_path(const struct source_places *places, const char *name)
{
	struct reading r = { .places = places, .files = files_direct_new() };
	CLEANUP_CLOSE int fd = find_source(&r, name);
	char link[64], path[PATH_MAX];

	files_free(r.files);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof(path));
	return len > 0 && (size_t)len < sizeof(path) ? xstrndup(path, (size_t)len) : NULL;
}
