/* Threads by tid, their rows and their ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/task_internal.h"

uint32_t slots_add(struct slots *s, void *item)
{
	if (s->free.len > 0) {
		uint32_t i = s->free.data[--s->free.len];
		s->items.data[i] = item;
		return i;
	}
	vec_push(&s->items, item);
	return (uint32_t)(s->items.len - 1);
}

void slots_remove(struct slots *s, uint32_t i)
{
	s->items.data[i] = NULL;
	vec_push(&s->free, i);
}

void slots_release(struct slots *s)
{
	vec_release(&s->items);
	vec_release(&s->free);
}

struct thread_entry *thread_lookup(const struct task_table *t, uint32_t tid)
{
	uint32_t slot = hmap_get(&t->by_tid, tid);

	return slot == HMAP_NONE ? NULL : t->threads.items.data[slot];
}

static void emit_row(struct task_table *t, const struct thread_entry *e)
{
	if (t->events.thread_row)
		t->events.thread_row(t->events.ctx, &e->t);
}

static void emit_end(struct task_table *t, const struct thread_entry *e, uint64_t time_ns)
{
	if (t->events.thread_end)
		t->events.thread_end(t->events.ctx, &e->t, time_ns);
}

/* Only a damaged or hostile recording comes here. */
static void make_room(struct task_table *t, uint64_t time_ns)
{
	for (size_t i = 0; i < t->threads.items.len && t->living >= MAX_LIVING_THREADS; i++) {
		struct thread_entry *e = t->threads.items.data[i];
		if (e && !e->t.exited)
			thread_finish(t, e, time_ns);
	}
}

struct thread_entry *thread_start(struct task_table *t, const struct task_thread *row,
				  struct space_entry *space)
{
	struct thread_entry *e = xcalloc(1, sizeof(*e));

	if (space)
		space_add_user(space);
	make_room(t, row->start_ns);
	e->t = *row;
	e->t.id = t->next_thread_id++;
	e->t.space = space ? &space->s : NULL;
	e->slot = slots_add(&t->threads, e);
	hmap_put(&t->by_tid, row->tid, e->slot);
	t->living++;
	emit_row(t, e);
	return e;
}

static void forget(struct task_table *t, struct thread_entry *e)
{
	if (hmap_get(&t->by_tid, e->t.tid) == e->slot)
		hmap_remove(&t->by_tid, e->t.tid);
	slots_remove(&t->threads, e->slot);
	if (e->t.space)
		space_drop_ref(t, space_entry_of(e->t.space));
	free(e);
}

/* Keeps the list short without moving it at every end. */
static void forget_oldest(struct task_table *t)
{
	forget(t, t->ended.data[t->ended_first++]);
	if (t->ended_first < MAX_ENDED_THREADS)
		return;
	t->ended.len -= t->ended_first;
	memmove(t->ended.data, t->ended.data + t->ended_first,
		t->ended.len * sizeof(*t->ended.data));
	t->ended_first = 0;
}

void thread_finish(struct task_table *t, struct thread_entry *e, uint64_t time_ns)
{
	emit_end(t, e, time_ns);
	e->t.exited = true;
	e->exit_ns = time_ns;
	t->living--;
	vec_push(&t->ended, e);
	if (e->t.space)
		space_drop_user(t, space_entry_of(e->t.space), time_ns);
	if (t->ended.len - t->ended_first > MAX_ENDED_THREADS)
		forget_oldest(t);
}

void thread_finish_process(struct task_table *t, uint32_t pid, const struct thread_entry *but,
			   uint64_t time_ns)
{
	for (size_t i = 0; i < t->threads.items.len; i++) {
		struct thread_entry *e = t->threads.items.data[i];
		if (e && e != but && e->t.pid == pid && !e->t.exited)
			thread_finish(t, e, time_ns);
	}
}

void thread_new_row(struct task_table *t, struct thread_entry *e, const char *comm,
		    struct space_entry *space, uint64_t time_ns)
{
	struct space_entry *old = e->t.space ? space_entry_of(e->t.space) : NULL;

	emit_end(t, e, time_ns);
	if (space != old) {
		if (space)
			space_add_user(space);
		e->t.space = space ? &space->s : NULL;
		if (old) {
			space_drop_user(t, old, time_ns);
			space_drop_ref(t, old);
		}
	}
	snprintf(e->t.comm, sizeof(e->t.comm), "%s", comm);
	e->t.id = t->next_thread_id++;
	e->t.start_ns = time_ns;
	emit_row(t, e);
}

void threads_release(struct task_table *t)
{
	for (size_t i = 0; i < t->threads.items.len; i++)
		free(t->threads.items.data[i]);
	slots_release(&t->threads);
	vec_release(&t->ended);
	hmap_release(&t->by_tid);
}
