/* Times of CPUs as the kernel counts them: what is read, and what went by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "files/cpu_times.h"

#define HZ 100

static struct cpu_times parse(const char *text)
{
	struct cpu_times t = { 0 };

	cpu_times_parse(&t, text, strlen(text));
	return t;
}

static void expect_between(const char *from, const char *to, bool known, uint64_t busy,
			   uint64_t steal)
{
	struct cpu_times a = parse(from), b = parse(to);
	uint64_t busy_ns = 1, steal_ns = 1;

	assert_int_equal(cpu_times_between(&a, &b, HZ, &busy_ns, &steal_ns), known);
	assert_int_equal(busy_ns, busy * (1000000000 / HZ));
	assert_int_equal(steal_ns, steal * (1000000000 / HZ));
	cpu_times_release(&a);
	cpu_times_release(&b);
}

static void lines_are_read(void **state)
{
	struct cpu_times t = parse("cpu  9 9 9 9 9 9 9 9 9 9\n"
				   "cpu0 1 2 4 8 16 32 64 128 256 512\n"
				   "cpu12 5\n"
				   "intr 1 2 3\ncpufreq 1 2\ncpu\ncpu7");

	(void)state;
	assert_int_equal(t.cpus.len, 3);
	assert_int_equal(t.cpus.data[0].cpu, 0);
	assert_int_equal(t.cpus.data[0].busy, 1 + 2 + 4 + 32 + 64);
	assert_int_equal(t.cpus.data[0].steal, 128);
	assert_int_equal(t.cpus.data[1].cpu, 12);
	assert_int_equal(t.cpus.data[1].busy, 5);
	assert_int_equal(t.cpus.data[1].steal, 0);
	assert_int_equal(t.cpus.data[2].cpu, 7);
	cpu_times_release(&t);
}

static void what_went_by_is_told(void **state)
{
	(void)state;
	expect_between("cpu0 100 0 0 5 5 0 0 10\ncpu1 0 0 0 0 0 0 0 0\n",
		       "cpu0 150 0 7 9 9 0 0 30\ncpu1 3 0 0 0 0 0 0 1\n", true, 60, 21);
	/* A CPU that came, and one that went. */
	expect_between("cpu0 1 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n",
		       "cpu1 90 0 0 0 0 0 0 90\ncpu2 4 0 0 0 0 0 0 2\n", true, 4, 2);
	/* Counters of some hypervisors go back. */
	expect_between("cpu0 10 0 0 0 0 0 0 50\n", "cpu0 12 0 0 0 0 0 0 40\n", true, 2, 0);
	expect_between("", "cpu0 1\n", false, 0, 0);
	expect_between("cpu0 1\n", "", false, 0, 0);
	expect_between("cpu0 0\n", "cpu0 99999999999999999999999999\n", false, 0, 0);
}

static void without_ticks_nothing_is_known(void **state)
{
	struct cpu_times a = parse("cpu0 1\n"), b = parse("cpu0 2\n");
	uint64_t busy, steal;

	(void)state;
	assert_false(cpu_times_between(&a, &b, 0, &busy, &steal));
	assert_int_equal(busy + steal, 0);
	cpu_times_release(&a);
	cpu_times_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(what_went_by_is_told),
		cmocka_unit_test(without_ticks_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
