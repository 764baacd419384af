/* Topology from sysfs. Source: Documentation/admin-guide/cputopology.rst; a PMU of one core type
 * has a file "cpus" (Documentation/admin-guide/perf/ and the perf tool's man page on hybrid
 * machines). */
#include "count/topology.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"

#define FILE_MAX_BYTES 4096

/* The text of a small file without its last newline; NULL: none. */
static char *read_text(const char *path)
{
	struct bytes b = { 0 };
	char *text = NULL;

	if (io_read_file(path, &b, FILE_MAX_BYTES, NULL) == 0)
		text = xstrndup((const char *)b.data, strnlen((const char *)b.data, b.len));
	bytes_release(&b);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static uint32_t read_number(const char *root, uint32_t cpu, const char *name, uint32_t otherwise)
{
	CLEANUP_FREE char *path =
		xasprintf("%s/devices/system/cpu/cpu%u/topology/%s", root, (unsigned)cpu, name);
	CLEANUP_FREE char *text = read_text(path);
	uint64_t n;

	return text && text_parse_u64(text, &n) && n < UINT32_MAX ? (uint32_t)n : otherwise;
}

/* PMUs of cores: cpu_core, cpu_atom; armv8_cortex_a53… */
static bool is_core_pmu(const char *name)
{
	return strncmp(name, "cpu_", 4) == 0 || strncmp(name, "armv", 4) == 0;
}

static void add_type(struct count_topology *t, const char *devices, const char *name)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s/cpus", devices, name);
	CLEANUP_FREE char *text = read_text(path);
	struct event_cpus cpus = { 0 };

	if (text && event_cpus_parse(&cpus, text) && cpus.items.len) {
		vec_push(&t->types, xstrdup(name));
		for (size_t i = 0; i < t->cpu_count; i++)
			if (event_cpus_have(&cpus, t->cpus[i].cpu))
				t->cpus[i].type = (uint32_t)t->types.len - 1;
	}
	event_cpus_release(&cpus);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_types(struct count_topology *t, const char *root)
{
	CLEANUP_FREE char *devices = xasprintf("%s/bus/event_source/devices", root);
	struct dirent **names = NULL;
	int count = scandir(devices, &names, NULL, by_name);

	vec_push(&t->types, xstrdup("cpu")); /* whatever has none of its own */
	for (int i = 0; i < count; i++) {
		if (is_core_pmu(names[i]->d_name))
			add_type(t, devices, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

void count_topology_read(struct count_topology *t, const char *root, const struct event_cpus *cpus)
{
	*t = (struct count_topology){ 0 };
	t->cpus = xcalloc(cpus->items.len + 1, sizeof(*t->cpus));
	t->cpu_count = cpus->items.len;
	for (size_t i = 0; i < cpus->items.len; i++) {
		uint32_t cpu = cpus->items.data[i];
		t->cpus[i] = (struct count_cpu){
			.cpu = cpu,
			.core = read_number(root, cpu, "core_id", cpu),
			.socket = read_number(root, cpu, "physical_package_id", 0),
		};
	}
	read_types(t, root);
}

void count_topology_release(struct count_topology *t)
{
	for (size_t i = 0; i < t->types.len; i++)
		free(t->types.data[i]);
	vec_release(&t->types);
	free(t->cpus);
	*t = (struct count_topology){ 0 };
}

static struct count_cpu find_cpu(const struct count_topology *t, uint32_t cpu)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i].cpu == cpu)
			return t->cpus[i];
	return (struct count_cpu){ .cpu = cpu, .core = cpu };
}

struct counter_row count_topology_row(const struct count_topology *t, enum counter_row_kind kind,
				      uint32_t cpu)
{
	struct count_cpu c = find_cpu(t, cpu);

	switch (kind) {
	case COUNTER_ROW_CORE:
		return (struct counter_row){ kind, c.core, c.socket,
					     xasprintf("socket %u core %u", c.socket, c.core) };
	case COUNTER_ROW_SOCKET:
		return (struct counter_row){ kind, c.socket, 0, xasprintf("socket %u", c.socket) };
	case COUNTER_ROW_TYPE:
		return (struct counter_row){ kind, c.type, 0, xstrdup(t->types.data[c.type]) };
	default:
		return (struct counter_row){ COUNTER_ROW_CPU, cpu, 0, xasprintf("CPU %u", cpu) };
	}
}
