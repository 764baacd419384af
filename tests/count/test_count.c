/* The schedule's arithmetic, the topology of a made-up machine, the default set. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "count/default_events.h"
#include "count/places.h"
#include "count/schedule.h"
#include "count/topology.h"

#define MS 1000000ull

/* ---- schedule ---- */

/* Whoever is late each time by a different part of an interval is as late after a minute as at the
 * beginning, not by the sum of it. */
static void test_a_minute_without_drift(void **state)
{
	const uint64_t begin = 12345678901234ull;
	struct schedule s;
	uint64_t late = 1, turns = 0;

	(void)state;
	schedule_every(&s, begin, 10 * MS);
	while (s.at_ns <= begin + 60000 * MS) {
		uint64_t due = s.at_ns;
		late = late * 6364136223846793005ull + 1442695040888963407ull;
		assert_int_equal((due - begin) % (10 * MS), 0);
		assert_false(schedule_is_due(&s, due - 1));
		assert_true(schedule_is_due(&s, due + (late >> 40) % (9 * MS)));
		turns++;
	}
	assert_int_equal(turns, 6000);
}

static void test_missed_turns_are_left_out(void **state)
{
	struct schedule s;

	(void)state;
	schedule_every(&s, 0, 100);
	assert_true(schedule_is_due(&s, 1234));
	assert_int_equal(s.at_ns, 1300);
	assert_false(schedule_is_due(&s, 1299));
	assert_true(schedule_is_due(&s, 1300));
	assert_int_equal(s.at_ns, 1400);
}

static void test_once_and_never(void **state)
{
	struct schedule once, never = { 0 };

	(void)state;
	schedule_once(&once, 50);
	assert_int_equal(schedule_earlier(&once, 70), 50);
	assert_int_equal(schedule_earlier(&once, 30), 30);
	assert_true(schedule_is_due(&once, 50));
	assert_false(schedule_is_due(&once, 51));
	assert_int_equal(schedule_earlier(&once, 70), 70);
	assert_false(schedule_is_due(&never, UINT64_MAX));
	schedule_every(&never, 5, 0);
	assert_false(schedule_is_due(&never, UINT64_MAX));
}

/* ---- topology ---- */

static void put(const char *root, const char *path, const char *text)
{
	char *whole = xasprintf("%s/%s", root, path), *slash = whole + strlen(root);

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	FILE *f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(whole);
}

static void put_cpu(const char *root, int cpu, const char *core, const char *socket)
{
	char path[128];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/core_id", cpu);
	put(root, path, core);
	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	put(root, path, socket);
}

static char root[64];

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/prof-topology-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void expect_row(const struct count_topology *t, enum counter_row_kind kind, uint32_t cpu,
		       uint32_t id, const char *label)
{
	struct counter_row row = count_topology_row(t, kind, cpu);

	assert_int_equal(row.kind, kind);
	assert_int_equal(row.id, id);
	assert_string_equal(row.label, label);
	free(row.label);
}

/* Two sockets, cores of two threads, and two types of core. */
static void test_a_machine_of_two_core_types(void **state)
{
	struct event_cpus cpus = { 0 };
	struct count_topology t;

	(void)state;
	put_cpu(root, 0, "0\n", "0\n");
	put_cpu(root, 1, "0\n", "0\n");
	put_cpu(root, 2, "8\n", "0\n");
	put_cpu(root, 3, "0\n", "1\n");
	put(root, "bus/event_source/devices/cpu_core/cpus", "0-1\n");
	put(root, "bus/event_source/devices/cpu_atom/cpus", "2-3\n");
	put(root, "bus/event_source/devices/uncore_imc_0/cpus", "0\n");
	assert_true(event_cpus_parse(&cpus, "0-4"));
	count_topology_read(&t, root, &cpus);
	expect_row(&t, COUNTER_ROW_CORE, 1, 0, "socket 0 core 0");
	expect_row(&t, COUNTER_ROW_CORE, 2, 8, "socket 0 core 8");
	expect_row(&t, COUNTER_ROW_CORE, 3, 0, "socket 1 core 0");
	expect_row(&t, COUNTER_ROW_SOCKET, 3, 1, "socket 1");
	expect_row(&t, COUNTER_ROW_TYPE, 0, t.cpus[0].type, "cpu_core");
	expect_row(&t, COUNTER_ROW_TYPE, 3, t.cpus[3].type, "cpu_atom");
	expect_row(&t, COUNTER_ROW_CPU, 2, 2, "CPU 2");
	/* Of CPU 4 sysfs says nothing. */
	expect_row(&t, COUNTER_ROW_CORE, 4, 4, "socket 0 core 4");
	expect_row(&t, COUNTER_ROW_TYPE, 4, 0, "cpu");
	count_topology_release(&t);
	event_cpus_release(&cpus);
}

/* ---- threads that begin meanwhile ---- */

static void *wait_for_release(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static void test_threads_that_began_are_seen(void **state)
{
	pid_t self = getpid();
	struct count_options o = { .pids = &self, .pid_count = 1 };
	struct count_places p = { 0 };
	struct error err = { 0 };
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	assert_int_equal(count_places_find(&p, &o, 0, &err), 0);
	assert_int_equal(count_places_began(&p), 0);
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_release, &barrier), 0);
	assert_int_equal(count_places_began(&p), 1);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	count_places_release(&p);
}

static void test_switches_are_read_of_running_tasks(void **state)
{
	pid_t self = getpid();
	struct count_options o = { .pids = &self, .pid_count = 1 };
	struct count_places p = { 0 };
	struct error err = { 0 };
	uint64_t before, after;

	(void)state;
	assert_int_equal(count_places_find(&p, &o, 0, &err), 0);
	assert_true(count_places_switches(&p, &before));
	for (int i = 0; i < 5; i++)
		usleep(1000); /* each waits */
	assert_true(count_places_switches(&p, &after));
	assert_true(after >= before + 5);
	p.items.data[0].pid = 0x7ffffffe; /* there is none */
	assert_false(count_places_switches(&p, &after));
	count_places_release(&p);
}

/* ---- lists of CPUs ---- */

static void expect_cpus(const char *text, const char *want)
{
	struct event_cpus cpus = { 0 };
	char got[128] = "";

	assert_true(event_cpus_parse(&cpus, text));
	for (size_t i = 0; i < cpus.items.len; i++) {
		size_t len = strlen(got);
		snprintf(got + len, sizeof(got) - len, "%s%u", i ? " " : "", cpus.items.data[i]);
	}
	assert_string_equal(got, want);
	event_cpus_release(&cpus);
}

static void test_lists_of_cpus(void **state)
{
	static const char *const bad[] = { "a",	  "1-", "3-1",	 "1,",	 ",1",
					   "1 2", "-1", "70000", "1-2-3" };

	(void)state;
	expect_cpus("0-3,8\n", "0 1 2 3 8");
	expect_cpus("5,1,1-2", "1 2 5");
	expect_cpus("", "");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct event_cpus cpus = { 0 };
		assert_false(event_cpus_parse(&cpus, bad[i]));
		assert_int_equal(cpus.items.len, 0);
		event_cpus_release(&cpus);
	}
}

/* ---- the default set ---- */

static void test_the_default_set(void **state)
{
	for (int whole = 0; whole <= 1; whole++) {
		struct event_list list = { 0 };
		struct error err = { 0 };
		size_t from;

		(void)state;
		assert_int_equal(count_default_events(&list, whole, &from, &err), 0);
		assert_true(from > 0 && from < list.items.len);
		assert_string_equal(list.items.data[from].name, "cycles");
		/* Ratios are of counters of the same moments. */
		assert_int_equal(list.items.data[from].group, list.items.data[from + 1].group);
		assert_int_not_equal(list.items.data[0].group, list.items.data[from].group);
		bool has_clock = list.items.data[0].is_clock;
		assert_int_equal(has_clock, !whole);
		event_list_release(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_minute_without_drift),
		cmocka_unit_test(test_missed_turns_are_left_out),
		cmocka_unit_test(test_once_and_never),
		cmocka_unit_test_setup_teardown(test_a_machine_of_two_core_types, make_root,
						remove_root),
		cmocka_unit_test(test_threads_that_began_are_seen),
		cmocka_unit_test(test_switches_are_read_of_running_tasks),
		cmocka_unit_test(test_lists_of_cpus),
		cmocka_unit_test(test_the_default_set),
	};

	return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
