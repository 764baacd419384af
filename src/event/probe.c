/* Trying events: can this one be opened, is there a PMU that counts and interrupts. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "event/attr.h"
#include "event/count.h"
#include "event/cpus.h"

/* Open on ourselves; where the kernel part is the obstacle, without it. */
static int open_self(struct perf_event_attr *attr)
{
	int fd;

	while ((fd = attr_open(attr, 0, -1)) < 0) {
		if ((errno == EACCES || errno == EPERM) && !attr->exclude_kernel)
			attr->exclude_kernel = 1;
		else if (!attr_ask_less(attr, errno))
			return -1;
	}
	return fd;
}

/* The first CPU that its PMU counts on. */
static bool find_cpu(const struct event_spec *spec, uint32_t *cpu)
{
	struct event_cpus cpus = { 0 };
	bool found = spec->cpus && event_cpus_parse(&cpus, spec->cpus) && cpus.items.len;

	if (found)
		*cpu = cpus.items.data[0];
	event_cpus_release(&cpus);
	return found || (!spec->cpus && event_online_cpus(cpu, 1) == 1);
}

static int open_on_cpu(const struct event_spec *spec)
{
	struct perf_event_attr attr;
	uint32_t cpu;
	int fd;

	if (!find_cpu(spec, &cpu)) {
		errno = ENODEV;
		return -1;
	}
	attr_fill_spec(&attr, spec);
	while ((fd = attr_open(&attr, -1, (int)cpu)) < 0)
		if (!attr_ask_less(&attr, errno))
			return -1;
	return fd;
}

/* 0, or the errno. */
static int try_to_open(const struct event_spec *spec)
{
	struct perf_event_attr attr;
	int fd = -1;

	errno = EINVAL;
	attr_fill_spec(&attr, spec);
	if (!spec->no_task)
		fd = open_self(&attr);
	if (fd < 0 && errno == EINVAL) /* uncore PMUs count CPUs, not tasks */
		fd = open_on_cpu(spec);
	if (fd < 0)
		return errno;
	close(fd);
	/* Without the kernel it would always read 0. */
	return attr.exclude_kernel && event_is_kernel_only(spec) ? EACCES : 0;
}

int event_probe(const struct event_spec *spec, struct error *err)
{
	struct event_limits limits;
	int errnum = try_to_open(spec);

	if (!errnum)
		return 0;
	event_read_limits(&limits);
	return event_set_refusal(err, errnum, spec, &limits);
}

/* The event by itself; where that is no event, with each unit mask until one is. */
static int parse_listed(const struct event_name *n, struct event_list *list, struct error *err)
{
	char *text = !n->is_pattern ? xstrdup(n->name)
		     : n->pmu	    ? xasprintf("%s/config=0/", n->pmu)
				    : xstrdup("r0");
	int result = event_parse(list, text, err);

	free(text);
	for (size_t i = 0; i < n->umask_count && result < 0; i++) {
		text = xasprintf("%s:%s", n->name, n->umasks[i].name);
		result = event_parse(list, text, NULL);
		free(text);
	}
	return result;
}

int event_probe_listed(const struct event_name *n, struct error *err)
{
	struct event_list list = { 0 };
	struct error why = { 0 };
	int result = parse_listed(n, &list, &why);

	if (result < 0)
		error_set(err, why.code, "%s", why.text);
	for (size_t i = 0; i < list.items.len && result == 0; i++)
		result = event_probe(&list.items.data[i], err);
	event_list_release(&list);
	return result;
}

/* Arm's PMUs take every level and do nothing with it (drivers/perf/arm_pmu.c never looks at it). */
#if defined(__x86_64__)
enum { HAS_PRECISE = 1 };
#else
enum { HAS_PRECISE = 0 };
#endif

int event_precise_level(const struct event_spec *spec, bool whole_cpus)
{
	struct perf_event_attr attr;
	uint32_t cpu = 0;
	int fd;

	if (whole_cpus && !find_cpu(spec, &cpu))
		return -1;
	attr_fill_spec(&attr, spec);
	attr.sample_period = 1000003; /* as counts they are refused or taken without it */
	attr.disabled = 1;
	if (!whole_cpus) {
		fd = open_self(&attr);
	} else {
		while ((fd = attr_open(&attr, -1, (int)cpu)) < 0 && attr_ask_less(&attr, errno))
			;
	}
	if (fd < 0)
		return -1;
	close(fd);
	return HAS_PRECISE ? (int)attr.precise_ip : 0;
}

bool event_has_hardware_pmu(void)
{
	struct event_spec cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = true, /* what everybody may */
	};
	struct perf_event_attr attr;

	attr_fill_spec(&attr, &cycles);
	attr.sample_period = 1000000;
	attr.disabled = 1;
	int fd = open_self(&attr);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool event_reads_inherited_groups(void)
{
	struct event_spec clock = { .type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_TASK_CLOCK,
				    .exclude_kernel = true };
	struct perf_event_attr attr;

	attr_fill_spec(&attr, &clock);
	attr.sample_period = 1000000;
	attr.disabled = attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	int fd = attr_open(&attr, 0, -1);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}
