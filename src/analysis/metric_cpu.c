/*
 * Processors by family and model (x86, as Linux's arch/x86/include/asm/intel-family.h and
 * arch/x86/kernel/cpu/amd.c have them) and by implementer and part (Arm's MIDR_EL1).
 */
#include "analysis/metric_cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define VALUE_MAX 64

/* The value of the first line "key : value", cut to VALUE_MAX - 1. False: there is none. */
static bool find_value(const char *text, size_t len, const char *key, char *value)
{
	size_t key_len = strlen(key);

	for (const char *at = text, *end = text + len; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *colon = memchr(at, ':', (size_t)(line_end - at));
		if (colon && (size_t)(colon - at) >= key_len && strncmp(at, key, key_len) == 0 &&
		    strspn(at + key_len, " \t") >= (size_t)(colon - at) - key_len) {
			for (colon++; colon < line_end && (*colon == ' ' || *colon == '\t');)
				colon++;
			snprintf(value, VALUE_MAX, "%.*s",
				 (int)(line_end - colon < VALUE_MAX ? line_end - colon
								    : VALUE_MAX - 1),
				 colon);
			return true;
		}
		at = line_end + 1;
	}
	return false;
}

/* Decimal or 0x; -1: there is none, or no number. */
static long find_number(const char *text, size_t len, const char *key)
{
	char value[VALUE_MAX], *end;

	if (!find_value(text, len, key, value))
		return -1;
	long number = strtol(value, &end, 0);
	return end == value || number < 0 ? -1 : number;
}

static const struct model {
	const char *name;
	uint8_t family;
	uint8_t first, last; /* models */
	uint8_t first_stepping, last_stepping;
} intel[] = {
	{ "skl", 6, 0x4e, 0x4e, 0, 255 }, { "skl", 6, 0x5e, 0x5e, 0, 255 }, /* Skylake */
	{ "skx", 6, 0x55, 0x55, 0, 4 },
	{ "clx", 6, 0x55, 0x55, 5, 9 },	  { "cpx", 6, 0x55, 0x55, 10, 255 },
	{ "skl", 6, 0x8e, 0x8e, 0, 255 }, { "skl", 6, 0x9e, 0x9e, 0, 255 }, /* Kaby, Coffee Lake */
	{ "skl", 6, 0xa5, 0xa6, 0, 255 },				     /* Comet Lake */
	{ "icl", 6, 0x7d, 0x7e, 0, 255 }, { "icx", 6, 0x6a, 0x6a, 0, 255 },
	{ "icx", 6, 0x6c, 0x6c, 0, 255 }, { "tgl", 6, 0x8c, 0x8d, 0, 255 },
	{ "rkl", 6, 0xa7, 0xa7, 0, 255 }, { "adl", 6, 0x97, 0x97, 0, 255 },
	{ "adl", 6, 0x9a, 0x9a, 0, 255 }, { "adl", 6, 0xb7, 0xb7, 0, 255 },
	{ "adl", 6, 0xba, 0xba, 0, 255 }, { "adl", 6, 0xbf, 0xbf, 0, 255 },
	{ "spr", 6, 0x8f, 0x8f, 0, 255 }, { "emr", 6, 0xcf, 0xcf, 0, 255 },
	{ "gnr", 6, 0xad, 0xae, 0, 255 },
}, amd[] = {
	{ "zen1", 0x17, 0x00, 0x2f, 0, 255 }, { "zen1", 0x17, 0x50, 0x5f, 0, 255 },
	{ "zen2", 0x17, 0x30, 0x4f, 0, 255 }, { "zen2", 0x17, 0x60, 0x7f, 0, 255 },
	{ "zen2", 0x17, 0x90, 0x91, 0, 255 }, { "zen2", 0x17, 0x98, 0x98, 0, 255 },
	{ "zen2", 0x17, 0xa0, 0xaf, 0, 255 }, { "zen1", 0x18, 0x00, 0xff, 0, 255 }, /* Hygon */
	{ "zen3", 0x19, 0x00, 0x0f, 0, 255 }, { "zen4", 0x19, 0x10, 0x1f, 0, 255 },
	{ "zen3", 0x19, 0x20, 0x5f, 0, 255 }, { "zen4", 0x19, 0x60, 0xaf, 0, 255 },
	{ "zen5", 0x1a, 0x00, 0xff, 0, 255 },
};

static const char *find_model(const struct model *models, size_t len, long family, long model,
			      long stepping)
{
	for (size_t i = 0; i < len; i++) {
		const struct model *m = &models[i];
		if (family == m->family && model >= m->first && model <= m->last &&
		    stepping >= m->first_stepping && stepping <= m->last_stepping)
			return m->name;
	}
	return NULL;
}

static void recognize_x86(struct metric_cpu *cpu, const char *text, size_t len, const char *vendor)
{
	long family = find_number(text, len, "cpu family"), model = find_number(text, len, "model");
	long stepping = find_number(text, len, "stepping");
	long siblings = find_number(text, len, "siblings");
	long cores = find_number(text, len, "cpu cores");
	bool is_intel = strcmp(vendor, "GenuineIntel") == 0;
	bool is_amd = strcmp(vendor, "AuthenticAMD") == 0 || strcmp(vendor, "HygonGenuine") == 0;
	const char *name = NULL;

	if (siblings > 0 && cores > 0 && siblings >= cores && siblings < 100000)
		cpu->threads_per_core = (unsigned)(siblings / cores);
	if (is_intel)
		name = find_model(intel, ARRAY_LEN(intel), family, model,
				  stepping < 0 ? 0 : stepping);
	else if (is_amd)
		name = find_model(amd, ARRAY_LEN(amd), family, model, 0);
	if (name)
		snprintf(cpu->key, sizeof(cpu->key), "%s:%s%s", is_intel ? "intel" : "amd", name,
			 cpu->threads_per_core > 1 ? "+smt" : "");
}

/* Arm's own, and Microsoft's and others' builds of them. */
static const struct part {
	uint16_t implementer, part;
	const char *name;
} parts[] = {
	{ 0x41, 0xd0c, "neoverse-n1" }, { 0x41, 0xd49, "neoverse-n2" },
	{ 0x6d, 0xd49, "neoverse-n2" }, /* Azure Cobalt 100 */
	{ 0x41, 0xd40, "neoverse-v1" }, { 0x41, 0xd4f, "neoverse-v2" },
	{ 0x41, 0xd84, "neoverse-v3" }, { 0x41, 0xd8e, "neoverse-n3" },
	{ 0x41, 0xd08, "cortex-a72" },	{ 0x41, 0xd0b, "cortex-a76" },
};

static void recognize_arm(struct metric_cpu *cpu, long implementer, long part, long variant,
			  long revision)
{
	cpu->threads_per_core = 1; /* of all cores that are named below */
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (implementer != parts[i].implementer || part != parts[i].part)
			continue;
		/* N2 counted stalled slots otherwise until r0p2. */
		bool is_early = strcmp(parts[i].name, "neoverse-n2") == 0 && variant == 0 &&
				revision >= 0 && revision < 3;
		snprintf(cpu->key, sizeof(cpu->key), "arm:%s%s", parts[i].name,
			 is_early ? "-r0p2" : "");
		return;
	}
	cpu->threads_per_core = 0;
}

void metric_cpu_recognize(struct metric_cpu *cpu, const char *cpuinfo, size_t len, const char *midr)
{
	char vendor[VALUE_MAX];

	*cpu = (struct metric_cpu){ .threads_per_core = 0 };
	if (find_value(cpuinfo, len, "vendor_id", vendor)) {
		recognize_x86(cpu, cpuinfo, len, vendor);
		return;
	}
	unsigned long long id = midr ? strtoull(midr, NULL, 0) : 0;
	if (id)
		recognize_arm(cpu, (long)(id >> 24 & 0xff), (long)(id >> 4 & 0xfff),
			      (long)(id >> 20 & 0xf), (long)(id & 0xf));
	else
		recognize_arm(cpu, find_number(cpuinfo, len, "CPU implementer"),
			      find_number(cpuinfo, len, "CPU part"),
			      find_number(cpuinfo, len, "CPU variant"),
			      find_number(cpuinfo, len, "CPU revision"));
}
