/* Which events can be counted at once, and cutting groups that cannot. */
#include "event/schedule.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "event/attr.h"
#include "event/cpus.h"

#define GROUP_TEST_MAX 64
#define PATIENCE_NS    30000000ull /* several turns of the multiplexer, which are 4 ms each */

size_t event_group_length(const struct event_list *list, size_t first)
{
	size_t n = 1;

	while (first + n < list->items.len &&
	       list->items.data[first + n].group == list->items.data[first].group)
		n++;
	return n;
}

static bool has_number(const struct event_list *list, uint32_t group)
{
	for (size_t i = 0; i < list->items.len; i++)
		if (list->items.data[i].group == group)
			return true;
	return false;
}

static uint32_t free_number(const struct event_list *list)
{
	uint32_t group = 1;

	while (has_number(list, group))
		group++;
	return group;
}

/* The most events from events on that fit, at least one. */
static size_t largest_fit(const struct event_spec *events, size_t count,
			  const struct event_group_tester *tester)
{
	size_t n = count;

	while (n > 1 && !tester->fits(tester->ctx, events, n))
		n--;
	return n;
}

static void name_group(struct bytes *out, const struct event_spec *events, size_t count)
{
	bytes_printf(out, "{");
	for (size_t i = 0; i < count; i++)
		bytes_printf(out, "%s%s", i ? "," : "", events[i].name);
	bytes_printf(out, "}");
}

size_t event_group_split(struct event_list *list, size_t first,
			 const struct event_group_tester *tester, struct bytes *note)
{
	size_t count = event_group_length(list, first), groups = 0;
	struct event_spec *events = &list->items.data[first];
	struct bytes parts = { 0 };

	for (size_t done = 0; done < count; groups++) {
		size_t n = largest_fit(events + done, count - done, tester);
		uint32_t number = groups ? free_number(list) : events[0].group;
		for (size_t i = done; i < done + n; i++)
			events[i].group = number;
		bytes_printf(&parts, "%s", done ? ", " : "");
		name_group(&parts, events + done, n);
		done += n;
	}
	if (groups > 1) {
		name_group(note, events, count);
		bytes_printf(
			note,
			" cannot be counted at once (too few counters here, or one is held, as "
			"by the NMI watchdog): counted as %.*s, in turns\n",
			(int)parts.len, (const char *)parts.data);
	}
	bytes_release(&parts);
	return groups;
}

void event_groups_fit(struct event_list *list, const struct event_group_tester *tester,
		      struct bytes *notes)
{
	for (size_t i = 0; i < list->items.len; i += event_group_length(list, i))
		if (event_group_length(list, i) > 1)
			event_group_split(list, i, tester, notes);
}

/* Where the group is tried: on this task, or on the first of the CPUs that count for all tasks. */
struct trial {
	pid_t pid;
	int cpu;
	int fds[GROUP_TEST_MAX];
	size_t count;
};

static int open_member(const struct trial *t, const struct event_spec *spec, int leader)
{
	struct perf_event_attr attr;
	int fd;

	attr_fill_spec(&attr, spec);
	attr.disabled = leader < 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	while ((fd = attr_open_in_group(&attr, t->pid, t->cpu, leader)) < 0) {
		if ((errno == EACCES || errno == EPERM) && !attr.exclude_kernel && t->pid == 0)
			attr.exclude_kernel = 1;
		else if (!attr_ask_less(&attr, errno))
			return -1;
	}
	return fd;
}

/* False when an event that can be opened alone cannot be in this group. */
static bool open_all(struct trial *t, const struct event_spec *events, size_t count)
{
	for (size_t i = 0; i < count && t->count < GROUP_TEST_MAX; i++) {
		int fd = open_member(t, &events[i], t->count ? t->fds[0] : -1);
		if (fd >= 0) {
			t->fds[t->count++] = fd;
			continue;
		}
		int alone = t->count ? open_member(t, &events[i], -1) : -1;
		if (alone < 0)
			continue;
		close(alone);
		return false;
	}
	return true;
}

/* Enabled and on a CPU, did it ever have its counters? */
static bool ran(const struct trial *t)
{
	uint64_t v[3], begin = clock_monotonic_ns();

	if (event_enable(t->fds[0]) < 0)
		return false;
	do {
		if (read(t->fds[0], v, sizeof(v)) != sizeof(v)) /* pinned, and no counter */
			return false;
		if (v[2] > 0)
			return true;
	} while (clock_monotonic_ns() - begin < PATIENCE_NS);
	return v[1] == 0; /* never enabled: nothing was learned */
}

static bool try_group(struct trial *t, const struct event_spec *events, size_t count)
{
	bool fits = open_all(t, events, count) && (t->count == 0 || ran(t));

	for (size_t i = t->count; i-- > 0;)
		close(t->fds[i]);
	return fits;
}

static void to_cpu_set(const struct event_cpus *cpus, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (size_t i = 0; i < cpus->items.len; i++)
		if (cpus->items.data[i] < CPU_SETSIZE)
			CPU_SET(cpus->items.data[i], set);
}

/* One kind of cores counts only what runs there: go there, and back. */
static bool try_on_cores(const struct event_cpus *cpus, const struct event_spec *events,
			 size_t count)
{
	struct trial t = { .pid = 0, .cpu = -1 };
	cpu_set_t before, there;

	to_cpu_set(cpus, &there);
	if (sched_getaffinity(0, sizeof(before), &before) < 0 ||
	    sched_setaffinity(0, sizeof(there), &there) < 0)
		return true; /* nothing can be learned here */
	bool fits = try_group(&t, events, count);
	sched_setaffinity(0, sizeof(before), &before);
	return fits;
}

static bool try_on_cpu(const struct event_cpus *cpus, const struct event_spec *events, size_t count)
{
	struct trial t = { .pid = -1, .cpu = (int)cpus->items.data[0] };

	return try_group(&t, events, count);
}

static bool kernel_fits(void *ctx, const struct event_spec *events, size_t count)
{
	struct trial here = { .pid = 0, .cpu = -1 };
	struct event_cpus cpus = { 0 };
	bool fits;

	(void)ctx;
	if (!events[0].cpus || !event_cpus_parse(&cpus, events[0].cpus) || !cpus.items.len)
		fits = try_group(&here, events, count);
	else if (events[0].no_task)
		fits = try_on_cpu(&cpus, events, count);
	else
		fits = try_on_cores(&cpus, events, count);
	event_cpus_release(&cpus);
	return fits;
}

const struct event_group_tester event_group_kernel = { .fits = kernel_fits };
