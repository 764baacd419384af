/*
 * What earlier runs found, kept in prof's cache. A key is text that names everything an answer
 * depends on: the program that found it, the files by identity and build ID, the kernel by boot and
 * modules.
 */
#ifndef PROF_SYMBOLIZE_REMEMBER_H
#define PROF_SYMBOLIZE_REMEMBER_H

#include "base/bytes.h"
#include "cache/entry.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include <stdbool.h>

/* Begins a key (a text in out, ended by a NUL that the next part takes the place of). what: which
 * kind of answer, and in which form. */
void remember_key_begin(struct bytes *out, const char *what);
/* Adds a file, or that there is none (NULL). false when it cannot be told from others: its answers
 * are not to be kept. */
bool remember_key_file(struct bytes *out, const char *role, const struct elf_image *image);
/* Adds which kernel runs, with which modules; false when that is unknown. */
bool remember_key_kernel(struct bytes *out, struct files *files);

/* The entry of a key, or NULL. */
struct cache_entry *remember_recall(struct files *files, const struct bytes *key);
void remember_keep(struct files *files, const struct bytes *key, const char *title,
		   const struct bytes *payload);

/* From now on sections of the image come decompressed from the cache, and go there. What is
 * returned must outlive the use of their bytes. */
struct kept_sections;
struct kept_sections *remember_sections(struct files *files, struct elf_image *image,
					const char *title);
void remember_sections_free(struct kept_sections *k);

#endif
