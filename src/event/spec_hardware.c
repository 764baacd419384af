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

/* operations: bit set of what exists for the cache (perf's evsel__hw_cache_stat). aliases are the
 * other names that perf takes, separated by spaces; letters count as small ones. */
static const struct cache {
	const char *name, *aliases, *description;
	unsigned id, operations;
} caches[] = {
	{ "L1-dcache", "l1-d l1d l1-data", "level 1 data cache", PERF_COUNT_HW_CACHE_L1D,
	  1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "L1-icache", "l1-i l1i l1-instruction", "level 1 instruction cache",
	  PERF_COUNT_HW_CACHE_L1I, 1u << LOAD | 1u << PREFETCH },
	{ "LLC", "l2", "last-level cache", PERF_COUNT_HW_CACHE_LL,
	  1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "dTLB", "d-tlb data-tlb", "data TLB", PERF_COUNT_HW_CACHE_DTLB,
	  1u << LOAD | 1u << STORE | 1u << PREFETCH },
	{ "iTLB", "i-tlb instruction-tlb", "instruction TLB", PERF_COUNT_HW_CACHE_ITLB,
	  1u << LOAD },
	{ "branch", "branches bpu btb bpc", "branch predictor", PERF_COUNT_HW_CACHE_BPU,
	  1u << LOAD },
	{ "node", "", "memory of this NUMA node", PERF_COUNT_HW_CACHE_NODE,
	  1u << LOAD | 1u << STORE | 1u << PREFETCH },
};

/* aliases: as above. The first one of a pair of operation and result is its name. */
static const struct access {
	const char *suffix, *aliases, *description;
	unsigned operation, result;
} accesses[] = {
	{ "-loads",
	  "-load -read -reads -load-refs -loads-refs -load-reference -load-ops "
	  "-load-access -loads-access -refs -reference -ops -access",
	  "loads", LOAD, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-misses",
	  "-loads-misses -load-miss -loads-miss -read-misses -read-miss -misses -miss",
	  "loads that missed", LOAD, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-stores", "-store -write -writes -store-refs -stores-refs -store-ops -store-access",
	  "stores", STORE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-misses", "-stores-misses -store-miss -stores-miss -write-misses -write-miss",
	  "stores that missed", STORE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-prefetches", "-prefetch -prefetch-refs -prefetch-ops -prefetch-access", "prefetches",
	  PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch-misses", "-prefetches-misses -prefetch-miss -speculative-read-misses",
	  "prefetches that missed", PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
};

static bool cache_has(const struct cache *c, const struct access *a)
{
	return c->operations & 1u << a->operation;
}

/* Is the text of this length name, or one of the aliases? */
static bool is_called(const char *text, size_t len, const char *name, const char *aliases)
{
	if (strlen(name) == len && strncasecmp(text, name, len) == 0)
		return true;
	while (*aliases) {
		size_t n = strcspn(aliases, " ");
		if (n == len && strncasecmp(text, aliases, len) == 0)
			return true;
		aliases += n + (aliases[n] == ' ');
	}
	return false;
}

static bool fill_cache(const struct cache *c, const struct access *a, struct event_spec *spec)
{
	if (!cache_has(c, a))
		return false;
	spec->name = xasprintf("%s%s", c->name, a->suffix);
	spec->type = PERF_TYPE_HW_CACHE;
	spec->config = c->id | a->operation << 8 | a->result << 16;
	return true;
}

/* A cache's name, a dash, what is done with it. */
static enum spec_answer resolve_cache(const char *text, struct event_spec *spec)
{
	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		for (const char *dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-')) {
			if (!is_called(text, (size_t)(dash - text), caches[c].name,
				       caches[c].aliases))
				continue;
			for (size_t a = 0; a < ARRAY_LEN(accesses); a++)
				if (is_called(dash, strlen(dash), accesses[a].suffix,
					      accesses[a].aliases) &&
				    fill_cache(&caches[c], &accesses[a], spec))
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

static int put(const struct name_sink *sink, const char *name, const char *kind,
	       const char *description)
{
	struct event_name n = { .name = name, .kind = kind, .description = description };

	return name_sink_put(sink, &n);
}

static int each_cache(const struct name_sink *sink)
{
	char name[64], text[128];
	int stop = 0;

	for (size_t c = 0; c < ARRAY_LEN(caches); c++) {
		for (size_t a = 0; a < ARRAY_LEN(accesses) && !stop; a++) {
			if (!cache_has(&caches[c], &accesses[a]))
				continue;
			snprintf(name, sizeof(name), "%s%s", caches[c].name, accesses[a].suffix);
			snprintf(text, sizeof(text), "%s: %s", caches[c].description,
				 accesses[a].description);
			stop = put(sink, name, "cache", text);
		}
	}
	return stop;
}

int spec_hardware_each(const struct name_sink *sink)
{
	struct event_name raw = { .name = "rNNN",
				  .kind = "raw",
				  .description = "event code of the PMU, hexadecimal",
				  .is_pattern = true };
	int stop = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && !stop; i++) {
		stop = put(sink, rows[i].name, "hardware", rows[i].description);
		if (!stop && rows[i].alias)
			stop = put(sink, rows[i].alias, "hardware", rows[i].description);
	}
	if (!stop)
		stop = each_cache(sink);
	return stop ? stop : name_sink_put(sink, &raw);
}
