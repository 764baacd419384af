/* Opening events for the worker: every (task, CPU, event, stack size), handed over in batches. */
#include "record/broker.h"
#include "record/verbose.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct open_batch {
	struct control_events message;
	int fds[CONTROL_MAX_FDS];
};

int broker_flush_events(struct broker *b, struct error *err)
{
	union control_message answer;
	struct open_batch *batch = b->batch;
	uint32_t count = batch ? batch->message.count : 0;
	if (count == 0)
		return 0;
	int result = control_send(b->control, &batch->message, sizeof(batch->message), batch->fds,
				  count, err);
	for (uint32_t i = 0; i < count; i++)
		close(batch->fds[i]);
	batch->message.count = 0;
	return result < 0 ? -1 : broker_wait_for(b, CONTROL_OK, &answer, err);
}

static int add_to_batch(struct broker *b, int fd, const struct control_event_fd *entry,
			struct error *err)
{
	if (!b->batch)
		b->batch = xcalloc(1, sizeof(*b->batch));
	struct open_batch *batch = b->batch;
	struct control_events *m = &batch->message;
	if (m->count == CONTROL_MAX_FDS && broker_flush_events(b, err) < 0) {
		close(fd);
		return -1;
	}
	m->kind = CONTROL_EVENTS;
	m->fds[m->count] = *entry;
	batch->fds[m->count++] = fd;
	return 0;
}

/* The descriptor, which is the batch's; -1. */
static int open_one(struct broker *b, const struct event_spec *spec,
		    const struct event_sampling *how, pid_t pid, struct control_event_fd *entry,
		    struct error *err)
{
	int fd;
	entry->pid = pid > 0 ? (uint32_t)pid : 0;
	entry->period = how->period;
	entry->is_member = how->is_member;
	entry->reads_group = how->reads_group;
	if (event_open(spec, how, pid, (int)entry->cpu, &fd, &entry->layout, err) < 0)
		return -1;
	verbose_event(spec, how, entry);
	return add_to_batch(b, fd, entry, err) < 0 ? -1 : fd;
}

/* The rate was permitted when the plan was made. true: the kernel's limit is lower by now, and so
 * is the rate. */
static bool follow_limit(struct plan *p)
{
	event_read_limits(&p->limits);
	return plan_lower_rate(p, p->limits.max_sample_rate);
}

static int open_sampling(struct broker *b, pid_t pid, uint32_t cpu, uint32_t event,
			 uint32_t size_class, struct error *err)
{
	const struct event_spec *spec = &b->plan->events.items.data[event];
	struct control_event_fd entry = { .event = event, .cpu = cpu, .size_class = size_class };
	for (;;) {
		struct event_sampling how = plan_sampling(b->plan, event, size_class, cpu);
		struct error why = { 0 };
		how.disabled |= how.reads_group;
		int fd = open_one(b, spec, &how, pid, &entry, &why);
		if (fd >= 0)
			return fd;
		if (why.errnum != EINVAL || how.frequency == 0 || !follow_limit(b->plan)) {
			if (err && err->code == ERROR_NONE)
				*err = why;
			return -1;
		}
	}
}

/* The others of its group. */
static int open_members(struct broker *b, pid_t pid, const struct control_event_fd *leader,
			int leader_fd, struct error *err)
{
	const struct plan *p = b->plan;
	for (uint32_t i = leader->event + 1; i < p->events.items.len; i++) {
		if (plan_leader(p, i) != leader->event)
			continue;
		struct event_sampling how = plan_member(p, i, leader->size_class, leader_fd);
		struct control_event_fd entry = *leader;
		entry.event = i;
		if (open_one(b, &p->events.items.data[i], &how, pid, &entry, err) < 0)
			return -1;
	}
	return 0;
}

/* The batch's descriptors from here on are not handed over. */
static void take_back(struct broker *b, uint32_t from)
{
	struct open_batch *batch = b->batch;
	while (batch && batch->message.count > from)
		close(batch->fds[--batch->message.count]);
}

/* Kernels were seen not to count what joins a leader that runs: it starts when all are there. */
static int start_leader(struct broker *b, const struct control_event_fd *leader, int fd,
			struct error *err)
{
	struct event_sampling how =
		plan_sampling(b->plan, leader->event, leader->size_class, leader->cpu);
	if (!how.disabled && !how.enable_on_exec && event_enable(fd) < 0)
		return error_set_errno(err, errno, "cannot start %s",
				       b->plan->events.items.data[leader->event].name);
	return 0;
}

/* An event that takes samples, with those that it leads. A group goes into one batch, since its
 * leader is open here only as long. */
static int open_group(struct broker *b, pid_t pid, uint32_t cpu, uint32_t event,
		      uint32_t size_class, struct error *err)
{
	bool leads = plan_leads(b->plan, event);
	if (leads && b->batch && b->batch->message.count + EVENT_READ_MAX > CONTROL_MAX_FDS &&
	    broker_flush_events(b, err) < 0)
		return -1;
	uint32_t before = b->batch ? b->batch->message.count : 0;
	struct control_event_fd leader = { .event = event, .cpu = cpu, .size_class = size_class };
	int fd = open_sampling(b, pid, cpu, event, size_class, err);
	if (fd < 0)
		return -1;
	if (leads &&
	    (open_members(b, pid, &leader, fd, err) < 0 || start_leader(b, &leader, fd, err) < 0)) {
		take_back(b, before);
		return -1;
	}
	return 0;
}

/* What is nice to have: false, and never tried again, when it does not fit any more. That a task
 * has just ended says nothing about others. */
static bool is_no_obstacle(int result, const struct error *why)
{
	return result >= 0 || why->errnum == ESRCH;
}

static bool open_larger(struct broker *b, pid_t pid, uint32_t cpu, uint32_t event)
{
	struct error why = { 0 };
	return is_no_obstacle(open_group(b, pid, cpu, event, SIZE_LARGER, &why), &why);
}

static bool open_count(struct broker *b, pid_t pid, uint32_t cpu)
{
	struct error why = { 0 };
	return is_no_obstacle(open_sampling(b, pid, cpu, 0, SIZE_COUNT, &why), &why);
}

/* Everything on one CPU. A larger stack size follows its first one. */
static int open_on_cpu(struct broker *b, pid_t pid, uint32_t cpu, struct error *err)
{
	struct plan *p = b->plan;
	for (uint32_t i = 0; i < p->events.items.len; i++) {
		if (plan_leader(p, i) != i)
			continue;
		if (!event_counts_on(&p->events.items.data[i], cpu)) /* another kind of cores' */
			continue;
		if (open_group(b, pid, cpu, i, SIZE_FIRST, err) < 0)
			return -1;
		if (p->stack_mode == STACK_COPY && p->stack_bytes[1] &&
		    !open_larger(b, pid, cpu, i))
			p->stack_bytes[1] = 0;
	}
	if (p->count_exits && event_counts_on(&p->events.items.data[0], cpu) &&
	    !open_count(b, pid, cpu))
		p->count_exits = false;
	return 0;
}

/* Tracking goes on whatever becomes of the sampling events: while a delay lasts, and when larger
 * stack copies or whole CPUs take over. */
static int open_tracking(struct broker *b, pid_t pid, uint32_t cpu, struct error *err)
{
	struct event_sampling how = plan_tracking(b->plan);
	struct control_event_fd entry = { .event = UINT32_MAX, .cpu = cpu };
	if (!b->plan->track_apart)
		return 0;
	return open_one(b, &event_dummy, &how, pid, &entry, err) < 0 ? -1 : 0;
}

int broker_open_task(struct broker *b, pid_t tid, struct error *err)
{
	for (uint32_t c = 0; c < b->plan->cpu_count; c++) {
		uint32_t cpu = b->plan->cpus[c];
		if (open_tracking(b, tid, cpu, err) < 0 || open_on_cpu(b, tid, cpu, err) < 0)
			return -1;
	}
	return 0;
}

/* The clock that runs on a CPU whatever runs there: task-clock counts a task's time only. */
static struct event_spec wide_spec(const struct plan *p)
{
	struct event_spec spec = p->events.items.data[0];
	if (spec.is_clock)
		spec.config = p->cpu_clock_config;
	return spec;
}

void broker_widen(struct broker *b)
{
	struct control_events m = { .kind = CONTROL_EVENTS };
	struct event_spec spec = wide_spec(b->plan);
	int fds[CONTROL_MAX_FDS];
	for (uint32_t c = 0; c < b->plan->cpu_count && m.count < CONTROL_MAX_FDS; c++) {
		struct control_event_fd *entry = &m.fds[m.count];
		uint32_t cpu = b->plan->cpus[c];
		struct event_sampling how = plan_sampling(b->plan, 0, SIZE_WIDE, cpu);
		*entry = (struct control_event_fd){ .cpu = cpu,
						    .size_class = SIZE_WIDE,
						    .period = how.period };
		if (event_open(&spec, &how, -1, (int)cpu, &fds[m.count], &entry->layout, NULL) < 0)
			break;
		verbose_event(&spec, &how, entry);
		m.count++;
	}
	if (m.count == b->plan->cpu_count && !b->worker_gone)
		control_send(b->control, &m, sizeof(m), fds, m.count, NULL);
	for (uint32_t i = 0; i < m.count; i++)
		close(fds[i]);
}

void broker_drop_events(struct broker *b)
{
	for (uint32_t i = 0; b->batch && i < b->batch->message.count; i++)
		close(b->batch->fds[i]);
	free(b->batch);
	b->batch = NULL;
}
