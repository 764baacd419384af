/* Names on made-up machines: two kinds of cores, memory controllers, power. What each resolves to,
 * on which PMU and CPUs, and how it is grouped. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "event/open.h"
#include "event/spec_source.h"
#include "fake_sysfs.h"
#include "tests.h"

static int make_hybrid(void **state)
{
	char *root = fake_root();

	fake_hybrid(root);
	*state = root;
	return 0;
}

static int make_big_little(void **state)
{
	char *root = fake_root();

	fake_file(root, "armv8_cortex_a55/type", "8\n");
	fake_file(root, "armv8_cortex_a55/cpus", "0-3\n");
	fake_file(root, "armv8_cortex_a55/format/event", "config:0-15\n");
	fake_file(root, "armv8_cortex_a55/events/l2d_cache", "event=0x0016\n");
	fake_file(root, "armv8_cortex_a76/type", "9\n");
	fake_file(root, "armv8_cortex_a76/cpus", "4-5\n");
	fake_file(root, "armv8_cortex_a76/format/event", "config:0-15\n");
	fake_file(root, "armv8_cortex_a76/events/l2d_cache", "event=0x0016\n");
	*state = root;
	return 0;
}

/* One kind of cores, which says where it is. */
static int make_plain_arm(void **state)
{
	char *root = fake_root();

	fake_file(root, "armv8_pmuv3_0/type", "8\n");
	fake_file(root, "armv8_pmuv3_0/cpus", "0-3\n");
	fake_file(root, "armv8_pmuv3_0/format/event", "config:0-15\n");
	fake_file(root, "armv8_pmuv3_0/events/l2d_cache", "event=0x0016\n");
	*state = root;
	return 0;
}

static void describe(struct bytes *b, const struct event_spec *s)
{
	bytes_printf(b, "%s %u:%llx", s->name, s->type, (unsigned long long)s->config);
	if (s->pmu)
		bytes_printf(b, " on %s", s->pmu);
	if (s->cpus)
		bytes_printf(b, " %s", s->cpus);
	if (s->no_task)
		bytes_printf(b, " no task");
	if (s->unit)
		bytes_printf(b, " %.4g %s", s->scale, s->unit);
	bytes_printf(b, " g%u a%u", s->group, s->asked);
	if (strcmp(s->name, s->asked_name) != 0)
		bytes_printf(b, " as %s", s->asked_name);
	bytes_printf(b, "\n");
}

struct expected {
	const char *text, *items;
};

static void check(const char *root, const struct expected *rows, size_t count)
{
	struct spec_roots roots = { .pmus = root };

	for (size_t i = 0; i < count; i++) {
		struct event_list list = { 0 };
		struct bytes b = { 0 };
		struct error err = { 0 };
		if (spec_parse(&roots, &list, rows[i].text, &err) < 0)
			bytes_printf(&b, "%s\n", err.text);
		for (size_t k = 0; !err.text[0] && k < list.items.len; k++)
			describe(&b, &list.items.data[k]);
		bytes_u8(&b, 0);
		assert_string_equal((const char *)b.data, rows[i].items);
		bytes_release(&b);
		event_list_release(&list);
	}
}

static void test_generic_on_hybrid(void **state)
{
	static const struct expected rows[] = {
		{ "cycles", "cpu_atom/cycles/ 0:a00000000 on cpu_atom 8-11,14 g1 a1 as cycles\n"
			    "cpu_core/cycles/ 0:400000000 on cpu_core 0-7 g2 a1 as cycles\n" },
		{ "LLC-loads:u,cs",
		  "cpu_atom/LLC-loads/u 3:a00000002 on cpu_atom 8-11,14 g1 a1 as LLC-loads:u\n"
		  "cpu_core/LLC-loads/u 3:400000002 on cpu_core 0-7 g2 a1 as LLC-loads:u\n"
		  "context-switches 1:3 g3 a2\n" },
		{ "r1c2", "cpu_atom/r1c2/ 10:1c2 on cpu_atom 8-11,14 g1 a1 as r1c2\n"
			  "cpu_core/r1c2/ 4:1c2 on cpu_core 0-7 g2 a1 as r1c2\n" },
		{ "cpu_atom/cycles/", "cpu_atom/cycles/ 0:a00000000 on cpu_atom 8-11,14 g1 a1\n" },
		{ "cpu_core/r1c2/k", "cpu_core/r1c2/k 4:1c2 on cpu_core 0-7 g1 a1\n" },
		{ "cpu_core/L1-dcache-load-misses/",
		  "cpu_core/L1-dcache-load-misses/ 3:400010000 on cpu_core 0-7 g1 a1\n" },
		{ "cpu_core/event=0x3c,umask=1,name=foo/u", "foo:u 4:13c on cpu_core 0-7 g1 a1\n" },
		{ "mem-loads", "cpu_atom/mem-loads/ 10:5d0 on cpu_atom 8-11,14 g1 a1 as mem-loads\n"
			       "cpu_core/mem-loads/ 4:1cd on cpu_core 0-7 g2 a1 as mem-loads\n" },
		{ "topdown-retiring", "cpu_core/topdown-retiring/ 4:8000 on cpu_core 0-7 g1 a1\n" },
		{ "cpu_*/event=1/",
		  "cpu_atom/event=1/ 10:1 on cpu_atom 8-11,14 g1 a1 as cpu_*/event=1/\n"
		  "cpu_core/event=1/ 4:1 on cpu_core 0-7 g2 a1 as cpu_*/event=1/\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

static void test_groups_on_hybrid(void **state)
{
	static const struct expected rows[] = {
		{ "{cycles,cs,instructions}:u,faults",
		  "cpu_atom/cycles/u 0:a00000000 on cpu_atom 8-11,14 g1 a1 as cycles:u\n"
		  "context-switches:u 1:3 on cpu_atom 8-11,14 g1 a2\n"
		  "cpu_atom/instructions/u 0:a00000001 on cpu_atom 8-11,14 g1 a3 as instructions:u\n"
		  "cpu_core/cycles/u 0:400000000 on cpu_core 0-7 g2 a1 as cycles:u\n"
		  "context-switches:u 1:3 on cpu_core 0-7 g2 a2\n"
		  "cpu_core/instructions/u 0:400000001 on cpu_core 0-7 g2 a3 as instructions:u\n"
		  "page-faults 1:2 g3 a4\n" },
		{ "{cpu_core/cycles/,cpu_core/topdown-retiring/}",
		  "cpu_core/cycles/ 0:400000000 on cpu_core 0-7 g1 a1\n"
		  "cpu_core/topdown-retiring/ 4:8000 on cpu_core 0-7 g1 a2\n" },
		{ "{cycles,topdown-retiring}",
		  "{cycles,cpu_core/topdown-retiring/}: counted by different PMUs (cpu_atom, cpu_core), which cannot be one group; name them apart\n" },
		{ "{uncore_imc/cas_count_read/,uncore_imc/event=1/}",
		  "uncore_imc_0/cas_count_read/ 20:304 on uncore_imc_0 0,8 no task 6.104e-05 MiB g1 a1 "
		  "as uncore_imc/cas_count_read/\n"
		  "uncore_imc_0/event=1/ 20:1 on uncore_imc_0 0,8 no task g1 a2 as uncore_imc/event=1/\n"
		  "uncore_imc_1/cas_count_read/ 21:304 on uncore_imc_1 0,8 no task 6.104e-05 MiB g2 a1 "
		  "as uncore_imc/cas_count_read/\n"
		  "uncore_imc_1/event=1/ 21:1 on uncore_imc_1 0,8 no task g2 a2 as uncore_imc/event=1/\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

#define BOTH_READS(as)                                                                                 \
	"uncore_imc_0/cas_count_read/ 20:304 on uncore_imc_0 0,8 no task 6.104e-05 MiB g1 a1 as " as   \
	"\nuncore_imc_1/cas_count_read/ 21:304 on uncore_imc_1 0,8 no task 6.104e-05 MiB g2 a1 as " as \
	"\n"

static void test_uncore(void **state)
{
	static const struct expected rows[] = {
		{ "uncore_imc/cas_count_read/", BOTH_READS("uncore_imc/cas_count_read/") },
		{ "imc/cas_count_read/", BOTH_READS("imc/cas_count_read/") },
		{ "uncore_imc_*/cas_count_read/", BOTH_READS("uncore_imc_*/cas_count_read/") },
		{ "cas_count_read", BOTH_READS("cas_count_read") },
		{ "uncore_imc_1/event=4/",
		  "uncore_imc_1/event=4/ 21:4 on uncore_imc_1 0,8 no task g1 a1\n" },
		{ "uncore_imc/clockticks/", /* one of the two lacks it */
		  "uncore_imc_0/clockticks/ 20:ff on uncore_imc_0 0,8 no task g1 a1\n" },
		{ "power/energy-pkg/",
		  "power/energy-pkg/ 30:2 on power 0 no task 2.328e-10 Joules g1 a1\n" },
		{ "energy-pkg",
		  "power/energy-pkg/ 30:2 on power 0 no task 2.328e-10 Joules g1 a1\n" },
		{ "msr/tsc/", "msr/tsc/ 9:0 g1 a1\n" },
		{ "arm_spe_0/jitter/", "arm_spe_0/jitter/ 31:10000 on arm_spe_0 0-3 g1 a1\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

static void test_refusals(void **state)
{
	static const struct expected rows[] = {
		{ "cpu/event=1/", "no PMU \"cpu\" here; the cores' are cpu_atom and cpu_core\n" },
		{ "cpu_cor/event=1/", "no PMU \"cpu_cor\" here, did you mean cpu_core?\n" },
		{ "cpu_core/evnt=1/",
		  "cpu_core has no term or event \"evnt\", did you mean event?\n" },
		{ "cpu_core/cpu-cycle/",
		  "cpu_core has no term or event \"cpu-cycle\", did you mean cpu-cycles?\n" },
		{ "uncore_imc/wumm=1/",
		  "uncore_imc_0 has no term or event \"wumm\"; `prof list uncore_imc` shows them\n" },
		{ "power/xyzzyxyzzy/",
		  "power has no term or event \"xyzzyxyzzy\"; `prof list power` shows them\n" },
		{ "power/energy-pkg.unit/",
		  "power has no term or event \"energy-pkg.unit\", did you mean energy-pkg?\n" },
		{ "power/cycles/",
		  "power has no term or event \"cycles\"; `prof list power` shows them\n" },
		{ "clockticks", "several PMUs have an event clockticks; name one, as in "
				"uncore_cha_0/clockticks/ or uncore_imc_0/clockticks/\n" },
		{ "cpu_core/cycles,umask=1/",
		  "cpu_core/cycles,umask=1/: a generic event goes with no "
		  "other terms\n" },
		{ "cpu_core/period=1000/",
		  "cpu_core: period is no term in prof; use `prof record -c N` "
		  "for all events\n" },
		{ "{cpu_core/cycles/,power/energy-pkg/}",
		  "{cpu_core/cycles/,power/energy-pkg/}: counted by different PMUs (cpu_core, power), "
		  "which cannot be one group; name them apart\n" },
		{ "energy-pgk", "no event \"energy-pgk\", did you mean power/energy-pkg/?\n" },
		{ "../cpu_core/event=1/",
		  "no event \"../cpu_core/event=1/\"; `prof list` shows all\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

static void test_big_little(void **state)
{
	static const struct expected rows[] = {
		{ "cycles",
		  "armv8_cortex_a55/cycles/ 0:800000000 on armv8_cortex_a55 0-3 g1 a1 as cycles\n"
		  "armv8_cortex_a76/cycles/ 0:900000000 on armv8_cortex_a76 4-5 g2 a1 as cycles\n" },
		{ "l2d_cache",
		  "armv8_cortex_a55/l2d_cache/ 8:16 on armv8_cortex_a55 0-3 g1 a1 as l2d_cache\n"
		  "armv8_cortex_a76/l2d_cache/ 9:16 on armv8_cortex_a76 4-5 g2 a1 as l2d_cache\n" },
		{ "armv8_cortex_a76/event=0x11/",
		  "armv8_cortex_a76/event=0x11/ 9:11 on armv8_cortex_a76 4-5 g1 a1\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

static void test_one_kind_of_cores(void **state)
{
	static const struct expected rows[] = {
		{ "cycles,r11", "cycles 0:0 g1 a1\nr11 4:11 g2 a2\n" },
		{ "{l2d_cache,cycles}", "armv8_pmuv3_0/l2d_cache/ 8:16 g1 a1\ncycles 0:0 g1 a2\n" },
		{ "armv8_pmuv3/event=0x11/", "armv8_pmuv3_0/event=0x11/ 8:11 g1 a1\n" },
		{ "armv8_pmuv3_0/cycles/", "armv8_pmuv3_0/cycles/ 0:0 g1 a1\n" },
	};

	check(*state, rows, ARRAY_LEN(rows));
}

static int append_name(void *ctx, const struct event_name *n)
{
	if (strcmp(n->kind, "pmu") == 0)
		bytes_printf(ctx, "%s|%s|%s|%s\n", n->name, n->pmu, n->unit ? n->unit : "",
			     n->description);
	return 0;
}

/* Said by an Arm core's PMU; nobody knows a number for cores that differ. */
static void test_slots(void **state)
{
	assert_int_equal(spec_pmu_slots("/nonexistent"), 0);
	assert_int_equal(spec_pmu_slots(*state), 0);
	fake_file(*state, "cpu_atom/caps/slots", "0x00000005\n");
	assert_int_equal(spec_pmu_slots(*state), 0);
	fake_file(*state, "cpu_core/caps/slots", "0x00000005\n");
	assert_int_equal(spec_pmu_slots(*state), 5);
	fake_file(*state, "cpu_core/caps/slots", "0x00000008\n");
	assert_int_equal(spec_pmu_slots(*state), 0);
}

/* Instances are listed as one, which the name of each finds. */
static void test_list_finds_instances(void **state)
{
	struct spec_roots roots = { .pmus = *state };
	struct bytes b = { 0 };

	spec_list(&roots, "uncore_imc_1/cas", append_name, &b);
	spec_list(&roots, "*imc_0/clock*", append_name, &b);
	spec_list(&roots, "uncore_imc_7", append_name, &b);
	bytes_u8(&b, 0);
	assert_string_equal((const char *)b.data,
			    "uncore_imc/cas_count_read/|uncore_imc|MiB|event=0x04,umask=0x03\n"
			    "uncore_imc/clockticks/|uncore_imc||event=0xff\n");
	bytes_release(&b);
}

static void test_list(void **state)
{
	struct spec_roots roots = { .pmus = *state };
	struct bytes b = { 0 };

	spec_list(&roots, "c[po]*u*", append_name, &b);
	spec_list(&roots, "uncore", append_name, &b);
	spec_list(&roots, "power/", append_name, &b);
	bytes_u8(&b, 0);
	assert_string_equal(
		(const char *)b.data,
		"cpu_atom/TERM=N,.../|cpu_atom||terms, with their bits: event 8, umask 8; on CPU 8-11,14\n"
		"cpu_atom/cpu-cycles/|cpu_atom||event=0x3c\n"
		"cpu_atom/mem-loads/|cpu_atom||event=0xd0,umask=0x05\n"
		"cpu_core/TERM=N,.../|cpu_core||terms, with their bits: event 8, umask 8; on CPU 0-7\n"
		"cpu_core/cpu-cycles/|cpu_core||event=0x3c\n"
		"cpu_core/mem-loads/|cpu_core||event=0xcd,umask=0x01\n"
		"cpu_core/topdown-retiring/|cpu_core||event=0x00,umask=0x80\n"
		"uncore_cha_0/clockticks/|uncore_cha_0||config=0\n"
		"uncore_imc/TERM=N,.../|uncore_imc||terms, with their bits: event 8, umask 8; 2 such PMUs, "
		"each counted; counts CPU 0,8, not processes\n"
		"uncore_imc/cas_count_read/|uncore_imc|MiB|event=0x04,umask=0x03\n"
		"uncore_imc/clockticks/|uncore_imc||event=0xff\n"
		"power/TERM=N,.../|power||terms, with their bits: event 8; counts CPU 0, not processes\n"
		"power/energy-pkg/|power|Joules|event=0x02\n");
	bytes_release(&b);
}

static void test_cpus(void **state)
{
	struct event_spec spec = { 0 };
	char cpus[] = "0-7,16";

	(void)state;
	assert_true(event_counts_on(&spec, 99));
	spec.cpus = cpus;
	assert_true(event_counts_on(&spec, 0) && event_counts_on(&spec, 7));
	assert_true(event_counts_on(&spec, 16));
	assert_false(event_counts_on(&spec, 8) || event_counts_on(&spec, 17));
}

int run_spec_machine_tests(void)
{
#define ON(machine, fn) cmocka_unit_test_setup_teardown(fn, make_##machine, fake_remove)
	const struct CMUnitTest tests[] = {
		ON(hybrid, test_generic_on_hybrid),
		ON(hybrid, test_groups_on_hybrid),
		ON(hybrid, test_uncore),
		ON(hybrid, test_refusals),
		ON(hybrid, test_list),
		ON(hybrid, test_slots),
		ON(hybrid, test_list_finds_instances),
		ON(big_little, test_big_little),
		ON(plain_arm, test_one_kind_of_cores),
		cmocka_unit_test(test_cpus),
	};
	return cmocka_run_group_tests_name("event spec on machines", tests, NULL, NULL);
}
