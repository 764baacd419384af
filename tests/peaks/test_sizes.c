/* How much data stands for each level. */
#include "peaks/sizes.h"
#include "tests.h"

#define KB ((uint64_t)1 << 10)
#define MB ((uint64_t)1 << 20)

/* cpus with L1 and L2 of their own and an L3 for each `sharing` of them. */
static struct machine made(size_t cpus, uint32_t sharing, uint64_t l1, uint64_t l2, uint64_t l3)
{
	struct machine m = { .caches_from = CACHES_FROM_SYSFS };

	m.caches[1] = (struct machine_cache){ l1, 1 };
	m.caches[2] = (struct machine_cache){ l2, 1 };
	m.caches[3] = (struct machine_cache){ l3, sharing };
	for (uint32_t i = 0; i < cpus; i++) {
		struct machine_cpu cpu = { .cpu = i, .first_sibling = i };
		cpu.first_sharer[1] = cpu.first_sharer[2] = i;
		cpu.first_sharer[3] = i / sharing * sharing;
		vec_push(&m.cpus, cpu);
	}
	return m;
}

static void a_desktop(void **state)
{
	struct machine m = made(8, 8, 32 * KB, 256 * KB, 16 * MB);
	bool is_small;

	(void)state;
	assert_int_equal(sizes_cache(&m, 1, 8), 16 * KB);
	assert_int_equal(sizes_cache(&m, 2, 8), 128 * KB);
	assert_int_equal(sizes_cache(&m, 3, 1), 1 * MB);
	assert_int_equal(sizes_cache(&m, 3, 8), 1 * MB);
	assert_int_equal(sizes_cache(&m, 4, 1), 0);
	assert_int_equal(sizes_memory(&m, 1, 512 * MB, &is_small), 64 * MB);
	assert_false(is_small);
	assert_int_equal(sizes_memory(&m, 8, 512 * MB, &is_small), 8 * MB);
	assert_false(is_small);
	machine_release(&m);
}

static void a_server_with_many_caches(void **state)
{
	struct machine m = made(64, 8, 32 * KB, 1 * MB, 32 * MB);
	bool is_small;

	(void)state;
	assert_int_equal(sizes_cache(&m, 3, 64), 2 * MB);
	/* 8 caches of 32 MB: 4 times that is 1 GB. */
	assert_int_equal(sizes_memory(&m, 64, 2048 * MB, &is_small), 16 * MB);
	assert_false(is_small);
	assert_int_equal(sizes_memory(&m, 64, 512 * MB, &is_small), 8 * MB);
	assert_true(is_small);
	/* Less than would leave the caches: not measured. */
	assert_int_equal(sizes_memory(&m, 64, 256 * MB, &is_small), 0);
	machine_release(&m);
}

/* A third level that is hardly larger than the second, and holds what that does not. */
static void a_small_third_level(void **state)
{
	struct machine m = made(16, 16, 32 * KB, 1 * MB, 22 * MB);

	(void)state;
	assert_int_equal(sizes_cache(&m, 3, 1), 4 * MB);
	assert_int_equal(sizes_cache(&m, 3, 16), 2 * MB);
	machine_release(&m);
	m = made(16, 16, 32 * KB, 2 * MB, 16 * MB);
	assert_int_equal(sizes_cache(&m, 3, 16), 0); /* 1 MB each behind 2 MB: no size tells */
	machine_release(&m);
}

static void nothing_is_known(void **state)
{
	struct machine m = { 0 };
	bool is_small;

	(void)state;
	vec_push(&m.cpus, (struct machine_cpu){ 0 });
	assert_int_equal(sizes_cache(&m, 1, 1), 0);
	assert_int_equal(sizes_memory(&m, 1, 512 * MB, &is_small), 64 * MB);
	assert_false(is_small);
	assert_int_equal(sizes_memory(&m, 1, 4 * KB, &is_small), 0);
	machine_release(&m);
}

int run_size_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_desktop),
		cmocka_unit_test(a_server_with_many_caches),
		cmocka_unit_test(a_small_third_level),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
