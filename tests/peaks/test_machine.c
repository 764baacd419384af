/* What is read of a machine, shown as files: cores, caches, memory, load. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "peaks/load.h"
#include "peaks/machine.h"
#include "tests.h"

/* Two cores with two threads each: 0 and 2 are one, 1 and 3 the other; one L3. */
static char *two_cores(void)
{
	char *root = fake_root_make();

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		const char *pair = cpu % 2 ? "1,3" : "0,2";
		char path[128], line[16];
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
		snprintf(line, sizeof(line), "%s\n", pair);
		fake_root_file(root, path, line);
		fake_root_cache(root, cpu, 0, "1", "Data", "48K", pair);
		fake_root_cache(root, cpu, 1, "1", "Instruction", "32K", pair);
		fake_root_cache(root, cpu, 2, "2", "Unified", "2048K", pair);
		fake_root_cache(root, cpu, 3, "3", "Unified", "30M", "0-3");
	}
	fake_root_file(
		root, "/proc/cpuinfo",
		"processor\t: 0\nmodel name\t: Some \x1b[31m CPU\nflags\t\t: fpu hypervisor sse\n");
	fake_root_file(root, "/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    4096 kB\n");
	return root;
}

static void read_four(struct machine *m, const char *root)
{
	const uint32_t cpus[] = { 0, 1, 2, 3 };

	machine_read(m, root, cpus, 4);
}

static void caches_and_cores(void **state)
{
	char *root = two_cores();
	struct machine m;

	(void)state;
	read_four(&m, root);
	assert_int_equal(m.caches_from, CACHES_FROM_SYSFS);
	assert_int_equal(m.caches[1].bytes, 48 << 10);
	assert_int_equal(m.caches[2].bytes, 2 << 20);
	assert_int_equal(m.caches[3].bytes, 30 << 20);
	assert_int_equal(m.caches[1].shared_by, 2);
	assert_int_equal(m.caches[3].shared_by, 4);
	assert_int_equal(m.caches[4].bytes, 0);
	assert_int_equal(machine_cores(&m, 4), 2);
	assert_int_equal(machine_cores(&m, 1), 1);
	assert_true(m.is_virtual);
	assert_string_equal(m.name, "Some \x1b[31m CPU");
	machine_release(&m);
	fake_root_remove(root);
}

static void cores_come_before_their_second_threads(void **state)
{
	const uint32_t cpus[] = { 0, 2, 1, 3 }, want[] = { 0, 1, 2, 3 };
	char *root = two_cores();
	struct machine m;

	(void)state;
	machine_read(&m, root, cpus, 4);
	machine_order(&m);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(m.cpus.data[i].cpu, want[i]);
	/* L1: two CPUs have one each, four have two that two share. */
	assert_int_equal(machine_cache_instances(&m, 1, 2), 2);
	assert_int_equal(machine_cache_sharers(&m, 1, 2), 1);
	assert_int_equal(machine_cache_instances(&m, 1, 4), 2);
	assert_int_equal(machine_cache_sharers(&m, 1, 4), 2);
	assert_int_equal(machine_cache_instances(&m, 3, 4), 1);
	assert_int_equal(machine_cache_sharers(&m, 3, 4), 4);
	machine_release(&m);
	fake_root_remove(root);
}

static void without_sysfs(void **state)
{
	char *root = fake_root_make();
	struct machine m;

	(void)state;
	read_four(&m, root);
	assert_int_equal(m.caches_from, CACHES_UNKNOWN);
	assert_int_equal(m.memory_bytes, 0);
	assert_string_equal(m.name, "");
	assert_int_equal(machine_cores(&m, 4), 4);
	assert_int_equal(machine_cache_instances(&m, 2, 4), 4);
	assert_int_equal(machine_cache_instances(&m, 3, 4), 1);
	machine_release(&m);
	fake_root_remove(root);
}

static void nonsense_in_sysfs(void **state)
{
	char *root = fake_root_make();
	struct machine m;

	(void)state;
	fake_root_cache(root, 0, 0, "1", "Data", "many", "0-99999999999");
	fake_root_cache(root, 0, 1, "77", "Data", "32K", "0");
	fake_root_cache(root, 0, 2, "2", "Unified", "256K", "3-1");
	fake_root_file(root, "/proc/meminfo", "MemAvailable: -1 kB\n");
	read_four(&m, root);
	assert_int_equal(m.caches[1].bytes, 0);
	assert_int_equal(m.caches[2].bytes, 256 << 10);
	assert_int_equal(m.caches[2].shared_by, 0);
	machine_release(&m);
	fake_root_remove(root);
}

static void memory_is_the_least(void **state)
{
	char *root = two_cores();
	struct machine m;

	(void)state;
	fake_root_file(root, "/proc/self/cgroup", "4:memory:/a\n0::/b/c\n");
	read_four(&m, root);
	assert_int_equal(m.memory_bytes, 4 << 20);
	machine_release(&m);
	/* The group above has less left than the one that it is in. */
	fake_root_file(root, "/sys/fs/cgroup/b/c/memory.max", "max\n");
	fake_root_file(root, "/sys/fs/cgroup/b/c/memory.current", "4096\n");
	fake_root_file(root, "/sys/fs/cgroup/b/memory.max", "3000000\n");
	fake_root_file(root, "/sys/fs/cgroup/b/memory.current", "1000000\n");
	read_four(&m, root);
	assert_int_equal(m.memory_bytes, 2000000);
	machine_release(&m);
	fake_root_file(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500000\n");
	fake_root_file(root, "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "600000\n");
	read_four(&m, root);
	assert_int_equal(m.memory_bytes, 0);
	machine_release(&m);
	fake_root_remove(root);
}

static void an_arm_has_no_model_name(void **state)
{
	char *root = fake_root_make();
	struct machine m;

	(void)state;
	fake_root_file(root, "/proc/cpuinfo",
		       "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
	read_four(&m, root);
	assert_string_equal(m.name, "implementer 0x41 part 0xd0c");
	machine_release(&m);
	fake_root_remove(root);
}

static void lists_of_cpus(void **state)
{
	static const char *const bad[] = { "", "a", "1-", "3-1", "1,", "1;2", "-1", "0-4096" };
	cpu_numbers list = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(cpu_numbers_parse(&list, "3,0-2,1", &err), 0);
	assert_int_equal(list.len, 4);
	assert_int_equal(list.data[0], 3);
	assert_int_equal(list.data[3], 2);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(cpu_numbers_parse(&list, bad[i], NULL), -1);
	vec_release(&list);
}

static struct load load_of(const char *text)
{
	char *root = fake_root_make();

	fake_root_file(root, "/proc/stat", text);
	struct load l = load_read(root);
	fake_root_remove(root);
	return l;
}

static void load_of_others(void **state)
{
	struct load then = load_of("cpu  100 0 100 800 0 0 0 0 0 0\n");
	struct load now = load_of("cpu  200 50 150 1000 0 0 0 100 0 0\n");
	struct load nothing = load_of("nothing\n");

	(void)state;
	now.own_ns = then.own_ns; /* 200 of 500 ticks were busy, none ours */
	assert_float_equal(load_steal(&then, &now), 0.2, 1e-9);
	assert_float_equal(load_others(&then, &now), 0.4, 1e-9);
	assert_true(isnan(load_steal(&then, &nothing)));
	assert_true(isnan(load_others(&now, &then)));
}

int run_machine_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_and_cores),
		cmocka_unit_test(cores_come_before_their_second_threads),
		cmocka_unit_test(without_sysfs),
		cmocka_unit_test(nonsense_in_sysfs),
		cmocka_unit_test(memory_is_the_least),
		cmocka_unit_test(an_arm_has_no_model_name),
		cmocka_unit_test(lists_of_cpus),
		cmocka_unit_test(load_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
