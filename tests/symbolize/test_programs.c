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
#include "compare.h"
#include "subject.h"

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
				    "main::{lambda at line 48}::operator()@names.cpp:48"));
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
	symbolize_batch(s.symbolizer, &s.module, addresses, ARRAY_LEN(addresses), render_answer,
			&text, &s.result);
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

static int set_up(void **state)
{
	(void)state;
	if (subject_folder_make() < 0)
		return -1;
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
	shell("gcc -O1 $P/aliases.c -o aliases && strip gcc5 -o stripped");
	shell("g++ -O2 -g $P/names.cpp -o names_gcc && clang++ -O2 -g $P/names.cpp -o names_clang");
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
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_linked_otherwise),
		cmocka_unit_test(test_compressed_debug_sections),
		cmocka_unit_test(test_cplus),
		cmocka_unit_test(test_symbols_only),
		cmocka_unit_test(test_aliases_and_gaps),
		cmocka_unit_test(test_functions_without_names),
		cmocka_unit_test(test_gap_in_a_full_table),
		cmocka_unit_test(test_label_before_a_function_without_name),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_demangled_names),
		cmocka_unit_test(test_lambda_names),
		cmocka_unit_test(test_order_and_duplicates),
		cmocka_unit_test(test_code_of_which_one_copy_was_kept),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
