/* What each kind of record does. */
#include "record/pipeline_parts.h"

#include <stdio.h>

#define KSYMBOL_BPF	   1 /* PERF_RECORD_KSYMBOL_TYPE_BPF */
#define KSYMBOL_UNREGISTER 1 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */

/* A sample that does not say its period has the fixed one. */
static uint64_t weight_of(const struct pipeline *p, const struct record *r)
{
	uint64_t period = r->u.sample.period ? r->u.sample.period : p->events.data[r->event].period;

	return period ? period : 1;
}

/* The health is the first event's. */
static void count_first(struct pipeline *p, const struct record *r,
			const struct stacks_result *stack)
{
	if (r->event != 0)
		return;
	p->stats.samples_first++;
	p->stats.known += stack->end != END_UNKNOWN && stack->end != END_NO_STACK;
	p->stats.whole += stack->end == END_ROOT && !(stack->flags & SAMPLE_GUESSED);
}

static void on_sample(struct pipeline *p, const struct record *r)
{
	if (r->event >= p->states.len)
		return;
	enum deltas_state counts = pipeline_count_sample(p, r);
	struct event_state *event = &p->states.data[r->event];
	if (!pipeline_wants(p, r->tid)) {
		if (event->deltas)
			deltas_uncount(event->deltas, counts);
		return;
	}
	struct task_thread *t = task_find(p->tasks, r->pid, r->tid, r->time_ns);
	if (r->pid && r->pid == p->launched_pid)
		t->launched = true;
	struct stacks_result stack;
	if (p->codes)
		codes_advance(p->codes, r->time_ns);
	stacks_resolve(p->stacks, t, r, &stack);
	struct profile_sample row = {
		.time_ns = r->time_ns,
		.leaf_address = stack.leaf_address,
		.weight = weight_of(p, r),
		.task = rows_thread(&p->rows, t),
		.node = stack.node,
		.leaf_module = stack.leaf_module,
		.cpu = (uint16_t)(r->cpu < PROFILE_CPU_UNKNOWN ? r->cpu : PROFILE_CPU_UNKNOWN),
		.event = (uint16_t)event->row,
		.end = stack.end,
		.flags = stack.flags,
	};
	uint32_t sample = profile_writer_add_sample(p->writer, &row);
	if (event->deltas && counts == DELTAS_KNOWN)
		pipeline_write_counts(p, r, sample);
	if (event->accounts)
		accounts_sample(event->accounts, t, row.weight);
	p->stats.samples++;
	count_first(p, r, &stack);
	if (!p->stats.first_ns)
		p->stats.first_ns = r->time_ns;
	p->stats.last_ns = r->time_ns;
}

static void on_mmap(struct pipeline *p, const struct record *r)
{
	const struct record_mmap *m = &r->u.mmap;
	if (m->is_data || (m->has_prot && !(m->prot & 4)) || r->pid == UINT32_MAX ||
	    !pipeline_wants(p, r->tid))
		return;
	struct task_map_info info = {
		.start = m->start,
		.length = m->length,
		.file_offset = m->file_offset,
		.path = m->path,
		.build_id = m->build_id_len ? m->build_id : NULL,
		.build_id_len = m->build_id_len,
		.dev_major = m->maj,
		.dev_minor = m->min,
		.inode = m->ino,
		.executable = true,
	};
	task_map(p->tasks, r->pid, r->tid, &info, r->time_ns);
}

static void on_fork(struct pipeline *p, const struct record *r)
{
	if (p->has_only && pipeline_wants(p, r->u.fork.parent_tid))
		hmap_put(&p->only, r->tid, 1);
	task_fork(p->tasks, r->pid, r->tid, r->u.fork.parent_pid, r->u.fork.parent_tid, r->time_ns);
}

static void on_task_exit(struct pipeline *p, const struct record *r)
{
	/* Only the first event has READ records. */
	if (p->states.len && p->states.data[0].accounts && pipeline_wants(p, r->tid))
		accounts_exit(p->states.data[0].accounts,
			      task_find(p->tasks, r->pid, r->tid, r->time_ns), r->time_ns);
	for (size_t i = 0; i < p->states.len; i++) {
		if (p->states.data[i].deltas && p->config.counters != COUNTERS_OF_CPUS)
			deltas_thread_end(p->states.data[i].deltas, r->tid);
	}
	hmap_remove(&p->only, r->tid);
	task_exit(p->tasks, r->pid, r->tid, r->time_ns);
}

static void on_read(struct pipeline *p, const struct record *r)
{
	if (r->event >= p->states.len || !p->states.data[r->event].accounts)
		return;
	struct task_thread *t = task_find(p->tasks, r->pid, r->tid, r->time_ns);
	accounts_read(p->states.data[r->event].accounts, t, r->u.read.value, r->time_ns);
}

static void on_throttle(struct pipeline *p, const struct record *r)
{
	if (r->event >= p->states.len)
		return;
	struct event_state *e = &p->states.data[r->event];
	if (r->kind == RECORD_THROTTLE) {
		p->stats.throttle_count++;
		e->throttled_since_ns = r->time_ns;
	} else if (e->throttled_since_ns) {
		p->stats.throttled_ns += r->time_ns - e->throttled_since_ns;
		e->throttled_since_ns = 0;
	}
}

/* The kernel writes code: BPF programs, and trampolines of its own. */
static void on_kernel_symbol(struct pipeline *p, const struct record *r)
{
	char name[320];
	bool is_bpf = r->u.ksymbol.type == KSYMBOL_BPF;
	uint64_t start = r->u.ksymbol.address, size = r->u.ksymbol.length;
	if (!p->kernel_code)
		return;
	snprintf(name, sizeof(name), "%.300s%s", r->u.ksymbol.name, is_bpf ? " [bpf]" : "");
	if (!(r->u.ksymbol.flags & KSYMBOL_UNREGISTER))
		kernel_code_appears(p->kernel_code, start, size, name);
	else if (kernel_code_ends(p->kernel_code, start, size, name))
		names_kernel_code_ended(p->names, task_kernel_module(p->tasks), start, size, name);
}

/* LOST counts every kind of record; nearly all are samples of the first event. The exact number
 * comes at the end. */
static void on_lost(struct pipeline *p, uint64_t count)
{
	p->stats.lost_records += count;
	if (p->states.len && p->states.data[0].accounts)
		accounts_lost(p->states.data[0].accounts, count);
}

void pipeline_record(struct pipeline *p, const struct record *r, bool wide)
{
	if (wide != p->wide && r->kind == RECORD_SAMPLE && r->event == 0)
		return;
	switch (r->kind) {
	case RECORD_SAMPLE:
		on_sample(p, r);
		break;
	case RECORD_MMAP:
		on_mmap(p, r);
		break;
	case RECORD_COMM:
		if (r->u.comm.is_exec && r->pid == p->launched_pid && p->has_only)
			hmap_put(&p->only, r->tid, 1); /* until then it was prof */
		task_comm(p->tasks, r->pid, r->tid, r->u.comm.name, r->u.comm.is_exec, r->time_ns);
		break;
	case RECORD_FORK:
		on_fork(p, r);
		break;
	case RECORD_EXIT:
		on_task_exit(p, r);
		break;
	case RECORD_READ:
		on_read(p, r);
		break;
	case RECORD_LOST:
		on_lost(p, r->u.lost.count);
		break;
	case RECORD_KSYMBOL:
		on_kernel_symbol(p, r);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		on_throttle(p, r);
		break;
	default:
		break;
	}
}
