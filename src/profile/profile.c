/* The profile's life, its look-ups and the names of its enumerations. */
#include "profile/profile.h"

#include <string.h>

void profile_init(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	strtab_init(&p->strings);
}

void profile_release(struct profile *p)
{
	strtab_release(&p->strings);
	free_ptr(&p->origin);
	vec_release(&p->machines);
	vec_release(&p->runs);
	vec_release(&p->clocks);
	vec_release(&p->events);
	vec_release(&p->tasks);
	vec_release(&p->spaces);
	vec_release(&p->mappings);
	vec_release(&p->modules);
	vec_release(&p->nodes);
	vec_release(&p->functions);
	vec_release(&p->aliases);
	vec_release(&p->frames);
	vec_release(&p->locations);
	vec_release(&p->samples);
	vec_release(&p->counts);
	vec_release(&p->groups);
	vec_release(&p->code);
	vec_release(&p->sources);
	vec_release(&p->notes);
	vec_release(&p->blob);
	vec_release(&p->node_location);
	free_ptr(&p->location_slots.slots);
}

/* How many aliases are of functions before this one. */
static size_t aliases_before(const struct profile *p, uint64_t function)
{
	size_t low = 0, high = p->aliases.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->aliases.data[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t profile_find_aliases(const struct profile *p, uint32_t function, uint32_t *count)
{
	size_t first = aliases_before(p, function);

	*count = (uint32_t)(aliases_before(p, (uint64_t)function + 1) - first);
	return (uint32_t)first;
}

/* How many counts are of samples before this one. */
static size_t counts_before(const struct profile *p, uint64_t sample)
{
	size_t low = 0, high = p->counts.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->counts.data[middle].sample < sample)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t profile_find_counts(const struct profile *p, uint32_t sample, uint32_t *count)
{
	size_t first = counts_before(p, sample);

	*count = (uint32_t)(counts_before(p, (uint64_t)sample + 1) - first);
	return (uint32_t)first;
}

uint64_t profile_counted(const struct profile *p, uint32_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->counts.len; i++)
		sum += p->counts.data[i].event == event ? p->counts.data[i].value : 0;
	return sum;
}

uint32_t profile_leader(const struct profile *p, uint32_t event)
{
	for (uint32_t i = 0; i < event && event < p->events.len; i++) {
		if (p->events.data[event].group &&
		    p->events.data[i].group == p->events.data[event].group)
			return i;
	}
	return event;
}

uint32_t profile_synthetic_module(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->modules.len; i++) {
		const struct profile_module *m = &p->modules.data[i];
		if (m->kind == MODULE_SYNTHETIC && strcmp(profile_str(p, m->path), name) == 0)
			return (uint32_t)i;
	}
	return PROFILE_NONE;
}

static const char *name_in(const char *const *names, size_t count, uint8_t value)
{
	return value < count && names[value] ? names[value] : "unknown";
}

const char *stack_end_name(uint8_t end)
{
	static const char *const names[END_COUNT] = {
		[END_ROOT] = "whole",
		[END_TRUNCATED] = "truncated copy",
		[END_NO_CFI] = "no unwind data",
		[END_UNREADABLE] = "unreadable memory",
		[END_NO_MAPPING] = "no mapping",
		[END_DEPTH] = "too deep",
		[END_LOOP] = "loop",
		[END_NO_STACK] = "no stack asked for",
		[END_KERNEL_ONLY] = "kernel only",
		[END_COMPAT] = "32-bit task",
		[END_OTHER_STACK] = "on another stack",
	};

	return name_in(names, ARRAY_LEN(names), end);
}

const char *frame_how_name(uint8_t how)
{
	static const char *const names[] = {
		[FRAME_REGISTER] = "register",
		[FRAME_CFI] = "CFI",
		[FRAME_FP] = "frame pointer",
		[FRAME_KERNEL] = "kernel",
		[FRAME_JIT] = "JIT",
		[FRAME_SIGNAL] = "signal",
		[FRAME_CHAIN] = "kernel's chain",
		[FRAME_GUESSED] = "guessed",
		[FRAME_CODE] = "code followed",
		[FRAME_LATER] = "read later",
		[FRAME_CUT] = "missing frames",
	};

	return name_in(names, ARRAY_LEN(names), how);
}

const char *module_symbols_name(uint8_t symbols)
{
	static const char *const names[] = { "not looked up",	"debug info", "symbol table",
					     "dynamic symbols", "kallsyms",   "map file",
					     "missing",		"refused",    "Go's table",
					     "jitdump",		"GDB's list", "the file itself" };

	return symbols < ARRAY_LEN(names) ? names[symbols] : "unknown";
}

const char *module_kind_name(uint8_t kind)
{
	static const char *const names[] = {
		[MODULE_FILE] = "file",	     [MODULE_KERNEL] = "kernel",
		[MODULE_VDSO] = "vdso",	     [MODULE_JIT] = "JIT",
		[MODULE_ANON] = "anonymous", [MODULE_SYNTHETIC] = "synthetic",
	};

	return name_in(names, ARRAY_LEN(names), kind);
}

const char *counters_name(uint8_t counters)
{
	static const char *const names[COUNTERS_KINDS] = {
		[COUNTERS_OF_THREADS] = "per thread",
		[COUNTERS_OF_SOME_THREADS] = "per thread that ran at the start",
		[COUNTERS_OF_CPUS] = "per CPU",
	};

	return name_in(names, ARRAY_LEN(names), counters);
}

const char *unit_name(uint8_t unit)
{
	static const char *const names[] = {
		[UNIT_COUNT] = "count",
		[UNIT_NS] = "ns",
		[UNIT_BYTES] = "bytes",
	};

	return name_in(names, ARRAY_LEN(names), unit);
}

uint64_t *profile_health_number(struct profile_health *h, size_t i)
{
	uint64_t *const numbers[PROFILE_HEALTH_NUMBERS] = {
		&h->due,
		&h->lost_kernel,
		&h->lost_own,
		&h->lost_records,
		&h->throttled_ns,
		&h->throttle_count,
		&h->requested_rate,
		&h->effective_rate_mhz,
		&h->prof_cpu_ns,
		&h->prof_max_rss_bytes,
		&h->target_cpu_ns,
		&h->out_of_order,
		&h->ring_bytes,
		&h->stack_bytes,
		&h->stacks_checked,
		&h->stacks_agreed,
		&h->openers_killed,
		&h->detached,
	};

	return i < PROFILE_HEALTH_NUMBERS ? numbers[i] : NULL;
}
