/*
 * The symbolizer on programs compiled here in many ways. For every address of their code its answer
 * is compared with addr2line's (gcc's programs) or llvm-symbolizer's (clang's: binutils 2.40 loses
 * inlined calls there), and single facts are asserted that do not depend on any tool.
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
#include "base/io.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "oracle.h"
#include "symbolize/symbolize.h"

#define ADDR2LINE "addr2line -aife"
#define LLVM	  "llvm-symbolizer --output-style=GNU -a -i -f=linkage --no-demangle --obj"

static char folder[] = "/tmp/prof-test-symbolize-XXXXXX";

static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *fmt, ...)
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

static const char *path_of(const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return path;
}

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

static void subject_open(struct subject *s, const char *file,
			 const struct symbolize_options *options)
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

static void subject_close(struct subject *s)
{
	elf_image_free(s->image);
	symbolizer_free(s->symbolizer);
	files_free(s->files);
	close(s->fd);
}

/* The answer to one address as "inner@file:line outer@file:line". */
static void render(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
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

static char *answer(struct subject *s, uint64_t address)
{
	struct bytes text = { 0 };

	symbolize_batch(s->symbolizer, &s->module, &address, 1, render, &text, &s->result);
	bytes_u8(&text, 0);
	return (char *)text.data;
}

static void assert_answer(struct subject *s, uint64_t address, const char *expected)
{
	char *text = answer(s, address);

	assert_string_equal(text, expected);
	free(text);
}

struct wanted {
	const char *name;
	uint64_t address, size;
};

static int find_named(void *ctx, const struct elf_symbol *s)
{
	struct wanted *w = ctx;

	if (strcmp(s->name, w->name) == 0) {
		w->address = s->address;
		w->size = s->size;
	}
	return 0;
}

static struct wanted symbol(struct elf_image *image, const char *name)
{
	struct wanted w = { .name = name };

	elf_image_symbols(image, find_named, &w, NULL);
	if (!w.address)
		fail_msg("no symbol %s", name);
	return w;
}

/* Comparison with a tool over the whole of .text. */
struct comparison {
	struct oracle *oracle;
	size_t at; /* next answer of the oracle */
	size_t depth, names, lines, compared, unnamed;
	/* Inlined functions without linkage name: llvm-symbolizer leaves out their scopes,
	 * addr2line calls them by the function around. */
	size_t scopes, around;
	size_t symbol; /* the function around goes by its ELF symbol; the tools take what DWARF has
			*/
	/* binutils 2.40 loses the file of some functions that the linker kept one copy of, and says
	 * the unit's own; the line is the same. */
	size_t file;
	size_t printed; /* of what differs */
};

static bool same_name(const char *theirs, const struct profile_symbol_frame *ours)
{
	const char *mine = ours->linkage ? ours->linkage : ours->name;
	/* Suffixes of compiler-made copies, and C1/C2, D1/D2 at one address, are no difference. */
	size_t x = strcspn(theirs, "@."), y = strcspn(mine, "@.");

	if (x == y && memcmp(theirs, mine, x) == 0)
		return true;
	char *a = symbolize_demangle(theirs), *b = symbolize_demangle(mine);
	bool same = a && b && strcmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}

/* The tools say "operator()" where we say "main::{lambda at line 44}::operator()". */
static bool is_without_scopes(const char *theirs, const struct profile_symbol_frame *ours)
{
	size_t x = strlen(theirs), y = strlen(ours->name);

	return !ours->linkage && y > x + 2 && strcmp(ours->name + y - x, theirs) == 0 &&
	       memcmp(ours->name + y - x - 2, "::", 2) == 0;
}

static bool is_mangled(const char *name)
{
	return name && strncmp(name, "_Z", 2) == 0;
}

static void print_difference(struct comparison *c, const char *what, uint64_t address,
			     const struct profile_symbol_frame *ours, const struct oracle_frame *f)
{
	if (c->printed++ < 10)
		print_message("%s at 0x%" PRIx64 ": %s %s:%u, the tool: %s %s:%u\n", what, address,
			      ours->linkage ? ours->linkage : ours->name,
			      ours->file ? ours->file : "?", ours->line, f->name, f->file, f->line);
}

static void compare_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			   uint32_t count)
{
	struct comparison *c = ctx;
	const struct oracle_answer *theirs = &c->oracle->answers.data[c->at++];
	bool names = true, lines = true;

	assert_int_equal(theirs->address, address);
	c->compared++;
	if (count == 0) { /* padding between functions */
		c->unnamed++;
		return;
	}
	c->depth += count == theirs->count;
	const struct oracle_frame *outermost =
		&c->oracle->frames.data[theirs->first + theirs->count - 1];
	for (uint32_t i = 0; i < count && i < theirs->count; i++) {
		const struct oracle_frame *f = &c->oracle->frames.data[theirs->first + i];
		const char *slash = frames[i].file ? strrchr(frames[i].file, '/') : NULL;
		bool scopes = is_without_scopes(f->name, &frames[i]);
		bool around = !frames[i].linkage && i + 1 < count &&
			      strcmp(f->name, outermost->name) == 0;
		bool symbol =
			i + 1 == count && is_mangled(frames[i].linkage) && !is_mangled(f->name);
		bool name = scopes || around || same_name(f->name, &frames[i]) || symbol;
		bool line = f->line == frames[i].line &&
			    (f->line == 0 || strcmp(f->file, slash ? slash + 1 : "?") == 0);
		c->scopes += scopes;
		c->around += around;
		c->symbol += symbol && !same_name(f->name, &frames[i]);
		c->file += name && !line && f->line == frames[i].line;
		if (!name || !line)
			print_difference(c, name ? "line" : "name", address, &frames[i], f);
		names &= name;
		lines &= line;
	}
	c->names += names;
	c->lines += lines;
}

static void compare_text(const char *file, const char *tool, struct comparison *c)
{
	struct subject s;
	struct elf_section text;
	struct oracle oracle = { 0 };

	subject_open(&s, file, NULL);
	assert_true(elf_image_section(s.image, ".text", &text));
	uint64_t *addresses = xcalloc(text.len, sizeof(*addresses));
	for (size_t i = 0; i < text.len; i++)
		addresses[i] = text.vaddr + i;
	if (!oracle_ask(&oracle, tool, s.path, addresses, text.len))
		fail_msg("%s gives no answer", tool);
	*c = (struct comparison){ .oracle = &oracle };
	symbolize_batch(s.symbolizer, &s.module, addresses, text.len, compare_answer, c, &s.result);
	assert_int_equal(s.result.symbols, SYMBOLS_DEBUG_INFO);
	assert_int_equal(c->compared, text.len);
	oracle_release(&oracle);
	free(addresses);
	subject_close(&s);
}

/* A C program: everything is equal. */
static void check_c(const char *file, const char *tool)
{
	struct comparison c;

	compare_text(file, tool, &c);
	size_t named = c.compared - c.unnamed;
	assert_true(named > 100);
	assert_int_equal(c.depth, named);
	assert_int_equal(c.names, named);
	assert_int_equal(c.lines, named);
}

/* C++: every depth is equal, and every name and line that differs is of a kind that is known. */
static void check_cplus(const char *file, const char *tool)
{
	struct comparison c;

	compare_text(file, tool, &c);
	size_t named = c.compared - c.unnamed;
	print_message("%s and %.9s: %zu addresses, %zu without scopes, %zu named by the function "
		      "around, %zu by DWARF, %zu in another file\n",
		      file, tool, named, c.scopes, c.around, c.symbol, c.file);
	assert_true(named > 10000);
	assert_int_equal(c.depth, named);
	assert_int_equal(c.names, named);
	assert_true(c.lines == named || strcmp(tool, ADDR2LINE) == 0);
	assert_true(c.lines + c.file >= named && c.file < named / 200);
}

/* Where the loop of level3 is in host: its line is that of the multiplication. */
static void check_inlines(const char *file, const char *debug_file, bool expected)
{
	struct subject s;
	struct elf_image *named = NULL;

	subject_open(&s, file, NULL);
	if (debug_file) {
		int fd = open(path_of(debug_file), O_RDONLY | O_CLOEXEC);
		assert_int_equal(elf_image_open_fd(&named, fd, "debug", NULL), 0);
		close(fd);
	}
	struct wanted host = symbol(named ? named : s.image, "host");
	int inlined = 0;
	for (uint64_t i = 0; i < host.size; i++) {
		char *text = answer(&s, host.address + i);
		inlined += strcmp(text, "level3@inlines.c:12 level2@inlines.c:20 "
					"level1@inlines.c:25 host@inlines.c:30") == 0;
		free(text);
	}
	assert_int_equal(inlined > 0, expected);
	elf_image_free(named);
	subject_close(&s);
}

static void test_gcc(void **state)
{
	(void)state;
	check_c("gcc5", ADDR2LINE);
	check_c("gcc4", ADDR2LINE);
	check_c("gcc_o0", ADDR2LINE);
	check_inlines("gcc5", NULL, true);
	check_inlines("gcc4", NULL, true);
}

static void test_clang(void **state)
{
	(void)state;
	check_c("clang5", LLVM);
	check_c("clang4", LLVM);
	check_c("lld", LLVM);
	check_inlines("clang5", NULL, true);
	check_inlines("lld", NULL, true);
}

static void test_linked_otherwise(void **state)
{
	(void)state;
	check_c("lto", LLVM); /* addr2line names a file <artificial> */
	check_c("nopie", ADDR2LINE);
	check_inlines("static", NULL, true);
	check_inlines("static_pie", NULL, true);
}

static void test_compressed_debug_sections(void **state)
{
	(void)state;
	check_c("zlib", ADDR2LINE);
	check_inlines("zlib", NULL, true);
	check_inlines("zlib_gnu", NULL, true);
	check_inlines("zstd", NULL, true);
}

static void test_cplus(void **state)
{
	(void)state;
	check_cplus("names_gcc", ADDR2LINE);
	check_cplus("names_clang", LLVM);
}

static void test_debug_link(void **state)
{
	struct subject s;

	(void)state;
	check_inlines("linked", "linked.debug", true);
	subject_open(&s, "linked", NULL);
	free(answer(&s, 0));
	assert_int_equal(s.result.symbols, SYMBOLS_DEBUG_INFO);
	assert_string_equal(s.result.debug_path, path_of("linked.debug"));
	assert_string_equal(s.result.note, "");
	subject_close(&s);
	check_inlines("hidden", "hide/.debug/hidden.debug", true);
}

/* A debug file that is not of this build is refused, by build ID or by CRC. */
static void check_refused(const char *file, const char *named, const char *why)
{
	struct subject s;

	check_inlines(file, named, false);
	subject_open(&s, file, NULL);
	free(answer(&s, 0));
	assert_int_not_equal(s.result.symbols, SYMBOLS_DEBUG_INFO);
	assert_string_equal(s.result.debug_path, "");
	assert_non_null(strstr(s.result.note, why));
	assert_false(s.result.no_debug_file);
	subject_close(&s);
}

static void test_wrong_debug_files(void **state)
{
	(void)state;
	check_refused("wrong_id", "linked.debug", "build ID");
	check_refused("wrong_crc", "noid", "CRC");
	check_inlines("right_crc", "noid", true);
}

static void test_build_id_folder(void **state)
{
	char root[512];
	const char *const dirs[] = { root, NULL };
	struct symbolize_options options = { .debug_dirs = dirs };
	struct subject s;

	(void)state;
	snprintf(root, sizeof(root), "%s", path_of("debugroot"));
	subject_open(&s, "stripped", &options);
	free(answer(&s, 0));
	assert_int_equal(s.result.symbols, SYMBOLS_DEBUG_INFO);
	assert_non_null(strstr(s.result.debug_path, "debugroot/.build-id/"));
	subject_close(&s);
	subject_open(&s, "stripped", NULL);
	free(answer(&s, 0));
	assert_int_equal(s.result.symbols, SYMBOLS_MISSING);
	assert_string_equal(s.result.note,
			    "no names: the file is stripped and its debug file is not installed");
	assert_true(s.result.no_debug_file);
	subject_close(&s);
	/* What is there and cannot be used is not missing. */
	shell("cp -r debugroot badroot && for f in badroot/.build-id/*/*; do rm $f; echo text > $f; done");
	snprintf(root, sizeof(root), "%s", path_of("badroot"));
	subject_open(&s, "stripped", &options);
	free(answer(&s, 0));
	assert_int_equal(s.result.symbols, SYMBOLS_MISSING);
	assert_non_null(strstr(s.result.note, "badroot/.build-id/"));
	assert_non_null(strstr(s.result.note, "; no names: the file is stripped"));
	assert_null(strstr(s.result.note, "installed"));
	assert_false(s.result.no_debug_file);
	subject_close(&s);
	shell("for f in badroot/.build-id/*/*; do ln -sf $(basename $f) $f; done");
	subject_open(&s, "stripped", &options);
	free(answer(&s, 0));
	assert_non_null(strstr(s.result.note,
			       " could not be read: Too many levels of symbolic links; no names"));
	assert_false(s.result.no_debug_file);
	subject_close(&s);
}

static void test_symbols_only(void **state)
{
	struct symbolize_options options = { .no_debug_info = true };
	struct subject s;

	(void)state;
	subject_open(&s, "gcc5", &options);
	assert_answer(&s, symbol(s.image, "host").address, "host@?:0");
	assert_int_equal(s.result.symbols, SYMBOLS_SYMTAB);
	subject_close(&s);
}

static void test_file_of_another_build(void **state)
{
	uint8_t id[20] = { 1, 2, 3 };
	struct subject s;

	(void)state;
	subject_open(&s, "gcc5", NULL);
	s.module.build_id = id;
	s.module.build_id_len = sizeof(id);
	assert_answer(&s, symbol(s.image, "host").address, "");
	assert_int_equal(s.result.symbols, SYMBOLS_REFUSED);
	assert_non_null(strstr(s.result.note, "another build"));
	subject_close(&s);
}

/* Split DWARF without its .dwo file: the function, its line and one note naming the file remain. */
static void check_missing_dwo(const char *file, const char *dwo)
{
	struct subject s;

	check_inlines(file, NULL, false);
	subject_open(&s, file, NULL);
	char *text = answer(&s, symbol(s.image, "host").address);
	assert_int_equal(strncmp(text, "host@inlines.c:", 15), 0);
	assert_null(strchr(text, ' '));
	assert_non_null(strstr(s.result.note, dwo));
	free(text);
	subject_close(&s);
}

static void test_split_dwarf(void **state)
{
	(void)state;
	check_c("split5", LLVM);
	check_c("split4", LLVM);
	check_c("split_clang", LLVM);
	check_inlines("split5", NULL, true);
	check_inlines("split4", NULL, true);
	check_cplus("split_names", LLVM);
	/* Moved together with its .dwo. */
	shell("mkdir moved && mv split5 split5-inlines.dwo moved/");
	check_inlines("moved/split5", NULL, true);
	shell("rm moved/split5-inlines.dwo split4-inlines.dwo");
	check_missing_dwo("moved/split5", "split5-inlines.dwo");
	check_missing_dwo("split4", "split4-inlines.dwo");
	/* Another build's .dwo in its place has another id. */
	shell("cp split_names-names.dwo moved/split5-inlines.dwo");
	check_missing_dwo("moved/split5", "split5-inlines.dwo");
}

/* The answers to all addresses of .text. */
static char *all_answers(const char *file, char *note, size_t note_size)
{
	struct subject s;
	struct elf_section text;
	struct bytes out = { 0 };

	subject_open(&s, file, NULL);
	assert_true(elf_image_section(s.image, ".text", &text));
	uint64_t *addresses = xcalloc(text.len, sizeof(*addresses));
	for (size_t i = 0; i < text.len; i++)
		addresses[i] = text.vaddr + i;
	symbolize_batch(s.symbolizer, &s.module, addresses, text.len, render, &out, &s.result);
	bytes_u8(&out, 0);
	snprintf(note, note_size, "%s", s.result.note);
	free(addresses);
	subject_close(&s);
	return (char *)out.data;
}

/* Each type has a unit and, in the .dwo file, a section of its own: the answers are the same. */
static void test_split_types(void **state)
{
	char note[512];
	char *plain = all_answers("split_names", note, sizeof(note));

	(void)state;
	for (int version = 4; version <= 5; version++) {
		char file[] = "split_types4";
		file[sizeof(file) - 2] = (char)('0' + version);
		char *types = all_answers(file, note, sizeof(note));
		assert_string_equal(note, "");
		assert_string_equal(plain, types);
		free(types);
	}
	free(plain);
}

/* A package says the same as the .dwo files that were put into it. */
static void check_package(const char *file, const char *make)
{
	char note[512];
	char *apart = all_answers(file, note, sizeof(note));

	assert_string_equal(note, "");
	assert_non_null(strstr(apart, "helper@second.c:13 shared_fast@second.c:22"));
	shell("%s && rm %s-*.dwo", make, file);
	char *packed = all_answers(file, note, sizeof(note));
	assert_string_equal(note, "");
	assert_string_equal(apart, packed);
	free(packed);
	/* The package of another build has other ids. */
	shell("gcc -O1 -g -gdwarf-4 -gsplit-dwarf $P/inlines.c -o stranger && "
	      "dwp -e stranger -o %s.dwp",
	      file);
	packed = all_answers(file, note, sizeof(note));
	assert_null(strstr(packed, "helper"));
	assert_non_null(strstr(note, ".dwo is missing"));
	free(packed);
	free(apart);
}

static void test_packages(void **state)
{
	(void)state;
	shell("gcc -O2 -g -gdwarf-4 -gsplit-dwarf $P/first.c $P/second.c -o packed4 && "
	      "gcc -O2 -g -gdwarf-5 -gsplit-dwarf $P/first.c $P/second.c -o packed5");
	check_package("packed5", "python3 $P/../make_package.py packed5.dwp packed5-*.dwo");
	if (system("command -v dwp >/dev/null") == 0)
		check_package("packed4", "dwp -e packed4 -o packed4.dwp");
}

static void test_aliases_and_gaps(void **state)
{
	struct subject s;
	uint64_t start, size;

	(void)state;
	subject_open(&s, "aliases", NULL);
	struct wanted real = symbol(s.image, "real_name");
	struct wanted gap = symbol(s.image, "gap"), zero = symbol(s.image, "zero_size");
	struct wanted sized = symbol(s.image, "sized_before"), after = symbol(s.image, "after");
	assert_answer(&s, real.address + real.size - 1, "real_name@?:0");
	assert_answer(&s, sized.address, "sized_before@?:0");
	assert_answer(&s, sized.address + 1, ""); /* padding after ret, before the label */
	assert_answer(&s, gap.address + 1, "gap@?:0");
	assert_answer(&s, zero.address + 3, "zero_size@?:0");
	assert_answer(&s, after.address + 2, "after@?:0"); /* not the label inside */
	assert_true(symbolize_function_range(s.symbolizer, 7, zero.address + 2, &start, &size));
	assert_int_equal(start, zero.address);
	assert_int_equal(size, 4);
	assert_false(symbolize_function_range(s.symbolizer, 7, 1, &start, &size));
	assert_false(symbolize_function_range(s.symbolizer, 8, zero.address, &start, &size));
	subject_close(&s);
}

struct bounds {
	struct subject *stripped;
	size_t checked;
};

static int check_bounds(void *ctx, const struct elf_symbol *f)
{
	struct bounds *b = ctx;
	uint64_t start, size;
	char expected[64];

	/* _init and _fini, of the C library, have no unwind tables; stubs keep their names. */
	if (f->type != 2 || f->size == 0)
		return 0;
	snprintf(expected, sizeof(expected), "[unknown stripped+0x%" PRIx64 "]@?:0", f->address);
	assert_answer(b->stripped, f->address, expected);
	assert_answer(b->stripped, f->address + f->size - 1, expected);
	assert_true(symbolize_function_range(b->stripped->symbolizer, 7, f->address + f->size / 2,
					     &start, &size));
	assert_int_equal(start, f->address);
	assert_int_equal(size, f->size);
	b->checked++;
	return 0;
}

/* Every function of a stripped program is one, under its first address. */
static void test_functions_without_names(void **state)
{
	struct subject whole, stripped;
	struct bounds bounds = { .stripped = &stripped };

	(void)state;
	subject_open(&whole, "gcc5", NULL);
	subject_open(&stripped, "stripped", NULL);
	elf_image_symbols(whole.image, check_bounds, &bounds, NULL);
	assert_true(bounds.checked >= 3);
	assert_int_equal(stripped.result.symbols, SYMBOLS_MISSING);
	subject_close(&stripped);
	subject_close(&whole);
}

/* A symbol table that is there says what has a name: a gap in it is none of a function. */
static void test_gap_in_a_full_table(void **state)
{
	struct subject whole, gap;

	(void)state;
	shell("objcopy -g -N real_name -N weak_alias -N __internal_alias aliases aliases.gap");
	subject_open(&whole, "aliases", NULL);
	subject_open(&gap, "aliases.gap", NULL);
	assert_answer(&gap, symbol(whole.image, "real_name").address, "");
	subject_close(&gap);
	subject_close(&whole);
}

/* A symbol without size reaches to the next one that is known, but not into another function. */
static void test_label_before_a_function_without_name(void **state)
{
	struct subject whole, stripped;
	uint64_t start, size;
	char expected[64];

	(void)state;
	shell("gcc -shared $P/unsized.c -o unsized.full && strip unsized.full -o unsized.so");
	subject_open(&whole, "unsized.full", NULL);
	subject_open(&stripped, "unsized.so", NULL);
	uint64_t label = symbol(whole.image, "label").address;
	uint64_t hidden = symbol(whole.image, "hidden_one").address;
	snprintf(expected, sizeof(expected), "[unknown unsized.so+0x%" PRIx64 "]@?:0", hidden);
	assert_answer(&stripped, label + 1, "label@?:0");
	assert_answer(&stripped, hidden + 1, expected);
	assert_int_equal(stripped.result.symbols, SYMBOLS_DYNSYM);
	assert_true(symbolize_function_range(stripped.symbolizer, 7, hidden + 1, &start, &size));
	assert_int_equal(start, hidden);
	assert_int_equal(size, 3);
	subject_close(&stripped);
	subject_close(&whole);
}

static void test_plt(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, "gcc5", NULL);
	struct wanted stub = symbol(s.image, "abort@plt");
	assert_answer(&s, stub.address + 6, "abort@plt@?:0");
	subject_close(&s);
}

static void test_demangled_names(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, "names_gcc", &(struct symbolize_options){ .no_debug_info = true });
	assert_answer(&s, symbol(s.image, "_ZN12_GLOBAL__N_19anonymousEi").address,
		      "(anonymous namespace)::anonymous(int)@?:0");
	/* A copy that the optimizer made goes by its function's name. */
	assert_answer(&s, symbol(s.image, "_ZN6holderIL4kind0EE3barEi.isra.0").address,
		      "holder<(kind)0>::bar(int)@?:0");
	subject_close(&s);
}

/* Some address of the function answers with text in it. */
static bool some_answer_has(struct subject *s, const char *function, const char *part)
{
	struct wanted w = symbol(s->image, function);
	bool found = false;

	for (uint64_t i = 0; i < w.size && !found; i++) {
		char *text = answer(s, w.address + i);
		found = strstr(text, part) != NULL;
		free(text);
	}
	return found;
}

/* gcc gives a lambda no linkage name; "operator()" alone would merge all of them. */
static void test_lambda_names(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, "names_gcc", NULL);
	assert_true(some_answer_has(&s,
				    "_ZNSt17_Function_handlerIFiiEZ4mainEUliE0_E9_M_invokeERKSt9_"
				    "Any_dataOi",
				    "main::{lambda at line 44}::operator()@names.cpp:44"));
	subject_close(&s);
}

/* dwz moves what several files share to a common one; without it names are missing, and that is
 * said. */
static void test_common_debug_file(void **state)
{
	struct subject s;

	(void)state;
	if (system("command -v dwz >/dev/null") != 0)
		skip();
	shell("cp gcc4 dwz_a && cp gcc4 dwz_b && dwz -m common.debug dwz_a dwz_b");
	check_inlines("dwz_a", NULL, true);
	shell("mv common.debug away.debug && objcopy --add-section x=log dwz_a dwz_c");
	subject_open(&s, "dwz_c", NULL);
	free(answer(&s, symbol(s.image, "host").address));
	assert_non_null(strstr(s.result.note, "dwz"));
	subject_close(&s);
	/* Another build's common file is refused. */
	shell("cp linked.debug common.debug");
	subject_open(&s, "dwz_a", NULL);
	free(answer(&s, symbol(s.image, "host").address));
	assert_non_null(strstr(s.result.note, "common.debug is not used: its build ID"));
	subject_close(&s);
}

/* DWARF 5 has its own section for that, and the common file no build ID. */
static void test_common_file_of_dwarf5(void **state)
{
	struct subject s;

	(void)state;
	if (system("command -v dwz >/dev/null") != 0)
		skip();
	shell("cp gcc5 sup_a && cp gcc5 sup_b && dwz -5 -m common.sup sup_a sup_b && "
	      "readelf -SW sup_a | grep -q debug_sup");
	check_inlines("sup_a", NULL, true);
	shell("cp common.sup right.sup && cp linked.debug common.sup");
	subject_open(&s, "sup_a", NULL);
	free(answer(&s, symbol(s.image, "host").address));
	assert_non_null(strstr(s.result.note, "common.sup is not used: its build ID"));
	subject_close(&s);
	/* The same file with the last byte of its identity changed. */
	shell("objcopy -O binary --only-section=.debug_sup --set-section-flags .debug_sup=alloc "
	      "right.sup id && head -c -1 id >other && printf x >>other && "
	      "objcopy --update-section .debug_sup=other right.sup common.sup");
	subject_open(&s, "sup_a", NULL);
	free(answer(&s, symbol(s.image, "host").address));
	assert_non_null(strstr(s.result.note, "common.sup is not used: its build ID"));
	subject_close(&s);
}

static void test_order_and_duplicates(void **state)
{
	struct subject s;
	struct bytes text = { 0 };

	(void)state;
	subject_open(&s, "gcc5", &(struct symbolize_options){ .no_debug_info = true });
	uint64_t host = symbol(s.image, "host").address, start = symbol(s.image, "main").address;
	uint64_t addresses[] = { host, start, host, start, 0 };
	symbolize_batch(s.symbolizer, &s.module, addresses, ARRAY_LEN(addresses), render, &text,
			&s.result);
	bytes_u8(&text, 0);
	assert_string_equal((char *)text.data,
			    host < start ? "host@?:0main@?:0" : "main@?:0host@?:0");
	bytes_release(&text);
	subject_close(&s);
}

static void assert_line_of_copy(const char *file, const char *expected)
{
	struct subject s;

	subject_open(&s, file, NULL);
	assert_answer(&s, symbol(s.image, "_Z5twicei").address, expected);
	subject_close(&s);
}

/* The debug information of both object files names the one copy that is left. */
static void test_code_of_which_one_copy_was_kept(void **state)
{
	(void)state;
	shell("for line in 11 22; do { echo \"# $line \\\"copy.h\\\"\"; "
	      "echo 'inline __attribute__((noinline)) int twice(int x) { return 2 * x + 1; }'; "
	      "echo \"int call_$line(int x) { return twice(x); }\"; } >copy_$line.cpp; done; "
	      "echo 'int call_11(int), call_22(int); int main(int n, char **) "
	      "{ return call_11(n) + call_22(n); }' >calls.cpp; "
	      "g++ -O2 -g -c copy_11.cpp copy_22.cpp calls.cpp && "
	      "g++ -fuse-ld=bfd copy_11.o copy_22.o calls.o -o copy_of_11 && "
	      "g++ -fuse-ld=bfd copy_22.o copy_11.o calls.o -o copy_of_22");
	assert_line_of_copy("copy_of_11", "twice(int)@copy.h:11");
	assert_line_of_copy("copy_of_22", "twice(int)@copy.h:22");
}

static void compile_variants(void)
{
	shell("gcc -O2 -g -gdwarf-5 $P/inlines.c -o gcc5 && gcc -O2 -g -gdwarf-4 $P/inlines.c -o gcc4");
	shell("gcc -O0 -g $P/inlines.c -o gcc_o0");
	shell("clang -O2 -g -gdwarf-5 $P/inlines.c -o clang5 && "
	      "clang -O2 -g -gdwarf-4 $P/inlines.c -o clang4 && "
	      "clang -O2 -g -fuse-ld=lld $P/inlines.c -o lld");
	shell("gcc -O2 -g -flto $P/inlines.c -o lto && gcc -O2 -g -no-pie $P/inlines.c -o nopie && "
	      "gcc -O2 -g -static -no-pie $P/inlines.c -o static && "
	      "gcc -O2 -g -static-pie $P/inlines.c -o static_pie");
	shell("objcopy --compress-debug-sections=zlib gcc5 zlib && "
	      "objcopy --compress-debug-sections=zlib-gnu gcc5 zlib_gnu && "
	      "objcopy --compress-debug-sections=zstd gcc5 zstd");
	shell("gcc -O2 -g -gdwarf-5 -gsplit-dwarf $P/inlines.c -o split5 && "
	      "gcc -O2 -g -gdwarf-4 -gsplit-dwarf $P/inlines.c -o split4 && "
	      "clang -O2 -g -gdwarf-5 -gsplit-dwarf $P/inlines.c -o split_clang && "
	      "g++ -O2 -g -gsplit-dwarf $P/names.cpp -o split_names");
	shell("for v in 4 5; do g++ -O2 -g -gdwarf-$v -gsplit-dwarf -fdebug-types-section "
	      "$P/names.cpp -o split_types$v; done");
	shell("gcc -O1 $P/aliases.c -o aliases");
	shell("g++ -O2 -g $P/names.cpp -o names_gcc && clang++ -O2 -g $P/names.cpp -o names_clang");
}

/* gcc5 split into a stripped program and a debug file, in the ways that distributions do it. */
static void make_debug_files(void)
{
	shell("objcopy --only-keep-debug gcc5 linked.debug && strip gcc5 -o stripped && "
	      "objcopy --add-gnu-debuglink=linked.debug stripped linked");
	shell("mkdir hide hide/.debug && cp linked.debug hide/.debug/hidden.debug && "
	      "(cd hide/.debug && objcopy --add-gnu-debuglink=hidden.debug ../../stripped ../hidden)");
	shell("ln -s hide/hidden hidden && mkdir .debug && cp hide/.debug/hidden.debug .debug/");
	shell("id=$(readelf -n gcc5 | awk '/Build ID/{print $3}') && "
	      "d=debugroot/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && "
	      "cp linked.debug $d/$(echo $id | cut -c3-).debug");
	shell("gcc -O2 -g -DOTHER $P/aliases.c -o other && objcopy --only-keep-debug other wrong_id.debug && "
	      "objcopy --add-gnu-debuglink=wrong_id.debug stripped wrong_id");
	shell("gcc -O2 -g -Wl,--build-id=none $P/inlines.c -o noid && "
	      "objcopy --only-keep-debug noid right_crc.debug && strip noid -o noid.stripped && "
	      "objcopy --add-gnu-debuglink=right_crc.debug noid.stripped right_crc && "
	      "cp right_crc.debug wrong_crc.debug && "
	      "objcopy --add-gnu-debuglink=wrong_crc.debug noid.stripped wrong_crc && "
	      "printf x >>wrong_crc.debug");
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	compile_variants();
	make_debug_files();
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_linked_otherwise),
		cmocka_unit_test(test_compressed_debug_sections),
		cmocka_unit_test(test_cplus),
		cmocka_unit_test(test_debug_link),
		cmocka_unit_test(test_wrong_debug_files),
		cmocka_unit_test(test_build_id_folder),
		cmocka_unit_test(test_symbols_only),
		cmocka_unit_test(test_file_of_another_build),
		cmocka_unit_test(test_split_dwarf),
		cmocka_unit_test(test_split_types),
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_aliases_and_gaps),
		cmocka_unit_test(test_functions_without_names),
		cmocka_unit_test(test_gap_in_a_full_table),
		cmocka_unit_test(test_label_before_a_function_without_name),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_demangled_names),
		cmocka_unit_test(test_lambda_names),
		cmocka_unit_test(test_common_debug_file),
		cmocka_unit_test(test_common_file_of_dwarf5),
		cmocka_unit_test(test_order_and_duplicates),
		cmocka_unit_test(test_code_of_which_one_copy_was_kept),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
