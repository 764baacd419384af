/* Keys, and entries in and out of the cache through files/. */
#include "symbolize/remember.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

static void add_text(struct bytes *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_text(struct bytes *key, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (key->len)
		key->len--; /* the NUL */
	bytes_append(key, text, strlen(text) + 1);
}

static void add_hex(struct bytes *key, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		add_text(key, "%02x", bytes[i]);
}

/* Another prof, or another library that it reads with, may answer differently. */
void remember_key_begin(struct bytes *out, const char *what)
{
	char maker[CACHE_MAKER_LEN + 1];

	cache_maker(maker);
	bytes_clear(out);
	add_text(out, "%s\nreader %s\n", what, maker);
}

bool remember_key_file(struct bytes *out, const char *role, const struct elf_image *image)
{
	uint8_t build_id[64];
	struct stat st;

	if (!image) {
		add_text(out, "%s none\n", role);
		return true;
	}
	/* A file without a name, as copies of files are, is another one the next time. */
	if (elf_image_fd(image) < 0 || fstat(elf_image_fd(image), &st) < 0 || st.st_nlink == 0)
		return false;
	/* The kernel sets the time of the last change: no writer can take it back. */
	add_text(out, "%s %llx:%llx %lld %lld.%09ld %lld.%09ld ", role,
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		 (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		 (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	add_hex(out, build_id, elf_image_build_id(image, build_id));
	add_text(out, "\n");
	return true;
}

struct kept_sections {
	struct files *files;
	struct bytes key; /* of the image */
	char *title;
	VEC(struct cache_entry *) entries; /* whose bytes are in use */
};

static void key_of_section(const struct kept_sections *k, const char *section, uint64_t offset,
			   uint64_t size, struct bytes *key)
{
	bytes_append(key, k->key.data, k->key.len);
	add_text(key, "section %s %" PRIu64 " %" PRIu64 "\n", section, offset, size);
}

static const uint8_t *recall_section(void *ctx, const char *section, uint64_t offset, uint64_t size,
				     size_t *len)
{
	struct kept_sections *k = ctx;
	struct bytes key = { 0 };

	key_of_section(k, section, offset, size, &key);
	struct cache_entry *e = remember_recall(k->files, &key);
	bytes_release(&key);
	const uint8_t *plain = e ? cache_entry_at(e, 0, cache_entry_size(e)) : NULL;
	if (!plain) {
		cache_entry_free(e);
		return NULL;
	}
	*len = (size_t)cache_entry_size(e);
	vec_push(&k->entries, e);
	return plain;
}

static void keep_section(void *ctx, const char *section, uint64_t offset, uint64_t size,
			 const uint8_t *plain, size_t len)
{
	struct kept_sections *k = ctx;
	struct bytes payload = { .data = (uint8_t *)(uintptr_t)plain, .len = len, .cap = len };
	struct bytes key = { 0 };

	key_of_section(k, section, offset, size, &key);
	CLEANUP_FREE char *title = xasprintf("%s of %s", section, k->title);
	remember_keep(k->files, &key, title, &payload);
	bytes_release(&key);
}

struct kept_sections *remember_sections(struct files *files, struct elf_image *image,
					const char *title)
{
	struct kept_sections *k = xcalloc(1, sizeof(*k));
	struct elf_section_keeper keeper = { recall_section, keep_section, k };

	k->files = files;
	k->title = xstrdup(title);
	remember_key_begin(&k->key, "section 1");
	if (remember_key_file(&k->key, "file", image))
		elf_image_set_keeper(image, &keeper);
	return k;
}

void remember_sections_free(struct kept_sections *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->entries.len; i++)
		cache_entry_free(k->entries.data[i]);
	vec_release(&k->entries);
	bytes_release(&k->key);
	free(k->title);
	free(k);
}

static uint64_t hash_of_modules(const struct bytes *text)
{
	const char *p = (const char *)text->data, *end = text->len ? p + text->len : p;
	uint64_t hash = 0;

	/* "name size uses users state address": who uses a module says nothing about its symbols.
	 */
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		for (int field = 0; p < stop; field++) {
			const char *blank = memchr(p, ' ', (size_t)(stop - p));
			const char *next = blank ? blank : stop;
			if (field != 2 && field != 3)
				hash = hash_bytes(p, (size_t)(next - p), hash);
			p = blank ? blank + 1 : stop;
		}
		p = newline ? newline + 1 : end;
	}
	return hash;
}

bool remember_key_kernel(struct bytes *out, struct files *files)
{
	struct bytes boot = { 0 }, notes = { 0 }, modules = { 0 };
	bool known = files_read_proc(files, FILES_PROC_BOOT_ID, 0, 0, &boot, NULL) == 0 &&
		     boot.len >= 36 &&
		     files_read_proc(files, FILES_PROC_KERNEL_NOTES, 0, 0, &notes, NULL) == 0;

	/* A kernel without modules has no such list. */
	files_read_proc(files, FILES_PROC_MODULES, 0, 0, &modules, NULL);
	if (known)
		add_text(out, "boot %.36s\nnotes %016" PRIx64 "\nmodules %016" PRIx64 "\n",
			 (const char *)boot.data, hash_bytes(notes.data, notes.len, 0),
			 hash_of_modules(&modules));
	bytes_release(&boot);
	bytes_release(&notes);
	bytes_release(&modules);
	return known;
}

struct cache_entry *remember_recall(struct files *files, const struct bytes *key)
{
	char name[CACHE_NAME_LEN + 1];
	int fd;

	cache_entry_name((const char *)key->data, name);
	if (files_cache_open(files, name, &fd) < 0)
		return NULL;
	return cache_entry_open(fd, (const char *)key->data);
}

void remember_keep(struct files *files, const struct bytes *key, const char *title,
		   const struct bytes *payload)
{
	char name[CACHE_NAME_LEN + 1];
	CLEANUP_CLOSE int fd = -1;

	if (payload->len > CACHE_MAX_ENTRY_BYTES / 2 || files_cache_create(files, &fd) < 0)
		return;
	cache_entry_name((const char *)key->data, name);
	if (cache_entry_write(fd, (const char *)key->data, title, payload) == 0)
		files_cache_commit(files, name);
}
