/* Living processes as /proc shows them: their threads, mappings and children. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/proc_maps.h"
#include "task/task_internal.h"

#define MAX_PROCESSES ((size_t)1 << 18) /* of one recursion */

bool process_status(struct task_table *t, uint32_t pid, uint32_t tid, struct proc_status *out)
{
	struct bytes text = { 0 };

	if (!t->files || t->replay)
		return false;
	bool ok = files_read_proc(t->files, FILES_PROC_STATUS, (pid_t)pid, (pid_t)tid, &text,
				  NULL) == 0 &&
		  proc_status_parse((const char *)text.data, text.len, out) && out->tgid == pid;
	bytes_release(&text);
	return ok;
}

static bool is_ending(const struct proc_status *status)
{
	return status->state == 'Z' || status->state == 'X';
}

/* One thread of a process whose space is known; NULL space for a kernel thread. */
static void add_thread(struct task_table *t, uint32_t pid, uint32_t tid, struct space_entry *space,
		       uint64_t time_ns)
{
	const struct thread_entry *known = thread_lookup(t, tid);
	struct proc_status status;

	if (known && known->t.pid == pid && !known->t.exited)
		return;
	if (!process_status(t, pid, tid, &status) || is_ending(&status))
		return;
	if (known && !known->t.exited)
		thread_finish(t, thread_lookup(t, tid), time_ns);
	struct task_thread row = { .pid = pid,
				   .tid = tid,
				   .parent_pid = status.ppid,
				   .start_ns = time_ns,
				   .is_kernel = space == NULL,
				   .foreign_pidns = status.ns_levels > 1,
				   .from_proc = true };
	snprintf(row.comm, sizeof(row.comm), "%s", status.name);
	thread_start(t, &row, space);
}

static void add_mapping(struct task_table *t, struct space_entry *s, const struct proc_map *m,
			uint64_t time_ns)
{
	char *path = xasprintf("%.*s%s", (int)m->path_len, m->path, m->deleted ? " (deleted)" : "");
	struct task_map_info info = { .start = m->start,
				      .length = m->end - m->start,
				      .file_offset = m->file_offset,
				      .path = path,
				      .dev_major = m->dev_major,
				      .dev_minor = m->dev_minor,
				      .inode = m->inode,
				      .executable = true,
				      .from_proc = true };

	map_into(t, s, s->s.pid, &info, time_ns);
	free(path);
}

static void add_mappings(struct task_table *t, struct space_entry *s, uint64_t time_ns)
{
	struct bytes text = { 0 };
	struct proc_map m;
	size_t pos = 0;

	if (files_read_proc(t->files, FILES_PROC_MAPS, (pid_t)s->s.pid, 0, &text, NULL) == 0)
		while (proc_maps_next((const char *)text.data, text.len, &pos, &m))
			if (m.executable)
				add_mapping(t, s, &m, time_ns);
	bytes_release(&text);
}

static void add_threads(struct task_table *t, uint32_t pid, struct space_entry *space,
			uint64_t time_ns)
{
	struct bytes tids = { 0 };
	struct bytes_reader r;

	files_read_proc(t->files, FILES_PROC_TASKS, (pid_t)pid, 0, &tids, NULL);
	reader_init(&r, tids.data, tids.len);
	while (reader_left(&r) >= 4)
		add_thread(t, pid, reader_u32(&r), space, time_ns);
	bytes_release(&tids);
}

static int read_one(struct task_table *t, uint32_t pid, uint64_t time_ns, struct error *err)
{
	struct proc_status status;
	struct space_entry *space = space_of_pid(t, pid);

	if (!process_status(t, pid, 0, &status))
		return error_set(err, ERROR_NOT_FOUND, "no process %u", pid);
	bool is_new = !space && !status.is_kernel_thread;
	if (is_new) {
		space = space_new(t, pid, NULL, time_ns);
		space_add_user(space); /* until its threads are there */
	}
	add_threads(t, pid, space, time_ns);
	if (space && space->s.start_ns <= time_ns)
		add_mappings(t, space, time_ns);
	if (is_new) {
		space_drop_user(t, space, time_ns);
		space_drop_ref(t, space);
	}
	return 0;
}

static void append_children(struct task_table *t, uint32_t pid, struct bytes *out)
{
	size_t before = out->len;

	if (files_read_proc(t->files, FILES_PROC_CHILDREN, (pid_t)pid, 0, out, NULL) < 0)
		out->len = before;
}

int task_read_proc(struct task_table *t, uint32_t pid, bool recurse, uint64_t time_ns,
		   struct error *err)
{
	struct bytes queue = { 0 };
	struct hmap seen = { 0 };

	if (!t->files || t->replay)
		return error_set(err, ERROR_UNSUPPORTED, "no process is looked up in a replay");
	if (read_one(t, pid, time_ns, err) < 0)
		return -1;
	hmap_put(&seen, pid, 1);
	if (recurse)
		append_children(t, pid, &queue);
	for (size_t pos = 0; pos + 4 <= queue.len && seen.len < MAX_PROCESSES; pos += 4) {
		struct bytes_reader r;
		reader_init(&r, queue.data + pos, 4);
		uint32_t child = reader_u32(&r);
		if (hmap_get(&seen, child) != HMAP_NONE)
			continue;
		hmap_put(&seen, child, 1);
		if (read_one(t, child, time_ns, NULL) == 0) /* it may just have ended */
			append_children(t, child, &queue);
	}
	bytes_release(&queue);
	hmap_release(&seen);
	return 0;
}
