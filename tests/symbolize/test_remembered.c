/*
 * Names that come from the cache are the names that would be found without it: for a program that
 * stays, that is built anew, whose debug file comes later, and whatever happens to the cache's
 * files.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/io.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/kallsyms.h"
#include "symbolize/places.h"
#include "symbolize/symbol_table.h"
#include "symbolize/symbolize.h"

static char folder[] = "/tmp/prof-test-remembered-XXXXXX";

static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *fmt, ...)
{
	char command[2048], all[3000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "cd %s && { %s ; } >>log 2>&1", folder, command);
	if (system(all) != 0)
		fail_msg("command failed: %s", command);
}

/* The assembler text of a program of thousands of functions, each with an inlined one. */
static void compile(void)
{
	shell("{ for i in $(seq 2050); do echo \"static inline __attribute__((always_inline)) int "
	      "first_in_$i(int x) { return x * $i + x %% 7; }\"; "
	      "echo \"__attribute__((noinline)) int first_$i(int x)\"; "
	      "echo \"{ int a = first_in_$i(x); __asm__ volatile(\\\"\\\" : \\\"+r\\\"(a)); return a + $i; }\"; "
	      "done; echo 'int main(void) { return 0; }'; } >many.c && gcc -O1 -g -S many.c -o first.s");
}

/* The program, its functions named first_… or otherwise. */
static void build(const char *prefix, const char *flags)
{
	shell("sed 's/\\bfirst_/%s_/g' first.s >many.s && gcc %s many.s -o many", prefix, flags);
}

static int set_up(void **state)
{
	char cache[64];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	compile();
	build("first", "-gz=zlib");
	return mkdir(cache, 0700) == 0 ? setenv("XDG_CACHE_HOME", cache, 1) : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* ---- all that is said about a program ---- */

static void render(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		   uint32_t count)
{
	struct bytes *out = ctx;

	bytes_printf(out, "%llx", (unsigned long long)address);
	for (uint32_t i = 0; i < count; i++)
		bytes_printf(out, " %s (%s) %s:%u declared %s:%u %u", frames[i].name,
			     frames[i].linkage ? frames[i].linkage : "-",
			     frames[i].file ? frames[i].file : "-", frames[i].line,
			     frames[i].function_file ? frames[i].function_file : "-",
			     frames[i].function_line, frames[i].function_flags);
	bytes_u8(out, '\n');
}

static void all_addresses(const struct elf_image *image, uint64_t step, struct bytes *out)
{
	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		for (uint64_t at = 0; s->executable && at < s->mem_size; at += step)
			bytes_u64(out, s->vaddr + at);
	}
}

struct run {
	bool use_cache;
	uint64_t step; /* between the addresses that are asked for */
	const char *const *debug_dirs;
};

/* What is said with a symbolizer of its own. Caller frees. */
static char *say(const char *file, struct run how)
{
	struct symbolize_options options = { .use_cache = how.use_cache,
					     .debug_dirs = how.debug_dirs };
	struct bytes text = { 0 }, addresses = { 0 };
	struct symbolize_result result;
	struct elf_image *image;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_image_open_fd(&image, fd, path, NULL), 0);
	all_addresses(image, how.step, &addresses);
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, &options);
	struct symbolize_module m = { .kind = MODULE_FILE, .path = path, .fd = fd };
	symbolize_batch(s, &m, (const uint64_t *)(const void *)addresses.data, addresses.len / 8,
			render, &text, &result);
	symbolizer_keep(s);
	bytes_printf(&text, "%u %s %s\n", result.symbols, result.debug_path, result.note);
	bytes_u8(&text, 0);
	symbolizer_free(s);
	files_free(files);
	elf_image_free(image);
	close(fd);
	bytes_release(&addresses);
	return (char *)text.data;
}

static void assert_same_as_without(const char *file, struct run how)
{
	struct run without = how;

	without.use_cache = false;
	char *expected = say(file, without), *text = say(file, how);
	/* Long texts: where they differ says more than both of them. */
	size_t same = 0;
	while (expected[same] && expected[same] == text[same])
		same++;
	if (expected[same] || text[same])
		fail_msg("expected %.200s, got %.200s", expected + same, text + same);
	free(expected);
	free(text);
}

/* The cache's files by inode: another number, another file. */
static uint64_t sum_of_inodes(size_t *count)
{
	char path[96];
	uint64_t sum = 0;

	*count = 0;
	snprintf(path, sizeof(path), "%s/cache/prof", folder);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		sum += e->d_ino;
		++*count;
	}
	if (dir)
		closedir(dir);
	return sum;
}

static const struct run every_fifth = { .use_cache = true, .step = 5 };

static void second_run_is_answered(void **state)
{
	size_t before, after;

	(void)state;
	assert_same_as_without("many", every_fifth);
	uint64_t inodes = sum_of_inodes(&before);
	assert_true(before >= 3); /* symbols, places, sections */
	assert_same_as_without("many", every_fifth);
	/* Nothing was new, so nothing was written. */
	assert_int_equal(sum_of_inodes(&after), inodes);
	assert_int_equal(after, before);
	/* Of every function something is known: all of it is, without asking again. */
	assert_same_as_without("many", (struct run){ .use_cache = true, .step = 1 });
}

static void asked_little_by_little(void **state)
{
	(void)state;
	shell("rm -rf cache/prof");
	for (uint64_t step = 4099; step > 0; step /= 8)
		assert_same_as_without("many", (struct run){ .use_cache = true, .step = step });
}

static void program_built_anew(void **state)
{
	(void)state;
	assert_same_as_without("many", every_fifth);
	build("other", "-gz=zlib");
	char *text = say("many", every_fifth);
	assert_non_null(strstr(text, "other_77"));
	assert_null(strstr(text, "first_77"));
	free(text);
	assert_same_as_without("many", every_fifth);
	/* Even one with the same build ID is another file. */
	build("third", "-Wl,--build-id=0x1234");
	assert_same_as_without("many", every_fifth);
	build("fourth", "-Wl,--build-id=0x1234");
	assert_same_as_without("many", every_fifth);
	build("first", "-gz=zlib");
}

static void debug_file_comes_later(void **state)
{
	char root[64];
	const char *const dirs[] = { root, NULL };
	struct run how = { .use_cache = true, .step = 3, .debug_dirs = dirs };

	(void)state;
	snprintf(root, sizeof(root), "%s/debugroot", folder);
	shell("objcopy --only-keep-debug many many.debug && strip many -o stripped");
	char *text = say("stripped", how);
	assert_null(strstr(text, "first_77"));
	free(text);
	assert_same_as_without("stripped", how);
	shell("id=$(readelf -n many | awk '/Build ID/{print $3}') && "
	      "d=debugroot/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && "
	      "cp many.debug $d/$(echo $id | cut -c3-).debug");
	text = say("stripped", how);
	assert_non_null(strstr(text, "first_in_77 "));
	free(text);
	assert_same_as_without("stripped", how);
	shell("rm -r debugroot");
	assert_same_as_without("stripped", how);
}

/* Changes a byte in every 500 or so of every file, elsewhere in every round; or cuts them. */
static void damage_cache(unsigned round)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/cache/prof", folder);
	DIR *dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		struct stat st;
		snprintf(path, sizeof(path), "%s/cache/prof/%s", folder, e->d_name);
		int fd = e->d_name[0] == '.' ? -1 : open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) < 0)
			continue;
		uint8_t byte = (uint8_t)(round * 83 + 1);
		for (off_t at = round * 41; at < st.st_size; at += 20000 >> (round % 8))
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		if (round % 4 == 3)
			assert_int_equal(ftruncate(fd, st.st_size * (round % 7) / 7), 0);
		close(fd);
	}
	closedir(dir);
}

static void damaged_cache(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		free(say("many", every_fifth)); /* fills what is missing */
		damage_cache(round);
		assert_same_as_without("many", every_fifth);
	}
}

/* ---- the kernel ---- */

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000040 t helper\n"
			       "ffffffff81000080 T long_function\n"
			       "ffffffff81000080 W __other_name_of_it\n"
			       "ffffffff81000080 t __and_a_third\n"
			       "ffffffff81003000 T after\n"
			       "ffffffff81003010 D data\n"
			       "ffffffffc0001000 t mod_init\t[ext4]\n"
			       "ffffffffc0001100 T mod_read\t[ext4]";

static void assert_same_others(struct symbol_table *t, const struct symbol *found,
			       const struct symbol_index *x, const struct symbol *s)
{
	struct symbol_other in_table[SYMBOL_OTHERS_MAX], in_index[SYMBOL_OTHERS_MAX];
	size_t n = symbol_index_others(x, s, in_index, SYMBOL_OTHERS_MAX);

	assert_int_equal(symbol_table_others(t, found, in_table, SYMBOL_OTHERS_MAX), n);
	assert_int_equal(n, s->start == 0xffffffff81000080 ? 2 : 0);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(in_table[i].name, in_index[i].name);
		assert_int_equal(in_table[i].flags, in_index[i].flags);
	}
}

static void table_is_the_index(void **state)
{
	struct symbol_index x = { 0 };
	struct bytes text = { 0 }, payload = { 0 };
	struct symbol found;
	bool hidden;

	(void)state;
	bytes_append(&text, kallsyms, sizeof(kallsyms) - 1);
	assert_true(kallsyms_index(&x, &text, &hidden));
	assert_true(symbol_table_compose(&x, NULL, &payload));
	FILE *file = tmpfile();
	assert_int_equal(cache_entry_write(fileno(file), "k", "t", &payload), 0);
	struct cache_entry *e = cache_entry_open(dup(fileno(file)), "k");
	struct symbol_table *t = symbol_table_open(e);
	assert_non_null(t);
	for (uint64_t address = 0xffffffff80ffff00; address < 0xffffffff81003100; address += 4) {
		const struct symbol *s = symbol_index_find(&x, address);
		enum symbol_table_answer answer = symbol_table_find(t, address, &found);
		assert_int_equal(answer, s ? SYMBOL_TABLE_FOUND : SYMBOL_TABLE_NONE);
		if (s) {
			assert_string_equal(found.name, s->name);
			assert_true(found.start == s->start && found.end == s->end);
			assert_int_equal(found.sized, s->sized);
			assert_same_others(t, &found, &x, s);
		}
	}
	assert_int_equal(symbol_table_find(t, UINT64_MAX, &found), SYMBOL_TABLE_NONE);
	assert_int_equal(symbol_table_find(t, 0, &found), SYMBOL_TABLE_NONE);
	symbol_table_free(t);
	fclose(file);
	bytes_release(&payload);
	symbol_index_release(&x);
}

static char *say_kernel(bool use_cache, const struct bytes *addresses)
{
	struct symbolize_options options = { .use_cache = use_cache };
	struct symbolize_module m = { .kind = MODULE_KERNEL, .path = "[kernel]", .fd = -1 };
	struct bytes text = { 0 };
	struct symbolize_result result;
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, &options);

	symbolize_batch(s, &m, (const uint64_t *)(const void *)addresses->data, addresses->len / 8,
			render, &text, &result);
	bytes_u8(&text, 0);
	symbolizer_free(s);
	files_free(files);
	return (char *)text.data;
}

/* Functions of the kernel itself: modules and BPF programs may come and go meanwhile. */
static void list_kernel(struct bytes *addresses)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char line[1024], type;
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c", &address, &type) == 2 && address && type == 'T' &&
		    !strchr(line, '[') && n++ % 50 == 0)
			bytes_u64(addresses, address + n % 3);
	if (f)
		fclose(f);
}

static void kernel_names_come_back(void **state)
{
	struct bytes addresses = { 0 };

	(void)state;
	list_kernel(&addresses);
	if (addresses.len == 0)
		skip();
	char *without = say_kernel(false, &addresses);
	char *first = say_kernel(true, &addresses), *second = say_kernel(true, &addresses);
	assert_true(strcmp(without, first) == 0);
	assert_true(strcmp(without, second) == 0);
	free(without);
	free(first);
	free(second);
	bytes_release(&addresses);
}

/* ---- places by themselves ---- */

static void place(struct places *p, uint64_t start, uint64_t end, const char *name, uint32_t line)
{
	struct profile_symbol_frame frames[] = {
		{ .name = name, .linkage = NULL, .file = "file.c", .line = line },
		{ .name = "outer", .linkage = "outer", .file = "file.c", .line = 7 },
	};

	places_add(p, start, end, frames, 2);
}

static void store_places(struct places *p, FILE **file)
{
	struct bytes payload = { 0 };

	places_compose(p, "a note", &payload);
	places_release(p);
	*file = tmpfile();
	assert_int_equal(cache_entry_write(fileno(*file), "p", "t", &payload), 0);
	bytes_release(&payload);
}

static void recall_places(struct places *p, FILE *file)
{
	const char *note;
	struct cache_entry *e = cache_entry_open(dup(fileno(file)), "p");

	assert_non_null(e);
	assert_true(places_recall(p, e, &note));
	assert_string_equal(note, "a note");
	fclose(file);
}

static void assert_place(struct places *p, uint64_t address, const char *name, uint32_t line)
{
	assert_true(places_find(p, address));
	assert_int_equal(p->found.len, 2);
	assert_string_equal(p->found.data[0].name, name);
	assert_null(p->found.data[0].linkage);
	assert_int_equal(p->found.data[0].line, line);
	assert_string_equal(p->found.data[1].linkage, "outer");
}

static void places_are_merged(void **state)
{
	struct places p = { 0 };
	FILE *file;

	(void)state;
	place(&p, 0x2000, 0x2010, "two", 2);
	place(&p, 0x1000, 0x1001, "one", 1);
	places_add(&p, 0x3000, 0x3001, NULL, 0); /* known to have no name */
	store_places(&p, &file);
	recall_places(&p, file);
	assert_place(&p, 0x1000, "one", 1);
	assert_false(places_find(&p, 0x1001));
	assert_false(places_find(&p, 0xfff));
	assert_place(&p, 0x200f, "two", 2);
	assert_true(places_find(&p, 0x3000));
	assert_int_equal(p.found.len, 0);
	place(&p, 0x0ff0, 0x1008, "one", 1);
	place(&p, 0x4000, 0x4010, "four", 4);
	store_places(&p, &file);
	recall_places(&p, file);
	assert_place(&p, 0x0ff0, "one", 1);
	assert_place(&p, 0x1007, "one", 1);
	assert_place(&p, 0x2000, "two", 2);
	assert_place(&p, 0x4001, "four", 4);
	assert_int_equal(p.count, 4);
	places_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_run_is_answered), cmocka_unit_test(asked_little_by_little),
		cmocka_unit_test(program_built_anew),	  cmocka_unit_test(debug_file_comes_later),
		cmocka_unit_test(damaged_cache),	  cmocka_unit_test(table_is_the_index),
		cmocka_unit_test(kernel_names_come_back), cmocka_unit_test(places_are_merged),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
