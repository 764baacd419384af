/* Software events: what the kernel counts itself, in every machine and container that permits perf.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "event/spec_source.h"

static const struct row {
	const char *name, *alias, *description;
	uint64_t config;
} rows[] = {
	{ "task-clock", NULL, "CPU time of the task", PERF_COUNT_SW_TASK_CLOCK },
	{ "cpu-clock", NULL, "time of the CPU, by its high-resolution timer",
	  PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", "faults", "page faults, minor and major", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", NULL, "page faults served without I/O", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", NULL, "page faults that waited for I/O", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", "cs", "switches to another task", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", "migrations", "moves to another CPU", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", NULL, "unaligned accesses fixed up by the kernel",
	  PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", NULL, "instructions emulated by the kernel",
	  PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches", NULL, "switches to a task of another cgroup",
	  PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "bpf-output", NULL, "written by BPF programs", PERF_COUNT_SW_BPF_OUTPUT },
	{ "dummy", NULL, "counts nothing, carries records of mappings and tasks",
	  PERF_COUNT_SW_DUMMY },
};

enum spec_answer spec_software_resolve(const char *text, struct event_spec *spec)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(text, rows[i].name) != 0 &&
		    (!rows[i].alias || strcmp(text, rows[i].alias) != 0))
			continue;
		spec->name = xstrdup(rows[i].name);
		spec->type = PERF_TYPE_SOFTWARE;
		spec->config = rows[i].config;
		return SPEC_FOUND;
	}
	return SPEC_NOT_MINE;
}

const char *spec_software_name(uint64_t config)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].config == config)
			return rows[i].name;
	return NULL;
}

int spec_software_each(const struct name_sink *sink)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct event_name n = { .name = rows[i].name,
					.kind = "software",
					.description = rows[i].description };
		int stop = name_sink_put(sink, &n);
		n.name = rows[i].alias;
		if (!stop && n.name)
			stop = name_sink_put(sink, &n);
		if (stop)
			return stop;
	}
	return 0;
}
