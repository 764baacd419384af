/* Records in time order become threads, spaces and mappings: what each kind of record means. */
#include "task/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "files/proc_maps.h"
#include "task/task_internal.h"

/* What the kernel says of a task whose number is already given back. */
#define PID_GONE	 UINT32_MAX
#define INIT_PIDNS_INODE 0xeffffffcu

bool task_is_in_inner_pidns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INIT_PIDNS_INODE;
}

struct task_table *task_table_new(struct files *files, const struct task_events *events)
{
	struct task_table *t = xcalloc(1, sizeof(*t));

	t->files = files;
	if (events)
		t->events = *events;
	return t;
}

void task_set_inner_pidns(struct task_table *t, bool yes)
{
	t->in_inner_pidns = yes;
}

void task_set_replay(struct task_table *t, uint64_t made_realtime_ns)
{
	t->made_realtime_ns = made_realtime_ns;
	t->replay = true;
	t->in_inner_pidns = false;
}

void task_table_free(struct task_table *t)
{
	if (!t)
		return;
	threads_release(t);
	spaces_release(t);
	modules_release(t);
	free(t);
}

static struct task_thread row_of(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct task_thread row = { .pid = pid, .tid = tid, .start_ns = time_ns };

	return row;
}

/* Its records are of all the tasks outside, one after the other: no name and no mapping is its own.
 */
static bool is_outside(const struct task_table *t, uint32_t pid)
{
	return t->in_inner_pidns && pid == 0;
}

/* pid 0 is the idle task; inside a container it also stands for every task outside. */
static void describe_pid_zero(const struct task_table *t, struct task_thread *row)
{
	row->is_kernel = !t->in_inner_pidns;
	row->foreign_pidns = t->in_inner_pidns;
	snprintf(row->comm, sizeof(row->comm), "%s",
		 t->in_inner_pidns ? "[other pid namespace]" : "swapper");
}

static void describe_by_status(struct task_table *t, struct task_thread *row)
{
	struct proc_status status;

	if (!process_status(t, row->pid, row->tid, &status))
		return;
	snprintf(row->comm, sizeof(row->comm), "%s", status.name);
	row->parent_pid = status.ppid;
	row->is_kernel = status.is_kernel_thread;
	row->foreign_pidns = status.ns_levels > 1;
}

/* A thread whose start nobody told of: lost, or before the recording. */
static struct thread_entry *start_unknown(struct task_table *t, uint32_t pid, uint32_t tid,
					  uint64_t time_ns)
{
	struct task_thread row = row_of(pid, tid, time_ns);
	struct space_entry *space = space_of_pid(t, pid);
	const struct thread_entry *leader = thread_lookup(t, pid);

	if (leader && leader->t.pid == pid && pid != 0) {
		memcpy(row.comm, leader->t.comm, sizeof(row.comm));
		row.parent_pid = leader->t.parent_pid;
		row.foreign_pidns = leader->t.foreign_pidns;
		row.launched = leader->t.launched;
	}
	if (pid == 0)
		describe_pid_zero(t, &row);
	else if (pid != PID_GONE)
		describe_by_status(t, &row);
	if (!space && !row.is_kernel)
		space = space_new(t, pid, NULL, time_ns);
	return thread_start(t, &row, row.is_kernel ? NULL : space);
}

static struct thread_entry *find(struct task_table *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct thread_entry *e = thread_lookup(t, tid);

	if (e && e->t.pid == pid && (!e->t.exited || time_ns <= e->exit_ns + FIND_ENDED_NS))
		return e;
	if (e && !e->t.exited) /* its number belongs to another process now */
		thread_finish(t, e, time_ns);
	return start_unknown(t, pid, tid, time_ns);
}

struct task_thread *task_find(struct task_table *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return &find(t, pid, tid, time_ns)->t;
}

/* What is known already is the outcome of this: /proc was read later, or a recorder made the record
 * up (then it has no time) for a task that records tell of themselves. */
static bool is_outdated(const struct thread_entry *e, uint64_t time_ns)
{
	return e && !e->t.exited && e->t.start_ns > time_ns && (e->t.from_proc || time_ns == 0);
}

/* A fork that a recorder made up for a task told of before, in whatever order: only the parent is
 * news. */
static bool add_parent(struct thread_entry *e, uint32_t pid, uint32_t parent_pid, uint64_t time_ns)
{
	if (!e || e->t.exited || e->t.pid != pid || time_ns != 0)
		return false;
	if (e->t.parent_pid == 0 && pid != parent_pid)
		e->t.parent_pid = parent_pid;
	return true;
}

/* The numbers are given out again: whatever still has them ended unseen. */
static void end_earlier_owners(struct task_table *t, uint32_t pid, uint32_t tid, bool is_process,
			       uint64_t time_ns)
{
	struct thread_entry *old = thread_lookup(t, tid);

	if (old && !old->t.exited)
		thread_finish(t, old, time_ns);
	if (is_process && space_of_pid(t, pid))
		thread_finish_process(t, pid, NULL, time_ns);
}

void task_fork(struct task_table *t, uint32_t pid, uint32_t tid, uint32_t parent_pid,
	       uint32_t parent_tid, uint64_t time_ns)
{
	struct task_thread row = row_of(pid, tid, time_ns);
	bool is_process = pid != parent_pid;

	if (is_outside(t, pid) || is_outdated(thread_lookup(t, tid), time_ns) || pid == PID_GONE ||
	    add_parent(thread_lookup(t, tid), pid, parent_pid, time_ns))
		return;
	if (is_outside(t, parent_pid)) { /* it was put into this namespace */
		end_earlier_owners(t, pid, tid, is_process, time_ns);
		start_unknown(t, pid, tid, time_ns);
		return;
	}
	const struct thread_entry *parent = find(t, parent_pid, parent_tid, time_ns);
	memcpy(row.comm, parent->t.comm, sizeof(row.comm));
	row.parent_pid = is_process ? parent_pid : parent->t.parent_pid;
	row.is_kernel = parent->t.is_kernel;
	row.foreign_pidns = parent->t.foreign_pidns;
	row.launched = parent->t.launched;
	struct task_space *parent_space = parent->t.space;
	struct space_entry *space = parent_space ? space_entry_of(parent_space) : NULL;
	/* Copy before anything ends: the earlier owner may be the parent itself in a damaged
	 * recording. */
	if (space)
		space->refs++;
	end_earlier_owners(t, pid, tid, is_process, time_ns);
	struct space_entry *own = space;
	if (space && (is_process || space->s.users == 0))
		own = space_new(t, pid, parent_space, time_ns);
	thread_start(t, &row, own);
	if (space)
		space_drop_ref(t, space);
}

void task_exit(struct task_table *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct thread_entry *e = thread_lookup(t, tid);

	if (e && !e->t.exited && e->t.pid == pid && !is_outside(t, pid))
		thread_finish(t, e, time_ns);
}

static struct space_entry *program_space(struct task_table *t, uint32_t pid, uint64_t time_ns)
{
	struct space_entry *space = space_new(t, pid, NULL, time_ns);
	space->s.from_exec = true;
	return space;
}

/* A new program: one thread, under the process's number, in a fresh space. The kernel tells of the
 * program before it tells of its mappings. */
static void start_program(struct task_table *t, struct thread_entry *e, const char *comm,
			  uint64_t time_ns)
{
	if (e->t.space && e->t.space->users > 1)
		thread_finish_process(t, e->t.pid, e, time_ns);
	e->t.is_kernel = false;
	thread_new_row(t, e, comm, program_space(t, e->t.pid, time_ns), time_ns);
}

void task_comm(struct task_table *t, uint32_t pid, uint32_t tid, const char *comm, bool is_exec,
	       uint64_t time_ns)
{
	struct thread_entry *e = thread_lookup(t, tid);

	if ((is_outdated(e, time_ns) && e->t.comm[0]) || pid == PID_GONE || is_outside(t, pid))
		return;
	/* After an exec by another thread the ended leader's number is in use again. */
	if (is_exec && e && e->t.exited && e->t.pid == pid) {
		struct task_thread row = e->t;
		row.exited = row.from_proc = false;
		row.start_ns = time_ns;
		thread_finish_process(t, pid, NULL, time_ns);
		snprintf(row.comm, sizeof(row.comm), "%s", comm);
		row.exact = 0;
		row.is_kernel = false;
		thread_start(t, &row, program_space(t, pid, time_ns));
		return;
	}
	e = find(t, pid, tid, time_ns);
	if (is_exec)
		start_program(t, e, comm, time_ns);
	else if (strncmp(e->t.comm, comm, sizeof(e->t.comm) - 1) != 0)
		thread_new_row(t, e, comm, e->t.space ? space_entry_of(e->t.space) : NULL, time_ns);
}

static void lay(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
		const struct task_map_info *info, uint64_t time_ns)
{
	space_map(t, s, m, time_ns);
	if (!info->from_proc)
		shared_map(t, s, m, time_ns);
}

static void lay_part(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
		     uint64_t start, uint64_t end, const struct task_map_info *info,
		     uint64_t time_ns)
{
	struct task_mapping part = *m;

	if (start >= end)
		return;
	part.file_offset += start - m->start;
	part.start = start;
	part.end = end;
	lay(t, s, &part, info, time_ns);
}

/* Memory that holds the very bytes of the file that is mapped there stays the file's: programs put
 * their code into huge pages that way. The rest of m is laid over. */
static void lay_what_differs(struct task_table *t, struct space_entry *s, uint32_t pid,
			     const struct task_mapping *m, const struct task_map_info *info,
			     uint64_t time_ns)
{
	uint64_t from = m->start, to;

	for (uint64_t at = from; at < m->end; at = to) {
		const struct task_mapping *old = space_next_mapping(&s->s, at, m->end);
		if (!old)
			break;
		uint64_t start = old->start > m->start ? old->start : m->start;
		to = old->end < m->end ? old->end : m->end;
		if (!module_continues(t, pid, old, start, to))
			continue;
		lay_part(t, s, m, from, start, info, time_ns);
		from = to;
	}
	lay_part(t, s, m, from, m->end, info, time_ns);
}

/* Only executable mappings are kept; others may lie where one was. */
void map_into(struct task_table *t, struct space_entry *s, uint32_t pid,
	      const struct task_map_info *info, uint64_t time_ns)
{
	struct task_mapping m = { .start = info->start,
				  .end = info->start + info->length,
				  .file_offset = info->file_offset };

	if (!info->executable) {
		space_map(t, s, &m, time_ns);
		return;
	}
	m.module = module_for_map(t, s, pid, info, time_ns);
	m.bias = module_bias(m.module, &s->s, info->start, info->length, info->file_offset);
	bool may_be_copy = m.module->kind == MODULE_JIT || (m.module->kind == MODULE_FILE &&
							    !m.module->image && !m.module->refused);
	if (may_be_copy)
		lay_what_differs(t, s, pid, &m, info, time_ns);
	else
		lay(t, s, &m, info, time_ns);
}

/* A recorder tells of a mapping that was there before (without a time), and kernel threads have
 * none: this is a program. Nothing else says so of init, which descends from the kernel's first
 * task, and of everything after it. */
static void become_program(struct task_table *t, uint32_t pid, uint64_t time_ns)
{
	struct space_entry *space = space_of_pid(t, pid);

	if (!space)
		space = space_new(t, pid, NULL, time_ns);
	for (size_t i = 0; i < t->threads.items.len; i++) {
		struct thread_entry *e = t->threads.items.data[i];
		if (!e || e->t.pid != pid || e->t.exited || !e->t.is_kernel)
			continue;
		struct task_thread before = e->t;
		e->t.is_kernel = false;
		thread_new_row(t, e, before.comm, space, before.start_ns);
	}
}

void task_map(struct task_table *t, uint32_t pid, uint32_t tid, const struct task_map_info *m,
	      uint64_t time_ns)
{
	if (pid == PID_GONE || is_outside(t, pid) || m->length == 0 ||
	    m->start + m->length < m->start)
		return;
	const struct thread_entry *e = find(t, pid, tid, time_ns);
	if (time_ns == 0 && e->t.is_kernel && !e->t.exited && pid != 0)
		become_program(t, pid, time_ns);
	if (e->t.space && e->t.space->users > 0)
		map_into(t, space_entry_of(e->t.space), pid, m, time_ns);
}

size_t task_thread_count(const struct task_table *t)
{
	return t->threads.items.len - t->threads.free.len;
}

void task_each_thread(struct task_table *t, void (*each)(void *ctx, struct task_thread *th),
		      void *ctx)
{
	for (size_t i = 0; i < t->threads.items.len; i++) {
		struct thread_entry *e = t->threads.items.data[i];
		if (e && !e->t.exited)
			each(ctx, &e->t);
	}
}
