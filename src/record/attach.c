/*
 * Attaching to running processes without stopping them: open events on every thread, then look
 * again. A thread that appeared meanwhile is either a child of one that had its events already
 * (inherited, and the worker has its FORK record) or must be opened too. Done when a look finds
 * nothing that is not covered.
 */
#include "base/hash.h"
#include "files/files.h"
#include "files/proc_maps.h"
#include "record/broker.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_PASSES   100
#define MANY_THREADS 64 /* opening an event waits for a running thread: beyond this, one each */

static void list_threads(struct files *files, pid_t pid, struct hmap *known, struct bytes *fresh)
{
	struct bytes tids = { 0 };
	if (files_read_proc(files, FILES_PROC_TASKS, pid, 0, &tids, NULL) == 0) {
		for (size_t i = 0; i + 4 <= tids.len; i += 4) {
			uint32_t tid;
			memcpy(&tid, tids.data + i, 4);
			if (hmap_get(known, tid) == HMAP_NONE)
				bytes_append(fresh, &tid, 4);
			hmap_put(known, tid, 1);
		}
	}
	bytes_release(&tids);
}

/* Of these tids, those the worker has no FORK record of. */
static int ask_uncovered(struct broker *b, struct bytes *tids, struct error *err)
{
	struct bytes uncovered = { 0 };
	for (size_t at = 0; at < tids->len;) {
		union control_message m = { .tids = { .kind = CONTROL_TIDS } };
		size_t n = (tids->len - at) / 4;
		m.tids.count = n < CONTROL_MAX_TIDS ? (uint32_t)n : CONTROL_MAX_TIDS;
		memcpy(m.tids.tids, tids->data + at, 4 * (size_t)m.tids.count);
		at += 4 * (size_t)m.tids.count;
		if (control_send(b->control, &m, sizeof(m.tids), NULL, 0, err) < 0 ||
		    broker_wait_for(b, CONTROL_UNKNOWN_TIDS, &m, err) < 0) {
			bytes_release(&uncovered);
			return -1;
		}
		bytes_append(&uncovered, m.tids.tids, 4 * (size_t)m.tids.count);
	}
	bytes_release(tids);
	*tids = uncovered;
	return 0;
}

static bool task_is_alive(pid_t tid)
{
	return kill(tid, 0) == 0 || errno == EPERM;
}

static int explain_limit(struct error *err)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	error_clear(err);
	return error_set(
		err, ERROR_LIMIT,
		"too many threads for %llu open files: raise it with ulimit -n (or as root record -a)",
		(unsigned long long)limit.rlim_max);
}

static int open_tids(struct broker *b, const struct bytes *tids, size_t *opened, struct error *err)
{
	for (size_t i = 0; i + 4 <= tids->len; i += 4) {
		uint32_t tid;
		struct error why = { 0 };
		memcpy(&tid, tids->data + i, 4);
		if (broker_open_task(b, (pid_t)tid, &why) == 0) {
			++*opened;
		} else if (why.errnum == EMFILE || why.errnum == ENFILE) {
			return explain_limit(err);
		} else if (why.errnum != ESRCH && task_is_alive((pid_t)tid)) {
			if (err)
				*err = why;
			return -1;
		}
	}
	return 0;
}

static void add_processes(struct broker *b, const struct bytes *pids, struct hmap *seen)
{
	for (size_t k = 0; k + 4 <= pids->len; k += 4) {
		uint32_t pid;
		memcpy(&pid, pids->data + k, 4);
		if (hmap_get(seen, pid) == HMAP_NONE)
			vec_push(&b->pids, (pid_t)pid);
		hmap_put(seen, pid, 1);
	}
}

/* Descendants that run already: recorded like the process itself. */
static void add_children(struct files *files, struct broker *b, struct hmap *seen)
{
	for (size_t i = 0; i < b->pids.len; i++) {
		struct bytes children = { 0 };
		if (files_read_proc(files, FILES_PROC_CHILDREN, b->pids.data[i], 0, &children,
				    NULL) == 0)
			add_processes(b, &children, seen);
		bytes_release(&children);
	}
}

/* Every thread of b->pids, until a pass finds nothing that is not covered. */
static int attach_threads(struct broker *b, struct files *files, struct hmap *known, size_t *opened,
			  struct error *err)
{
	struct hmap seen = { 0 };
	int result = 0;
	for (size_t i = 0; i < b->pids.len; i++)
		hmap_put(&seen, (uint64_t)b->pids.data[i], 1);
	for (int pass = 0; pass < MAX_PASSES && result == 0; pass++) {
		struct bytes fresh = { 0 };
		add_children(files, b, &seen);
		for (size_t i = 0; i < b->pids.len; i++)
			list_threads(files, b->pids.data[i], known, &fresh);
		if (pass > 0)
			result = ask_uncovered(b, &fresh, err);
		size_t left = fresh.len;
		if (result == 0)
			result = open_tids(b, &fresh, opened, err);
		if (result == 0)
			result = broker_flush_events(b, err);
		bytes_release(&fresh);
		if (left == 0)
			break;
	}
	hmap_release(&seen);
	return result;
}

/*
 * One descriptor per (thread, CPU) and stack size is what an ordinary attach costs. Where that is
 * more than this process may hold, the larger stack size goes first; then events on whole CPUs
 * whose samples are filtered, where that is permitted.
 */
static int plan_descriptors(struct broker *b, struct files *files, struct error *err)
{
	struct hmap known = { 0 }, seen = { 0 };
	struct bytes tids = { 0 };
	struct rlimit limit;
	add_children(files, b, &seen);
	for (size_t i = 0; i < b->pids.len; i++)
		list_threads(files, b->pids.data[i], &known, &tids);
	uint64_t each = b->plan->cpu_count * b->plan->events.items.len;
	uint64_t tids_count = tids.len / 4;
	uint64_t need = (tids_count + 16) * each; /* some may still be started */
	hmap_release(&known);
	hmap_release(&seen);
	bytes_release(&tids);
	getrlimit(RLIMIT_NOFILE, &limit);
	uint64_t have = limit.rlim_cur > 64 ? limit.rlim_cur - 64 : 0;
	if (4 * need > have || tids_count > MANY_THREADS) {
		b->plan->stack_bytes[1] = 0;
		b->plan->count_exits = false;
		b->plan->track_apart = false; /* nothing is switched off then */
	}
	if (need <= have)
		return 0;
	if (!b->plan->limits.may_system_wide)
		return explain_limit(err);
	plan_note(
		b->plan,
		"too many threads for one event each: events on whole CPUs, other processes left out");
	b->plan->system_wide = true;
	b->filtered = true;
	return 0;
}

static void know_children(struct broker *b, struct files *files)
{
	struct hmap seen = { 0 };
	for (size_t i = 0; i < b->pids.len; i++)
		hmap_put(&seen, (uint64_t)b->pids.data[i], 1);
	add_children(files, b, &seen);
	hmap_release(&seen);
}

static int check_target(struct files *files, pid_t pid, struct error *err)
{
	struct bytes status = { 0 };
	int result = files_read_proc(files, FILES_PROC_STATUS, pid, 0, &status, NULL);
	bytes_release(&status);
	if (result < 0)
		return error_set(err, ERROR_NOT_FOUND, "no process %d (it may have ended)",
				 (int)pid);
	return 0;
}

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static pid_t process_of_thread(struct files *files, pid_t tid)
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

static int attach_processes(struct broker *b, struct files *files, size_t *opened,
			    struct error *err)
{
	struct hmap known = { 0 };
	for (size_t i = 0; i < b->options->pid_count; i++) {
		if (check_target(files, b->options->pids[i], err) < 0)
			return -1;
		vec_push(&b->pids, b->options->pids[i]);
	}
	if (b->pids.len == 0)
		return 0;
	if (b->filtered)
		know_children(b, files);
	else if (plan_descriptors(b, files, err) < 0)
		return -1;
	if (b->filtered) {
		*opened = 1;
		return broker_open_task(b, -1, err);
	}
	int result = attach_threads(b, files, &known, opened, err);
	hmap_release(&known);
	return result;
}

static int attach_single_threads(struct broker *b, struct files *files, size_t *opened,
				 struct error *err)
{
	for (size_t i = 0; i < b->options->tid_count; i++) {
		uint32_t tid = (uint32_t)b->options->tids[i];
		struct bytes one = { .data = (uint8_t *)&tid, .len = 4 };
		if (check_target(files, b->options->tids[i], err) < 0 ||
		    open_tids(b, &one, opened, err) < 0)
			return -1;
		vec_push(&b->pids, process_of_thread(files, b->options->tids[i]));
	}
	return 0;
}

static int attach_to(struct broker *b, struct files *files, struct error *err)
{
	size_t opened = 0;
	if (attach_processes(b, files, &opened, err) < 0 ||
	    attach_single_threads(b, files, &opened, err) < 0 || broker_flush_events(b, err) < 0)
		return -1;
	if (!opened)
		return error_set(err, ERROR_NOT_FOUND,
				 "the process ended before it could be recorded");
	return 0;
}

int broker_attach(struct broker *b, struct error *err)
{
	int result = attach_to(b, b->direct, err);
	for (size_t i = 0; i < b->pids.len; i++) {
		int fd = open_pidfd(b->pids.data[i]);
		vec_push(&b->pid_fds, fd);
	}
	return result;
}
