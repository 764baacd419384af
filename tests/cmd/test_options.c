/* The option parser: every kind of row, getopt_long's manners, and every fault it can find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

struct settings {
	bool flag, kernel, kernel_given, rate_given;
	const char *text, *optional;
	struct cmd_strings list;
	uint64_t number, size, seconds, millis;
	double real;
	unsigned count, choice;
};

static const char *const choices[] = { "red", "green", NULL };

static const struct cmd_option rows[] = {
	OPTION(struct settings, flag, OPT_FLAG, 'f', "flag", .help = ""),
	OPTION_TOLD(struct settings, kernel, kernel_given, OPT_FLAG, 0, "kernel", .negatable = true,
		    .help = ""),
	OPTION(struct settings, text, OPT_STRING, 't', "text", .argument = "T", .help = ""),
	OPTION(struct settings, text, OPT_STRING, 0, "text-file", .argument = "T", .help = ""),
	OPTION(struct settings, optional, OPT_STRING, 'o', "optional", .argument = "T",
	       .implied = "dflt", .help = ""),
	OPTION(struct settings, list, OPT_LIST, 'l', "list", .argument = "L", .help = ""),
	OPTION_TOLD(struct settings, number, rate_given, OPT_U64, 'n', "number", .argument = "N",
		    .help = ""),
	OPTION(struct settings, size, OPT_SIZE, 's', "size", .argument = "N", .help = ""),
	OPTION(struct settings, seconds, OPT_SECONDS, 0, "seconds", .argument = "S", .help = ""),
	OPTION(struct settings, millis, OPT_MILLIS, 'D', "millis", .argument = "MS", .help = ""),
	OPTION(struct settings, real, OPT_DOUBLE, 0, "real", .argument = "X", .help = ""),
	OPTION(struct settings, count, OPT_COUNT, 'v', "verbose", .help = ""),
	OPTION(struct settings, choice, OPT_CHOICE, 'c', "choice", .argument = "C",
	       .choices = choices, .help = ""),
	{ .name = NULL },
};

struct parsed {
	struct settings s;
	struct words operands;
	struct error err;
	int rc;
	char *argv[16];
};

static void parse_words(struct parsed *p, bool stops, const char *first, va_list more)
{
	int argc = 0;

	memset(p, 0, sizeof(*p));
	for (const char *word = first; word; word = va_arg(more, const char *)) {
		assert_true(argc < 15);
		p->argv[argc++] = (char *)(uintptr_t)word;
	}
	p->operands = (struct words){ argc, p->argv };
	p->rc = options_parse(rows, stops, &p->s, &p->operands, &p->err);
}

static void __attribute__((sentinel)) parse(struct parsed *p, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	parse_words(p, false, first, more);
	va_end(more);
}

static void __attribute__((sentinel)) parse_stopping(struct parsed *p, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	parse_words(p, true, first, more);
	va_end(more);
}

static void assert_fault(const struct parsed *p, const char *text)
{
	assert_int_equal(p->rc, -1);
	assert_int_equal(p->err.code, ERROR_USAGE);
	assert_string_equal(p->err.text, text);
}

static void test_forms_of_a_value(void **state)
{
	static const char *const forms[][3] = {
		{ "-n99", NULL, NULL },	    { "-n", "99", NULL },    { "--number=99", NULL, NULL },
		{ "--number", "99", NULL }, { "--num", "99", NULL }, { "-fn99", NULL, NULL },
		{ "-n", "0x63", NULL },
	};
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		parse(&p, forms[i][0], forms[i][1], forms[i][2], NULL);
		assert_int_equal(p.rc, 0);
		assert_int_equal(p.s.number, 99);
		assert_true(p.s.rate_given);
		assert_int_equal(p.operands.count, 0);
	}
}

static void test_every_kind(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "-fvv", "-s", "64k", "--seconds=1.5", "-D20", "--real=0.25", "--choice=green",
	      "-tx=y", NULL);
	assert_int_equal(p.rc, 0);
	assert_true(p.s.flag);
	assert_int_equal(p.s.count, 2);
	assert_int_equal(p.s.size, 65536);
	assert_int_equal(p.s.seconds, 1500000000);
	assert_int_equal(p.s.millis, 20000000);
	assert_true(p.s.real == 0.25);
	assert_int_equal(p.s.choice, 1);
	assert_string_equal(p.s.text, "x=y");
	assert_false(p.s.kernel_given);
	parse(&p, "-D", "3s", "--text=", NULL);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.s.millis, 3000000000u);
	assert_string_equal(p.s.text, "");
}

static void test_negation(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--no-kernel", NULL);
	assert_int_equal(p.rc, 0);
	assert_true(p.s.kernel_given);
	assert_false(p.s.kernel);
	parse(&p, "--no-kernel", "--kern", NULL);
	assert_int_equal(p.rc, 0);
	assert_true(p.s.kernel);
	parse(&p, "--no-flag", NULL);
	assert_int_equal(p.rc, -1);
	parse(&p, "--no-kernel=1", NULL);
	assert_fault(&p, "--no-kernel takes no value");
}

static void test_optional_value(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--optional", "word", NULL);
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.s.optional, "dflt");
	assert_int_equal(p.operands.count, 1);
	parse(&p, "--optional=given", NULL);
	assert_string_equal(p.s.optional, "given");
	parse(&p, "-ogiven", NULL);
	assert_string_equal(p.s.optional, "given");
}

static void test_lists(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "-l", "a,b", "--list=c", "-ld", NULL);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.s.list.len, 3);
	assert_string_equal(p.s.list.items[0], "a,b");
	assert_string_equal(p.s.list.items[2], "d");
	assert_null(p.s.list.items[3]);
	options_release(rows, &p.s);
	assert_null(p.s.list.items);
}

static void test_operands_between_options(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "one", "-f", "two", "-", "--", "-v", "--nonsense", NULL);
	assert_int_equal(p.rc, 0);
	assert_true(p.s.flag);
	assert_int_equal(p.s.count, 0);
	assert_int_equal(p.operands.count, 5);
	assert_string_equal(p.operands.items[0], "one");
	assert_string_equal(p.operands.items[1], "two");
	assert_string_equal(p.operands.items[2], "-");
	assert_string_equal(p.operands.items[3], "-v");
	assert_string_equal(p.operands.items[4], "--nonsense");
	assert_null(p.operands.items[5]);
}

static void test_a_command_keeps_its_options(void **state)
{
	struct parsed p;

	(void)state;
	parse_stopping(&p, "-f", "cmd", "-v", "--", "-x", NULL);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.operands.count, 4);
	assert_string_equal(p.operands.items[0], "cmd");
	assert_string_equal(p.operands.items[2], "--");
	assert_int_equal(p.s.count, 0);
	parse_stopping(&p, "-v", "--", "-f", "x", NULL);
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.operands.count, 2);
	assert_string_equal(p.operands.items[0], "-f");
	assert_false(p.s.flag);
	parse_stopping(&p, "--", "--", "x", NULL);
	assert_int_equal(p.operands.count, 2);
	assert_string_equal(p.operands.items[0], "--");
}

static void test_help(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "-f", "--help", "--nonsense", NULL);
	assert_int_equal(p.rc, 1);
	parse(&p, "-fh", NULL);
	assert_int_equal(p.rc, 1);
	parse_stopping(&p, "cmd", "--help", NULL);
	assert_int_equal(p.rc, 0);
}

static void test_prefixes(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--text=exact", NULL); /* also a prefix of --text-file */
	assert_int_equal(p.rc, 0);
	parse(&p, "--tex=x", NULL);
	assert_fault(&p, "--tex can mean --text, --text-file: write more of it");
	parse(&p, "--text-", "x", NULL);
	assert_int_equal(p.rc, 0);
}

static void test_unknown(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--nubmer=3", NULL);
	assert_fault(&p, "unknown option --nubmer; did you mean --number?");
	parse(&p, "--wxyz", NULL);
	assert_fault(&p, "unknown option --wxyz");
	parse(&p, "-fZ", NULL);
	assert_fault(&p, "unknown option -Z");
}

static void test_bad_values(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "-n", NULL);
	assert_fault(&p, "-n needs a value (N)");
	parse(&p, "--number", NULL);
	assert_fault(&p, "--number needs a value (N)");
	parse(&p, "-nx", NULL);
	assert_fault(&p, "-n: 'x' is not a whole number");
	parse(&p, "--number=-1", NULL);
	assert_fault(&p, "--number: '-1' is not a whole number");
	parse(&p, "--number=18446744073709551616", NULL);
	assert_int_equal(p.rc, -1);
	parse(&p, "--size=9q", NULL);
	assert_fault(&p, "--size: '9q' is not a size (4096, 64k, 1M)");
	parse(&p, "--seconds=soon", NULL);
	assert_fault(&p, "--seconds: 'soon' is not a time (10, 1.5, 200ms)");
	parse(&p, "-D99999999999999999999", NULL);
	assert_int_equal(p.rc, -1);
	parse(&p, "-D18446744073709551615", NULL); /* fits in a number, not in nanoseconds */
	assert_int_equal(p.rc, -1);
	parse(&p, "--real=nan", NULL);
	assert_fault(&p, "--real: 'nan' is not a number");
	parse(&p, "--real=-1", NULL);
	assert_int_equal(p.rc, -1);
	parse(&p, "--choice=blue", NULL);
	assert_fault(&p, "--choice: 'blue' is not one of red, green");
	parse(&p, "--flag=1", NULL);
	assert_fault(&p, "--flag takes no value");
}

static bool is_any(const struct cmd_option *row)
{
	return strcmp(row->name, "text-file") != 0; /* its field is --text's */
}

static void expect_words(const struct parsed *p, const char *want)
{
	struct bytes out = { 0 };

	options_append(&out, rows, &p->s, is_any);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	bytes_release(&out);
}

static void test_words_again(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "operand", NULL);
	expect_words(&p, "");
	parse(&p, "-f", "--no-kernel", "-t", "it's a 'b'", "-o", "-la", "-l", "", "-n99", "-s4k",
	      NULL);
	expect_words(
		&p,
		" --flag --no-kernel --text 'it'\\''s a '\\''b'\\''' --optional=dflt --list a --list '' "
		"--number 99 --size 4096");
	options_release(rows, &p.s);
	parse(&p, "--seconds=1.5", "-D20", "--real=0.25", "-vv", "-cgreen", "--kernel", NULL);
	expect_words(
		&p,
		" --kernel --seconds 1500000000ns --millis 20000000ns --real 0.25 --verbose --verbose "
		"--choice green");
	/* They mean the same again. */
	struct parsed again;
	parse(&again, "--seconds", "1500000000ns", "--millis", "20000000ns", NULL);
	assert_int_equal(again.s.seconds, p.s.seconds);
	assert_int_equal(again.s.millis, p.s.millis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_a_value),
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_negation),
		cmocka_unit_test(test_optional_value),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_operands_between_options),
		cmocka_unit_test(test_a_command_keeps_its_options),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_words_again),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
