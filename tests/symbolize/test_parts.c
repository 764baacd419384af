/* The symbolizer's parts by themselves: flattening, the symbol index, kallsyms, perf maps,
 * demangling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/demangle.h"
#include "symbolize/flatten.h"
#include "symbolize/kallsyms.h"
#include "symbolize/perf_map.h"
#include "symbolize/symbol_index.h"
#include "symbolize/symbolize.h"

/* The owner of address by looking at every range, or UINT32_MAX. */
static uint32_t owner(const struct flat_range *ranges, size_t count, uint64_t address)
{
	const struct flat_range *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (address >= ranges[i].start && address < ranges[i].end &&
		    (!best || ranges[i].priority > best->priority))
			best = &ranges[i];
	return best ? best->value : UINT32_MAX;
}

static void test_flatten_equals_search(void **state)
{
	struct flat_map map = { 0 };

	(void)state;
	srandom(3);
	for (int round = 0; round < 300; round++) {
		struct flat_range ranges[20];
		size_t n = (size_t)(random() % 21);
		for (size_t i = 0; i < n; i++) {
			uint64_t start = (uint64_t)(random() % 60);
			ranges[i] = (struct flat_range){ start, start + (uint64_t)(random() % 30),
							 i * 7 % 23, (uint32_t)i };
		}
		flat_map_build(&map, ranges, n);
		for (uint64_t address = 0; address < 100; address++) {
			const struct flat_segment *s = flat_map_find(&map, address);
			assert_int_equal(s ? s->value : UINT32_MAX, owner(ranges, n, address));
		}
	}
	flat_map_release(&map);
}

static void test_flatten_at_the_end_of_addresses(void **state)
{
	struct flat_range ranges[] = { { UINT64_MAX - 1, UINT64_MAX, 0, 5 },
				       { 0, UINT64_MAX, 1, 6 } };
	struct flat_map map = { 0 };

	(void)state;
	flat_map_build(&map, ranges, 2);
	assert_int_equal(map.segments.len, 1);
	assert_int_equal(flat_map_find(&map, UINT64_MAX - 1)->value, 6);
	assert_null(flat_map_find(&map, UINT64_MAX));
	flat_map_release(&map);
}

static void add(struct symbol_index *x, uint64_t start, uint64_t size, const char *name,
		uint8_t binding)
{
	struct symbol s = { .start = start,
			    .end = start + size,
			    .name = name,
			    .rank = symbol_rank(size > 0, true, binding) };

	symbol_index_add(x, &s, 0x5000);
}

static const char *name_at(const struct symbol_index *x, uint64_t address)
{
	const struct symbol *s = symbol_index_find(x, address);

	return s ? s->name : "";
}

static void test_best_alias(void **state)
{
	struct symbol_index x = { 0 };

	(void)state;
	add(&x, 0x1000, 16, "a_local", 0);
	add(&x, 0x1000, 16, "__global", 1);
	add(&x, 0x1000, 16, "global@@VERS_2", 1);
	add(&x, 0x1000, 16, "another", 2);
	add(&x, 0x2000, 8, "z_local", 0);
	add(&x, 0x2000, 0, "g_without_size", 1);
	add(&x, 0x3000, 8, "b_weak", 2);
	add(&x, 0x3000, 8, "a_weak", 2);
	symbol_index_finish(&x);
	assert_string_equal(name_at(&x, 0x1000), "global");
	assert_string_equal(name_at(&x, 0x2007), "z_local");
	assert_string_equal(name_at(&x, 0x3000), "a_weak");
	symbol_index_release(&x);
}

static void test_gaps_and_nesting(void **state)
{
	struct symbol_index x = { 0 };

	(void)state;
	add(&x, 0x1000, 0x100, "outer", 1);
	add(&x, 0x1040, 0x10, "inner", 1);
	add(&x, 0x1080, 0, "label", 1);
	add(&x, 0x2000, 0, "open", 1);
	add(&x, 0x3000, 0x10, "next", 1);
	add(&x, 0x4000, 0, "last", 1);
	symbol_index_finish(&x);
	assert_string_equal(name_at(&x, 0xfff), "");
	assert_string_equal(name_at(&x, 0x103f), "outer");
	assert_string_equal(name_at(&x, 0x1040), "inner");
	assert_string_equal(name_at(&x, 0x1050), "outer");
	assert_string_equal(name_at(&x, 0x1080), "outer");
	assert_string_equal(name_at(&x, 0x1100), ""); /* not the symbol before */
	assert_string_equal(name_at(&x, 0x2fff), "open");
	assert_string_equal(name_at(&x, 0x3010), "");
	assert_string_equal(name_at(&x, 0x4fff), "last");
	assert_string_equal(name_at(&x, 0x5000), ""); /* its section ends */
	symbol_index_release(&x);
}

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000040 t helper\n"
			       "ffffffff81000080 W weak_name\n"
			       "ffffffff81000080 T strong_name\n"
			       "ffffffff81001000 T _etext\n"
			       "ffffffff81800000 D some_data\n"
			       "not a line\n"
			       "\n"
			       "ffffffffc0001000 t mod_init\t[ext4]\n"
			       "ffffffffc0001100 T mod_read\t[ext4]";

static void test_kallsyms(void **state)
{
	struct symbol_index x = { 0 };
	bool hidden;

	(void)state;
	assert_true(kallsyms_index(&x, kallsyms, sizeof(kallsyms) - 1, &hidden));
	assert_string_equal(name_at(&x, 0xffffffff80ffffff), "");
	assert_string_equal(name_at(&x, 0xffffffff8100007f), "helper");
	assert_string_equal(name_at(&x, 0xffffffff81000080), "strong_name");
	assert_string_equal(name_at(&x, 0xffffffff81000fff), "strong_name");
	assert_string_equal(name_at(&x, 0xffffffff81001000), ""); /* behind _etext */
	assert_string_equal(name_at(&x, 0xffffffff81800000), ""); /* data */
	assert_string_equal(name_at(&x, 0xffffffffc00010ff), "mod_init [ext4]");
	assert_string_equal(name_at(&x, 0xffffffffc0001200), "mod_read [ext4]");
	assert_string_equal(name_at(&x, 0xffffffffc0201200), ""); /* too far from anything */
	symbol_index_release(&x);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 t helper\n";
	struct symbol_index x = { 0 };
	bool hidden = false;

	(void)state;
	assert_false(kallsyms_index(&x, text, sizeof(text) - 1, &hidden));
	assert_true(hidden);
	symbol_index_release(&x);
	assert_false(kallsyms_index(&x, "", 0, &hidden));
	assert_false(hidden);
	symbol_index_release(&x);
}

static const char *map_name(struct perf_map *m, uint64_t address)
{
	const struct perf_map_entry *e = perf_map_find(m, address);

	return e ? e->name : "";
}

static void append(struct perf_map *m, const char *text)
{
	perf_map_append(m, text, strlen(text));
}

static void test_perf_map_later_lines_win(void **state)
{
	struct perf_map m = { 0 };

	(void)state;
	append(&m, "1000 20 jit_old(int; char) frame\n0 bb8 stale_huge\n2000 20 jit_second\n");
	assert_string_equal(map_name(&m, 0x1000), "jit_old(int; char) frame");
	assert_string_equal(map_name(&m, 0x201f), "jit_second");
	append(&m, "1000 20 jit_new\n");
	assert_string_equal(map_name(&m, 0x101f), "jit_new");
	assert_string_equal(map_name(&m, 0x1020), "");
	assert_string_equal(map_name(&m, 0x10), "stale_huge");
	append(&m, "800 810 overlap\n");
	assert_string_equal(map_name(&m, 0x7ff), "stale_huge");
	assert_string_equal(map_name(&m, 0x100f), "overlap");
	assert_string_equal(map_name(&m, 0x1010), "jit_new");
	perf_map_release(&m);
}

static void test_perf_map_forms(void **state)
{
	struct perf_map m = { 0 };

	(void)state;
	append(&m, "0x1000 0x20 prefixed\r\n  00002000\t10  Blank Name \n3000 10\n4000 0 empty\n");
	append(&m,
	       "zz 10 bad\n-5 10 bad\nfffffffffffffff0 20 wraps\n11112222333344445 1 long\n\n5000 8 ");
	assert_string_equal(map_name(&m, 0x101f), "prefixed");
	assert_string_equal(map_name(&m, 0x200f), "Blank Name");
	assert_int_equal(m.entries.len, 2);
	append(&m, "split line");
	assert_string_equal(map_name(&m, 0x5000), "split line"); /* no newline yet */
	append(&m, " ends\n");
	assert_string_equal(map_name(&m, 0x5007), "split line ends");
	assert_int_equal(m.entries.len, 3);
	perf_map_release(&m);
}

static void test_perf_map_file_grows_and_shrinks(void **state)
{
	char path[] = "/tmp/prof-test-map-XXXXXX";
	struct perf_map m = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, "1000 10 a\n2000 10 ", 18), 18);
	assert_int_equal(perf_map_read(&m, fd, NULL), 0);
	assert_string_equal(map_name(&m, 0x1000), "a");
	assert_int_equal(write(fd, "b\n", 2), 2);
	assert_int_equal(perf_map_read(&m, fd, NULL), 0);
	assert_string_equal(map_name(&m, 0x2000), "b");
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "3000 10 c\n", 10, 0), 10);
	assert_int_equal(perf_map_read(&m, fd, NULL), 0);
	assert_string_equal(map_name(&m, 0x1000), "");
	assert_string_equal(map_name(&m, 0x3000), "c");
	close(fd);
	perf_map_release(&m);
}

static void check_demangled(const char *mangled, const char *expected)
{
	char *text = symbolize_demangle(mangled);

	if (!expected)
		assert_null(text);
	else
		assert_string_equal(text, expected);
	free(text);
}

static void test_demangle(void **state)
{
	(void)state;
	check_demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
			"core::fmt::Formatter::pad");
	check_demangled("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check_demangled("_RNvMs_NtCs1234_7mycrate3modNtB4_3Foo3bar", "<mycrate::mod::Foo>::bar");
	check_demangled("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()");
	check_demangled("_ZN6holderIL4kind0EE3barEi", "holder<(kind)0>::bar(int)");
	check_demangled("_ZNK8callableclEi", "callable::operator()(int) const");
	check_demangled("main", NULL);
	check_demangled("_Z", NULL);
	check_demangled("_ZN", NULL);
	check_demangled("", NULL);
}

static void test_demangle_long_names(void **state)
{
	char name[8192] = "_Z1fP";

	(void)state;
	/* A real one is longer than libiberty's guard allows: a function of 400 different pointers.
	 */
	for (int i = 0; i < 400; i++)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s3abc", i ? "P" : "");
	char *text = symbolize_demangle(name);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "f(abc*, ", 8), 0);
	free(text);
}

static void test_demangle_hostile_names(void **state)
{
	char *name = malloc(100001);

	(void)state;
	memset(name, 'P', 100000);
	memcpy(name, "_Z1f", 4);
	name[100000] = '\0';
	check_demangled(name, NULL); /* too long */
	name[12000] = '\0';
	check_demangled(name, NULL); /* 12,000 levels deep, and no end */
	name[11999] = 'i';
	char *text = symbolize_demangle(name);
	assert_true(!text || strlen(text) > 11000);
	free(text);
	free(name);
	/* Each substitution doubles the output: refused, not computed to its end. */
	char bomb[2048] = "_Z1fI1a1aE";
	for (int i = 0; i < 60; i++)
		strcat(bomb, "IS_S_E");
	free(symbolize_demangle(bomb));
}

static void test_shown_names(void **state)
{
	static const char *const pairs[][2] = {
		{ "host.isra.0", "host" },
		{ "host.constprop.0.isra.1.cold", "host" },
		{ "host.part.12", "host" },
		{ "_ZNK8callableclEi.isra.0", "callable::operator()(int) const" },
		{ "plain", "plain" },
		{ "go.name.0", "go.name.0" },
		{ ".cold", ".cold" },
		{ "x.coldness", "x.coldness" },
		{ "7", "7" },
	};
	struct demangle_cache c = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		const char *shown = demangle_cached(&c, pairs[i][0]);
		assert_string_equal(shown, pairs[i][1]);
		assert_ptr_equal(demangle_cached(&c, pairs[i][0]), shown);
	}
	demangle_cache_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flatten_equals_search),
		cmocka_unit_test(test_flatten_at_the_end_of_addresses),
		cmocka_unit_test(test_best_alias),
		cmocka_unit_test(test_gaps_and_nesting),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_perf_map_later_lines_win),
		cmocka_unit_test(test_perf_map_forms),
		cmocka_unit_test(test_perf_map_file_grows_and_shrinks),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_long_names),
		cmocka_unit_test(test_demangle_hostile_names),
		cmocka_unit_test(test_shown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
