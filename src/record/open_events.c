/* Opening events for the worker: every (task, CPU, event, stack size), handed over in batches of
 * one layout. */
#include "record/broker.h"
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
			const struct record_layout *layout, struct error *err)
{
	if (!b->batch)
		b->batch = xcalloc(1, sizeof(*b->batch));
	struct open_batch *batch = b->batch;
	struct control_events *m = &batch->message;
	bool other = memcmp(&m->layout, layout, sizeof(*layout)) != 0;
	if ((m->count == CONTROL_MAX_FDS || (m->count && other)) &&
	    broker_flush_events(b, err) < 0) {
		close(fd);
		return -1;
	}
	m->kind = CONTROL_EVENTS;
	m->layout = *layout;
	m->fds[m->count] = *entry;
	batch->fds[m->count++] = fd;
	return 0;
}

static int open_one(struct broker *b, const struct event_spec *spec,
		    const struct event_sampling *how, pid_t pid, struct control_event_fd entry,
		    struct error *err)
{
	struct record_layout layout;
	int fd;
	memset(&layout, 0, sizeof(layout)); /* padding is compared too */
	if (event_open(spec, how, pid, (int)entry.cpu, &fd, &layout, err) < 0)
		return -1;
	return add_to_batch(b, fd, &entry, &layout, err);
}

static int open_sampling(struct broker *b, pid_t pid, uint32_t cpu, uint32_t event,
			 uint32_t size_class, struct error *err)
{
	const struct event_spec *spec = &b->plan->events.items.data[event];
	struct event_sampling how = plan_sampling(b->plan, event, size_class, cpu);
	struct control_event_fd entry = { event, cpu, pid > 0 ? (uint32_t)pid : 0, size_class,
					  how.period };
	return open_one(b, spec, &how, pid, entry, err);
}

/* Everything on one CPU; the larger stack size is left out silently where it does not fit any more.
 */
static int open_on_cpu(struct broker *b, pid_t pid, uint32_t cpu, struct error *err)
{
	for (uint32_t i = 0; i < b->plan->events.items.len; i++) {
		if (open_sampling(b, pid, cpu, i, 0, err) < 0)
			return -1;
		if (b->plan->stack_mode == STACK_COPY && b->plan->stack_bytes[1] &&
		    open_sampling(b, pid, cpu, i, 1, NULL) < 0)
			b->plan->stack_bytes[1] = 0;
	}
	return 0;
}

int broker_open_task(struct broker *b, pid_t tid, struct error *err)
{
	for (uint32_t c = 0; c < b->plan->cpu_count; c++) {
		if (open_on_cpu(b, tid, b->plan->cpus[c], err) < 0)
			return -1;
	}
	return 0;
}

/* A launched command has an event beside the sampling ones that only tracks, so that mappings are
 * known even while sampling is delayed. */
int broker_open_launched(struct broker *b, struct error *err)
{
	struct event_sampling track = {
		.period = 1,
		.exclude_kernel = true,
		.inherit = true,
		.disabled = true,
		.enable_on_exec = true,
		.track = true,
	};
	for (uint32_t c = 0; c < b->plan->cpu_count; c++) {
		struct control_event_fd entry = { UINT32_MAX, b->plan->cpus[c],
						  (uint32_t)b->launch.pid, 0, 0 };
		if (open_one(b, &event_dummy, &track, b->launch.pid, entry, err) < 0 ||
		    open_on_cpu(b, b->launch.pid, b->plan->cpus[c], err) < 0)
			return -1;
	}
	return broker_flush_events(b, err);
}

void broker_drop_events(struct broker *b)
{
	for (uint32_t i = 0; b->batch && i < b->batch->message.count; i++)
		close(b->batch->fds[i]);
	free(b->batch);
	b->batch = NULL;
}
