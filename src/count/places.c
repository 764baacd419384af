/* Threads of processes, CPUs of the machine. */
#include "count/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "count/topology.h"
#include "event/open.h"
#include "files/files.h"
#include "files/proc_maps.h"

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

/* What places are told apart by, and of what CPUs there are. */
struct finding {
	struct count_places *places;
	const struct count_options *options;
	struct event_cpus online;
	struct count_topology topology;
};

static bool is_by_cpu(const struct count_options *o)
{
	return o->by == COUNTER_ROW_CPU || o->by == COUNTER_ROW_CORE ||
	       o->by == COUNTER_ROW_SOCKET || o->by == COUNTER_ROW_TYPE;
}

/* Takes the row's label. */
static uint32_t row_for(struct count_places *p, struct counter_row row)
{
	for (uint32_t i = 0; i < p->rows.len; i++) {
		const struct counter_row *r = &p->rows.data[i];
		if (r->kind == row.kind && r->id == row.id && r->id2 == row.id2) {
			free(row.label);
			return i;
		}
	}
	vec_push(&p->rows, row);
	return (uint32_t)p->rows.len - 1;
}

static struct counter_row thread_row(pid_t tid, pid_t pid, const char *name)
{
	return (struct counter_row){ COUNTER_ROW_THREAD, (uint32_t)tid, (uint32_t)pid,
				     xstrdup(name) };
}

static void add_place(struct finding *f, pid_t pid, int cpu, uint32_t row)
{
	struct count_place at = { .pid = pid, .cpu = cpu, .row = row };

	if (is_by_cpu(f->options))
		at.row = row_for(f->places,
				 count_topology_row(&f->topology, f->options->by, (uint32_t)cpu));
	vec_push(&f->places->items, at);
}

static uint32_t row_of_all(struct finding *f)
{
	struct counter_row all = { .kind = COUNTER_ROW_ALL, .label = xstrdup("") };

	if (!is_by_cpu(f->options))
		return row_for(f->places, all);
	free(all.label);
	return 0;
}

static void add_on_each_cpu(struct finding *f, pid_t tid, uint32_t row)
{
	const struct event_cpus *cpus = f->options->cpus ? f->options->cpus : &f->online;

	for (size_t i = 0; i < cpus->items.len; i++)
		add_place(f, tid, (int)cpus->items.data[i], row);
}

/* A task everywhere, or on each of some CPUs. */
static void add_task(struct finding *f, pid_t tid, uint32_t row)
{
	if (f->options->cpus || is_by_cpu(f->options))
		add_on_each_cpu(f, tid, row);
	else
		add_place(f, tid, -1, row);
}

/* ---- processes that run ---- */

struct found {
	pid_t tid, pid;
};

struct scan {
	struct files *files;
	struct hmap tids, pids;
	VEC(struct found) fresh;
};

static void scan_threads(struct scan *s, pid_t pid)
{
	struct bytes tids = { 0 };

	if (files_read_proc(s->files, FILES_PROC_TASKS, pid, 0, &tids, NULL) == 0) {
		for (size_t i = 0; i + 4 <= tids.len; i += 4) {
			uint32_t tid;
			memcpy(&tid, tids.data + i, 4);
			struct found found = { (pid_t)tid, pid };
			if (hmap_get(&s->tids, tid) == HMAP_NONE)
				vec_push(&s->fresh, found);
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

static pid_t process_of(struct files *files, pid_t tid)
{
	struct bytes text = { 0 };
	struct proc_status status;
	pid_t pid = tid;

	if (files_read_proc(files, FILES_PROC_STATUS, tid, 0, &text, NULL) == 0 &&
	    proc_status_parse((const char *)text.data, text.len, &status))
		pid = (pid_t)status.tgid;
	bytes_release(&text);
	return pid;
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

/* "worker" of /proc/PID/task/TID/comm; the caller's. */
static char *thread_name(struct files *files, pid_t tid)
{
	struct bytes comm = { 0 };
	char *name;

	files_read_proc(files, FILES_PROC_COMM, tid, 0, &comm, NULL);
	name = xstrndup(comm.len ? (const char *)comm.data : "", comm.len);
	name[strcspn(name, "\n")] = '\0';
	bytes_release(&comm);
	return name;
}

static void add_found(struct finding *f, struct scan *s, size_t i)
{
	pid_t tid = s->fresh.data[i].tid;
	uint32_t row;

	if (f->options->by == COUNTER_ROW_THREAD) {
		CLEANUP_FREE char *name = thread_name(s->files, tid);
		row = row_for(f->places, thread_row(tid, s->fresh.data[i].pid, name));
	} else {
		row = row_of_all(f);
	}
	add_task(f, tid, row);
}

static int find_tasks(struct finding *f, struct scan *s, struct error *err)
{
	const struct count_options *o = f->options;

	if (find_processes(f->places, o, s, err) < 0)
		return -1;
	for (size_t i = 0; i < o->tid_count; i++) {
		if (check_exists(s->files, o->tids[i], "thread", err) < 0)
			return -1;
		struct found found = { o->tids[i], process_of(s->files, o->tids[i]) };
		vec_push(&s->fresh, found);
		vec_push(&f->places->pids, o->tids[i]);
	}
	for (size_t i = 0; i < s->fresh.len; i++)
		add_found(f, s, i);
	return 0;
}

static int find_running(struct finding *f, struct error *err)
{
	struct scan s = { .files = files_direct_new() };
	int result = find_tasks(f, &s, err);

	hmap_release(&s.tids);
	hmap_release(&s.pids);
	vec_release(&s.fresh);
	files_free(s.files);
	return result;
}

/* "voluntary_ctxt_switches:\t12"; the text ends in NUL. */
static bool add_switches(const char *text, const char *key, uint64_t *sum)
{
	const char *at = strstr(text, key);

	if (at)
		*sum += strtoull(at + strlen(key), NULL, 10);
	return at != NULL;
}

static bool add_switches_of(struct files *files, pid_t tid, uint64_t *sum)
{
	struct bytes text = { 0 };
	bool ok = files_read_proc(files, FILES_PROC_STATUS, tid, 0, &text, NULL) == 0;

	bytes_u8(&text, 0);
	ok = ok && add_switches((const char *)text.data, "\nvoluntary_ctxt_switches:", sum) &&
	     add_switches((const char *)text.data, "\nnonvoluntary_ctxt_switches:", sum);
	bytes_release(&text);
	return ok;
}

bool count_places_switches(const struct count_places *p, uint64_t *switches)
{
	struct files *files = files_direct_new();
	bool ok = p->items.len > 0;

	*switches = 0;
	for (size_t i = 0; ok && i < p->items.len; i++)
		ok = p->items.data[i].pid > 0 &&
		     add_switches_of(files, p->items.data[i].pid, switches);
	files_free(files);
	return ok;
}

size_t count_places_began(const struct count_places *p)
{
	struct scan s = { .files = files_direct_new() };

	for (size_t i = 0; i < p->items.len; i++)
		hmap_put(&s.tids, (uint64_t)p->items.data[i].pid, 1);
	for (size_t i = 0; i < p->pids.len; i++)
		scan_threads(&s, p->pids.data[i]);
	size_t began = s.fresh.len;
	hmap_release(&s.tids);
	vec_release(&s.fresh);
	files_free(s.files);
	return began;
}

static int find_on(struct finding *f, pid_t command, struct error *err)
{
	const struct count_options *o = f->options;
	bool whole = o->system_wide || (!command && !o->pid_count && !o->tid_count);
	const struct event_cpus *cpus = o->cpus ? o->cpus : &f->online;

	if (check_cpus(o->cpus, &f->online, err) < 0)
		return -1;
	for (size_t i = 0; whole && i < cpus->items.len; i++)
		add_place(f, -1, (int)cpus->items.data[i], row_of_all(f));
	if (whole)
		return 0;
	if (!command)
		return find_running(f, err);
	if (o->by == COUNTER_ROW_THREAD)
		add_on_each_cpu(f, command, row_for(f->places, thread_row(command, command, "")));
	else
		add_task(f, command, row_of_all(f));
	return 0;
}

int count_places_find(struct count_places *p, const struct count_options *o, pid_t command,
		      struct error *err)
{
	struct finding f = { .places = p, .options = o };

	online_cpus(&f.online);
	if (is_by_cpu(o))
		count_topology_read(&f.topology, "/sys", &f.online);
	int result = find_on(&f, command, err);
	event_cpus_release(&f.online);
	count_topology_release(&f.topology);
	return result;
}
