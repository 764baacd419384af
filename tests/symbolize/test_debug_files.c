/*
 * Debug information that is not in the program: debug links, build-ID folders, split DWARF and its
 * packages, what dwz moved away. The right files are found, wrong ones refused.
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
#include "compare.h"
#include "subject.h"

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
	symbolize_batch(s.symbolizer, &s.module, addresses, text.len, render_answer, &out,
			&s.result);
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
	if (subject_folder_make() < 0)
		return -1;
	shell("gcc -O2 -g -gdwarf-5 $P/inlines.c -o gcc5 && gcc -O2 -g -gdwarf-4 $P/inlines.c -o gcc4");
	shell("gcc -O2 -g -gdwarf-5 -gsplit-dwarf $P/inlines.c -o split5 && "
	      "gcc -O2 -g -gdwarf-4 -gsplit-dwarf $P/inlines.c -o split4 && "
	      "clang -O2 -g -gdwarf-5 -gsplit-dwarf $P/inlines.c -o split_clang && "
	      "g++ -O2 -g -gsplit-dwarf $P/names.cpp -o split_names");
	shell("for v in 4 5; do g++ -O2 -g -gdwarf-$v -gsplit-dwarf -fdebug-types-section "
	      "$P/names.cpp -o split_types$v; done");
	make_debug_files();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return subject_folder_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_link),
		cmocka_unit_test(test_wrong_debug_files),
		cmocka_unit_test(test_build_id_folder),
		cmocka_unit_test(test_file_of_another_build),
		cmocka_unit_test(test_split_dwarf),
		cmocka_unit_test(test_split_types),
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_common_debug_file),
		cmocka_unit_test(test_common_file_of_dwarf5),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
