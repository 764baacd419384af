/* The small profile of sample_profile.h, table by table. */
#include "sample_profile.h"

#include <string.h>

static uint32_t str(struct profile *p, const char *s)
{
	return strtab_add_str(&p->strings, s);
}

static void add_runs(struct profile *p)
{
	struct profile_machine machine = { str(p, "host"),  str(p, "x86_64"), str(p, "CPU \xff"),
					   str(p, "6.1.0"), str(p, "b00t"),   2 };
	struct profile_run run = { .command = str(p, "./app 'a b'"),
				   .clock = str(p, "monotonic"),
				   .machine = 0,
				   .tool = str(p, "prof 0.1.0"),
				   .start_ns = 1000,
				   .end_ns = UINT64_MAX,
				   .start_realtime_ns = 1700000000000000000u,
				   .exit_status = -1 };
	struct profile_run imported = { .clock = str(p, "unknown"),
					.machine = PROFILE_NONE,
					.exit_status = INT32_MAX };
	struct profile_event clock = { .name = str(p, "task-clock"),
				       .type = 1,
				       .config = 1,
				       .frequency = 997,
				       .exact_total = 123456789,
				       .unit = UNIT_NS };
	struct profile_event cycles = { .name = str(p, "cycles:u"),
					.config = UINT64_MAX,
					.period = 1000000,
					.flags = EVENT_EXCLUDES_KERNEL };
	struct profile_clock tuple = { 1000, 2000, UINT64_MAX, 0 };

	vec_push(&p->machines, machine);
	vec_push(&p->runs, run);
	vec_push(&p->runs, imported);
	vec_push(&p->events, clock);
	vec_push(&p->events, cycles);
	vec_push(&p->clocks, tuple);
	vec_push(&p->notes, str(p, "software clock: no PMU"));
	vec_push(&p->notes, str(p, "ring reduced to 512 kB"));
	p->health = (struct profile_health){ .due = 10,
					     .lost_kernel = 1,
					     .requested_rate = 997,
					     .effective_rate_mhz = 996500,
					     .stacks_checked = UINT64_MAX,
					     .complete = 1 };
}

static void add_modules(struct profile *p)
{
	struct profile_module app = { .path = str(p, "/usr/bin/app"),
				      .build_id = str(p, "0011aabb"),
				      .debug_path = str(p, "/usr/lib/debug/app"),
				      .kind = MODULE_FILE,
				      .identity = IDENTITY_GNU_BUILD_ID,
				      .symbols = SYMBOLS_DEBUG_INFO };
	struct profile_module kernel = { .path = str(p, "[kernel]"),
					 .note = str(p, "kptr_restrict"),
					 .kind = MODULE_KERNEL,
					 .symbols = SYMBOLS_MISSING };
	struct profile_module gone = { .path = str(p, SYNTHETIC_NOT_SAMPLED),
				       .kind = MODULE_SYNTHETIC,
				       .flags = MODULE_DELETED };

	vec_push(&p->modules, app);
	vec_push(&p->modules, kernel);
	vec_push(&p->modules, gone);
}

static void add_tasks(struct profile *p)
{
	struct profile_space space = { 100, 5, 0 }, later = { 100, 50, 90 };
	struct profile_task first = { 100, 100, 1, str(p, "sh"), 5, 50, 0, TASK_LAUNCHED };
	struct profile_task second = { 100, 100, 1, str(p, "app"), 50, 0, 1, TASK_LAUNCHED };
	struct profile_task kernel = {
		2, 2, 0, str(p, "kthreadd"), 0, 0, PROFILE_NONE, TASK_KERNEL
	};
	struct profile_mapping map = { 1, 0, 0x555500000000, 0x1000, 0x2000, 51, 0 };
	struct profile_mapping top = { 1, 1, UINT64_MAX - 4095, 4096, 0, 51, 89 };

	vec_push(&p->spaces, space);
	vec_push(&p->spaces, later);
	vec_push(&p->tasks, first);
	vec_push(&p->tasks, second);
	vec_push(&p->tasks, kernel);
	vec_push(&p->mappings, map);
	vec_push(&p->mappings, top);
}

static void add_samples(struct profile *p)
{
	struct profile_node nodes[] = {
		{ PROFILE_NONE, 0, 0x1100, FRAME_CFI },	    { 0, 0, 0x1200, FRAME_FP },
		{ 1, 1, 0xffffffff81000010, FRAME_KERNEL }, { 0, 0, 0x1300, FRAME_SIGNAL },
		{ PROFILE_NONE, 1, 0, FRAME_UNKNOWN },
	};
	struct profile_sample samples[] = {
		{ 60, 0x1234, 1000, 1, 1, 0, 0, 0, END_ROOT, 0 },
		{ 61, UINT64_MAX, UINT64_MAX, 1, 2, 1, 65535, 1, END_TRUNCATED, SAMPLE_KERNEL },
		{ 61, 0x1234, 999, 0, PROFILE_NONE, 0, 1, 0, END_NO_STACK, SAMPLE_GUESSED },
		{ 90, 0, 5, 2, PROFILE_NONE, 2, 0, 0, END_UNKNOWN, SAMPLE_SYNTHETIC },
	};

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		vec_push(&p->nodes, nodes[i]);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		vec_push(&p->samples, samples[i]);
}

static void add_counts(struct profile *p)
{
	struct profile_count counts[] = {
		{ 1000, 0, 0 }, { UINT64_MAX, 0, 1 }, { 999, 2, 0 }, { 0, 2, 1 }
	};
	struct profile_group group = { .known = 2,
				       .first = 1,
				       .backwards = UINT64_MAX,
				       .impossible = 3,
				       .enabled_ns = 100,
				       .running_ns = 60,
				       .counters = COUNTERS_OF_THREADS };

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		vec_push(&p->counts, counts[i]);
	for (size_t i = 0; i < p->events.len; i++)
		p->events.data[i].group = 7;
	vec_push(&p->groups, group);
}

static void add_names(struct profile *p)
{
	struct profile_function functions[] = {
		{ str(p, "main"), 0, str(p, "app.c"), 10, 0, 0 },
		{ str(p, "ns::inlined(int)"), str(p, "_ZN2ns7inlinedEi"), str(p, "inline.h"), 3, 0,
		  0 },
		{ str(p, "do_syscall_64"), 0, 0, 0, PROFILE_NONE, 0 },
	};
	struct profile_frame frames[] = {
		{ 0, str(p, "app.c"), 12 },
		{ 1, str(p, "inline.h"), 4 },
		{ 0, str(p, "app.c"), 15 },
		{ 2, 0, 0 },
	};
	struct profile_location locations[] = {
		{ 0x10ff, 0, 0, 1 },
		{ 0x11ff, 0, 1, 2 },
		{ 0x1234, 0, 0, 0 }, /* looked up and unknown */
		{ 0xffffffff8100000f, 1, 3, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		vec_push(&p->functions, functions[i]);
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		vec_push(&p->frames, frames[i]);
	for (size_t i = 0; i < ARRAY_LEN(locations); i++)
		vec_push(&p->locations, locations[i]);
}

static void add_aliases(struct profile *p)
{
	struct profile_alias aliases[] = {
		{ 0, str(p, "@@V_2"), 0, 0, ALIAS_OWN, ALIAS_IFUNC },
		{ 1, str(p, "_ZN2ns5aliasEi"), 0, 0, ALIAS_NAME, 2 },
		{ 1, str(p, "other(int)"), str(p, "_Z5otheri"), 0, ALIAS_FOLDED, 1 },
		{ 1, 0, 0, UINT32_MAX, ALIAS_FOLDED, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		vec_push(&p->aliases, aliases[i]);
}

static void add_excerpts(struct profile *p)
{
	static const char blob[] = "\x55\x48\x89\xe5\xc3int main(void)\n{\n";
	struct profile_code code = { 0, 0x1100, 0, 5 };
	struct profile_source source = { str(p, "app.c"), 10, 0, 5, 17 };
	struct profile_source nothing = { str(p, "empty.c"), 1, 0, 0, 0 };

	vec_reserve(&p->blob, sizeof(blob) - 1);
	memcpy(p->blob.data, blob, sizeof(blob) - 1);
	p->blob.len = sizeof(blob) - 1;
	vec_push(&p->code, code);
	vec_push(&p->sources, source);
	vec_push(&p->sources, nothing);
}

void first_sample_profile(struct profile *p)
{
	profile_init(p);
	add_runs(p);
	add_modules(p);
	add_tasks(p);
	add_samples(p);
	add_names(p);
	add_excerpts(p);
	profile_index(p);
}

void sample_profile(struct profile *p)
{
	first_sample_profile(p);
	add_aliases(p);
	add_counts(p);
	p->runs.data[0].cpu_busy_ns = UINT64_MAX;
	p->runs.data[0].cpu_steal_ns = 7;
	p->functions.data[0].flags = FUNCTION_UNOPTIMIZED;
	profile_index(p);
}
