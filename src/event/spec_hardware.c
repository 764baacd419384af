/*
 * Hardware events by the kernel's generic names: the table of PERF_TYPE_HARDWARE, the cache events
 * as cache-operation-result, and raw codes rNNN.
 */
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/spec_source.h"

static const struct row {
	const char *name, *alias, *description;
	uint64_t config;
} rows[] = {
	{ "cycles", "cpu-cycles", "CPU cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", NULL, "retired instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", NULL, "last-level cache accesses", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", NULL, "last-level cache misses", PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", "branch-instructions", "retired branches",
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", NULL, "mispredicted branches", PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", NULL, "bus cycles", PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", "cycles without instructions issued",
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", "idle-cycles-backend", "cycles without instructions retired",
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", NULL, "cycles at constant frequency", PERF_COUNT_HW_REF_CPU_CYCLES },
};

enum { LOAD, STORE, PREFETCH };

/* operations: bit set of what exists for the cache (perf's evsel__hw_cache_stat). */
static const struct cache {
	const char *name;
	unsigned id, operations;
} caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D, 1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I, 1u << LOAD | 1u << PREFETCH },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, 1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB, 1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB, 1u << LOAD },
	{ "branch", PERF_COUNT_HW_CACHE_BPU, 1u << LOAD },
	{ "node", PERF_COUNT_HW_CACHE_NODE, 1u << LOAD | 1u << STORE | 1u << PREFETCH },
};

static const struct access {
	const char *suffix, *description;
	unsigned operation, result;
} accesses[] = {
	{ "-loads", "cache loads", LOAD, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-misses", "cache loads that missed", LOAD, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-stores", "cache stores", STORE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-misses", "cache stores that missed", STORE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-prefetches", "cache prefetches", PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch-misses", "cache prefetches that missed", PREFETCH,
	  PERF_COUNT_HW_CACHE_RESULT_MISS },
};

static bool cache_has(const struct cache *c, const struct access *a)
{
	return c->operations & 1u << a->operation;
}

static enum spec_answer resolve_cache(const char *text, struct event_spec *spec)
{
	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		size_t len = strlen(caches[c].name);
		if (strncmp(text, caches[c].name, len) != 0)
			continue;
		for (size_t a = 0; a < ARRAY_LEN(accesses); a++) {
			if (strcmp(text + len, accesses[a].suffix) != 0 ||
			    !cache_has(&caches[c], &accesses[a]))
				continue;
			spec->name = xstrdup(text);
			spec->type = PERF_TYPE_HW_CACHE;
			spec->config = caches[c].id | accesses[a].operation << 8 |
				       accesses[a].result << 16;
			return SPEC_FOUND;
		}
	}
	return SPEC_NOT_MINE;
}

/* r followed by 1 to 16 hexadecimal digits: the PMU's own code. */
static enum spec_answer resolve_raw(const char *text, struct event_spec *spec)
{
	size_t digits = text[0] == 'r' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;

	if (digits == 0 || digits > 16 || text[1 + digits] != '\0')
		return SPEC_NOT_MINE;
	spec->name = xstrdup(text);
	spec->type = PERF_TYPE_RAW;
	spec->config = strtoull(text + 1, NULL, 16);
	return SPEC_FOUND;
}

enum spec_answer spec_hardware_resolve(const char *text, struct event_spec *spec)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(text, rows[i].name) != 0 &&
		    (!rows[i].alias || strcmp(text, rows[i].alias) != 0))
			continue;
		spec->name = xstrdup(rows[i].name);
		spec->type = PERF_TYPE_HARDWARE;
		spec->config = rows[i].config;
		return SPEC_FOUND;
	}
	enum spec_answer answer = resolve_cache(text, spec);
	return answer == SPEC_NOT_MINE ? resolve_raw(text, spec) : answer;
}

const char *spec_hardware_name(uint64_t config)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].config == config)
			return rows[i].name;
	return NULL;
}

static int each_cache(const struct name_sink *sink)
{
	char name[64];
	int stop = 0;

	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		for (size_t a = 0; a < ARRAY_LEN(accesses) && !stop; a++) {
			if (!cache_has(&caches[c], &accesses[a]))
				continue;
			snprintf(name, sizeof(name), "%s%s", caches[c].name, accesses[a].suffix);
			stop = name_sink_put(sink, name, "hardware", accesses[a].description);
		}
	}
	return stop;
}

int spec_hardware_each(const struct name_sink *sink)
{
	int stop = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && !stop; i++) {
		stop = name_sink_put(sink, rows[i].name, "hardware", rows[i].description);
		if (!stop && rows[i].alias)
			stop = name_sink_put(sink, rows[i].alias, "hardware", rows[i].description);
	}
	if (!stop)
		stop = each_cache(sink);
	if (!stop)
		stop = name_sink_put(sink, "rNNN", "raw", "event code of the PMU, hexadecimal");
	return stop;
}
