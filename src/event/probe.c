/* Trying events: can this one be opened, is there a PMU that counts and interrupts. */
#include <errno.h>
#include <unistd.h>

#include "event/attr.h"

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

static int open_on_cpu(const struct event_spec *spec)
{
	struct perf_event_attr attr;
	uint32_t cpu;
	int fd;

	if (event_online_cpus(&cpu, 1) < 1)
		return -1;
	attr_fill_spec(&attr, spec);
	while ((fd = attr_open(&attr, -1, (int)cpu)) < 0)
		if (!attr_ask_less(&attr, errno))
			return -1;
	return fd;
}

int event_probe(const struct event_spec *spec, struct error *err)
{
	struct perf_event_attr attr;
	struct event_limits limits;

	attr_fill_spec(&attr, spec);
	int fd = open_self(&attr);
	if (fd < 0 && errno == EINVAL) /* uncore PMUs count CPUs, not tasks */
		fd = open_on_cpu(spec);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	int errnum = errno;
	event_read_limits(&limits);
	return event_set_refusal(err, errnum, spec, &limits);
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
