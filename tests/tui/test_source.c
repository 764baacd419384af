/* The source beside the graph: of files that are here, and of what the recording has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "keys.h"
#include "sample_profile.h"

static struct {
	unsigned asked;
	bool is_other; /* than what was recorded */
} files;

static void read_file(void *context, struct source_texts *texts, uint32_t module, uint32_t file)
{
	struct bytes text = { 0 };

	(void)context;
	(void)module;
	files.asked++;
	for (unsigned line = 1; line <= 90; line++) {
		if (line == 10 && !files.is_other)
			bytes_printf(&text, "\twhile (tab[c] & IDENT) c = *++p;\n");
		else if (line == 9 || line == 11)
			bytes_printf(&text, line == 9 ? "\n" : "\treturn p;\n");
		else
			bytes_printf(&text, "line %u of the file\n", line);
	}
	source_texts_add_file(texts, file, (const char *)text.data, text.len, SOURCE_AS_RECORDED);
	bytes_release(&text);
}

static void open_at_tokenize(struct fixture *f, bool is_other)
{
	files.asked = 0;
	files.is_other = is_other;
	fixture_init(f, screen_profile, 160, 50);
	f->in.host.read_file = read_file;
	press(f, "/^tokenize$ enter n");
}

static void test_file_is_shown_and_scrolled(void **state)
{
	struct fixture f;
	struct bytes both = { 0 };

	(void)state;
	open_at_tokenize(&f, false);
	const char *text = screen(&f);
	bytes_append(&both, text, strlen(text));
	expect_golden(&both, "source-160x50.txt");
	bytes_release(&both);
	assert_non_null(strstr(screen(&f), "line 12 of the file"));
	assert_null(strstr(screen(&f), "line 45 of the file"));
	press(&f, "] ] ] ] ] ] ]");
	assert_non_null(strstr(screen(&f), "line 42 of the file"));
	press(&f, "] ] ] ] ] ] ] ] ] ] ] ] ] ] ]"); /* to the end, and not beyond it */
	assert_non_null(strstr(screen(&f), "line 90 of the file"));
	press(&f, "[");
	assert_null(strstr(screen(&f), "line 90 of the file"));
	for (int i = 0; i < 40; i++)
		turn_wheel(&f, false, 150, 40);
	assert_non_null(strstr(screen(&f), "line 1 of the file"));
	/* Another frame begins at its own line. */
	press(&f, "] ] ] ] ] up");
	assert_int_equal(f.model.source_scroll, 0);
	assert_int_equal(files.asked, 1);
	fixture_release(&f);
}

/* A file that is not what was recorded is not shown as if it were. */
static void test_other_file(void **state)
{
	struct fixture f;

	(void)state;
	open_at_tokenize(&f, true);
	assert_non_null(strstr(screen(&f), "as recorded: the file here is another"));
	assert_non_null(strstr(screen(&f), "while (tab[c] & IDENT)"));
	assert_null(strstr(screen(&f), "line 12 of the file"));
	press(&f, "] ] [");
	assert_non_null(strstr(screen(&f), "while (tab[c] & IDENT)"));
	fixture_release(&f);
}

static void test_no_file(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, screen_profile, 160, 50);
	press(&f, "/^report$ enter n");
	assert_non_null(strstr(screen(&f), "its text is not here"));
	press(&f, "] ] [");
	grid_resize(&f.grid, 80, 24);
	model_resize(&f.model, 80, 24);
	press(&f, "]");
	assert_non_null(strstr(f.model.message, "no source pane"));
	fixture_release(&f);
}

static void with_inlined_code(struct build *b, struct filter_result *all)
{
	build_init(b);
	uint32_t node = build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "main"));
	uint64_t both = build_code(b, b->program, "inl|outer");
	for (int i = 0; i < 3; i++)
		build_sample(b, node, b->program, both, 1000);
	build_sample(b, node, b->program, build_code(b, b->program, "outer"), 1000);
	build_finish(b, all);
}

/* Its lines are not the caller's: how much there is, is. */
static void test_inlined_code_is_told(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, with_inlined_code, 200, 50);
	press(&f, "/^outer$ enter");
	assert_non_null(strstr(screen(&f), "+ 75.0% inlined, at own lines"));
	press(&f, "/ ^U ^main$ enter");
	assert_null(strstr(screen(&f), "inlined, at"));
	fixture_release(&f);
}

int run_source_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_is_shown_and_scrolled),
		cmocka_unit_test(test_other_file),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_inlined_code_is_told),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
