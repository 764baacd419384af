/* Names made to fit, by the writer and by the script, and the colours they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "output/flame.h"

static void test_labels(void **state)
{
	static const struct {
		const char *name, *label;
		size_t columns;
	} rows[] = {
		{ "main", "main", 4 },
		{ "main", "ma\xe2\x80\xa6", 3 },
		{ "f(int, char)", "f", 5 },
		{ "A::f(int) const", "A::f", 10 },
		{ "Fn::operator()(int) const", "Fn::operator()", 14 },
		{ "operator()", "opera\xe2\x80\xa6", 6 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "std::vector<>::push_back", 24 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "\xe2\x80\xa6push_back", 19 },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
		  "push_\xe2\x80\xa6", 6 },
		{ "(anonymous namespace)::gc_mark(Heap&)", "\xe2\x80\xa6gc_mark", 8 },
		{ "bool operator< <int>(A, B)", "bool operator< <int>", 20 },
		{ "A::operator->() const", "A::operator->", 14 },
		{ "github.com/a/b.(*T).Run",
		  "\xe2\x80\xa6"
		  "b.(*T).Run",
		  12 },
		{ "T<(E)0>::bar()", "T<>::bar", 9 },
		{ "broken<<(", "broke\xe2\x80\xa6", 6 },
		{ "\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", "\xe5\xad\x97\xe2\x80\xa6", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes out = { 0 };
		flame_label(&out, rows[i].name, strlen(rows[i].name), rows[i].columns);
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, rows[i].label);
		bytes_release(&out);
	}
}

/* Those that the script has, too. */
static void test_labels_of_the_script(void **state)
{
	FILE *f = fopen(LABELS, "re");
	char line[1024];
	int rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		char *name = strchr(line, '\t') + 1, *label = strchr(name, '\t') + 1;
		struct bytes out = { 0 };
		flame_label(&out, name, (size_t)(label - name) - 1, strtoul(line, NULL, 10));
		bytes_u8(&out, '\0');
		assert_string_equal((const char *)out.data, label);
		bytes_release(&out);
		rows++;
	}
	assert_true(rows > 10);
	fclose(f);
}

static void test_colours_stay(void **state)
{
	(void)state;
	assert_int_equal(flame_shade("main", 4), 0);
	assert_int_equal(flame_shade("memcpy", 6), 0);
	assert_int_equal(flame_shade("", 0), 1);
	assert_int_equal(flame_kind_letter(CODE_KERNEL), 'k');
	assert_int_equal(flame_kind_letter(200), 'n');
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_labels_of_the_script),
		cmocka_unit_test(test_colours_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
