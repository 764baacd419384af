/* Threads of processes, CPUs of the machine. */
#include "count/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "event/open.h"
#include "files/files.h"

#define MAX_CPUS 4096

void count_places_release(struct count_places *p)
{
	for (size_t i = 0; i < p->rows.len; i++)
		free(p->rows.data[i].label);
	vec_release(&p->items);
	vec_release(&p->rows);
	vec_release(&p->pids);
}

static void online_cpus(struct event_cpus *cpus)
{
	uint32_t online[MAX_CPUS];
	int count = event_online_cpus(online, MAX_CPUS);

	for (int i = 0; i < count; i++)
		vec_push(&cpus->items, online[i]);
}

static int check_cpus(const struct event_cpus *wanted, const struct event_cpus *online,
		      struct error *err)
{
	for (size_t i = 0; wanted && i < wanted->items.len; i++)
		if (!event_cpus_have(online, wanted->items.data[i]))
			return error_set(err, ERROR_USAGE, "-C: CPU %u is not online",
					 wanted->items.data[i]);
	return 0;
}

static uint32_t row_for(struct count_places *p, enum counter_row_kind kind, uint32_t id)
{
	for (uint32_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].kind == kind && p->rows.data[i].id == id)
			return i;
	struct counter_row row = { .kind = kind, .id = id, .label = NULL };
	row.label = kind == COUNTER_ROW_CPU ? xasprintf("CPU %u", id) : xstrdup("");
	vec_push(&p->rows, row);
	return (uint32_t)p->rows.len - 1;
}

static void add_place(struct count_places *p, const struct count_options *o, pid_t pid, int cpu)
{
	bool by_cpu = o->by == COUNTER_ROW_CPU && cpu >= 0;
	struct count_place at = { .pid = pid, .cpu = cpu };

	at.row = row_for(p, by_cpu ? COUNTER_ROW_CPU : COUNTER_ROW_ALL, by_cpu ? (uint32_t)cpu : 0);
	vec_push(&p->items, at);
}

/* A task everywhere, or on each of some CPUs. */
static void add_task(struct count_places *p, const struct count_options *o,
		     const struct event_cpus *online, pid_t tid)
{
	const struct event_cpus *cpus = o->cpus ? o->cpus : online;

	if (!o->cpus && o->by != COUNTER_ROW_CPU) {
		add_place(p, o, tid, -1);
		return;
	}
	for (size_t i = 0; i < cpus->items.len; i++)
		add_place(p, o, tid, (int)cpus->items.data[i]);
}

/* ---- processes that run ---- */

struct scan {
	struct files *files;
	struct hmap tids, pids;
	VEC(pid_t) fresh;
};

static void scan_threads(struct scan *s, pid_t pid)
{
	struct bytes tids = { 0 };

	if (files_read_proc(s->files, FILES_PROC_TASKS, pid, 0, &tids, NULL) == 0) {
		for (size_t i = 0; i + 4 <= tids.len; i += 4) {
			uint32_t tid;
			memcpy(&tid, tids.data + i, 4);
			if (hmap_get(&s->tids, tid) == HMAP_NONE)
				vec_push(&s->fresh, (pid_t)tid);
			hmap_put(&s->tids, tid, 1);
		}
	}
	bytes_release(&tids);
}

static void add_process(struct count_places *p, struct scan *s, pid_t pid)
{
	if (hmap_get(&s->pids, (uint64_t)pid) != HMAP_NONE)
		return;
	hmap_put(&s->pids, (uint64_t)pid, 1);
	vec_push(&p->pids, pid);
}

static void add_children(struct count_places *p, struct scan *s, pid_t pid)
{
	struct bytes children = { 0 };

	if (files_read_proc(s->files, FILES_PROC_CHILDREN, pid, 0, &children, NULL) == 0) {
		for (size_t i = 0; i + 4 <= children.len; i += 4) {
			uint32_t child;
			memcpy(&child, children.data + i, 4);
			add_process(p, s, (pid_t)child);
		}
	}
	bytes_release(&children);
}

static int check_exists(struct files *files, pid_t pid, const char *what, struct error *err)
{
	struct bytes status = { 0 };
	int result = files_read_proc(files, FILES_PROC_STATUS, pid, 0, &status, NULL);

	bytes_release(&status);
	if (result < 0)
		return error_set(err, ERROR_NOT_FOUND, "no %s %d (it may have ended)", what,
				 (int)pid);
	return 0;
}

/* With what they have started, as later children are counted too. */
static int find_processes(struct count_places *p, const struct count_options *o, struct scan *s,
			  struct error *err)
{
	for (size_t i = 0; i < o->pid_count; i++) {
		if (check_exists(s->files, o->pids[i], "process", err) < 0)
			return -1;
		add_process(p, s, o->pids[i]);
	}
	for (size_t i = 0; i < p->pids.len; i++) {
		if (!o->no_inherit)
			add_children(p, s, p->pids.data[i]);
		scan_threads(s, p->pids.data[i]);
	}
	return 0;
}

static int find_tasks(struct count_places *p, const struct count_options *o,
		      const struct event_cpus *online, struct scan *s, struct error *err)
{
	if (find_processes(p, o, s, err) < 0)
		return -1;
	for (size_t i = 0; i < o->tid_count; i++) {
		if (check_exists(s->files, o->tids[i], "thread", err) < 0)
			return -1;
		vec_push(&s->fresh, o->tids[i]);
		vec_push(&p->pids, o->tids[i]);
	}
	for (size_t i = 0; i < s->fresh.len; i++)
		add_task(p, o, online, s->fresh.data[i]);
	return 0;
}

static int find_running(struct count_places *p, const struct count_options *o,
			const struct event_cpus *online, struct error *err)
{
	struct scan s = { .files = files_direct_new() };
	int result = find_tasks(p, o, online, &s, err);

	hmap_release(&s.tids);
	hmap_release(&s.pids);
	vec_release(&s.fresh);
	files_free(s.files);
	return result;
}

static int find_on(struct count_places *p, const struct count_options *o, pid_t command,
		   const struct event_cpus *online, struct error *err)
{
	bool whole = o->system_wide || (!command && !o->pid_count && !o->tid_count);
	const struct event_cpus *cpus = o->cpus ? o->cpus : online;

	if (check_cpus(o->cpus, online, err) < 0)
		return -1;
	for (size_t i = 0; whole && i < cpus->items.len; i++)
		add_place(p, o, -1, (int)cpus->items.data[i]);
	if (whole)
		return 0;
	if (!command)
		return find_running(p, o, online, err);
	add_task(p, o, online, command);
	return 0;
}

int count_places_find(struct count_places *p, const struct count_options *o, pid_t command,
		      struct error *err)
{
	struct event_cpus online = { 0 };

	online_cpus(&online);
	int result = find_on(p, o, command, &online, err);
	event_cpus_release(&online);
	return result;
}
