/* Lines of -v and -vv. */
#include "record/verbose.h"

#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "profile/profile.h"
#include <inttypes.h>
#include <stdio.h>

static const char *privileges(const struct plan *p, const struct event_spec *e)
{
	bool kernel = p->kernel && !e->exclude_kernel;
	if (e->exclude_user)
		return "the kernel only";
	return kernel ? "user code and the kernel" : "user code only";
}

static void tell_event(const struct plan *p, size_t i)
{
	const struct event_spec *e = &p->events.items.data[i];
	char period[32] = "", hz[32];
	uint64_t every = plan_period(p, i);
	if (every && e->is_clock)
		text_duration(period, sizeof(period), every);
	else if (every)
		text_count(period, sizeof(period), every);
	if (plan_leader(p, i) != i)
		log_message(LOG_INFO, "event %s: counted with the samples of %s, %s", e->name,
			    p->events.items.data[plan_leader(p, i)].name, privileges(p, e));
	else if (every)
		log_message(LOG_INFO, "event %s: every %s, %s", e->name, period, privileges(p, e));
	else
		log_message(LOG_INFO, "event %s: %s Hz, %s", e->name,
			    text_count(hz, sizeof(hz), p->requested_hz), privileges(p, e));
}

static void tell_stacks(const struct plan *p)
{
	char first[32], larger[32];
	if (p->stack_mode == STACK_NONE)
		log_message(LOG_INFO, "stacks: none");
	else if (p->stack_mode == STACK_FP)
		log_message(LOG_INFO, "stacks: frame pointers, followed by the kernel");
	else if (!p->stack_bytes[1])
		log_message(LOG_INFO, "stacks: %s copied with each sample",
			    text_bytes(first, sizeof(first), p->stack_bytes[0]));
	else
		log_message(LOG_INFO, "stacks: %s copied with each sample, %s once that cuts some",
			    text_bytes(first, sizeof(first), p->stack_bytes[0]),
			    text_bytes(larger, sizeof(larger), p->stack_bytes[1]));
}

void verbose_plan(const struct plan *p, uint64_t ring_bytes)
{
	char ring[32];
	for (size_t i = 0; i < p->events.items.len; i++)
		tell_event(p, i);
	tell_stacks(p);
	log_message(LOG_INFO, "rings: %s for each of %" PRIu32 " CPU%s",
		    text_bytes(ring, sizeof(ring), ring_bytes), p->cpu_count,
		    p->cpu_count == 1 ? "" : "s");
}

void verbose_event(const struct event_spec *spec, const struct event_sampling *how,
		   const struct control_event_fd *entry)
{
	static const char *const classes[] = { "", ", larger stacks", ", whole CPU",
					       ", only counts" };
	char task[32] = "all tasks";
	if (entry->pid)
		snprintf(task, sizeof(task), "task %" PRIu32, entry->pid);
	log_message(LOG_DEBUG,
		    "opened %s on CPU %" PRIu32 " for %s: period %" PRIu64 ", %" PRIu32
		    " bytes of stack%s",
		    spec->name, entry->cpu, task, how->period, how->stack_bytes,
		    entry->size_class < ARRAY_LEN(classes) ? classes[entry->size_class] : "");
}

void verbose_phases(const struct broker *b)
{
	char open[32], run[32], finish[32];
	if (!b->stopped_ns)
		return;
	log_message(LOG_INFO, "%s to open events, %s recorded, %s to name and write what was left",
		    text_duration(open, sizeof(open), b->begun_ns - b->started_ns),
		    text_duration(run, sizeof(run), b->stopped_ns - b->begun_ns),
		    text_duration(finish, sizeof(finish), clock_monotonic_ns() - b->stopped_ns));
}

void verbose_named(const struct task_module *m, const struct symbolize_result *r, size_t addresses,
		   bool *told)
{
	bool again = *told;
	*told = true;
	if (!again)
		log_message(LOG_INFO, "names of %s: %s%s%s%s%s%s", m->path,
			    module_symbols_name(r->symbols), r->debug_path[0] ? " from " : "",
			    r->debug_path, r->note[0] ? " (" : "", r->note, r->note[0] ? ")" : "");
	log_message(LOG_DEBUG, "%zu address%s of %s looked up", addresses,
		    addresses == 1 ? "" : "es", m->path);
}
