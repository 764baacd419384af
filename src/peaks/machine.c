/* Reading what a machine has. */
#include "peaks/machine.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

#define INDEXES_MAX 16		      /* caches of a CPU that sysfs tells of */
#define FILE_MAX    ((size_t)4 << 20) /* /proc/cpuinfo of a thousand CPUs */

/* A file as a string, "" when it cannot be read; freed by the caller. */
static char *read_text(const char *root, const char *path)
{
	CLEANUP_FREE char *full = xasprintf("%s%s", root, path);
	struct bytes b = { 0 };

	if (io_read_file(full, &b, FILE_MAX, NULL) < 0)
		bytes_clear(&b);
	bytes_u8(&b, '\0');
	b.data[strcspn((const char *)b.data, "\0")] = '\0';
	return (char *)b.data;
}

static void cut_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

/* ---- numbers of CPUs ---- */

static void add_number(cpu_numbers *out, uint32_t n)
{
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] == n)
			return;
	vec_push(out, n);
}

static bool parse_number(const char **at, uint32_t *n)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	unsigned long value = strtoul(*at, &end, 10);
	if (value >= MACHINE_CPUS_MAX)
		return false;
	*n = (uint32_t)value;
	*at = end;
	return true;
}

int cpu_numbers_parse(cpu_numbers *out, const char *text, struct error *err)
{
	const char *at = text;

	while (true) {
		uint32_t from, to;
		if (!parse_number(&at, &from))
			break;
		to = from;
		if (*at == '-') {
			at++;
			if (!parse_number(&at, &to) || to < from)
				break;
		}
		for (uint32_t n = from; n <= to; n++)
			add_number(out, n);
		if (*at == '\0')
			return 0;
		if (*at++ != ',')
			break;
	}
	return error_set(err, ERROR_USAGE, "'%s' is no list of CPUs (write them as 0,2-3)", text);
}

void cpu_numbers_permitted(cpu_numbers *out)
{
	size_t size = CPU_ALLOC_SIZE(MACHINE_CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(MACHINE_CPUS_MAX);

	if (set && sched_getaffinity(0, size, set) == 0)
		for (uint32_t n = 0; n < MACHINE_CPUS_MAX; n++)
			if (CPU_ISSET_S(n, size, set))
				vec_push(out, n);
	CPU_FREE(set);
	if (out->len == 0)
		vec_push(out, 0);
}

/* ---- cores and caches ---- */

/* A file with a list of CPUs; an empty list where there is none. */
static void read_list(const char *root, const char *path, cpu_numbers *out)
{
	CLEANUP_FREE char *text = read_text(root, path);

	cut_line(text);
	if (cpu_numbers_parse(out, text, NULL) < 0)
		vec_clear(out);
}

/* The lowest number in such a file; cpu where there is none. */
static uint32_t first_of(const char *root, const char *path, uint32_t cpu, size_t *count)
{
	cpu_numbers list = { 0 };
	uint32_t first = cpu;

	read_list(root, path, &list);
	for (size_t i = 0; i < list.len; i++)
		first = list.data[i] < first ? list.data[i] : first;
	*count = list.len;
	vec_release(&list);
	return first;
}

static struct machine_cpu cpu_of(const char *root, uint32_t cpu)
{
	CLEANUP_FREE char *path =
		xasprintf("/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	size_t count;
	struct machine_cpu c = { .cpu = cpu };

	c.first_sibling = first_of(root, path, cpu, &count);
	c.first_sharer[1] = c.first_sharer[2] = cpu;
	return c;
}

/* "512K" → bytes; 0: it says something else. */
static uint64_t parse_cache_size(char *text)
{
	uint64_t bytes;

	cut_line(text);
	return text_parse_size(text, &bytes) ? bytes : 0;
}

/* One of cpuN/cache/index*; false: there is no such. */
static bool read_cache(struct machine *m, const char *root, size_t at, unsigned index)
{
	struct machine_cpu *c = &m->cpus.data[at];
	CLEANUP_FREE char *folder =
		xasprintf("/sys/devices/system/cpu/cpu%u/cache/index%u/", c->cpu, index);
	CLEANUP_FREE char *level_path = xasprintf("%slevel", folder);
	CLEANUP_FREE char *type_path = xasprintf("%stype", folder);
	CLEANUP_FREE char *size_path = xasprintf("%ssize", folder);
	CLEANUP_FREE char *shared_path = xasprintf("%sshared_cpu_list", folder);
	CLEANUP_FREE char *level_text = read_text(root, level_path);
	CLEANUP_FREE char *type = read_text(root, type_path);
	CLEANUP_FREE char *size = read_text(root, size_path);
	size_t sharers;
	uint64_t level;

	cut_line(level_text);
	if (!text_parse_u64(level_text, &level))
		return false;
	uint64_t bytes = parse_cache_size(size);
	if (level < 1 || level > MACHINE_LEVELS || !bytes || strncmp(type, "Instruction", 11) == 0)
		return true;
	c->first_sharer[level] = first_of(root, shared_path, c->cpu, &sharers);
	m->caches_from = CACHES_FROM_SYSFS;
	if (at == 0)
		m->caches[level] = (struct machine_cache){ bytes, (uint32_t)sharers };
	return true;
}

/* Where sysfs has nothing, as in some virtual machines. Who shares them is not known; a size may be
 * that of all caches of the level together. */
static void ask_libc(struct machine *m)
{
	static const int names[MACHINE_LEVELS + 1] = { 0, _SC_LEVEL1_DCACHE_SIZE,
						       _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
						       _SC_LEVEL4_CACHE_SIZE };

	for (unsigned level = 1; level <= MACHINE_LEVELS; level++) {
		long bytes = sysconf(names[level]);
		if (bytes <= 0)
			continue;
		m->caches[level].bytes = (uint64_t)bytes;
		m->caches_from = CACHES_FROM_LIBC;
	}
}

static void read_caches(struct machine *m, const char *root)
{
	for (size_t at = 0; at < m->cpus.len; at++)
		for (unsigned index = 0; index < INDEXES_MAX; index++)
			if (!read_cache(m, root, at, index))
				break;
	if (m->caches_from == CACHES_UNKNOWN && *root == '\0')
		ask_libc(m);
}

/* ---- the processor's name ---- */

/* The value behind "key : " of the first line that has it; NULL: none. Points into text. */
static const char *value_of(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	for (const char *line = text; *line;) {
		size_t line_len = strcspn(line, "\n");
		const char *colon = memchr(line, ':', line_len);
		if (colon && strncmp(line, key, key_len) == 0 &&
		    strspn(line + key_len, " \t") == (size_t)(colon - line) - key_len) {
			const char *value = colon + 1 + strspn(colon + 1, " \t");
			*len = (size_t)(line + line_len - value);
			return value <= line + line_len ? value : NULL;
		}
		line += line_len + (line[line_len] == '\n');
	}
	return NULL;
}

static void read_name(struct machine *m, const char *root)
{
	CLEANUP_FREE char *text = read_text(root, "/proc/cpuinfo");
	size_t len = 0;
	const char *value = value_of(text, "model name", &len);

	if (value) {
		snprintf(m->name, sizeof(m->name), "%.*s", (int)len, value);
	} else if ((value = value_of(text, "CPU part", &len))) {
		size_t maker_len = 1;
		const char *maker = value_of(text, "CPU implementer", &maker_len);
		snprintf(m->name, sizeof(m->name), "implementer %.*s part %.*s", (int)maker_len,
			 maker ? maker : "?", (int)len, value);
	}
	value = value_of(text, "flags", &len);
	m->is_virtual = value && memmem(value, len, " hypervisor", 11) != NULL;
}

/* ---- memory ---- */

static uint64_t read_number(const char *root, const char *folder, const char *name)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s", folder, name);
	CLEANUP_FREE char *text = read_text(root, path);
	uint64_t n;

	cut_line(text);
	return text_parse_u64(text, &n) ? n : UINT64_MAX; /* "max" too */
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What a cgroup and those above it leave, in files of these names. */
static uint64_t left_in_cgroup(const char *root, const char *mount, const char *group,
			       const char *limit_name, const char *used_name)
{
	CLEANUP_FREE char *folder = xasprintf("%s%s", mount, group);
	uint64_t left = UINT64_MAX;

	while (strlen(folder) >= strlen(mount)) {
		uint64_t limit = read_number(root, folder, limit_name);
		uint64_t used = read_number(root, folder, used_name);
		if (limit != UINT64_MAX && used != UINT64_MAX)
			left = least(left, limit > used ? limit - used : 0);
		char *slash = strrchr(folder, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return left;
}

/* Of /proc/self/cgroup's lines "N:controllers:path", that of cgroup 2 and that of "memory". */
static uint64_t left_in_cgroups(const char *root)
{
	CLEANUP_FREE char *text = read_text(root, "/proc/self/cgroup");
	uint64_t left = UINT64_MAX;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *group = strchr(line, ':');
		char *path = group ? strchr(group + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		if (group[1] == '\0')
			left = least(left, left_in_cgroup(root, "/sys/fs/cgroup", path,
							  "memory.max", "memory.current"));
		else if (strcmp(group + 1, "memory") == 0)
			left = least(left, left_in_cgroup(root, "/sys/fs/cgroup/memory", path,
							  "memory.limit_in_bytes",
							  "memory.usage_in_bytes"));
	}
	return left;
}

static void read_memory(struct machine *m, const char *root)
{
	CLEANUP_FREE char *text = read_text(root, "/proc/meminfo");
	uint64_t available = UINT64_MAX;
	size_t len = 0;
	const char *value = value_of(text, "MemAvailable", &len);

	if (value)
		available = least(strtoull(value, NULL, 10), UINT64_MAX >> 10) << 10;
	available = least(available, left_in_cgroups(root));
	m->memory_bytes = available == UINT64_MAX ? 0 : available;
}

/* ---- all of it ---- */

void machine_read(struct machine *m, const char *root, const uint32_t *cpus, size_t count)
{
	*m = (struct machine){ .caches_from = CACHES_UNKNOWN };
	for (size_t i = 0; i < count; i++)
		vec_push(&m->cpus, cpu_of(root, cpus[i]));
	read_name(m, root);
	if (count)
		read_caches(m, root);
	read_memory(m, root);
}

void machine_release(struct machine *m)
{
	vec_release(&m->cpus);
}

static bool core_is_before(const struct machine *m, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (m->cpus.data[i].first_sibling == m->cpus.data[at].first_sibling)
			return true;
	return false;
}

void machine_order(struct machine *m)
{
	machine_cpus ordered = { 0 };

	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < m->cpus.len; i++)
			if (core_is_before(m, i) == (again == 1))
				vec_push(&ordered, m->cpus.data[i]);
	vec_release(&m->cpus);
	m->cpus = ordered;
}

size_t machine_cores(const struct machine *m, size_t count)
{
	size_t cores = 0;

	for (size_t i = 0; i < count && i < m->cpus.len; i++)
		cores += !core_is_before(m, i);
	return cores;
}

static size_t sharers_of(const struct machine *m, unsigned level, size_t count, size_t at)
{
	size_t sharers = 0;

	for (size_t i = 0; i < count; i++)
		sharers +=
			m->cpus.data[i].first_sharer[level] == m->cpus.data[at].first_sharer[level];
	return sharers;
}

size_t machine_cache_sharers(const struct machine *m, unsigned level, size_t count)
{
	size_t most = 1;

	for (size_t i = 0; i < count; i++) {
		size_t sharers = sharers_of(m, level, count, i);
		most = sharers > most ? sharers : most;
	}
	return most;
}

size_t machine_cache_instances(const struct machine *m, unsigned level, size_t count)
{
	size_t instances = 0;

	/* Each counts where it is the first of its cache. */
	for (size_t i = 0; i < count; i++)
		instances += sharers_of(m, level, i, i) == 0;
	return instances;
}
