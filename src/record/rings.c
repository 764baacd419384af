/* Rings of the worker: mapping, the events that write into them, counting. */
#include "record/rings.h"

#include "base/text.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDER_BYTES	 (64u << 20)
#define EXIT_RING_PAGES	 16
#define MIN_RING_PAGES	 2
#define MAX_POLLED_RINGS 1025

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* One ring. 0, -1, or 1 when there was no room for it: a smaller one might do. */
static int open_ring(struct rings_cpu *c, uint32_t cpu, uint64_t pages, struct error *err)
{
	struct record_layout layout;
	struct event_sampling how = { .period = 1,
				      .exclude_kernel = true,
				      .disabled = true,
				      .wakeup_bytes = (uint32_t)(pages * page_bytes() / 4) };
	*c = (struct rings_cpu){ .cpu = cpu };
	if (event_open(&event_dummy, &how, 0, (int)cpu, &c->fd, &layout, err) < 0)
		return -1;
	struct error why = { 0 };
	if (ring_map(&c->ring, c->fd, (size_t)pages, &why) == 0) {
		c->scratch = xmalloc(RINGS_SCRATCH_BYTES);
		return 0;
	}
	close(c->fd);
	if (why.errnum == EPERM || why.errnum == ENOMEM)
		return 1;
	if (err)
		*err = why;
	return -1;
}

static void close_rings(struct rings_cpu *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ring_unmap(&cpus[i].ring);
		free(cpus[i].scratch);
		close(cpus[i].fd);
	}
}

/* As open_ring, for all or none. */
static int open_all(struct rings_cpu *cpus, const struct plan *plan, uint64_t pages,
		    struct error *err)
{
	for (uint32_t i = 0; i < plan->cpu_count; i++) {
		int result = open_ring(&cpus[i], plan->cpus[i], pages, err);
		if (result) {
			close_rings(cpus, i);
			return result;
		}
	}
	return 0;
}

/* Small rings for exits; without them tasks' exact counts are not known, which is no error. */
static void open_exit_rings(struct rings *r, const struct plan *plan)
{
	vec_reserve(&r->exits, plan->cpu_count);
	if (plan->count_exits && open_all(r->exits.data, plan, EXIT_RING_PAGES, NULL) == 0)
		r->exits.len = plan->cpu_count;
}

int rings_open(struct rings *r, const struct plan *plan, struct error *err)
{
	*r = (struct rings){ .decoder = record_decoder_new(),
			     .order = order_new(ORDER_BYTES),
			     .watch_forks = true };
	vec_reserve(&r->cpus, plan->cpu_count);
	open_exit_rings(r, plan); /* first: they are small, and the others shrink until they fit */
	uint64_t pages = plan->ring_pages;
	int result;
	while ((result = open_all(r->cpus.data, plan, pages, err)) > 0 && pages > MIN_RING_PAGES)
		pages /= 2;
	if (result < 0)
		return -1;
	if (result > 0)
		return error_set(
			err, ERROR_PERMISSION,
			"even rings of %llu kB per CPU exceed the locked-memory budget (sudo sysctl "
			"kernel.perf_event_mlock_kb=516, or raise ulimit -l)",
			(unsigned long long)(pages * page_bytes() >> 10));
	r->cpus.len = plan->cpu_count;
	r->ring_bytes = pages * page_bytes();
	return 0;
}

void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->events.len; i++)
		close(r->events.data[i].fd);
	close_rings(r->cpus.data, r->cpus.len);
	close_rings(r->exits.data, r->exits.len);
	vec_release(&r->events);
	vec_release(&r->cpus);
	vec_release(&r->layouts);
	vec_release(&r->exits);
	hmap_release(&r->forked);
	record_decoder_free(r->decoder);
	order_free(r->order);
}

static struct rings_cpu *ring_of_cpu(struct rings_cpu *cpus, size_t count, uint32_t cpu)
{
	for (size_t i = 0; i < count; i++) {
		if (cpus[i].cpu == cpu)
			return &cpus[i];
	}
	return NULL;
}

static bool same_layout(const struct record_layout *a, const struct record_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->regs_user_mask == b->regs_user_mask && a->regs_intr_mask == b->regs_intr_mask &&
	       a->branch_sample_type == b->branch_sample_type &&
	       a->sample_id_all == b->sample_id_all;
}

/* The decoder's event for a (layout, user's event): few differ. */
static uint32_t decoder_event(struct rings *r, const struct record_layout *layout, uint32_t event)
{
	for (size_t i = r->layouts.len; i-- > 0;) {
		const struct rings_layout *l = &r->layouts.data[i];
		if (l->event == event && same_layout(&l->layout, layout))
			return (uint32_t)i;
	}
	struct rings_layout l = { *layout, event };
	vec_push(&r->layouts, l);
	return record_decoder_add_event(r->decoder, layout);
}

int rings_add(struct rings *r, int fd, const struct control_event_fd *entry, struct error *err)
{
	bool is_count = entry->size_class == SIZE_COUNT;
	struct rings_event e = { .fd = fd,
				 .event = entry->event,
				 .size_class = entry->size_class,
				 .tid = entry->pid,
				 .period = entry->period,
				 .has_fixed_period = entry->period > 1000 && !is_count,
				 .is_member = entry->is_member != 0,
				 .is_group = entry->reads_group != 0 };
	struct rings_cpu *c = is_count ? ring_of_cpu(r->exits.data, r->exits.len, entry->cpu)
				       : ring_of_cpu(r->cpus.data, r->cpus.len, entry->cpu);
	uint32_t event = entry->event | (entry->size_class == SIZE_WIDE ? RINGS_WIDE : 0);
	uint64_t id;
	vec_push(&r->events, e);
	if (e.is_member) /* writes nothing */
		return 0;
	if (!c) /* a count still gives its final value */
		return is_count ? 0
				: error_set(err, ERROR_SYSTEM, "no ring for CPU %u", entry->cpu);
	if (event_set_output(fd, c->fd) < 0)
		return error_set_errno(err, errno, "cannot join the ring of CPU %u", entry->cpu);
	if (event_id(fd, &id) < 0)
		return error_set_errno(err, errno, "cannot read an event's id");
	record_decoder_add_id(r->decoder, id, decoder_event(r, &entry->layout, event));
	return 0;
}

void rings_wait(struct rings *r, int fd, int timeout_ms, bool *fd_ready)
{
	struct pollfd polls[MAX_POLLED_RINGS];
	size_t n = 0;
	polls[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	for (size_t i = 0; i < r->cpus.len && n < MAX_POLLED_RINGS; i++)
		polls[n++] = (struct pollfd){ .fd = r->cpus.data[i].fd, .events = POLLIN };
	poll(polls, n, timeout_ms);
	*fd_ready = polls[0].revents != 0;
}

bool rings_saw_fork(const struct rings *r, uint32_t tid)
{
	return hmap_get(&r->forked, tid) != HMAP_NONE;
}

void rings_switch(struct rings *r, uint32_t size_class, enum rings_action action)
{
	for (size_t i = 0; i < r->events.len; i++) {
		const struct rings_event *e = &r->events.data[i];
		if (e->event == UINT32_MAX || e->size_class != size_class || e->is_member)
			continue;
		if (action == RINGS_ENABLE)
			event_enable(e->fd);
		else
			event_disable(e->fd);
	}
}

/* Of this event with the first size: the larger one prepared beside it, behind its members. NULL:
 * none. */
static const struct rings_event *larger_of(const struct rings *r, size_t first)
{
	const struct rings_event *e = &r->events.data[first];
	for (size_t i = first + 1; i < r->events.len; i++) {
		const struct rings_event *next = &r->events.data[i];
		if (next->tid == e->tid && next->event == e->event &&
		    next->size_class == SIZE_LARGER)
			return next;
		if (!next->is_member)
			break;
	}
	return NULL;
}

bool rings_grow(struct rings *r)
{
	bool any = false;
	for (size_t i = 0; i < r->events.len; i++) {
		const struct rings_event *first = &r->events.data[i], *larger;
		if (first->size_class != SIZE_FIRST || first->is_member ||
		    !(larger = larger_of(r, i)))
			continue;
		event_disable(first->fd);
		event_enable(larger->fd);
		any = true;
	}
	return any;
}

void rings_jitter(struct rings *r, uint64_t *random_state)
{
	for (size_t i = 0; i < r->events.len && i < 64; i++) {
		struct rings_event *e = &r->events.data[i];
		if (!e->has_fixed_period)
			continue;
		*random_state = *random_state * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t span = e->period / 32; /* +- 1.6 % around the nominal period */
		event_set_period(e->fd, e->period - span / 2 + (*random_state >> 33) % (span + 1));
	}
}

static void count_root(struct rings_count *out, const struct rings_event *e, uint64_t value)
{
	for (size_t i = out->roots.len; i-- > 0;) {
		struct accounts_root *root = &out->roots.data[i];
		if (root->tid == e->tid && root->event == e->event) {
			root->exact += value;
			return;
		}
		if (root->tid != e->tid) /* events of one task follow each other */
			break;
	}
	struct accounts_root root = { e->tid, e->event, value };
	vec_push(&out->roots, root);
}

/* Where there are events that only count, they know the first event's total: sampling may have been
 * stopped. */
static bool has_counts(const struct rings *r)
{
	for (size_t i = 0; i < r->events.len; i++) {
		if (r->events.data[i].size_class == SIZE_COUNT)
			return true;
	}
	return false;
}

void rings_count(struct rings *r, struct rings_count *out)
{
	bool counts = has_counts(r);
	for (size_t i = 0; i < r->events.len; i++) {
		const struct rings_event *e = &r->events.data[i];
		struct event_count c;
		if (event_read(e->fd, e->is_group, &c) < 0)
			continue;
		bool tracks = e->event >= out->event_count;
		if (tracks || e->size_class == SIZE_COUNT)
			out->lost_records += c.lost;
		else
			out->lost_samples += c.lost;
		bool samples_first = e->event == 0 && e->size_class != SIZE_COUNT;
		if (e->is_member) {
			out->totals[e->event] += c.value;
			continue;
		}
		if (tracks || e->size_class == SIZE_WIDE || (counts && samples_first))
			continue;
		out->totals[e->event] += c.value;
		count_root(out, e, c.value);
	}
}
