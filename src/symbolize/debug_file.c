/*
 * Debug file choice. Names in debug links come from the module and may be hostile: they are only
 * ever opened through files/ with the rights of the module's user, must not climb out of the
 * searched folders, and what they lead to must prove its identity.
 */
#include "symbolize/debug_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/io.h"
#include "base/memory.h"

#define CRC_STEP_BYTES ((size_t)1 << 20)

/* What a candidate must match. */
struct identity {
	const uint8_t *build_id;
	size_t build_id_len;
	bool has_crc;
	uint32_t crc;
};

static bool crc_of_file(int fd, uint32_t *out)
{
	uint8_t *buffer = xmalloc(CRC_STEP_BYTES);
	uLong crc = crc32(0, NULL, 0);
	ssize_t got = 0;

	for (off_t at = 0;; at += got) {
		got = io_pread_full(fd, buffer, CRC_STEP_BYTES, at);
		if (got <= 0)
			break;
		crc = crc32(crc, buffer, (uInt)got);
	}
	*out = (uint32_t)crc;
	free_ptr(&buffer);
	return got == 0;
}

/* NULL when the file is the right one, otherwise why not. */
static const char *mismatch(const struct identity *want, struct elf_image *image, int fd)
{
	uint8_t id[64];
	size_t len = elf_image_build_id(image, id);
	uint32_t crc;

	if (!len)
		len = elf_image_supplement_id(image, id);
	if (want->build_id_len && len) {
		bool same = len == want->build_id_len && memcmp(id, want->build_id, len) == 0;
		return same ? NULL : "its build ID is another one";
	}
	if (!want->has_crc)
		return "it has no build ID to check";
	if (!crc_of_file(fd, &crc) || crc != want->crc)
		return "its CRC is not the one in the debug link";
	return NULL;
}

/* Most of the places where one may be are empty. */
static void tell_unreadable(struct debug_file *out, const char *path, const struct error *err)
{
	if (err->errnum == ENOENT || err->errnum == ENOTDIR)
		return;
	if (err->errnum)
		snprintf(out->refused, sizeof(out->refused), "%.400s could not be read: %s", path,
			 strerror(err->errnum));
	else
		snprintf(out->refused, sizeof(out->refused), "%.500s", err->text);
}

/* Opens path and takes it when it proves to be the right file. */
static bool try_path(const struct debug_file_search *s, const struct identity *want,
		     const char *path, struct debug_file *out)
{
	CLEANUP_CLOSE int fd = -1;
	struct elf_image *image;
	struct error err = { 0 };

	if (files_open_path(s->files, s->pid, path, &fd, &err) < 0 ||
	    elf_image_open_fd(&image, fd, path, &err) < 0) {
		tell_unreadable(out, path, &err);
		return false;
	}
	const char *why = mismatch(want, image, fd);
	if (why) {
		snprintf(out->refused, sizeof(out->refused), "%.400s is not used: %s", path, why);
		elf_image_free(image);
		return false;
	}
	out->image = image;
	snprintf(out->path, sizeof(out->path), "%s", path);
	return true;
}

static bool find_by_build_id(const struct debug_file_search *s, const struct identity *want,
			     struct debug_file *out)
{
	char hex[129] = "", path[1024];

	if (want->build_id_len < 2 || want->build_id_len > 64)
		return false;
	for (size_t i = 0; i < want->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", want->build_id[i]);
	for (const char *const *dir = s->debug_dirs; *dir; dir++) {
		int len = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", *dir, hex,
				   hex + 2);
		if (len < (int)sizeof(path) && try_path(s, want, path, out))
			return true;
	}
	return false;
}

/* Length of the folder part of a path, without the slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static bool try_in(const struct debug_file_search *s, const struct identity *want,
		   const char *prefix, const char *suffix, const char *name, struct debug_file *out)
{
	char path[1024];
	int len = snprintf(path, sizeof(path), "%s%.*s%s/%s", prefix, (int)folder_length(s->path),
			   s->path, suffix, name);

	/* A link to the module itself would pass for a debug file without anything in it. */
	return len < (int)sizeof(path) && strcmp(path, s->path) != 0 &&
	       try_path(s, want, path, out);
}

static bool find_by_link(const struct debug_file_search *s, struct identity *want,
			 struct debug_file *out)
{
	const char *name = s->image ? elf_image_debuglink(s->image, &want->crc) : NULL;

	if (!name || strchr(name, '/') || !s->path || s->path[0] != '/')
		return false;
	want->has_crc = true;
	if (try_in(s, want, "", "", name, out) || try_in(s, want, "", "/.debug", name, out))
		return true;
	for (const char *const *dir = s->debug_dirs; *dir; dir++)
		if (try_in(s, want, *dir, "", name, out))
			return true;
	return false;
}

void debug_file_find(const struct debug_file_search *search, struct debug_file *out)
{
	struct identity want = { .build_id = search->build_id,
				 .build_id_len = search->build_id_len };

	memset(out, 0, sizeof(*out));
	if (!search->files)
		return;
	if (find_by_build_id(search, &want, out) || find_by_link(search, &want, out))
		out->refused[0] = '\0';
}

static bool climbs(const char *path)
{
	size_t len;

	for (const char *p = path; *p; p += len + (p[len] != '\0')) {
		len = strcspn(p, "/");
		if (len == 2 && p[0] == '.' && p[1] == '.')
			return true;
	}
	return false;
}

/* dwz names the common file by an absolute path, or by one relative to the file that refers to it.
 */
static bool alternate_path(char *path, size_t size, const char *image_path, const char *link)
{
	int len;

	if (link[0] == '/')
		len = climbs(link) ? -1 : snprintf(path, size, "%s", link);
	else if (!strchr(image_path, '/'))
		len = snprintf(path, size, "%s", link);
	else
		len = snprintf(path, size, "%.*s/%s", (int)folder_length(image_path), image_path,
			       link);
	return len > 0 && len < (int)size;
}

void debug_file_find_alternate(const struct debug_file_search *search, struct elf_image *image,
			       const char *image_path, struct debug_file *out)
{
	uint8_t id[64];
	struct identity want = { .build_id = id };
	char path[1024];
	const char *link = elf_image_debugaltlink(image, id, &want.build_id_len);

	memset(out, 0, sizeof(*out));
	if (!link || !search->files)
		return;
	if (alternate_path(path, sizeof(path), image_path, link) &&
	    try_path(search, &want, path, out))
		return;
	if (find_by_build_id(search, &want, out))
		out->refused[0] = '\0';
}

static struct elf_image *open_in(const struct debug_file_search *s, const char *folder,
				 size_t folder_len, const char *name)
{
	CLEANUP_CLOSE int fd = -1;
	struct elf_image *image = NULL;
	char path[1024];
	int len = snprintf(path, sizeof(path), "%.*s/%s", (int)folder_len, folder, name);

	if (len < (int)sizeof(path) && files_open_path(s->files, s->pid, path, &fd, NULL) == 0)
		elf_image_open_fd(&image, fd, path, NULL);
	return image;
}

struct elf_image *debug_file_open_dwo(const struct debug_file_search *search, const char *name,
				      const char *folder)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	struct elf_image *image = NULL;

	if (!search->files || climbs(name))
		return NULL;
	if (name[0] == '/')
		image = open_in(search, name, folder_length(name), last);
	else if (folder[0] == '/')
		image = open_in(search, folder, strnlen(folder, 1024), name);
	if (!image && search->path[0] == '/')
		image = open_in(search, search->path, folder_length(search->path), last);
	return image;
}

struct elf_image *debug_file_open_package(const struct debug_file_search *search, const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[512];
	int len = snprintf(name, sizeof(name), "%s.dwp", slash ? slash + 1 : path);

	if (!search->files || path[0] != '/' || len >= (int)sizeof(name))
		return NULL;
	return open_in(search, path, folder_length(path), name);
}
