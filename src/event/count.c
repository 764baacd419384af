/* Counters: perf_event_open for counting, and read(2) in its formats (linux/perf_event.h, the
 * comment at enum perf_event_read_format). */
#include "event/count.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "event/attr.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static void fill(struct perf_event_attr *attr, const struct event_spec *spec,
		 const struct event_counting *how)
{
	bool has_ring = how->exact_at_exit || how->track;

	attr_fill_spec(attr, spec);
	attr->exclude_kernel |= how->exclude_kernel;
	attr->read_format = TIMES | (how->grouped ? PERF_FORMAT_GROUP : 0);
	attr->inherit = how->inherit;
	attr->inherit_stat = how->exact_at_exit;
	attr->disabled = how->disabled || how->enable_on_exec;
	attr->enable_on_exec = how->enable_on_exec;
	attr->comm = attr->task = how->track;
	if (!has_ring)
		return;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	/*
	 * When one task follows another and both inherited the same events, the kernel swaps their
	 * whole sets of counters instead of stopping and starting each, and with inherit_stat swaps
	 * the values back, in pairs as they stand in its lists. Since Linux 6.2 lists of parent and
	 * child may be in different orders (by PMU), and then values of different events are mixed
	 * up. It does without the swap where an inherited event asks for PERF_SAMPLE_READ
	 * (nr_no_switch_fast in kernel/events/core.c); no sample is ever taken of this one.
	 */
	if (how->never_swapped)
		attr->sample_type |= PERF_SAMPLE_READ;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
}

int event_open_counter(const struct event_spec *spec, const struct event_counting *how,
		       int group_fd, pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	int fd;

	fill(&attr, spec, how);
	while ((fd = attr_open_in_group(&attr, pid, cpu, group_fd)) < 0) {
		int errnum = errno;
		bool again = attr_ask_less(&attr, errnum);
		errno = errnum;
		if (!again)
			return -1;
	}
	return fd;
}

void event_counting_layout(const struct event_spec *spec, const struct event_counting *how,
			   struct record_layout *layout)
{
	struct perf_event_attr attr;

	fill(&attr, spec, how);
	attr_layout(&attr, layout);
}

void event_why_not_counted(int errnum, const struct event_spec *spec, char *buf, size_t size)
{
	struct event_limits limits;

	event_read_limits(&limits);
	event_explain_refusal(errnum, spec, &limits, buf, size);
}

static ssize_t read_words(int fd, uint64_t *words, size_t count)
{
	ssize_t n;

	do
		n = read(fd, words, count * sizeof(*words));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	if ((size_t)n < count * sizeof(*words)) { /* in error state: it reads as end of file */
		errno = EIO;
		return -1;
	}
	return n;
}

int event_read_counter(int fd, uint64_t *value, uint64_t *enabled_ns, uint64_t *running_ns)
{
	uint64_t words[3];

	if (read_words(fd, words, 3) < 0)
		return -1;
	*value = words[0];
	*enabled_ns = words[1];
	*running_ns = words[2];
	return 0;
}

int event_read_group(int fd, uint64_t *values, size_t count, uint64_t *enabled_ns,
		     uint64_t *running_ns)
{
	uint64_t words[3 + EVENT_GROUP_MAX];

	if (count > EVENT_GROUP_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (read_words(fd, words, 3 + count) < 0)
		return -1;
	if (words[0] != count) {
		errno = EIO;
		return -1;
	}
	*enabled_ns = words[1];
	*running_ns = words[2];
	memcpy(values, words + 3, count * sizeof(*values));
	return 0;
}

bool event_kernel_mixes_tasks(void)
{
	struct utsname name;
	unsigned major, minor;

	if (uname(&name) != 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 2);
}

bool event_is_kernel_only(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE &&
	       (spec->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		spec->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		spec->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool event_is_software(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE || spec->type == PERF_TYPE_TRACEPOINT;
}

bool event_is_hardware(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_HARDWARE || spec->type == PERF_TYPE_HW_CACHE ||
	       spec->type == PERF_TYPE_RAW;
}
