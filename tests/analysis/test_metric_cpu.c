/* Processors by what /proc/cpuinfo and MIDR_EL1 say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/metric_cpu.h"
#include "base/memory.h"

static void x86_by_family_and_model(void **state)
{
	static const struct {
		const char *vendor;
		int family, model, stepping, siblings, cores;
		const char *key;
	} cases[] = {
		{ "GenuineIntel", 6, 94, 3, 4, 4, "intel:skl" },
		{ "GenuineIntel", 6, 158, 10, 12, 6, "intel:skl+smt" },
		{ "GenuineIntel", 6, 85, 4, 36, 18, "intel:skx+smt" },
		{ "GenuineIntel", 6, 85, 7, 24, 24, "intel:clx" },
		{ "GenuineIntel", 6, 85, 11, 2, 1, "intel:cpx+smt" },
		{ "GenuineIntel", 6, 126, 5, 8, 4, "intel:icl+smt" },
		{ "GenuineIntel", 6, 106, 6, 64, 32, "intel:icx+smt" },
		{ "GenuineIntel", 6, 140, 1, 8, 4, "intel:tgl+smt" },
		{ "GenuineIntel", 6, 143, 8, 96, 48, "intel:spr+smt" },
		{ "GenuineIntel", 6, 207, 2, 1, 1, "intel:emr" },
		{ "GenuineIntel", 6, 60, 3, 8, 4, "" }, /* Haswell: no rows */
		{ "GenuineIntel", 15, 6, 5, 2, 2, "" },
		{ "AuthenticAMD", 23, 1, 2, 16, 8, "amd:zen1+smt" },
		{ "AuthenticAMD", 23, 49, 0, 128, 64, "amd:zen2+smt" },
		{ "AuthenticAMD", 23, 113, 0, 6, 6, "amd:zen2" },
		{ "AuthenticAMD", 25, 1, 1, 2, 2, "amd:zen3" },
		{ "AuthenticAMD", 25, 33, 0, 32, 16, "amd:zen3+smt" },
		{ "AuthenticAMD", 25, 17, 1, 192, 96, "amd:zen4+smt" },
		{ "AuthenticAMD", 25, 97, 2, 32, 16, "amd:zen4+smt" },
		{ "AuthenticAMD", 25, 160, 2, 128, 128, "amd:zen4" },
		{ "AuthenticAMD", 26, 68, 0, 16, 16, "amd:zen5" },
		{ "AuthenticAMD", 21, 2, 0, 8, 4, "" },
		{ "HygonGenuine", 24, 1, 1, 64, 32, "amd:zen1+smt" },
		{ "CentaurHauls", 6, 85, 4, 1, 1, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512];
		struct metric_cpu cpu;
		int len = snprintf(text, sizeof(text),
				   "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\n"
				   "model\t\t: %d\nmodel name\t: Some CPU @ 2.00GHz\n"
				   "stepping\t: %d\nsiblings\t: %d\ncore id\t\t: 0\n"
				   "cpu cores\t: %d\n\nprocessor\t: 1\nvendor_id\t: Other\n",
				   cases[i].vendor, cases[i].family, cases[i].model,
				   cases[i].stepping, cases[i].siblings, cases[i].cores);
		metric_cpu_recognize(&cpu, text, (size_t)len, NULL);
		assert_string_equal(cpu.key, cases[i].key);
		assert_int_equal(cpu.threads_per_core, cases[i].siblings / cases[i].cores);
	}
}

static void arm_by_midr_or_cpuinfo(void **state)
{
	static const struct {
		const char *midr, *key;
		int implementer, part, variant, revision;
	} cases[] = {
		{ "0x00000000413fd0c1\n", "arm:neoverse-n1", 0x41, 0xd0c, 3, 1 },
		{ "0x00000000410fd490\n", "arm:neoverse-n2-r0p2", 0x41, 0xd49, 0, 0 },
		{ "0x00000000410fd493\n", "arm:neoverse-n2", 0x41, 0xd49, 0, 3 },
		{ "0x000000006d0fd490\n", "arm:neoverse-n2-r0p2", 0x6d, 0xd49, 0, 0 },
		{ "0x00000000411fd401\n", "arm:neoverse-v1", 0x41, 0xd40, 1, 1 },
		{ "0x00000000410fd4f0\n", "arm:neoverse-v2", 0x41, 0xd4f, 0, 0 },
		{ "0x00000000410fd083\n", "arm:cortex-a72", 0x41, 0xd08, 0, 3 },
		{ "0x00000000481fd010\n", "", 0x48, 0xd01, 1, 0 }, /* Kunpeng 920: no rows */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512];
		struct metric_cpu cpu;
		int len = snprintf(text, sizeof(text),
				   "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"
				   "CPU implementer\t: 0x%02x\nCPU architecture: 8\n"
				   "CPU variant\t: 0x%x\nCPU part\t: 0x%03x\nCPU revision\t: %d\n",
				   cases[i].implementer, cases[i].variant, cases[i].part,
				   cases[i].revision);
		metric_cpu_recognize(&cpu, text, (size_t)len, NULL);
		assert_string_equal(cpu.key, cases[i].key);
		metric_cpu_recognize(&cpu, "", 0, cases[i].midr);
		assert_string_equal(cpu.key, cases[i].key);
		/* What the register says is said first. */
		metric_cpu_recognize(&cpu, "CPU part : 0x001\n", 17, cases[i].midr);
		assert_string_equal(cpu.key, cases[i].key);
	}
}

static void nonsense_is_not_known(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n:\n::\n",
		"vendor_id",
		"vendor_id:",
		"vendor_id : GenuineIntel",
		"vendor_id : GenuineIntel\ncpu family : six\nmodel : 85\n",
		"vendor_id : GenuineIntel\ncpu family : -6\nmodel : 85\n",
		"vendor_id : GenuineIntel\ncpu family : 99999999999999999999\nmodel : 85\n",
		"vendor_id : GenuineIntel\ncpu family : 6\nmodel name : 85\n",
		"CPU implementer : \nCPU part : x\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct metric_cpu cpu;
		size_t len = strlen(texts[i]);
		/* In memory of its own, so that nothing beyond it is read unseen. */
		char *copy = xstrndup(texts[i], len), *bare = xmalloc(len ? len : 1);
		memcpy(bare, texts[i], len);
		metric_cpu_recognize(&cpu, bare, len, "nonsense");
		assert_string_equal(cpu.key, "");
		free_ptr(&copy);
		free_ptr(&bare);
	}
	struct metric_cpu cpu;
	metric_cpu_recognize(&cpu, "vendor_id : GenuineIntel\nsiblings : 2\ncpu cores : 0\n", 52,
			     NULL);
	assert_int_equal(cpu.threads_per_core, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_by_family_and_model),
		cmocka_unit_test(arm_by_midr_or_cpuinfo),
		cmocka_unit_test(nonsense_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
