/*
 * The worker's rings, one per CPU, each held by an event of the worker itself that never fires; the
 * events of the tasks write into them. Draining brings records into time order.
 */
#ifndef PROF_RECORD_RINGS_H
#define PROF_RECORD_RINGS_H

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "event/open.h"
#include "event/order.h"
#include "event/record.h"
#include "event/ring.h"
#include "record/accounts.h"
#include "record/control.h"
#include "record/plan.h"
#include <stdbool.h>
#include <stdint.h>

#define RINGS_SCRATCH_BYTES 65536 /* no record is longer */

struct rings_cpu {
	uint32_t cpu;
	int fd; /* the holder */
	struct ring ring;
	uint8_t *scratch; /* for a record that wraps round */
	/* While rings are read in place: the next record, NULL when there is none. It belongs to
	 * the ring or to scratch, and its space was not given back yet. */
	const void *front;
	size_t front_len, unreleased;
	uint64_t front_ns;
};

struct rings_event { /* one event of a task on a CPU */
	int fd;
	uint32_t event, size_class, tid;
	uint64_t period;
	bool has_fixed_period; /* and may be jittered */
	bool is_member;	       /* only counts, with its leader, which stands before it */
	bool is_group;	       /* the leader of such */
};

/* What the decoder knows as one event. */
struct rings_layout {
	struct record_layout layout;
	uint32_t event; /* the user's, maybe with RINGS_WIDE; UINT32_MAX: only tracks */
};

struct rings {
	VEC(struct rings_cpu) cpus;
	/* READ records of exiting tasks are written by whichever CPU the task exits on, even for an
	 * event that counts on another one. The kernel's bookkeeping of a ring does not stand two
	 * CPUs writing at once: its head stops for ever. So they have rings of their own, where
	 * nothing else can be lost with them. May be empty. */
	VEC(struct rings_cpu) exits;
	VEC(struct rings_event) events;
	struct record_decoder *decoder;
	struct order *order;
	uint64_t ring_bytes; /* per CPU */
	uint64_t broken, undecoded, out_of_order;
	uint64_t until_ns;		  /* older records have all been seen */
	uint64_t last_out_ns;		  /* of what rings_next handed out */
	struct rings_cpu *lent;		  /* its front is with the caller of rings_next */
	VEC(struct rings_layout) layouts; /* by the decoder's event */
	struct hmap forked;		  /* tids with a FORK record, while watch_forks */
	bool watch_forks;
};

/* Map a ring per CPU, halving the size of all where the locked-memory budget is
 * exceeded. */
int rings_open(struct rings *r, const struct plan *plan, struct error *err);
void rings_close(struct rings *r);
/* Take over an opened event: its records go to its CPU's ring. Owns fd from now on, also on
 * failure. */
int rings_add(struct rings *r, int fd, const struct control_event_fd *entry, struct error *err);
/* Wait until a ring wants to be read, or fd (the control socket) is readable (*fd_ready), or the
 * timeout. */
void rings_wait(struct rings *r, int fd, int timeout_ms, bool *fd_ready);
/* Copy all records waiting into the order, and give the rings back to the kernel. For when it may
 * take long until the next look. */
void rings_drain(struct rings *r);
/* While the record that rings_next handed out is worked on and something is waited for: make room
 * in the rings as far as the order may hold more. That record stays valid. */
void rings_keep_up(struct rings *r);
/* Let rings_next read what is waiting in the rings where it lies. */
void rings_look(struct rings *r);
/* Everything that was drained may come out: the recording has ended. */
void rings_flush(struct rings *r);
/* Was a FORK record of this task drained while watch_forks was set? */
bool rings_saw_fork(const struct rings *r, uint32_t tid);
/* The next record in time order, its event translated to the user's. Valid until the next call on
 * r; false must have been returned before another rings_look. */
bool rings_next(struct rings *r, struct record *out);

/* Set in struct record's event when it came from an event on a whole CPU (SIZE_WIDE). */
#define RINGS_WIDE 0x80000000u

/* Go over to the larger stack size wherever one was opened behind the first. False when nowhere. */
bool rings_grow(struct rings *r);

enum rings_action { RINGS_ENABLE, RINGS_DISABLE };

void rings_switch(struct rings *r, uint32_t size_class, enum rings_action action);
/* Shift every fixed period a little, so that sampling never stays in step with the program. */
void rings_jitter(struct rings *r, uint64_t *random_state);

/* Final values. */
struct rings_count {
	uint64_t *totals; /* per event of the user; the caller's, zeroed */
	size_t event_count;
	uint64_t lost_samples, lost_records;
	VEC(struct accounts_root) roots; /* per (task, event) */
};

void rings_count(struct rings *r, struct rings_count *out);

#endif
