/* Files under examination, made in a folder of the test's own. */
#include "subject.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

static char folder[] = "/tmp/prof-test-symbolize-XXXXXX";

int subject_folder_make(void)
{
	return mkdtemp(folder) ? 0 : -1;
}

int subject_folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

void shell(const char *fmt, ...)
{
	char command[4096], all[5000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "cd %s && P=%s/symbolize/programs && { %s ; } >>log 2>&1",
		 folder, PROF_TEST_DIR, command);
	if (system(all) != 0)
		fail_msg("command failed: %s", command);
}

const char *path_of(const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return path;
}

void subject_open(struct subject *s, const char *file, const struct symbolize_options *options)
{
	memset(s, 0, sizeof(*s));
	snprintf(s->path, sizeof(s->path), "%s", path_of(file));
	s->fd = open(s->path, O_RDONLY | O_CLOEXEC);
	assert_true(s->fd >= 0);
	s->files = files_direct_new();
	s->symbolizer = symbolizer_new(s->files, options);
	s->module = (struct symbolize_module){
		.key = 7, .kind = MODULE_FILE, .path = s->path, .fd = s->fd
	};
	assert_int_equal(elf_image_open_fd(&s->image, s->fd, file, NULL), 0);
}

void subject_close(struct subject *s)
{
	elf_image_free(s->image);
	symbolizer_free(s->symbolizer);
	files_free(s->files);
	close(s->fd);
}

/* The answer to one address as "inner@file:line outer@file:line". */
void render_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		   uint32_t count)
{
	struct bytes *out = ctx;

	(void)address;
	for (uint32_t i = 0; i < count; i++) {
		const char *slash = frames[i].file ? strrchr(frames[i].file, '/') : NULL;
		bytes_printf(out, "%s%s@%s:%u", i ? " " : "", frames[i].name,
			     slash ? slash + 1 : "?", frames[i].line);
	}
}

char *answer(struct subject *s, uint64_t address)
{
	struct bytes text = { 0 };

	symbolize_batch(s->symbolizer, &s->module, &address, 1, render_answer, &text, &s->result);
	bytes_u8(&text, 0);
	return (char *)text.data;
}

void assert_answer(struct subject *s, uint64_t address, const char *expected)
{
	char *text = answer(s, address);

	assert_string_equal(text, expected);
	free(text);
}

static int find_named(void *ctx, const struct elf_symbol *s)
{
	struct wanted *w = ctx;

	if (strcmp(s->name, w->name) == 0) {
		w->address = s->address;
		w->size = s->size;
	}
	return 0;
}

struct wanted symbol(struct elf_image *image, const char *name)
{
	struct wanted w = { .name = name };

	elf_image_symbols(image, find_named, &w, NULL);
	if (!w.address)
		fail_msg("no symbol %s", name);
	return w;
}
