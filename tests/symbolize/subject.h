/* Files that the symbolizer is tried on: made by shell commands in a folder of the test's own. */
#ifndef PROF_TESTS_SYMBOLIZE_SUBJECT_H
#define PROF_TESTS_SYMBOLIZE_SUBJECT_H

#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/symbolize.h"

int subject_folder_make(void); /* 0, or -1 */
int subject_folder_remove(void);
/* Run commands in the folder; $P is where the programs' sources are. The test fails when they do.
 */
void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Of a file in the folder; valid until the next call. */
const char *path_of(const char *file);

/* One file under examination. */
struct subject {
	char path[512];
	int fd;
	struct files *files;
	struct symbolizer *symbolizer;
	struct symbolize_module module;
	struct symbolize_result result;
	struct elf_image *image;
};

void subject_open(struct subject *s, const char *file, const struct symbolize_options *options);
void subject_close(struct subject *s);
/* symbolize_batch's answer appended to ctx, a struct bytes: "inner@file:line outer@file:line". */
void render_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		   uint32_t count);
/* The answer to one address as "inner@file:line outer@file:line"; the caller frees. */
char *answer(struct subject *s, uint64_t address);
void assert_answer(struct subject *s, uint64_t address, const char *expected);

struct wanted {
	const char *name;
	uint64_t address, size;
};

/* The test fails when there is none. */
struct wanted symbol(struct elf_image *image, const char *name);

#endif
