/* What this kernel and user permit, by reading /proc/sys and by trying. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/attr.h"
#include "event/cpus.h"

#define SYSCTL_MAX_BYTES 4096

static bool read_line(const char *path, char *buf, size_t size)
{
	struct bytes b = { 0 };
	bool ok = io_read_file(path, &b, SYSCTL_MAX_BYTES, NULL) == 0 && b.len > 0;

	if (ok) {
		size_t len = b.len < size - 1 ? b.len : size - 1;
		memcpy(buf, b.data, len);
		buf[len] = '\0';
		buf[strcspn(buf, "\n")] = '\0';
	}
	bytes_release(&b);
	return ok;
}

static int64_t read_number(const char *path, int64_t otherwise)
{
	char buf[32], *end;

	if (!read_line(path, buf, sizeof(buf)))
		return otherwise;
	errno = 0;
	long long v = strtoll(buf, &end, 10);
	return errno || end == buf ? otherwise : v;
}

static bool can_open(uint64_t config, pid_t pid, int cpu, bool exclude_kernel)
{
	struct event_spec spec = { .type = PERF_TYPE_SOFTWARE, .config = config };
	struct perf_event_attr attr;

	attr_fill_spec(&attr, &spec);
	attr.exclude_kernel = exclude_kernel;
	attr.disabled = 1;
	int fd = attr_open(&attr, pid, cpu);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

void event_read_limits(struct event_limits *out)
{
	uint32_t cpu = 0;

	event_online_cpus(&cpu, 1);
	*out = (struct event_limits){
		.paranoid = (int)read_number("/proc/sys/kernel/perf_event_paranoid", -2),
		.mlock_kb = (uint64_t)read_number("/proc/sys/kernel/perf_event_mlock_kb", 516),
		.max_sample_rate = (uint64_t)read_number(
			"/proc/sys/kernel/perf_event_max_sample_rate", 100000),
		.max_stack = (uint64_t)read_number("/proc/sys/kernel/perf_event_max_stack", 127),
		.may_kernel = can_open(PERF_COUNT_SW_TASK_CLOCK, 0, -1, false),
		.may_system_wide = can_open(PERF_COUNT_SW_CPU_CLOCK, -1, (int)cpu, true),
		.has_hardware = event_has_hardware_pmu(),
	};
}

/* "0-3,5" → numbers. */
static int parse_cpu_list(const char *s, uint32_t *cpus, int max)
{
	int n = 0;

	while (*s) {
		char *end;
		unsigned long first = strtoul(s, &end, 10), last = first;
		if (end == s)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last && n < max; cpu++)
			cpus[n++] = (uint32_t)cpu;
		s = *end == ',' ? end + 1 : end;
		if (n == max)
			break;
	}
	return n;
}

int event_online_cpus(uint32_t *cpus, int max)
{
	char list[SYSCTL_MAX_BYTES];
	int n = 0;

	if (read_line("/sys/devices/system/cpu/online", list, sizeof(list)))
		n = parse_cpu_list(list, cpus, max);
	if (n > 0)
		return n;
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	for (; n < max && n < online; n++)
		cpus[n] = (uint32_t)n;
	return n;
}

bool event_counts_on(const struct event_spec *spec, uint32_t cpu)
{
	struct event_cpus cpus = { 0 };
	bool counts =
		!spec->cpus || !event_cpus_parse(&cpus, spec->cpus) || event_cpus_have(&cpus, cpu);

	event_cpus_release(&cpus);
	return counts;
}
