/* Code of hot functions and source around hot lines. */
#include "record/excerpts.h"

#include "base/io.h"
#include "elf/elf_image.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FUNCTION_BYTES 8192u
#define MAX_CODE_BYTES	   (128u << 10) /* of one module */
#define MAX_SOURCE_BYTES   (64u << 10)
#define MAX_FILE_BYTES	   (32u << 20)
#define LINES_AROUND	   6u

#define URL_OF_FILE "file://" /* by which V8 calls modules */

void excerpts_release(struct excerpts *e)
{
	for (size_t i = 0; i < e->sources.len; i++)
		free(e->sources.data[i].file);
	vec_release(&e->sources);
	vec_release(&e->code);
	bytes_release(&e->bytes);
}

static bool has_code(const struct excerpts *e, uint64_t start)
{
	for (size_t i = 0; i < e->code.len; i++) {
		if (e->code.data[i].address == start)
			return true;
	}
	return false;
}

/* Views decode code as the machine's: what runs in another mode of it is none. */
static bool is_native(const struct elf_image *image)
{
#if defined(__x86_64__)
	return elf_image_machine(image) == ELF_MACHINE_X86_64 && elf_image_is_64bit(image);
#elif defined(__aarch64__)
	return elf_image_machine(image) == ELF_MACHINE_AARCH64 && elf_image_is_64bit(image);
#else
	return elf_image_is_64bit(image);
#endif
}

static void add_code(struct excerpts *e, struct elf_image *image, uint64_t start, uint64_t size)
{
	size_t len = size < MAX_FUNCTION_BYTES ? (size_t)size : MAX_FUNCTION_BYTES;
	const uint8_t *bytes = elf_image_bytes(image, start, len);
	if (!bytes || has_code(e, start) || e->bytes.len + len > MAX_CODE_BYTES)
		return;
	struct excerpt_code code = { start, (uint32_t)e->bytes.len, (uint32_t)len };
	bytes_append(&e->bytes, bytes, len);
	vec_push(&e->code, code);
}

static void collect_code(struct excerpts *e, struct symbolizer *s, const struct symbolize_module *m,
			 const uint64_t *addresses, size_t count)
{
	struct elf_image *image;
	if (m->fd < 0 || elf_image_open_fd(&image, m->fd, m->path, NULL) < 0)
		return;
	for (size_t i = 0; is_native(image) && i < count; i++) {
		uint64_t start, size;
		if (symbolize_function_range(s, m->key, addresses[i], &start, &size) && size)
			add_code(e, image, start, size);
	}
	elf_image_free(image);
}

/* The path in a name, NULL when there is none. */
static const char *path_in(const char *file)
{
	size_t prefix = strlen(URL_OF_FILE);
	const char *path = strncmp(file, URL_OF_FILE, prefix) == 0 ? file + prefix : file;

	return path[0] == '/' ? path : NULL;
}

void excerpt_lines_add(struct excerpt_lines *lines, const char *file, uint32_t line)
{
	if (!file || !path_in(file) || !line)
		return;
	vec_push(&lines->items, ((struct excerpt_line){ xstrdup(file), line }));
}

void excerpt_lines_release(struct excerpt_lines *lines)
{
	for (size_t i = 0; i < lines->items.len; i++)
		free(lines->items.data[i].file);
	vec_release(&lines->items);
}

static void note_lines(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		       uint32_t count)
{
	(void)address;
	for (uint32_t i = 0; i < count; i++)
		excerpt_lines_add(ctx, frames[i].file, frames[i].line);
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct excerpt_line *a = pa, *b = pb;
	int order = strcmp(a->file, b->file);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Lines from..to of text, as far as there are any. */
static void add_lines(struct excerpts *e, const char *file, uint32_t flags,
		      const struct bytes *text, uint32_t from, uint32_t to)
{
	const char *at = (const char *)text->data, *end = at + text->len;
	for (uint32_t line = 1; line < from && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
	const char *stop = at;
	for (uint32_t line = from; line <= to && stop < end; line++) {
		const char *newline = memchr(stop, '\n', (size_t)(end - stop));
		stop = newline ? newline + 1 : end;
	}
	size_t len = (size_t)(stop - at);
	if (len == 0 || e->bytes.len + len > MAX_CODE_BYTES + MAX_SOURCE_BYTES)
		return;
	struct excerpt_source source = { xstrdup(file), from, flags, (uint32_t)e->bytes.len,
					 (uint32_t)len };
	bytes_append(&e->bytes, at, len);
	vec_push(&e->sources, source);
}

/* Of a file; 0: not known. A copy in memory (of what lies on a file system that may stop answering)
 * tells nothing. */
static int64_t time_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink > 0 ? st.st_mtime : 0;
}

static bool read_source(struct files *files, pid_t pid, const char *path, struct bytes *text,
			int64_t *time)
{
	int fd;
	if (files_open_path(files, pid, path, &fd, NULL) < 0)
		return false;
	*time = time_of(fd);
	int result = io_read_all(fd, text, MAX_FILE_BYTES, NULL);
	close(fd);
	return result == 0 && text->len;
}

/* All hot lines of one file, windows that touch made one. */
static void add_file(struct excerpts *e, struct files *files, pid_t pid,
		     const struct excerpt_line *lines, size_t count)
{
	struct bytes text = { 0 };
	int64_t time = 0;
	if (read_source(files, pid, path_in(lines[0].file), &text, &time)) {
		uint32_t flags = e->program_time && time > e->program_time ? SOURCE_IS_NEWER : 0;
		for (size_t i = 0; i < count;) {
			uint32_t from =
				lines[i].line > LINES_AROUND ? lines[i].line - LINES_AROUND : 1;
			uint32_t to = lines[i].line + LINES_AROUND;
			for (i++; i < count && lines[i].line <= to + LINES_AROUND + 1; i++)
				to = lines[i].line + LINES_AROUND;
			add_lines(e, lines[0].file, flags, &text, from, to);
		}
	}
	bytes_release(&text);
}

static int compare_addresses(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return (a > b) - (a < b);
}

void excerpts_collect_lines(struct excerpts *e, struct files *files, pid_t pid,
			    struct excerpt_lines *lines)
{
	const struct excerpt_line *items = lines->items.data;
	size_t count = lines->items.len;

	if (count)
		qsort(lines->items.data, count, sizeof(*items), compare_lines);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count; next++) {
			if (strcmp(items[next].file, items[i].file) != 0)
				break;
		}
		add_file(e, files, pid, &items[i], next - i);
	}
}

static void collect_sources(struct excerpts *e, struct symbolizer *s, struct files *files,
			    const struct symbolize_module *m, const uint64_t *addresses,
			    size_t count)
{
	struct excerpt_lines lines = { 0 };
	struct symbolize_result result;
	uint64_t *sorted = xcalloc(count, sizeof(*sorted));
	memcpy(sorted, addresses, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_addresses);
	symbolize_batch(s, m, sorted, count, note_lines, &lines, &result);
	free(sorted);
	excerpts_collect_lines(e, files, m->pid, &lines);
	excerpt_lines_release(&lines);
}

void excerpts_collect(struct excerpts *e, struct symbolizer *s, struct files *files,
		      const struct symbolize_module *m, const uint64_t *addresses, size_t count)
{
	if (count == 0)
		return;
	e->program_time = m->kind == MODULE_FILE ? time_of(m->fd) : 0;
	collect_code(e, s, m, addresses, count);
	collect_sources(e, s, files, m, addresses, count);
}
