/* The kernel's texts about CPU time, as several kernels write them, and damaged ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "counters/surroundings.h"

/* In memory of its own length, so that reading beyond it is seen. */
static char *bare(const char *text)
{
	size_t len = strlen(text);
	char *copy = xmalloc(len ? len : 1);

	memcpy(copy, text, len);
	return copy;
}

static void quotas_of_both_versions(void **state)
{
	static const char v2[] = "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 20\n"
				 "nr_throttled 16\nthrottled_usec 1200000\n";
	static const char v1[] = "nr_periods 30\nnr_throttled 7\nthrottled_time 2500000000\n";
	static const char root[] = "usage_usec 5\nuser_usec 3\nsystem_usec 2\n";
	struct counter_surroundings s;

	(void)state;
	counter_surroundings_init(&s);
	assert_false(counter_surroundings_take_cpu_stat(&s, root, strlen(root)));
	assert_true(isnan(s.throttled));
	assert_true(counter_surroundings_take_cpu_stat(&s, v2, strlen(v2)));
	assert_true(s.throttled == 1.2 && s.periods == 20 && s.throttled_periods == 16);
	/* One above it, which stopped it for longer. */
	assert_true(counter_surroundings_take_cpu_stat(&s, v1, strlen(v1)));
	assert_true(s.throttled == 2.5 && s.periods == 30 && s.throttled_periods == 7);
	assert_false(counter_surroundings_take_cpu_stat(&s, v2, strlen(v2)));
	assert_true(s.throttled == 2.5);
}

static void pressure(void **state)
{
	static const char text[] = "some avg10=99.47 avg60=99.32 avg300=94.46 total=1456029326\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n";

	(void)state;
	assert_true(counter_pressure_total(text, strlen(text)) == 1456.029326);
	assert_true(isnan(counter_pressure_total("full total=1\n", 13)));
	assert_true(isnan(counter_pressure_total("some total=", 11)));
	assert_true(isnan(counter_pressure_total("some \n total=5", 14)));
	assert_true(isnan(counter_pressure_total("", 0)));
}

static void cpus_and_threads(void **state)
{
	static const char text[] =
		"cpu  1000 50 200 5000 10 3 7 40 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
	struct counter_surroundings s;

	(void)state;
	counter_surroundings_init(&s);
	counter_surroundings_take_proc_stat(&s, text, strlen(text), 100);
	assert_true(fabs(s.busy - 12.6) < 1e-9 && fabs(s.steal - 0.4) < 1e-9);
	counter_surroundings_init(&s);
	counter_surroundings_take_proc_stat(&s, "cpu  1 2\n", 9, 100);
	assert_true(isnan(s.busy) && isnan(s.steal));
	counter_surroundings_take_schedstat(&s, "118924521 318104705 42\n", 23);
	assert_true(s.ran == 0.118924521 && s.waited == 0.318104705);
	counter_surroundings_take_schedstat(&s, "5", 1);
	assert_true(s.ran == 5e-9 && isnan(s.waited));
}

static void load(void **state)
{
	static const char *const bad[] = { "", "12", "12.", "x.5", ".", "12. 5" };
	struct counter_surroundings s;

	(void)state;
	counter_surroundings_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *text = bare(bad[i]);
		counter_surroundings_take_loadavg(&s, text, strlen(bad[i]), 2);
		assert_true(isnan(s.load));
		free(text);
	}
	counter_surroundings_take_loadavg(&s, "12.05 13.05 11.35 3/234 5678\n", 29, 2);
	assert_true(fabs(s.load - 6.025) < 1e-9);
}

static void cgroups(void **state)
{
	static const struct {
		const char *text, *path;
		bool is_v2;
	} cases[] = {
		{ "0::/user.slice/a.scope\n", "/user.slice/a.scope", true },
		{ "9:name=systemd:/x\n2:cpuacct:/y\n1:cpu:/z\n0::/u\n", "/z", false },
		{ "4:cpu,cpuacct:/docker/1234", "/docker/1234", false },
		{ "4:cpuset:/a\n0::/b\n", "/b", true },
		{ "0::/\n", "/", true },
		{ "0::/../x\n", NULL, true }, /* outside of this namespace */
		{ "0::\n", NULL, true },
		{ "0:\n", NULL, true },
		{ "", NULL, true },
		{ "nonsense\n\n:::\n", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char path[64] = "", *text = bare(cases[i].text);
		bool is_v2;
		bool found = counter_cgroup_path(text, strlen(cases[i].text), path, sizeof(path),
						 &is_v2);
		assert_int_equal(found, cases[i].path != NULL);
		if (found) {
			assert_string_equal(path, cases[i].path);
			assert_int_equal(is_v2, cases[i].is_v2);
		}
		free(text);
	}
	char path[8];
	bool is_v2;
	assert_false(counter_cgroup_path("0::/a/long/one", 14, path, sizeof(path), &is_v2));
}

static void what_went_by(void **state)
{
	struct counter_surroundings then, now, d;

	(void)state;
	counter_surroundings_init(&then);
	counter_surroundings_init(&now);
	then.throttled = 1;
	now.throttled = 3;
	then.busy = 10;
	now.busy = 4; /* went back */
	now.steal = 4;
	now.ran = 7;
	strcpy(now.cgroup, "/g");
	counter_surroundings_between(&then, &now, &d);
	assert_true(d.throttled == 2 && isnan(d.busy) && isnan(d.steal) && d.ran == 7);
	assert_string_equal(d.cgroup, "/g");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotas_of_both_versions),
		cmocka_unit_test(pressure),
		cmocka_unit_test(cpus_and_threads),
		cmocka_unit_test(load),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(what_went_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
