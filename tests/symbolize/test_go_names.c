/*
 * Names, lines and inlined calls of Go programs: tables of every layout made by hand, and a program
 * that Go builds here, compared with Go's own addr2line for the same addresses.
 */
#include <fcntl.h>
#include <inttypes.h>
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
#include "symbolize/go_names.h"

#define BASE	   0x400000u
#define TEXT	   0x500000u
#define TABLE_AT   0x1000u
#define CALLS_AT   0x2000u
#define MODULE_AT  0x3000u
#define NAMES_AT   0x3800u
#define HEADERS_AT 0x4000u

struct layout {
	uint32_t magic;
	bool has_text; /* and functions are offsets from it */
	bool has_first_line;
	unsigned calls_word; /* of moduledata; 0: an address in the function's record */
};

static const struct layout layouts[] = {
	{ 0xfffffffa, false, false, 0 },
	{ 0xfffffff0, true, false, 38 },
	{ 0xfffffff1, true, true, 40 },
};

/* Names are at these offsets. */
static const char names[] = "\0main.f\0main.mul\0main.add\0main.g";

enum { NAME_F = 1, NAME_MUL = 8, NAME_ADD = 17, NAME_G = 26 };

static const char files[] = "a.go\0b.go";

/* Tables of numbers: (change, bytes) pairs. A number n is written as 2n, from -1 on. */
#define UP(n)	((char)(2 * (n)))
#define DOWN(n) ((char)(2 * (n)-1))

enum { FILES_F = 1, LINES_F = 6, CALLS_F = 15, ALL_G = 24 };

static const char numbers[] = {
	0,
	/* files of f: a.go (0) for 8 bytes, b.go (1) for 8 */
	UP(1),
	8,
	UP(1),
	8,
	0,
	/* lines of f: 10 for 4 bytes, 20 for 4, 30 for 4, 12 for 4 */
	UP(11),
	4,
	UP(10),
	4,
	UP(10),
	4,
	DOWN(18),
	4,
	0,
	/* calls inlined in f: none, mul (0) for 4 bytes, add in mul (1) for 4, none */
	0,
	4,
	UP(1),
	4,
	UP(1),
	4,
	DOWN(2),
	4,
	0,
	/* g */
	UP(6),
	16,
	0,
};

static void put_word(struct bytes *b, size_t at, uint64_t v)
{
	assert_true(at + 8 <= b->len);
	memcpy(b->data + at, &v, sizeof(v));
}

static void pad(struct bytes *b, size_t len)
{
	while (b->len < len)
		bytes_u8(b, 0);
}

/* The record of a function in the table of functions. */
static void put_record(struct bytes *b, const struct layout *l, uint64_t start, uint32_t name,
		       uint32_t file_numbers, uint32_t line_numbers, uint32_t call_numbers)
{
	if (l->has_text)
		bytes_u32(b, (uint32_t)(start - TEXT));
	else
		bytes_u64(b, start);
	bytes_u32(b, name);
	for (int i = 0; i < 3; i++)
		bytes_u32(b, 0);
	bytes_u32(b, file_numbers);
	bytes_u32(b, line_numbers);
	bytes_u32(b, 3); /* tables of numbers */
	bytes_u32(b, 0); /* unit */
	if (l->has_first_line)
		bytes_u32(b, 9);
	bytes_u32(b, 4u << 24); /* four other data */
	bytes_u32(b, 0);
	bytes_u32(b, 0);
	bytes_u32(b, call_numbers);
	if (l->has_text) {
		for (int i = 0; i < 3; i++)
			bytes_u32(b, UINT32_MAX);
		bytes_u32(b, call_numbers ? 0x10 : UINT32_MAX);
		return;
	}
	pad(b, (b->len + 7) & ~(size_t)7);
	for (int i = 0; i < 3; i++)
		bytes_u64(b, 0);
	bytes_u64(b, call_numbers ? BASE + CALLS_AT + 0x10 : 0);
}

/* The table; the same functions in each layout: f at TEXT, g 16 bytes behind, ending after 16. */
static void put_table(struct bytes *b, const struct layout *l)
{
	size_t start = b->len, words = start + 8;

	bytes_u32(b, l->magic);
	bytes_u32(b, 0x08010000);
	pad(b, start + 8 + 8 * 8);
	put_word(b, words, 2);
	put_word(b, words + 8, 2);
	if (l->has_text)
		put_word(b, words + 16, TEXT);
	size_t part = words + (l->has_text ? 24u : 16u);
	put_word(b, part, b->len - start);
	bytes_append(b, names, sizeof(names));
	put_word(b, part + 8, b->len - start);
	bytes_u32(b, 0); /* the unit's files */
	bytes_u32(b, 5);
	put_word(b, part + 16, b->len - start);
	bytes_append(b, files, sizeof(files));
	put_word(b, part + 24, b->len - start);
	bytes_append(b, numbers, sizeof(numbers));
	pad(b, (b->len + 7) & ~(size_t)7);
	put_word(b, part + 32, b->len - start);
	size_t functions = b->len, entry = l->has_text ? 4 : 8;
	pad(b, functions + 5 * entry);
	pad(b, (b->len + 7) & ~(size_t)7);
	uint64_t records[2];
	records[0] = b->len - functions;
	put_record(b, l, TEXT, NAME_F, FILES_F, LINES_F, CALLS_F);
	pad(b, (b->len + 7) & ~(size_t)7);
	records[1] = b->len - functions;
	put_record(b, l, TEXT + 16, NAME_G, 0, ALL_G, 0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t at = (l->has_text ? 0 : TEXT) + 16 * i, record = i < 2 ? records[i] : 0;
		memcpy(b->data + functions + 2 * i * entry, &at, entry);
		if (i < 2)
			memcpy(b->data + functions + (2 * i + 1) * entry, &record, entry);
	}
}

/* mul, called in a.go:11; add, called in it in b.go:21. Since 1.20 the places where the callers'
 * positions are told stand instead: at the function's first byte and in mul's. */
static void put_calls(struct bytes *b, const struct layout *l)
{
	pad(b, CALLS_AT + 0x10);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t name = i ? NAME_ADD : NAME_MUL;
		if (l->has_first_line) {
			bytes_u32(b, 0);
			bytes_u32(b, name);
			bytes_u32(b, i ? 4 : 0);
			bytes_u32(b, 7);
			continue;
		}
		bytes_u16(b, i ? 0 : UINT16_MAX); /* in which call */
		bytes_u16(b, 0);
		bytes_u32(b, i); /* file */
		bytes_u32(b, i ? 21 : 11);
		bytes_u32(b, name);
		bytes_u32(b, 0);
	}
}

static void put_section(struct bytes *b, uint32_t name, uint32_t type, uint64_t at, uint64_t size)
{
	bytes_u32(b, name);
	bytes_u32(b, type);
	bytes_u64(b, 2);
	bytes_u64(b, BASE + at);
	bytes_u64(b, at);
	bytes_u64(b, size);
	bytes_u64(b, 0);
	bytes_u64(b, 8);
	bytes_u64(b, 0);
}

static void put_headers(struct bytes *b)
{
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	bytes_append(b, ident, sizeof(ident));
	bytes_u16(b, 2);
	bytes_u16(b, 62);
	bytes_u32(b, 1);
	bytes_u64(b, TEXT);
	bytes_u64(b, 64);
	bytes_u64(b, HEADERS_AT);
	bytes_u32(b, 0);
	bytes_u16(b, 64);
	bytes_u16(b, 56);
	bytes_u16(b, 1);
	bytes_u16(b, 64);
	bytes_u16(b, 4);
	bytes_u16(b, 3);
	bytes_u32(b, 1); /* PT_LOAD */
	bytes_u32(b, 4);
	bytes_u64(b, 0);
	bytes_u64(b, BASE);
	bytes_u64(b, BASE);
	bytes_u64(b, HEADERS_AT);
	bytes_u64(b, HEADERS_AT);
	bytes_u64(b, 4096);
}

static struct elf_image *make_program(const struct layout *l)
{
	static const char section_names[] = "\0.gopclntab\0.noptrdata\0.shstrtab";
	struct bytes b = { 0 };
	struct elf_image *image = NULL;

	put_headers(&b);
	pad(&b, TABLE_AT);
	put_table(&b, l);
	size_t table_len = b.len - TABLE_AT;
	put_calls(&b, l);
	pad(&b, NAMES_AT);
	put_word(&b, MODULE_AT + 64, BASE + TABLE_AT); /* not the first thing there */
	put_word(&b, MODULE_AT + 64 + 8 * (uint64_t)l->calls_word,
		 l->calls_word ? BASE + CALLS_AT : BASE + TABLE_AT);
	bytes_append(&b, section_names, sizeof(section_names));
	pad(&b, HEADERS_AT);
	put_section(&b, 0, 0, 0, 0);
	put_section(&b, 1, 1, TABLE_AT, table_len);
	put_section(&b, 12, 1, MODULE_AT, NAMES_AT - MODULE_AT);
	put_section(&b, 23, 3, NAMES_AT, sizeof(section_names));
	assert_int_equal(elf_image_open_memory(&image, b.data, b.len, "made", NULL), 0);
	bytes_release(&b);
	return image;
}

static void expect_frame(const struct go_frames *f, size_t i, const char *name, const char *file,
			 uint32_t line)
{
	assert_true(i < f->list.len);
	assert_string_equal(f->list.data[i].name, name);
	if (file)
		assert_string_equal(f->list.data[i].file, file);
	else
		assert_null(f->list.data[i].file);
	assert_int_equal(f->list.data[i].line, line);
}

static void check_layout(const struct layout *l)
{
	struct elf_image *image = make_program(l);
	struct go_frames f = { 0 };
	struct go_names g;

	assert_true(go_names_init(&g, image));
	assert_int_equal(g.table.count, 2);
	assert_false(go_names_find(&g, TEXT - 1, &f));
	assert_true(go_names_find(&g, TEXT, &f));
	assert_int_equal(f.list.len, 1);
	expect_frame(&f, 0, "main.f", "a.go", 10);
	assert_int_equal(f.list.data[0].first_line, l->has_first_line ? 9 : 0);
	assert_true(go_names_find(&g, TEXT + 7, &f));
	assert_int_equal(f.list.len, 2);
	expect_frame(&f, 0, "main.mul", "a.go", 20);
	expect_frame(&f, 1, "main.f", "a.go", l->has_first_line ? 10 : 11);
	assert_true(go_names_find(&g, TEXT + 8, &f));
	assert_int_equal(f.list.len, 3);
	expect_frame(&f, 0, "main.add", "b.go", 30);
	expect_frame(&f, 1, "main.mul", l->has_first_line ? "a.go" : "b.go",
		     l->has_first_line ? 20 : 21);
	expect_frame(&f, 2, "main.f", "a.go", l->has_first_line ? 10 : 11);
	assert_true(go_names_find(&g, TEXT + 15, &f));
	assert_int_equal(f.list.len, 1);
	expect_frame(&f, 0, "main.f", "b.go", 12);
	assert_true(go_names_find(&g, TEXT + 31, &f));
	expect_frame(&f, 0, "main.g", NULL, 5);
	assert_false(go_names_find(&g, TEXT + 32, &f));
	vec_release(&f.list);
	elf_image_free(image);
}

static void test_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++)
		check_layout(&layouts[i]);
}

/* ---- a real program ---- */

#define ADDRESSES 4000

/* Runs a command line and returns what it prints. */
static void run(const char *command, struct bytes *out)
{
	char buffer[4096];
	size_t n;
	FILE *f = popen(command, "r");

	assert_non_null(f);
	bytes_clear(out);
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		bytes_append(out, buffer, n);
	pclose(f);
	bytes_u8(out, 0);
}

static struct elf_image *open_image(const char *folder, const char *name)
{
	struct elf_image *image = NULL;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || elf_image_open_fd(&image, fd, path, NULL) < 0)
		image = NULL;
	if (fd >= 0)
		close(fd);
	return image;
}

static void ask_addr2line(const char *folder, const uint64_t *addresses, struct bytes *answer)
{
	char path[256], command[512];

	snprintf(path, sizeof(path), "%s/asked", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < ADDRESSES; i++)
		fprintf(f, "0x%" PRIx64 "\n", addresses[i]);
	fclose(f);
	snprintf(command, sizeof(command), "cd %s && go tool addr2line full <asked", folder);
	run(command, answer);
}

static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	assert_non_null(end);
	*end = '\0';
	*text = end + 1;
	return line;
}

/* Both say the same: the outermost function, and the innermost line. */
static void compare(struct go_names *g, const char *folder, uint64_t start, uint64_t size,
		    unsigned *inlined)
{
	uint64_t addresses[ADDRESSES];
	struct bytes answer = { 0 };
	struct go_frames f = { 0 };

	for (uint64_t i = 0; i < ADDRESSES; i++)
		addresses[i] = start + i * (size / ADDRESSES) + i % 3;
	ask_addr2line(folder, addresses, &answer);
	char *text = (char *)answer.data;
	for (int i = 0; i < ADDRESSES; i++) {
		char *function = next_line(&text), *position = next_line(&text), own[4096];
		if (!go_names_find(g, addresses[i], &f)) {
			assert_string_equal(function, "?");
			continue;
		}
		assert_string_equal(f.list.data[f.list.len - 1].name, function);
		snprintf(own, sizeof(own), "%s:%u", f.list.data[0].file ? f.list.data[0].file : "",
			 f.list.data[0].line);
		/* Between functions there is no line. */
		assert_string_equal(f.list.data[0].line ? own : ":-1", position);
		*inlined += f.list.len > 1;
	}
	bytes_release(&answer);
	vec_release(&f.list);
}

static void test_a_program(void **state)
{
	char folder[] = "/tmp/prof-test-go-XXXXXX", command[1024];
	struct bytes out = { 0 };
	struct elf_section text;
	struct go_names g;
	unsigned inlined = 0;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(
		command, sizeof(command),
		"cd " PROF_TEST_DIR "/symbolize/programs/go && command -v go >/dev/null && "
		"export GOCACHE=%s/cache GOFLAGS=-buildvcs=false GOTOOLCHAIN=local && "
		"go build -o %s/full . && go build -ldflags='-s -w' -o %s/stripped . && "
		"go build -buildmode=pie -ldflags='-s -w' -o %s/pie . && "
		"cd %s && { llvm-objcopy --strip-sections stripped nosections 2>/dev/null; true; }",
		folder, folder, folder, folder, folder);
	run(command, &out);
	struct elf_image *image = open_image(folder, "stripped");
	if (image) {
		assert_true(elf_image_section(image, ".text", &text));
		assert_true(go_names_init(&g, image));
		assert_non_null(elf_image_go_build_id(image));
		compare(&g, folder, text.vaddr, text.len, &inlined);
		assert_true(inlined > ADDRESSES / 20);
		elf_image_free(image);
		image = open_image(folder, "nosections");
		if (image) { /* where llvm-objcopy is */
			assert_true(go_names_init(&g, image));
			assert_true(g.inlined != 0);
			elf_image_free(image);
		}
		image = open_image(folder, "pie");
		assert_non_null(image);
		assert_true(go_names_init(&g, image));
		assert_true(g.inlined != 0);
		elf_image_free(image);
	}
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	run(command, &out);
	bytes_release(&out);
	if (inlined == 0)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
