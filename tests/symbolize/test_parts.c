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

#include "symbolize/code_map.h"
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

/* Wherever the last search ended, the next one finds the same. */
static void test_flatten_in_any_order_of_questions(void **state)
{
	struct flat_range ranges[200];
	struct flat_map map = { 0 };

	(void)state;
	srandom(4);
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		ranges[i] = (struct flat_range){ 10 * i, 10 * i + 5, i, (uint32_t)i };
	flat_map_build(&map, ranges, ARRAY_LEN(ranges));
	for (int i = 0; i < 20000; i++) {
		uint64_t address = (uint64_t)random() % 2100;
		const struct flat_segment *s = flat_map_find(&map, address);
		uint32_t expected =
			address < 2000 && address % 10 < 5 ? (uint32_t)address / 10 : UINT32_MAX;
		assert_int_equal(s ? s->value : UINT32_MAX, expected);
	}
	flat_map_build(&map, ranges, 1); /* fewer than where it ended */
	assert_int_equal(flat_map_find(&map, 3)->value, 0);
	assert_null(flat_map_find(&map, 1000));
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
			    .rank = symbol_rank(size > 0, SYMBOL_FUNCTION, binding) };

	symbol_index_add(x, &s, 0x5000);
}

static const char *name_at(struct symbol_index *x, uint64_t address)
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
	add(&x, 0x4000, 8, "__ia32_sys_gettid", 1);
	add(&x, 0x4000, 8, "__x64_sys_gettid", 1);
	symbol_index_finish(&x);
	assert_string_equal(name_at(&x, 0x1000), "global");
	assert_string_equal(name_at(&x, 0x2007), "z_local");
	assert_string_equal(name_at(&x, 0x3000), "a_weak");
	assert_string_equal(name_at(&x, 0x4000), "__x64_sys_gettid");
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

static bool index_text(struct symbol_index *x, const char *text, bool *hidden)
{
	struct bytes copy = { 0 };

	bytes_append(&copy, text, strlen(text));
	bool good = kallsyms_index(x, &copy, hidden);
	assert_null(copy.data); /* its memory was given back */
	return good;
}

static void test_kallsyms(void **state)
{
	struct symbol_index x = { 0 };
	bool hidden;

	(void)state;
	assert_true(index_text(&x, kallsyms, &hidden));
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
	assert_false(index_text(&x, text, &hidden));
	assert_true(hidden);
	symbol_index_release(&x);
	assert_false(index_text(&x, "", &hidden));
	assert_false(hidden);
	symbol_index_release(&x);
}

struct lines {
	struct code_map map;
	uint32_t moment;
	size_t count;
	uint64_t last_end; /* of the last line in the text */
};

static void take_line(void *ctx, const struct perf_map_line *line)
{
	struct lines *l = ctx;
	struct code_source from = { .start = line->start,
				    .size = line->size,
				    .name = line->name,
				    .name_len = line->name_len,
				    .moment = l->moment };

	l->count++;
	l->last_end = line->end;
	code_map_add(&l->map, code_entry_new(&from));
}

static const char *map_name(const struct lines *l, uint64_t address)
{
	const struct code_piece *p = code_map_find(&l->map, address);

	return p ? p->entry->name : "";
}

/* Of another moment than what was appended before. */
static void append(struct perf_map *m, struct lines *l, const char *text)
{
	l->moment++;
	perf_map_append(m, text, strlen(text), take_line, l);
}

static void test_perf_map_later_lines_win(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };

	(void)state;
	append(&m, &l, "0 bb8 huge\n1000 20 jit_old(int; char) frame\n2000 20 jit_second\n");
	assert_string_equal(map_name(&l, 0x1000), "jit_old(int; char) frame");
	assert_string_equal(map_name(&l, 0x201f), "jit_second");
	append(&m, &l, "1000 20 jit_new\n");
	assert_string_equal(map_name(&l, 0x101f), "jit_new");
	assert_string_equal(map_name(&l, 0x1020), "");
	assert_string_equal(map_name(&l, 0x10), "huge");
	append(&m, &l, "800 810 overlap\n");
	assert_string_equal(map_name(&l, 0x7ff), "huge");
	assert_string_equal(map_name(&l, 0x100f), "overlap");
	assert_string_equal(map_name(&l, 0x1010), "jit_new");
	append(&m, &l, "0 10000 everything\n");
	assert_string_equal(map_name(&l, 0x1010), "everything");
	assert_int_equal(l.map.entries, 1);
	perf_map_release(&m);
	code_map_release(&l.map);
	assert_int_equal(l.map.bytes, 0);
}

/* Code that is gone has no name, and what follows it does not mean what it meant. */
static void test_code_is_gone(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };
	struct code_source gone = { .start = 0x1000, .size = 0x10, .moment = 7, .is_gone = true };

	(void)state;
	append(&m, &l, "1000 20 first\n");
	code_map_find(&l.map, 0x1000)->entry->used = true;
	code_map_add(&l.map, code_entry_new(&gone));
	assert_true(code_map_find(&l.map, 0x100f)->entry->is_gone);
	assert_int_equal(code_map_find(&l.map, 0x100f)->generation, 1);
	assert_string_equal(map_name(&l, 0x1010), "first");
	append(&m, &l, "1000 20 second\n");
	assert_string_equal(map_name(&l, 0x1000), "second");
	assert_int_equal(code_map_find(&l.map, 0x1000)->generation, 1);
	perf_map_release(&m);
	code_map_release(&l.map);
}

/* Written at once, a region does not hide the code in it, whichever comes first. */
static void test_perf_map_parts_of_regions(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };

	(void)state;
	append(&m, &l, "1000 20 part\n0 10000 region\n2000 20 other\n2010 18 nearly\n");
	assert_string_equal(map_name(&l, 0x0fff), "region");
	assert_string_equal(map_name(&l, 0x101f), "part");
	assert_string_equal(map_name(&l, 0x1020), "region");
	assert_string_equal(map_name(&l, 0x200f), "other");
	assert_string_equal(map_name(&l, 0x2010), "nearly");
	perf_map_release(&m);
	code_map_release(&l.map);
}

static void test_perf_map_forms(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };

	(void)state;
	append(&m, &l,
	       "0x1000 0x20 prefixed\r\n  00002000\t10  Blank Name \n3000 10\n4000 0 empty\n");
	append(&m, &l,
	       "zz 10 bad\n-5 10 bad\nfffffffffffffff0 20 wraps\n11112222333344445 1 long\n\n5000 8 ");
	assert_string_equal(map_name(&l, 0x101f), "prefixed");
	assert_string_equal(map_name(&l, 0x200f), "Blank Name");
	assert_int_equal(l.count, 2);
	append(&m, &l, "split line");
	assert_string_equal(map_name(&l, 0x5000), ""); /* no newline yet */
	append(&m, &l, " ends\n6000 8 last");
	assert_string_equal(map_name(&l, 0x5007), "split line ends");
	assert_int_equal(l.last_end, m.text_bytes - strlen("6000 8 last"));
	perf_map_end(&m, take_line, &l);
	assert_string_equal(map_name(&l, 0x6000), "last");
	perf_map_release(&m);
	code_map_release(&l.map);
}

/* The line that is in the middle is not taken for a whole one. */
static void test_perf_map_from_the_middle(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };

	(void)state;
	perf_map_skip_to(&m, 1000);
	append(&m, &l, "2000 10 wr");
	append(&m, &l, "ong\n3000 10 right\n");
	assert_int_equal(l.count, 1);
	assert_string_equal(map_name(&l, 0x3000), "right");
	assert_int_equal(l.last_end, 1000 + 28);
	perf_map_release(&m);
	code_map_release(&l.map);
}

static const struct code_piece *piece(const struct lines *l, uint64_t address)
{
	const struct code_piece *p = code_map_find(&l->map, address);

	assert_non_null(p);
	return p;
}

/* Only what was seen and is now called otherwise has to be told apart. */
static void test_generations(void **state)
{
	struct perf_map m = { 0 };
	struct lines l = { 0 };

	(void)state;
	append(&m, &l, "1000 20 a\n2000 20 b\n");
	append(&m, &l, "1000 20 unseen\n");
	assert_int_equal(piece(&l, 0x1000)->generation, 0);
	piece(&l, 0x1000)->entry->used = true;
	append(&m, &l, "1000 20 unseen\n");
	assert_int_equal(piece(&l, 0x1000)->generation, 0);
	assert_true(piece(&l, 0x1000)->entry->used); /* under this name */
	append(&m, &l, "1010 20 half\n");
	assert_int_equal(piece(&l, 0x100f)->generation, 0);
	assert_int_equal(piece(&l, 0x1010)->generation, 1);
	assert_int_equal(piece(&l, 0x102f)->generation, 1); /* one for all of an entry */
	piece(&l, 0x1010)->entry->used = true;
	append(&m, &l, "0 10000 all\n");
	assert_int_equal(piece(&l, 0)->generation, 2);
	assert_int_equal(l.map.generation, 2);
	perf_map_release(&m);
	code_map_release(&l.map);
}

/* Halving keeps the newer entries, wherever they lie, and the memory follows. */
static void test_half_of_the_code(void **state)
{
	struct lines l = { 0 };
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		/* From both ends to the middle. */
		uint64_t at = i % 2 ? 0x1000000 - (uint64_t)i * 16 : (uint64_t)i * 16;
		int len = snprintf(name, sizeof(name), "f%u", i);
		struct perf_map_line line = { at, 16, name, (size_t)len, 0 };
		l.moment++;
		take_line(&l, &line);
	}
	assert_int_equal(l.map.entries, 10000);
	size_t before = l.map.bytes;
	code_map_halve(&l.map);
	assert_int_equal(l.map.entries, 5000);
	assert_true(l.map.bytes < before * 6 / 10);
	assert_string_equal(map_name(&l, 0), "");
	assert_string_equal(map_name(&l, 4998 * 16), "");
	assert_string_equal(map_name(&l, 5000 * 16), "f5000");
	assert_string_equal(map_name(&l, 0x1000000 - 9999 * 16), "f9999");
	code_map_release(&l.map);
	assert_int_equal(l.map.bytes, 0);
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
		cmocka_unit_test(test_flatten_in_any_order_of_questions),
		cmocka_unit_test(test_flatten_at_the_end_of_addresses),
		cmocka_unit_test(test_best_alias),
		cmocka_unit_test(test_gaps_and_nesting),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_perf_map_later_lines_win),
		cmocka_unit_test(test_perf_map_forms),
		cmocka_unit_test(test_code_is_gone),
		cmocka_unit_test(test_perf_map_parts_of_regions),
		cmocka_unit_test(test_perf_map_from_the_middle),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_half_of_the_code),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_long_names),
		cmocka_unit_test(test_demangle_hostile_names),
		cmocka_unit_test(test_shown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
