/*
 * The DWARF reader beside libdw, on programs of several languages, compiled in many ways: for every
 * address looked at the same depth, names, files and lines. Differences that are meant have a class
 * each; any other fails.
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

#include "elf/elf_image.h"
#include "files/files.h"
#include "libdw_oracle.h"
#include "symbolize/debug_file.h"
#include "symbolize/dwarf_info.h"

#define C     "$P/first.c $P/second.c"
#define CPLUS "$P/nested.cpp"

struct variant {
	const char *file;  /* what is looked at */
	const char *build; /* makes it, in an empty folder */
	const char *needs; /* a command without which it is passed over, or NULL */
};

static const struct variant variants[] = {
	{ "a", "gcc -O2 -g -gdwarf-2 -gstrict-dwarf $P/inlines.c -o a", NULL },
	{ "a", "gcc -O2 -g -gdwarf-3 -gstrict-dwarf $P/inlines.c -o a", NULL },
	{ "a", "gcc -O2 -g -gdwarf-4 $P/inlines.c -o a", NULL },
	{ "a", "gcc -O2 -g -gdwarf-5 $P/inlines.c -o a", NULL },
	{ "a", "gcc -O3 -g -gdwarf-4 -gdwarf64 " C " -o a", NULL },
	{ "a", "gcc -O3 -g -gdwarf-5 -gdwarf64 " C " -o a", NULL },
	{ "a", "clang -O2 -g -gdwarf-3 $P/inlines.c -o a", NULL },
	{ "a", "clang -O2 -g -gdwarf-4 " C " -o a", NULL },
	{ "a", "clang -O2 -g -gdwarf-5 -gdwarf64 " C " -o a", NULL },
	{ "a", "gcc -O2 -g -flto " C " -o a", NULL },
	{ "a", "gcc -O2 -g -flto -gdwarf-4 " C " -o a", NULL },
	{ "a", "clang -O2 -g -flto -fuse-ld=lld " C " -o a", "ld.lld" },
	{ "a", "gcc -O2 -g -no-pie " C " -o a", NULL },
	{ "a", "gcc -O2 -g -gz=zlib " C " -o a", NULL },
	{ "a", "gcc -O2 -g -ffunction-sections -Wl,--gc-sections " C " -o a", NULL },
	{ "a", "clang -O2 -g -ffunction-sections -fuse-ld=lld -Wl,--gc-sections " C " -o a",
	  "ld.lld" },
	{ "a", "g++ -O0 -g " CPLUS " -o a", NULL },
	{ "a", "g++ -O1 -g -gdwarf-4 " CPLUS " -o a", NULL },
	{ "a", "g++ -O2 -g " CPLUS " -o a", NULL },
	{ "a", "g++ -Os -g -gdwarf-4 -fdebug-types-section " CPLUS " -o a", NULL },
	{ "a", "g++ -O2 -g -fdebug-types-section " CPLUS " -o a", NULL },
	{ "a", "g++ -O2 -g -flto " CPLUS " $P/second.c -o a", NULL },
	{ "a", "clang++ -O2 -g -gdwarf-4 " CPLUS " -o a", NULL },
	{ "a", "clang++ -O2 -g -gdwarf-5 " CPLUS " -o a", NULL },
	{ "a", "clang++ -O1 -g -gdwarf-5 -fdebug-types-section " CPLUS " -o a", NULL },
	{ "a", "clang++ -O2 -g $P/names.cpp -o a", NULL },
	{ "a", "g++ -O2 -g $P/names.cpp -o a", NULL },
	{ "a", "g++ -O2 -g -gdwarf-4 -gsplit-dwarf " CPLUS " -o a", NULL },
	{ "a", "g++ -O2 -g -gdwarf-5 -gsplit-dwarf " CPLUS " -o a", NULL },
	{ "a", "clang++ -O2 -g -gdwarf-4 -gsplit-dwarf " CPLUS " -o a", NULL },
	{ "a", "clang++ -O2 -g -gdwarf-5 -gsplit-dwarf " CPLUS " -o a", NULL },
	{ "a", "gcc -O2 -g -gdwarf-4 " C " -o a && cp a b && dwz -m common a b", "dwz" },
	{ "a",
	  "g++ -O2 -g -gdwarf-4 " CPLUS " -o a && g++ -O1 -g -gdwarf-4 " CPLUS
	  " -o b && dwz -m common a b",
	  "dwz" },
	{ "a",
	  "g++ -O2 -g -gdwarf-5 " CPLUS " -o a && g++ -O1 -g -gdwarf-5 " CPLUS
	  " -o b && dwz -m common a b",
	  "dwz" },
	{ "a", "rustc -O -g -Cdebuginfo=2 $P/inlines.rs -o a", "rustc" },
	{ "a", "rustc -g $P/inlines.rs -o a", "rustc" },
};

#define MAX_ADDRESSES 5000 /* of one program */

struct classes {
	size_t compared, functions, inlined;
	size_t qualified; /* scopes in front of a name that has no linkage name */
	/* libdw leaves out the unit's folder where a file's number of folder is 0, before DWARF 5;
	 * addr2line and llvm-symbolizer do not. */
	size_t folder;
	size_t unclassified;
};

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Ours is theirs behind scopes. */
static bool is_qualified(const char *ours, const char *theirs)
{
	size_t x = ours ? strlen(ours) : 0, y = theirs ? strlen(theirs) : 0;

	return y && x > y + 2 && strcmp(ours + x - y, theirs) == 0 &&
	       memcmp(ours + x - y - 2, "::", 2) == 0;
}

static bool compare_names(struct classes *c, const struct dwarf_frame *ours,
			  const struct dwarf_frame *theirs)
{
	if (!is_same(ours->linkage, theirs->linkage) || !ours->function != !theirs->function)
		return false;
	if (is_same(ours->name, theirs->name))
		return true;
	c->qualified++;
	return !ours->linkage && is_qualified(ours->name, theirs->name);
}

static bool compare_places(struct classes *c, const struct dwarf_frame *ours,
			   const struct dwarf_frame *theirs)
{
	if (ours->line != theirs->line)
		return false;
	if (is_same(ours->file, theirs->file))
		return true;
	size_t x = ours->file ? strlen(ours->file) : 0, y = theirs->file ? strlen(theirs->file) : 0;
	c->folder++;
	return y && x > y && theirs->file[0] != '/' && ours->file[x - y - 1] == '/' &&
	       strcmp(ours->file + x - y, theirs->file) == 0;
}

static void print_frames(const char *who, const struct dwarf_frames *f)
{
	for (size_t i = 0; i < f->list.len; i++) {
		const struct dwarf_frame *x = &f->list.data[i];
		print_message("  %s %zu: %s %s %s:%u\n", who, i, x->linkage ? x->linkage : "-",
			      x->name ? x->name : "-", x->file ? x->file : "-", x->line);
	}
}

static void compare(struct classes *c, uint64_t address, const struct dwarf_frames *ours,
		    const struct dwarf_frames *theirs)
{
	bool same = ours->list.len == theirs->list.len;

	c->compared++;
	c->functions += ours->list.len && ours->list.data[0].function != 0;
	c->inlined += ours->list.len > 1;
	for (size_t i = 0; same && i < ours->list.len; i++)
		same = compare_names(c, &ours->list.data[i], &theirs->list.data[i]) &&
		       compare_places(c, &ours->list.data[i], &theirs->list.data[i]);
	if (same)
		return;
	if (c->unclassified++ < 5) {
		print_message("at 0x%" PRIx64 ":\n", address);
		print_frames("prof", ours);
		print_frames("libdw", theirs);
	}
}

/* The reader opened as the symbolizer does it. */
struct reader {
	struct files *files;
	struct elf_image *image;
	struct dwarf_info *dwarf;
	struct debug_file_search search;
};

static struct elf_image *open_dwo(void *ctx, const char *name, const char *folder)
{
	const struct reader *r = ctx;

	return debug_file_open_dwo(&r->search, name, folder);
}

static struct elf_image *open_package(void *ctx)
{
	const struct reader *r = ctx;

	return debug_file_open_package(&r->search, r->search.path);
}

static void reader_open(struct reader *r, const char *path)
{
	static const char *const no_folders[] = { NULL };
	struct dwarf_dwo_files dwo_files = { open_dwo, open_package, r };
	struct debug_file alternate;
	char note[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	memset(r, 0, sizeof(*r));
	r->files = files_direct_new();
	assert_int_equal(elf_image_open_fd(&r->image, fd, path, NULL), 0);
	close(fd);
	r->search = (struct debug_file_search){
		.files = r->files, .path = path, .image = r->image, .debug_dirs = no_folders
	};
	debug_file_find_alternate(&r->search, r->image, path, &alternate);
	r->dwarf = dwarf_info_new(r->image, alternate.image, &dwo_files, note, sizeof(note));
	assert_non_null(r->dwarf);
	assert_string_equal(note, "");
}

static void reader_close(struct reader *r)
{
	dwarf_info_free(r->dwarf);
	elf_image_free(r->image);
	files_free(r->files);
}

static void compare_program(struct classes *c, const char *path)
{
	struct reader r;
	struct elf_section text;
	struct libdw_oracle *oracle = libdw_oracle_open(path);
	struct dwarf_frames ours = { 0 }, theirs = { 0 };

	assert_non_null(oracle);
	reader_open(&r, path);
	assert_true(elf_image_section(r.image, ".text", &text));
	/* An odd step comes past every residue of addresses. */
	size_t step = text.len / MAX_ADDRESSES | 1;
	for (size_t i = 0; i < text.len; i += step) {
		dwarf_info_find(r.dwarf, text.vaddr + i, &ours);
		libdw_oracle_find(oracle, text.vaddr + i, &theirs);
		compare(c, text.vaddr + i, &ours, &theirs);
	}
	vec_release(&ours.list);
	vec_release(&theirs.list);
	reader_close(&r);
	libdw_oracle_close(oracle);
}

static int run(const char *folder, const char *command)
{
	char all[4096];

	snprintf(all, sizeof(all), "cd %s && P=%s/symbolize/programs && { %s ; } >log 2>&1", folder,
		 PROF_TEST_DIR, command);
	return system(all);
}

static bool is_missing(const char *folder, const char *tool)
{
	char command[128];

	if (!tool)
		return false;
	snprintf(command, sizeof(command), "command -v %s", tool);
	return run(folder, command) != 0;
}

static void check_variant(const struct variant *v, struct classes *sum)
{
	char folder[] = "/tmp/prof-test-libdw-XXXXXX", path[512];
	struct classes c = { 0 };

	assert_non_null(mkdtemp(folder));
	if (is_missing(folder, v->needs)) {
		print_message("not compared, there is no %s: %s\n", v->needs, v->build);
	} else {
		if (run(folder, v->build) != 0)
			fail_msg("cannot build in %s: %s", folder, v->build);
		snprintf(path, sizeof(path), "%s/%s", folder, v->file);
		compare_program(&c, path);
		print_message("%6zu addresses, %6zu in functions, %6zu inlined, %zu names with "
			      "scopes, %zu files with folders, %zu unclassified: %s\n",
			      c.compared, c.functions, c.inlined, c.qualified, c.folder,
			      c.unclassified, v->build);
		sum->unclassified += c.unclassified;
		sum->compared += c.compared;
		assert_true(c.functions > 20);
	}
	snprintf(path, sizeof(path), "rm -rf %s", folder);
	assert_int_equal(system(path), 0);
}

static void test_equal_to_libdw(void **state)
{
	struct classes sum = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		check_variant(&variants[i], &sum);
	assert_true(sum.compared > 5000);
	assert_int_equal(sum.unclassified, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_to_libdw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
