/*
 * From the rings to records in time order. Samples are read where the kernel wrote them: their
 * stack copies are most of all bytes, and copying them costs as much as unwinding them. What may
 * keep the worker busy for long (a mapping means that a file is opened) has everything that waits
 * copied into the order first, so that the kernel has the whole ring meanwhile; so has a ring that
 * is half full.
 *
 * A record's time is taken before it is written, so one CPU's newest may be visible before an older
 * one of another CPU: only what is HOLD_NS old is handed out.
 */
#include "base/io.h"
#include "record/rings.h"

#define HOLD_NS 5000000u

/* While attaching, threads are told apart by whether they were forked under our eyes. */
static void watch_fork(struct rings *r, const void *bytes, size_t len)
{
	struct record fork;
	if (record_decode(r->decoder, bytes, len, &fork) == 0 && fork.kind == RECORD_FORK)
		hmap_put(&r->forked, fork.tid, 1);
}

/* Copies a record out of the ring; of a stack copy only what the kernel filled. */
static void copy_out(struct rings *r, uint32_t index, const void *bytes, size_t len)
{
	uint64_t time_ns = record_time(r->decoder, bytes, len);
	struct record_trim trim;
	struct order_part parts[ARRAY_LEN(trim.parts)];
	size_t count = record_trim_stack(r->decoder, bytes, len, &trim);
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct order_part){ trim.parts[i].bytes, trim.parts[i].len };
	if (count)
		order_push_parts(r->order, time_ns, index, parts, count);
	else
		order_push(r->order, time_ns, index, bytes, len);
	if (r->watch_forks)
		watch_fork(r, bytes, len);
}

/* The rest of a ring that ring_begin was called for. */
static void drain_rest(struct rings *r, struct rings_cpu *c, uint32_t index)
{
	const void *bytes;
	size_t len, since_release = 0;
	bool broken = false;
	while ((bytes = ring_next(&c->ring, c->scratch, &len, &broken))) {
		copy_out(r, index, bytes, len);
		since_release += len;
		if (since_release > c->ring.data_bytes / 8) {
			ring_release(&c->ring);
			since_release = 0;
		}
	}
	ring_release(&c->ring);
	r->broken += broken;
}

static void drain_exits(struct rings *r)
{
	for (size_t i = 0; i < r->exits.len; i++) {
		ring_begin(&r->exits.data[i].ring);
		drain_rest(r, &r->exits.data[i], (uint32_t)(r->cpus.len + i));
	}
}

/* Before the rings' heads are read. */
static void note_time(struct rings *r)
{
	uint64_t now_ns = clock_monotonic_ns();
	r->until_ns = now_ns > HOLD_NS ? now_ns - HOLD_NS : 0;
	order_free_until(r->order, r->until_ns);
}

void rings_drain(struct rings *r)
{
	note_time(r);
	for (size_t i = 0; i < r->cpus.len; i++) {
		ring_begin(&r->cpus.data[i].ring);
		drain_rest(r, &r->cpus.data[i], (uint32_t)i);
	}
	drain_exits(r);
}

void rings_flush(struct rings *r)
{
	order_flush(r->order);
}

static void take_front(struct rings *r, struct rings_cpu *c)
{
	bool broken = false;
	c->front = ring_next(&c->ring, c->scratch, &c->front_len, &broken);
	r->broken += broken;
	if (!c->front) {
		c->front_len = 0;
		return;
	}
	ring_prefetch(&c->ring, c->front_len);
	uint64_t time_ns = record_time(r->decoder, c->front, c->front_len);
	if (time_ns) /* else as the one before */
		c->front_ns = time_ns;
}

static bool is_pressed(const struct rings *r)
{
	for (size_t i = 0; i < r->cpus.len; i++) {
		const struct ring *ring = &r->cpus.data[i].ring;
		if (ring_pending(ring) > ring->data_bytes / 2)
			return true;
	}
	return false;
}

void rings_look(struct rings *r)
{
	if (is_pressed(r)) {
		rings_drain(r);
		return;
	}
	note_time(r);
	for (size_t i = 0; i < r->cpus.len; i++) {
		struct rings_cpu *c = &r->cpus.data[i];
		ring_begin(&c->ring);
		c->unreleased = 0;
		take_front(r, c);
	}
	drain_exits(r);
}

/* The caller is done with the record it had. */
static void take_back_lent(struct rings *r)
{
	struct rings_cpu *c = r->lent;
	r->lent = NULL;
	if (!c)
		return;
	c->unreleased += c->front_len;
	take_front(r, c);
	if (c->unreleased > c->ring.data_bytes / 8) {
		ring_release_but(&c->ring, c->front_len);
		c->unreleased = 0;
	}
}

/* Copy what is left in the rings. */
static void spill(struct rings *r)
{
	for (size_t i = 0; i < r->cpus.len; i++) {
		struct rings_cpu *c = &r->cpus.data[i];
		if (!c->front)
			continue;
		copy_out(r, (uint32_t)i, c->front, c->front_len);
		c->front = NULL;
		drain_rest(r, c, (uint32_t)i);
	}
}

/* The ring of the record that is with the caller stays as it is, and what counts as old enough: its
 * older records were not all seen. */
void rings_keep_up(struct rings *r)
{
	for (size_t i = 0; i < r->cpus.len && !order_is_full(r->order); i++) {
		struct rings_cpu *c = &r->cpus.data[i];
		if (c == r->lent)
			continue;
		if (c->front)
			copy_out(r, (uint32_t)i, c->front, c->front_len);
		c->front = NULL;
		c->unreleased = 0;
		ring_release(&c->ring);
		ring_begin(&c->ring); /* with what was written meanwhile */
		drain_rest(r, c, (uint32_t)i);
	}
}

/* Leave what is too new in the rings until the next look. */
static void put_back(struct rings *r)
{
	for (size_t i = 0; i < r->cpus.len; i++) {
		struct rings_cpu *c = &r->cpus.data[i];
		ring_release_but(&c->ring, c->front ? c->front_len : 0);
		c->front = NULL;
		c->unreleased = 0;
	}
}

/* The ring whose front is the oldest and may be handed out, or NULL. */
static struct rings_cpu *oldest_front(struct rings *r)
{
	struct rings_cpu *oldest = NULL;
	for (size_t i = 0; i < r->cpus.len; i++) {
		struct rings_cpu *c = &r->cpus.data[i];
		if (c->front && (!oldest || c->front_ns < oldest->front_ns))
			oldest = c;
	}
	return oldest && oldest->front_ns <= r->until_ns ? oldest : NULL;
}

static bool decode(struct rings *r, const void *bytes, size_t len, struct record *out)
{
	if (record_decode(r->decoder, bytes, len, out) == 0)
		return true;
	r->undecoded++;
	return false;
}

static bool takes_long(const struct record *r)
{
	return r->kind == RECORD_MMAP || r->kind == RECORD_COMM;
}

/* The next record of a ring, false when it is no record. */
static bool next_in_ring(struct rings *r, struct rings_cpu *c, struct record *out)
{
	r->lent = c;
	if (!decode(r, c->front, c->front_len, out))
		return false;
	if (takes_long(out)) {
		r->lent = NULL;
		spill(r); /* that record too: it comes out of the order next */
		return false;
	}
	if (!out->time_ns)
		out->time_ns = c->front_ns;
	if (out->cpu == UINT32_MAX)
		out->cpu = c->cpu;
	return true;
}

static bool next_in_order(struct rings *r, struct record *out)
{
	size_t len;
	uint32_t tag;
	uint64_t time_ns;
	const void *bytes = order_pop(r->order, &len, &tag, &time_ns);
	if (!bytes || !decode(r, bytes, len, out))
		return false;
	if (!out->time_ns)
		out->time_ns = time_ns;
	if (out->cpu == UINT32_MAX)
		out->cpu = r->cpus.data[tag % r->cpus.len].cpu;
	return true;
}

static void finish_record(struct rings *r, struct record *out)
{
	out->event = out->event < r->layouts.len ? r->layouts.data[out->event].event : UINT32_MAX;
	r->out_of_order += out->time_ns < r->last_out_ns;
	if (out->time_ns > r->last_out_ns)
		r->last_out_ns = out->time_ns;
}

bool rings_next(struct rings *r, struct record *out)
{
	for (;;) {
		uint64_t order_ns;
		take_back_lent(r);
		struct rings_cpu *c = oldest_front(r);
		bool in_order = order_peek(r->order, &order_ns);
		if (!c && !in_order) {
			put_back(r);
			return next_in_order(r, out); /* false; a flush ends with it */
		}
		bool is_record = in_order && (!c || order_ns <= c->front_ns)
					 ? next_in_order(r, out)
					 : next_in_ring(r, c, out);
		if (is_record) {
			finish_record(r, out);
			return true;
		}
	}
}
