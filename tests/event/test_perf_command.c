/* perf record's words, and what they say was recorded. */
#include "base/memory.h"
#include "event/perf_command.h"
#include "tests.h"

#define MAX_WORDS 12

static void expect(const char *want, const char *const words[MAX_WORDS])
{
	struct bytes out = { 0 };
	size_t count = 0;

	while (count < MAX_WORDS && words[count])
		count++;
	perf_command_describe(&out, words, count);
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	bytes_release(&out);
}

#define WORDS(...)                     \
	(const char *const[MAX_WORDS]) \
	{                              \
		__VA_ARGS__            \
	}

static void test_commands(void **state)
{
	(void)state;
	expect("./app -v", WORDS("/usr/bin/perf", "record", "-F", "99", "-g", "--", "./app", "-v"));
	expect("./app -o x",
	       WORDS("perf", "record", "-gF99", "-e", "cycles:u", "./app", "-o", "x"));
	expect("app", WORDS("perf", "record", "-ag", "--freq", "99", "--call-graph=dwarf", "app"));
	expect("app", WORDS("perf", "record", "--call", "dwarf,8192", "-vq", "--no-inherit", "-m8",
			    "app"));
	expect("app",
	       WORDS("perf", "rec", "-I", "--switch-events", "-k", "1", "--user-regs=ip", "app"));
	expect("sh -c 'a; b'", WORDS("perf", "record", "-o", "-", "sh", "-c", "a; b"));
	expect("'it'\\''s' '' $'\\033'", WORDS("perf", "record", "it's", "", "\x1b"));
}

static void test_processes(void **state)
{
	(void)state;
	expect("pid 12,13", WORDS("perf", "record", "-p", "12,13", "-g"));
	expect("pid 12", WORDS("perf", "record", "-gp12", "sleep", "10"));
	expect("pid 12", WORDS("perf", "record", "--pid=12"));
	expect("thread 7", WORDS("perf", "record", "--tid", "7"));
	expect("all processes", WORDS("perf", "record", "-a", "-F", "99"));
	expect("app", WORDS("perf", "record", "--proc-map-timeout", "500", "-P", "app"));
}

/* Nothing is made up. */
static void test_other_words(void **state)
{
	(void)state;
	expect("perf sched record -- app", WORDS("perf", "sched", "record", "--", "app"));
	expect("perf", WORDS("perf"));
	expect("", WORDS(NULL));
	expect("all processes", WORDS("perf", "record", "-F"));
	expect("all processes", WORDS("perf", "record", "--"));
	expect("pid ", WORDS("perf", "record", "-p"));
}

int run_perf_command_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_other_words),
	};
	return cmocka_run_group_tests_name("perf_command", tests, NULL, NULL);
}
