/* Rings of READ, COMM and FORK records, and the rows that come of them. */
#include "count/perf_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "event/open.h"
#include "event/ring.h"

#define RING_PAGES    128 /* with 4 kB pages what an ordinary user may lock for each CPU */
#define SCRATCH_BYTES 65536
#define NAME_BYTES    16 /* of a task's name, as in the kernel */

struct task_name {
	char text[NAME_BYTES];
};

/* What is kept of a record until those of all rings are in order. */
struct note {
	uint64_t time_ns;
	uint8_t kind;
	uint32_t tid, pid, parent, slot;
	uint64_t value, running_ns;
	struct task_name name;
};

struct part { /* of a thread, in one slot */
	uint64_t value, running_ns;
};

struct thread {
	uint32_t tid, pid;
	struct task_name name;
	uint32_t records;   /* READ records: one for each counter when none is missing */
	uint64_t due_ns;    /* on CPUs, as the dummies ran */
	struct part *parts; /* owned; per slot */
};

struct perf_threads {
	struct record_decoder *decoder;
	uint32_t first_tid, slots, counters;
	VEC(struct ring) rings;
	int ring_fd;
	struct hmap slot_of_id, name_of_tid, row_of_tid;
	VEC(struct task_name) names;
	VEC(struct note) notes;
	VEC(struct thread) threads;
	uint8_t *scratch;
	uint64_t exits, forks;
};

struct perf_threads *perf_threads_new(pid_t command, const struct record_layout *layout,
				      uint32_t slots)
{
	struct perf_threads *t = xcalloc(1, sizeof(*t));

	t->decoder = record_decoder_new();
	record_decoder_add_event(t->decoder, layout);
	t->first_tid = (uint32_t)command;
	t->slots = slots;
	t->ring_fd = -1;
	t->scratch = xmalloc(SCRATCH_BYTES);
	return t;
}

void perf_threads_free(struct perf_threads *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->rings.len; i++)
		ring_unmap(&t->rings.data[i]);
	for (size_t i = 0; i < t->threads.len; i++)
		free(t->threads.data[i].parts);
	record_decoder_free(t->decoder);
	hmap_release(&t->slot_of_id);
	hmap_release(&t->name_of_tid);
	hmap_release(&t->row_of_tid);
	vec_release(&t->rings);
	vec_release(&t->names);
	vec_release(&t->notes);
	vec_release(&t->threads);
	free(t->scratch);
	free(t);
}

/* ---- opening ---- */

int perf_threads_add_ring(struct perf_threads *t, int fd, struct error *err)
{
	struct error why = { 0 };
	struct ring ring;

	/* Half as much where the budget of locked memory ends. */
	for (size_t pages = RING_PAGES; pages > 0; pages /= 2) {
		error_clear(&why);
		if (ring_map(&ring, fd, pages, &why) == 0) {
			vec_push(&t->rings, ring);
			t->ring_fd = fd;
			return 0;
		}
		if (why.errnum != EPERM && why.errnum != ENOMEM)
			break;
	}
	if (err)
		*err = why;
	return -1;
}

int perf_threads_add_counter(struct perf_threads *t, int fd, uint32_t slot, struct error *err)
{
	uint64_t id;

	if (event_id(fd, &id) < 0 || (fd != t->ring_fd && event_set_output(fd, t->ring_fd) < 0))
		return error_set_errno(err, errno, "cannot count threads apart");
	hmap_put(&t->slot_of_id, id, slot);
	t->counters++;
	return 0;
}

/* ---- records ---- */

static void copy_name(struct task_name *to, const char *from)
{
	size_t len = strnlen(from, NAME_BYTES - 1);

	memcpy(to->text, from, len);
	memset(to->text + len, 0, NAME_BYTES - len);
}

static void keep(struct perf_threads *t, const struct record *r)
{
	struct note n = { .time_ns = r->time_ns, .kind = r->kind, .tid = r->tid, .pid = r->pid };

	switch (r->kind) {
	case RECORD_COMM:
		copy_name(&n.name, r->u.comm.name);
		break;
	case RECORD_FORK:
		t->forks++;
		n.parent = r->u.fork.parent_tid;
		break;
	case RECORD_READ:
		n.slot = hmap_get(&t->slot_of_id, r->id);
		n.value = r->u.read.value;
		n.running_ns = r->u.read.running_ns;
		break;
	case RECORD_EXIT:
		t->exits += r->tid != t->first_tid;
		return;
	default:
		return;
	}
	vec_push(&t->notes, n);
}

void perf_threads_drain(struct perf_threads *t)
{
	for (size_t i = 0; i < t->rings.len; i++) {
		struct ring *ring = &t->rings.data[i];
		const void *bytes;
		size_t len;
		bool broken;
		ring_begin(ring);
		while ((bytes = ring_next(ring, t->scratch, &len, &broken))) {
			struct record r = { .kind = RECORD_OTHER };
			if (record_decode(t->decoder, bytes, len, &r) == 0)
				keep(t, &r);
		}
		ring_release(ring);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void set_name(struct perf_threads *t, uint32_t tid, const struct task_name *name)
{
	uint32_t at = hmap_get(&t->name_of_tid, tid);

	if (at == HMAP_NONE) {
		at = (uint32_t)t->names.len;
		vec_push(&t->names, *name);
		hmap_put(&t->name_of_tid, tid, at);
	}
	t->names.data[at] = *name;
}

static struct task_name name_of(const struct perf_threads *t, uint32_t tid)
{
	uint32_t at = hmap_get(&t->name_of_tid, tid);

	return at == HMAP_NONE ? (struct task_name){ "" } : t->names.data[at];
}

static struct thread *thread_of(struct perf_threads *t, const struct note *n)
{
	uint32_t at = hmap_get(&t->row_of_tid, n->tid);

	if (at != HMAP_NONE)
		return &t->threads.data[at];
	struct thread thread = { .tid = n->tid, .pid = n->pid, .name = name_of(t, n->tid) };
	thread.parts = xcalloc(t->slots + 1, sizeof(*thread.parts));
	hmap_put(&t->row_of_tid, n->tid, (uint32_t)t->threads.len);
	vec_push(&t->threads, thread);
	return &t->threads.data[t->threads.len - 1];
}

static void take_read(struct perf_threads *t, const struct note *n)
{
	struct thread *thread = thread_of(t, n);

	thread->records++;
	if (n->slot == PERF_THREADS_REFERENCE) {
		thread->due_ns += n->running_ns;
	} else if (n->slot < t->slots) {
		thread->parts[n->slot].value += n->value;
		thread->parts[n->slot].running_ns += n->running_ns;
	}
}

/* A number that comes again is another thread. */
static void take_fork(struct perf_threads *t, const struct note *n)
{
	struct task_name name = name_of(t, n->parent);

	hmap_remove(&t->row_of_tid, n->tid);
	set_name(t, n->tid, &name);
}

static void settle(struct perf_threads *t)
{
	if (t->notes.len)
		qsort(t->notes.data, t->notes.len, sizeof(*t->notes.data), by_time);
	for (size_t i = 0; i < t->notes.len; i++) {
		const struct note *n = &t->notes.data[i];
		if (n->kind == RECORD_COMM)
			set_name(t, n->tid, &n->name);
		else if (n->kind == RECORD_FORK)
			take_fork(t, n);
		else if (n->kind == RECORD_READ)
			take_read(t, n);
	}
	vec_clear(&t->notes);
}

/* ---- rows ---- */

static void set_label(struct counter_row *row, const char *name)
{
	free(row->label);
	row->label = xstrdup(name);
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static void tell_part(const struct thread *thread, uint32_t slot, struct counter_reading *first,
		      struct counter_reading *own)
{
	const struct part *part = &thread->parts[slot];

	if (first->state == COUNTER_NOT_SUPPORTED || first->state == COUNTER_REFUSED) {
		own->state = first->state;
		return;
	}
	*own = (struct counter_reading){
		.value = part->value,
		.enabled_ns = thread->due_ns > part->running_ns ? thread->due_ns : part->running_ns,
		.running_ns = part->running_ns,
		.state = COUNTER_COUNTED,
	};
	counter_reading_judge(own);
	first->value = less(first->value, own->value);
	first->running_ns = less(first->running_ns, own->running_ns);
	first->enabled_ns = less(first->enabled_ns, own->enabled_ns);
	if (first->enabled_ns < first->running_ns)
		first->enabled_ns = first->running_ns;
}

void perf_threads_tell_apart(struct perf_threads *t, struct counter_table *table,
			     const ptrdiff_t *column)
{
	perf_threads_drain(t);
	settle(t);
	set_label(&table->rows.data[0], name_of(t, t->first_tid).text);
	for (size_t i = 0; i < t->threads.len; i++) {
		const struct thread *thread = &t->threads.data[i];
		struct counter_row row = { COUNTER_ROW_THREAD, thread->tid, thread->pid,
					   (char *)(uintptr_t)thread->name.text };
		if (i + 1 == table->rows.len)
			counter_table_add_row(table, &row);
		for (uint32_t slot = 0; slot < t->slots; slot++)
			if (column[slot] >= 0)
				tell_part(thread, slot,
					  counter_table_at(table, 0, (size_t)column[slot]),
					  counter_table_at(table, i + 1, (size_t)column[slot]));
	}
}

/*
 * A thread writes its records into every CPU's ring from the CPU it ends on. Nothing in the kernel
 * keeps two CPUs from writing into one ring at the same time, and then one record is overwritten.
 */
uint64_t perf_threads_incomplete(const struct perf_threads *t)
{
	uint64_t complete = 0;

	for (size_t i = 0; i < t->threads.len; i++)
		complete += t->threads.data[i].records >= t->counters;
	/* Any of their records may be the one that is overwritten. */
	uint64_t ended = t->exits > t->threads.len ? t->exits : t->threads.len;
	return (ended > t->forks ? ended : t->forks) - complete;
}
