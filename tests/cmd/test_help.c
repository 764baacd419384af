/* What is generated from the option rows: nothing is left out, nothing is invented, nothing is too
 * wide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/help.h"

static const char *text_of(struct bytes *b)
{
	bytes_u8(b, '\0');
	return (const char *)b->data;
}

static void test_rows_are_well_formed(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		const struct cmd_option *rows = commands[i]->options;
		for (const struct cmd_option *r = rows; r->name; r++) {
			bool has_value = r->kind != OPT_FLAG && r->kind != OPT_COUNT;
			assert_non_null(r->help);
			assert_int_equal(has_value, r->argument != NULL);
			assert_int_equal(r->kind == OPT_CHOICE, r->choices != NULL);
			assert_true(r->offset < commands[i]->options_size);
			assert_true(r->letter != 'h');
			assert_string_not_equal(r->name, "help");
			for (const struct cmd_option *other = rows; other < r; other++) {
				assert_string_not_equal(other->name, r->name);
				assert_true(!r->letter || other->letter != r->letter);
			}
		}
	}
}

static void test_help_names_every_option(void **state)
{
	char name[80];

	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		struct bytes out = { 0 };
		help_text(&out, commands[i], 80);
		const char *text = text_of(&out);
		for (const struct cmd_option *r = commands[i]->options; r->name; r++) {
			snprintf(name, sizeof(name), "--%s", r->name);
			assert_int_equal(strstr(text, name) != NULL, !r->hidden);
		}
		bytes_release(&out);
	}
}

static void test_help_fits_the_width(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		struct bytes out = { 0 };
		help_text(&out, commands[i], 80);
		for (const char *line = text_of(&out); *line;) {
			size_t len = strcspn(line, "\n");
			assert_true(text_width(line, len) <= 80);
			line += len + (line[len] == '\n');
		}
		bytes_release(&out);
	}
}

static void test_man_pages_have_their_sections(void **state)
{
	static const char *const sections[] = {
		".TH ",	       ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXIT STATUS",
		".SH SEE ALSO"
	};

	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		struct bytes out = { 0 };
		help_man(&out, commands[i]);
		const char *text = text_of(&out);
		for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++)
			assert_non_null(strstr(text, sections[s]));
		bytes_release(&out);
	}
}

static void test_completions_know_every_command(void **state)
{
	void (*const writers[])(struct bytes *) = { help_completion_bash, help_completion_zsh,
						    help_completion_fish };

	(void)state;
	for (size_t w = 0; w < 3; w++) {
		struct bytes out = { 0 };
		writers[w](&out);
		const char *text = text_of(&out);
		for (size_t i = 0; commands[i]; i++) {
			assert_non_null(strstr(text, commands[i]->name));
			for (const struct cmd_option *r = commands[i]->options; r->name; r++)
				if (!r->hidden)
					assert_non_null(strstr(text, r->name));
		}
		bytes_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_well_formed),
		cmocka_unit_test(test_help_names_every_option),
		cmocka_unit_test(test_help_fits_the_width),
		cmocka_unit_test(test_man_pages_have_their_sections),
		cmocka_unit_test(test_completions_know_every_command),
	};

	return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
